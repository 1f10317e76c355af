"""Console blocks of Markdown pages: commands, and the lines of output that the page promises."""

from __future__ import annotations

import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from kg_runner import Kg

BLOCK = re.compile(r"^```(?:console|text)\n(\$ .*?)^```", re.MULTILINE | re.DOTALL)
ELIDED = "..."


@dataclass(frozen=True, slots=True)
class Step:
    """A command of a page, and its output there; `...` is for lines that the page leaves out."""

    command: str
    shown: tuple[str, ...]


def steps_of(text: str) -> list[Step]:
    """Return the commands of all blocks that begin with one."""
    found = []
    for block in BLOCK.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *shown = part.splitlines()
            found.append(Step(command, tuple(" ".join(line.split()) for line in shown if line.strip())))
    return found


def run(step: Step, kg: Kg, folder: Path) -> str:
    """Run a command, `kg` in this process, and return what it prints."""
    if step.command.startswith("kg "):
        _, out, err = kg(*shlex.split(step.command, comments=True)[1:])
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
        found = next((n for n in range(place, len(lines)) if lines[n] == shown), None)
        if found is None or (not gap and found != place):
            missing.append(shown)
        place, gap = (place if found is None else found + 1), False
    return missing
