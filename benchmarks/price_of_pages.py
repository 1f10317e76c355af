"""What do 1,000 pages cost, by model? The plan of a load with a table of prices; no model is called.

    python benchmarks/price_of_pages.py                               the texts of examples/
    python benchmarks/price_of_pages.py FILE ... --models gpt-5.4-nano claude-haiku-5-5

A page has 500 tokens. The plan of the texts is scaled to 1,000 pages: their share of prompts is the same.
Thoughts of a model and repairs are not in it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src")]

from kg_neo4j._models import prices, tokens  # noqa: E402 - after the path is set
from kg_neo4j.pipeline.commands.plan import plan  # noqa: E402
from kg_neo4j.pipeline.options import LoadOptions  # noqa: E402
from kg_neo4j.settings import Settings  # noqa: E402

PAGE = 500  # tokens
MODELS = (
    *("gpt-5.6-luna", "gpt-5.4-nano", "gpt-5.4-mini", "gpt-5.6-terra", "gpt-6-sol"),
    *("claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5"),
    *("gemini-3.5-flash-lite", "gemini-3.5-flash"),
    *("mistral-small-latest", "mistral-medium-latest", "deepseek-v4-flash"),
)


def main() -> None:
    """Print a table: model, USD for 1,000 pages with `lean`, the day of its price."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("files", nargs="*", default=sorted(map(str, (HERE.parent / "examples").glob("*.md"))))
    asked.add_argument("--models", nargs="+", default=MODELS)
    given = asked.parse_args()
    files = [each for each in given.files if not each.endswith("README.md")]
    text = sum(tokens.load().count(Path(each).read_text(encoding="utf-8")) for each in files)
    with tempfile.TemporaryDirectory() as folder:
        own = {"home": folder, "cache": folder, "openai_api_key": "none", "answer_cache": False}
        used = plan(files, settings=Settings(**own), options=LoadOptions()).usage
    scale = 1_000 * PAGE / text
    read, written = used.input_tokens * scale, used.output_tokens * scale
    print(f"{len(files)} texts of {text:,} tokens ({tokens.load().name}); 1,000 pages of {PAGE} tokens: ", end="")
    print(f"{read / 1e6:.2f} M tokens of input, {written / 1e6:.2f} M of output\n")
    print("| model | USD for 1,000 pages | price of input and output, a million tokens | as of |\n|---|---|---|---|")
    for name in given.models:
        price = prices.price_of(name, Settings())
        if price is None:
            print(f"| {name} | unknown | | |")
            continue
        usd = price.usd(read, written)
        print(f"| {name} | {usd:.2f} | {price.input:.2f} + {price.output:.2f} | {price.as_of} |")


if __name__ == "__main__":
    main()
