"""Words that readers of DOCX keep: of fifty files that hold each feature of tests/word_files.py once, in random order.

    python benchmarks/docx_words.py                     what this environment has of the readers
    pip install mammoth docx2python "markitdown[docx]"  into an environment of its own, for the others

For each reader: the share of words kept, how many stand twice, how many of deleted, hidden or alternative text are
there, files refused, seconds; then the features in which it loses or doubles words, or shows what it should not.
A word is kept if the text has it, whatever is around it. One file in ten is in the strict form of Open XML, and one in
ten has a table with odd spans: some readers refuse these.
"""

from __future__ import annotations

import argparse
import io
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from word_files import FEATURES, MARGINS, fill, word_file  # noqa: E402

FILES, SEED = 50, 44


def ours(data: bytes) -> str:
    from kg_neo4j.acquire.docx_text import read_docx

    return read_docx(data).text


def python_docx(data: bytes) -> str:
    """Return what its own iterators give: paragraphs, and the cells of tables."""
    from docx import Document
    from docx.table import Table

    blocks = Document(io.BytesIO(data)).iter_inner_content()
    rows = (each.rows if isinstance(each, Table) else [each] for each in blocks)
    return "\n".join(" | ".join(cell.text for cell in getattr(row, "cells", [row])) for part in rows for row in part)


def mammoth(data: bytes) -> str:
    import mammoth as library

    return str(library.extract_raw_text(io.BytesIO(data)).value)


def docx2python(data: bytes) -> str:
    from docx2python import docx2python as read

    with tempfile.NamedTemporaryFile(suffix=".docx") as file:
        Path(file.name).write_bytes(data)
        with read(file.name) as found:
            return str(found.text)


def markitdown(data: bytes) -> str:
    from markitdown import MarkItDown

    return str(MarkItDown().convert_stream(io.BytesIO(data), file_extension=".docx").text_content)


READERS: tuple[Callable[[bytes], str], ...] = (ours, python_docx, mammoth, docx2python, markitdown)


def made(number: int) -> tuple[bytes, dict[str, str], set[str]]:
    """Return a file, the feature of each of its words, and those of the words that are not to be read."""
    chance = random.Random(SEED + number)
    features: dict[str, str] = {}
    unwanted: set[str] = set()
    filled = {}
    wanted = [each for each in (FEATURES | MARGINS).items() if each[0] != "odd spans" or number % 10 == 5]
    for feature, text in chance.sample(wanted, len(wanted)):
        kept: list[str] = []
        dropped: list[str] = []
        filled[feature] = fill(text, kept, dropped, chance)
        features |= dict.fromkeys(kept + dropped, feature)
        unwanted |= set(dropped)
    body = "".join(text for feature, text in filled.items() if feature in FEATURES)
    parts = [(kind, filled[kind]) for kind in MARGINS]
    return word_file(body, parts, strict=number % 10 == 0), features, unwanted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=FILES)
    files = [made(number) for number in range(parser.parse_args().files)]
    print(f"{len(files)} files, seed {SEED}, {len(FEATURES) + len(MARGINS)} features")
    print(f"{'reader':12} {'kept':>7} {'twice':>6} {'unwanted':>9} {'refused':>8} {'seconds':>8}")
    for reader in READERS:
        total = kept = twice = unwanted = refused = 0
        wrong: Counter[str] = Counter()
        start = time.perf_counter()
        for data, features, dropped in files:
            try:
                text = reader(data)
            except ImportError:
                break
            except Exception as error:  # noqa: BLE001 - whatever a library raises, its user has no text
                refused += 1
                wrong[f"{type(error).__name__}"] += 1
                text = ""
            for word, feature in features.items():
                count, is_wanted = text.count(word), word not in dropped
                total, kept = total + is_wanted, kept + (is_wanted and count > 0)
                twice, unwanted = twice + (count > 1), unwanted + (not is_wanted and count > 0)
                wrong[feature] += text != "" and count != is_wanted
        else:
            spent = time.perf_counter() - start
            print(f"{reader.__name__:12} {kept / total:7.1%} {twice:6} {unwanted:9} {refused:8} {spent:8.2f}")
            print(
                "    "
                + (", ".join(f"{what} {count}" for what, count in sorted(wrong.items()) if count) or "nothing wrong")
            )
            continue
        print(f"{reader.__name__:12} not installed")


if __name__ == "__main__":
    main()
