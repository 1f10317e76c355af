"""Commands of Markdown pages, and the lines of output that the page promises."""

from __future__ import annotations

import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

from kg_runner import Kg

PROMPT = re.compile(r"^\$ ", re.MULTILINE)
OURS = re.compile(r"^kg [a-z](?!.*\[OPTIONS\])", re.MULTILINE)
ELIDED = "..."


@dataclass(frozen=True, slots=True)
class Step:
    """A command of a page, and its output there; `...` is for lines that the page leaves out."""

    command: str
    shown: tuple[str, ...] = ()


def steps_of(text: str) -> list[Step]:
    """Return the commands of all blocks: those behind a prompt, and the lines of a block for a shell."""
    found = []
    for token in MarkdownIt().parse(text):
        block = token.content.replace("\\\n", " ") if token.type in ("fence", "code_block") else ""
        if block.startswith("$ "):
            for part in PROMPT.split(block)[1:]:
                command, *shown = part.splitlines()
                found.append(Step(command, tuple(" ".join(line.split()) for line in shown if line.strip())))
        elif token.info == "bash" or OURS.search(block):
            found += [Step(line) for line in block.splitlines() if line and not line.startswith("#")]
    return found


def run(step: Step, kg: Kg, folder: Path) -> str:
    """Run a command, `kg` in this process, and return what it prints."""
    if step.command.startswith("kg "):
        words = shlex.split(step.command, comments=True)[1:]
        files = {words.pop(at): words.pop(at) for at in range(len(words) - 2, 0, -1) if words[at] in "<>"}
        typed = {"typed": (folder / files["<"]).read_text("utf-8")} if "<" in files else {}
        _, out, err = kg(*words, **typed)
        if ">" in files:
            (folder / files[">"]).write_text(out, "utf-8")
        return out + err
    done = subprocess.run(["bash", "-c", step.command], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def absent(step: Step, printed: str) -> list[str]:
    """Return the lines that the page shows and the command did not print at their place."""
    lines = [" ".join(line.split()) for line in printed.splitlines()]
    lines = [line for line in lines if line.strip(" ─")]
    missing, place, gap = [], 0, False
    for shown in step.shown:
        if shown == ELIDED:
            gap = True
            continue
        found = next((n for n in range(place, len(lines)) if _is(lines[n], shown)), None)
        if found is None or (not gap and found != place):
            missing.append(shown)
        place, gap = (place if found is None else found + 1), False
    return missing


def _is(line: str, shown: str) -> bool:
    """Return whether a line is the one that is shown; "..." at its end stands for more, such as an id."""
    return line == shown or (shown.endswith(f" {ELIDED}") and line.startswith(shown.removesuffix(ELIDED)))
