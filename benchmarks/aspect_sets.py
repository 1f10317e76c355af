"""Cues of the sets of aspects in texts of known kinds: KIND=FILE,FILE ... (docs/decisions/0038).

Prints the rows `sets` of offline/cues.toml that these texts give, then for each text the set that is chosen by the rows
that stand there now. Texts of tests/data/kinds_of_text.toml are read as well; a KIND of "-" is chosen for only.
"""

from __future__ import annotations

import statistics
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from kg_neo4j.organise.tree.aspects import SHIPPED
from kg_neo4j_offline import cues

OWN = Path(__file__).resolve().parents[1] / "tests" / "data" / "kinds_of_text.toml"
MOST = 30_000  # characters of a text, after its first tenth

Named = tuple[str, str]  # name, text


def read(arguments: Sequence[str]) -> Mapping[str, list[Named]]:
    """Return the texts of each kind."""
    found = {kind: list(texts.items()) for kind, texts in tomllib.loads(OWN.read_text(encoding="utf-8")).items()}
    for argument in arguments:
        kind, _, files = argument.partition("=")
        for file in map(Path, files.split(",")):
            text = file.read_text(encoding="utf-8-sig")
            begin = len(text) // 10 if len(text) > MOST else 0
            found.setdefault(kind, []).append((file.stem, text[begin : begin + MOST]))
    return found


def row(name: str, texts: Mapping[str, list[Named]]) -> str:
    """Return the row of a set: the mean of the other kinds' means, and the mean of its own."""
    means = {
        kind: statistics.mean(cues.set_density(name, [text]) for _, text in listed)
        for kind, listed in texts.items()
        if kind != "-"
    }
    usual = statistics.mean(mean for kind, mean in means.items() if kind != name)
    return f"{name} | {usual:.4f} | {means[name]:.4f}"


if __name__ == "__main__":
    known = read(sys.argv[1:])
    print("\n".join(row(name, known) for name in SHIPPED))
    for kind, listed in known.items():
        for name, text in listed:
            fits = cues.fits([text])
            wrong = "" if kind in ("-", next(iter(fits))) else "  WRONG"
            print(f"{kind:10} {name:32} {', '.join(f'{each} {fit:.2f}' for each, fit in fits.items())}{wrong}")
