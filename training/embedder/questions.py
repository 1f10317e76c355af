"""Questions from templates, about names in passages: what the teacher finds near them is what the embedder learns.

The questions of the multi-hop sets are never looked at.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

PLAIN = tuple(
    line.strip()
    for line in """
In which region is {a} located?|Where is {a}?|In which country is {a}?|What country is {a} from?
What nationality is {a}?|What country does {a} come from?|Which towns lie in {a}?|What is {a} known for?
Which work made {a} famous?|What are the parts of {a}?|Who were the members of {a}?|What is {a} part of?
Who performed {a}?|Which singer recorded {a}?|When was {a} released?|In which year was {a} published?
In which event did {a} take part?|Who took part in {a}?|Of which group is {a} a member?|Where does {a} hold?
Which country does {a} originate from?|When was {a} born?|What is the date of birth of {a}?|Who starred in {a}?
Which actors played in {a}?|When was {a} founded?|In what year did {a} begin?|Which record label released {a}?
On which river or lake is {a}?|On which continent is {a}?|In which work does {a} appear?|When did {a} die?
Who is the brother or sister of {a}?|In which war did {a} fight?|Who owns {a}?|Who is the child of {a}?
Where was {a} born?|What is the birthplace of {a}?|What religion did {a} follow?|Who was married to {a}?
Who is the spouse of {a}?|Which company developed {a}?|Who wrote {a}?|What came after {a}?|What came before {a}?
Who created {a}?|Which characters appear in {a}?|Where did {a} take place?|Which team did {a} play for?
Where did {a} study?|Which university did {a} attend?|To which organisation does {a} belong?
Which companies belong to {a}?|Who was the father of {a}?|Who was the mother of {a}?
Who leads the government of {a}?|Who composed the music of {a}?|For whom did {a} work?|Who manufactures {a}?
When did {a} take place?|Who directed {a}?|Who is the director of the film {a}?|Which award did {a} receive?
What is the official language of {a}?|Who produced {a}?|To which political party does {a} belong?
In which branch of the military did {a} serve?|Where is the headquarters of {a}?|Which network broadcast {a}?
Where did {a} die?|Who published {a}?|Who founded {a}?|What is the capital of {a}?|Who wrote the script of {a}?
""".strip()
    .replace("\n", "|")
    .split("|")
)
NESTED = tuple(
    line.strip()
    for line in """
When was the {n} of {a} born?|Where was the {n} of {a} born?|Where did the {n} of {a} die?
When did the {n} of {a} die?|What is the nationality of the {n} of {a}?|Which award did the {n} of {a} receive?
Who is the father of the {n} of {a}?|Who is married to the {n} of {a}?
What is the capital of the {n} where {a} is located?|What other work is the {n} of {a} known for?
In which country is the {n} of {a}?|How many people live in the {n} that {a} comes from?
Where did the {n} of {a} study?|When did the {n} of {a} become independent?
Who was the first {n} of the place where {a} was born?|Which {n} did the {m} of {a} belong to?
What year was the {n} established that {a} is part of?
""".strip()
    .replace("\n", "|")
    .split("|")
)
COMPARING = tuple(
    line.strip()
    for line in """
Which was founded first, {a} or {b}?|Who was born first, {a} or {b}?|Which film came out earlier, {a} or {b}?
Are {a} and {b} both located in the same country?|Do {a} and {b} have the same nationality?
Which film has the director who was born later, {a} or {b}?|Who lived longer, {a} or {b}?
Are both {a} and {b} from the United States?|Which has more members, {a} or {b}?
What do {a} and {b} have in common?|Were {a} and {b} released in the same year?
What profession do {a} and {b} share?
""".strip()
    .replace("\n", "|")
    .split("|")
)
NOUNS = (
    "director composer author founder father mother husband wife publisher performer producer manufacturer birthplace "
    "country capital employer creator owner child team university town state river city company league singer leader"
).split()
_NAME = re.compile(
    r"(?<![.!?] )(?<!^)[A-Z][\w'’-]+(?: (?:of|the|de|van|von|and|[A-Z][\w'’-]+))* ?[A-Z][\w'’-]+|[A-Z][a-z]{4,}"
)
_SHORTEST = 8  # characters of a name that is asked about


@dataclass(frozen=True)
class Question:
    """A question, and the passages that its names come from."""

    text: str
    passages: tuple[int, ...]


def ask(passages: Sequence[str], count: int, seed: int) -> list[Question]:
    """Return questions about titles of passages and about two names in each: plain, nested, comparing."""
    rng = random.Random(seed)
    heads = [head for number, passage in enumerate(passages) for head in _heads(passage, number, rng)]
    questions = []
    for _ in range(count):
        name, number = rng.choice(heads)
        kind = rng.random()
        if kind < 0.4:
            questions.append(Question(rng.choice(PLAIN).format(a=name), (number,)))
        elif kind < 0.8:
            text = rng.choice(NESTED).format(a=name, n=rng.choice(NOUNS), m=rng.choice(NOUNS))
            questions.append(Question(text, (number,)))
        else:
            other, second = rng.choice(heads)
            questions.append(Question(rng.choice(COMPARING).format(a=name, b=other), (number, second)))
    return questions


def _heads(passage: str, number: int, rng: random.Random) -> list[tuple[str, int]]:
    title, _, text = passage.partition("\n")
    names = {match.group().strip() for match in _NAME.finditer(text)}
    longer = sorted(name for name in names if len(name) >= _SHORTEST and name != title)
    rng.shuffle(longer)
    return [(name, number) for name in (title, *longer[:2])]
