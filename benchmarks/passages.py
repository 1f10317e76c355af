"""A text of numbered passages of about 1,000 tokens, and the graph that each states. Standard library only.

Every passage names six people and things of its own and four that other passages name, too; each node and each
relationship has a sentence in the text. Shared names are drawn from as many as there are passages, so that a name is
shared by four passages on average, whatever their number.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from forms import Graph, Node, Relationship

OWN, SHARED, RELATIONSHIPS = 6, 4, 12
CHARACTERS = 4_400  # of a passage: about 1,000 tokens
BREAK = "\n\n"  # between passages, each a paragraph
MARK = re.compile(rb"Passage number (\d{5}) begins")
_FIRST = "Orla Bram Iris Joost Pia Anton Vera Matti Lena Ruben Tilda Oskar Nell Casper Runa Elias".split()
_LAST = "Venn Haldor Quist Marlow Brandt Okoro Sund Ferro Linde Vasari Thorne Aalto Keller Roos".split()
_TYPES = ("PERSON", "ORGANIZATION", "LOCATION", "EVENT")
_ROLES = ("surveyor", "harbour office", "river port", "spring fair", "bell founder", "printing house")
_RELATIONS = ("WORKED_FOR", "LIVED_IN", "MET", "TOOK_PART_IN", "FOUNDED", "WROTE_TO", "BOUGHT_FROM", "TAUGHT")
_FILLER = (
    "The ledger of that year lists wool, salt and lamp oil, with the prices that the guild had agreed upon in autumn.",
    "Rain kept the roads closed for most of the month, and letters arrived late or in the wrong order.",
    "Nobody in the town remembered a colder spring, and the mill stood still until the ice had gone.",
    "A note in the margin, in another hand, says that the sum was paid in full and the matter closed.",
)


@dataclass(frozen=True)
class Passage:
    """A passage, its graph, and the words that each node and each relationship rests on."""

    index: int
    text: str
    graph: Graph


def passages(count: int, seed: int = 7) -> Iterator[Passage]:
    """Yield `count` passages; the same for the same count."""
    for index in range(count):
        draw = random.Random(seed * 1_000_003 + index)
        names = [f"{draw.choice(_FIRST)} {draw.choice(_LAST)} {_letters(index)}{number}" for number in range(OWN)]
        pool = sorted(draw.sample(range(max(count, SHARED)), SHARED))
        names += [f"{_FIRST[each % len(_FIRST)]} {_LAST[each % len(_LAST)]} of Hall {each}" for each in pool]
        names = list(dict.fromkeys(names))
        nodes = [_node(draw, name, index) for name in names]
        pairs: list[tuple[int, int]] = []
        while len(pairs) < RELATIONSHIPS:
            pair = (draw.randrange(len(nodes)), draw.randrange(len(nodes)))
            if pair[0] != pair[1] and pair not in pairs:
                pairs.append(pair)
        relationships = [_relationship(draw, nodes, *pair) for pair in pairs]
        yield Passage(index, _text(index, nodes, relationships), Graph(nodes, relationships))


def text(count: int) -> str:
    """Return all passages as one text."""
    return BREAK.join(passage.text for passage in passages(count))


def _letters(number: int) -> str:
    """Return a number as five letters, so that names of different passages are told apart by words."""
    return "".join("bdfgklmnrs"[int(digit)] for digit in f"{number:05}").capitalize()


def _node(draw: random.Random, name: str, index: int) -> Node:
    # what a thing is goes by its name, not by the passage, so that mentions of one name are one node
    place = sum(map(ord, name))
    role = _ROLES[place % len(_ROLES)]
    description = (
        f"{name} was a {role} in the account of year {1400 + index % 400}, with {draw.randrange(2, 90)} entries."
    )
    evidence = f"{name} was a {role}"
    return Node(name, _TYPES[place % len(_TYPES)], {"role": role, "description": description, "evidence": evidence})


def _relationship(draw: random.Random, nodes: list[Node], source: int, target: int) -> Relationship:
    kind = draw.choice(_RELATIONS)
    words = kind.lower().replace("_", " ")
    evidence = f"{nodes[source].name} {words} {nodes[target].name}"
    description = f"{evidence} on day {draw.randrange(1, 360)} of that year."
    strength = draw.randrange(1, 11)
    return Relationship(source, kind, target, {"description": description, "strength": strength, "evidence": evidence})


def _text(index: int, nodes: list[Node], relationships: list[Relationship]) -> str:
    lines = [f"Passage number {index:05} begins with the names."]
    lines += [str(each.properties["description"]) for each in nodes]
    lines += [str(each.properties["description"]) for each in relationships]
    size = sum(map(len, lines)) + len(lines)
    filler = 0
    while size < CHARACTERS:
        lines.append(_FILLER[(index + filler) % len(_FILLER)])
        size += len(lines[-1]) + 1
        filler += 1
    return " ".join(lines)
