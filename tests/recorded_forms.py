"""Replays recorded answers of `kg study format`: a server on loopback that answers by chunk and form.

    python tests/recorded_forms.py FOLDER

asks about three chunks of our own texts in all four forms. Each prompt is written to FOLDER/NAME.FORM.prompt.md. Where
FOLDER/NAME.FORM.answer.txt is there, it is the answer; when all twelve are, they become
tests/data/recorded/extraction_forms.jsonl, and the table is printed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from fake_llm import FakeLlm, Request
from kg_neo4j.extract import schema as schemas

LEAN = schemas.load("lean")
ROOT = Path(__file__).resolve().parents[1]
RECORDED = ROOT / "tests" / "data" / "recorded" / "extraction_forms.jsonl"
FACTS = RECORDED.with_name("forms.facts.jsonl")
TEXTS = tuple(f"examples/{name}.md" for name in ("across_chunks", "the_lamp_at_skarnes", "the_bell_of_orlen"))
ARGUMENTS = ("study", "format", *TEXTS, "--chunk-tokens", "400", "--limit", "1", "--facts", str(FACTS))
FORMS = ("csv", "grammar", "rows", "objects")
NOTHING = "\n\n".join(",".join(header) for header in (LEAN.node_header, LEAN.relationship_header)) + "\n"
_SHOWN = re.compile(r"===== begin \w+ =====\n(.*)\n===== from the document \w+ =====\nDocument: ([^\n]*)\n", re.DOTALL)


def asked(request: Request) -> tuple[str, str, str]:
    """Return what a request asks about: the SHA-256 of the shown text, the document's title, and the form."""
    found = _SHOWN.search(request.user)
    assert found, request.user[:200]
    form = "grammar" if "grammar" in request.body or "structured_outputs" in request.body else "csv"
    form = "rows" if "each as an array" in request.user else "objects" if "each as an object" in request.user else form
    return hashlib.sha256(found[1].encode()).hexdigest(), found[2], form


def replay(llm: FakeLlm, rows: Iterable[dict[str, str]]) -> None:
    """Let a server give recorded answers. One thread asks at a time."""
    known = {(row["sha256"], row["form"]): row["answer"] for row in rows}
    answer_by(llm, lambda request: known.get(asked(request)[::2], "not recorded"))


def answer_by(llm: FakeLlm, say: Callable[[Request], str]) -> None:
    """Let a server answer by a function of the request; it counts tokens."""
    llm.counts, llm.rules = True, lambda *_: say(llm.requests[-1])


def recorded() -> list[dict[str, str]]:
    """Return the recorded answers: document, form, sha256 of the shown text, answer."""
    return [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]


def collect(folder: Path) -> None:
    """Write the prompts, take the answers that are there, and print the table; with all answers, record them."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []

    def say(request: Request) -> str:
        sha256, title, form = asked(request)
        name = f"{title.lower().replace(' ', '_')}.{form}"
        messages = (f"# {message['role']}\n\n{message['content']}\n" for message in request.body["messages"])
        prompt, answer = folder / f"{name}.prompt.md", folder / f"{name}.answer.txt"
        if not prompt.exists():  # else it is a further question
            prompt.write_text("\n".join(messages), encoding="utf-8")
        if not answer.exists():
            return NOTHING
        row = {"document": title, "form": form, "sha256": sha256, "answer": answer.read_text(encoding="utf-8")}
        rows.extend([row] * (row not in rows))
        return row["answer"]

    with FakeLlm() as llm:
        answer_by(llm, say)
        own = {"OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "k", "KG_MODEL": "recorded", "KG_CONSTRAIN": "llama"}
        command = [sys.executable, "-m", "kg_neo4j", *ARGUMENTS]
        subprocess.run(command, cwd=ROOT, env={**os.environ, **own}, check=True)
    sys.stdout.write(f"{len(rows)} of {len(TEXTS) * len(FORMS)} answers\n")
    if len(rows) == len(TEXTS) * len(FORMS):
        RECORDED.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    collect(Path(sys.argv[1]))
