"""Makes two sets of questions for choosing parameters of retrieval, from passages annotated as in Re-DocRED.

    python benchmarks/made_questions.py ../shared/data/redocred/dev_revised.json FOLDER [--seed 1]

FOLDER/bridge_dev: the answer is two steps away, by an entity that the question does not name and that two passages
name. FOLDER/plain_dev: the relation is said in words that the passages do not have; two passages where two things are
compared. Each has corpus.jsonl, all passages, and questions.jsonl with the passages that answer (`gold`), as the sets
of `kg eval retrieval`. The wordings are in made_questions.toml. The same file and seed give the same bytes.

`test` marks a question that needs a passage of the test part (eval/partition.py): the built-in models learned from none
of these passages, but from the others.

A name that stands for two entities or in a second passage asks nothing. A relation that a second passage states for the
same entity, or that has two ends, is not asked for either: other passages would answer as well.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src")]

from kg_neo4j.words import fold, is_stop_word, same_word, split_words  # noqa: E402
from kg_neo4j_lab.extraction.gold import GoldPassage, read  # noqa: E402 - after the path is set
from kg_neo4j_lab.partition import is_test  # noqa: E402
from kg_neo4j_offline.extractor.lexicon import NATIONS  # noqa: E402

WORDINGS = tomllib.loads((HERE / "made_questions.toml").read_text(encoding="utf-8"))
MOST_PASSAGES = 40  # that name a bridge: of a country that half of the passages name nothing can be found
MOST = {"bridge": 8, "relation": 24, "pair": 5, "answer": 3, "gold": 2, "start": 4, "compared": 60, "one passage": 100}
NO_BRIDGES = frozenset(  # everywhere under several names, or two things of one name and type
    map(
        fold,
        "U.S.,US,America,United States,United States of America,UK,AFI,Association,Connecticut,MTA,Washington".split(
            ","
        ),
    )
)
ADJECTIVES = frozenset((*NATIONS, "European", "African", "Asian", "South American", "North American", "Latin American"))
ABBREVIATED = re.compile(r"(\w\.\w|\b(Jr|Sr|Inc|Co|Ltd|St|Corp))\.$")
YEAR = re.compile(r"\b1[0-9]{3}\b|\b20[0-9]{2}\b")

Node = tuple[int, int]  # passage, entity within it


@dataclass(frozen=True, slots=True)
class Fact:
    """One end of a relation, the kind of it as in the file of wordings, and the other end."""

    start: Node
    kind: str
    end: Node
    is_stated: bool  # False: the annotators inferred it from what they knew

    @property
    def relation(self) -> str:
        """The relation without the types of its ends."""
        return self.kind.partition(" ")[0]


@dataclass(frozen=True, slots=True)
class Question:
    """One made question. What it is counted by is not written."""

    text: str
    answer: str
    type: str
    gold: tuple[int, ...]
    relations: tuple[str, ...]
    counted: tuple[str, ...]


class Annotated:
    """The passages with their entities by name and their facts by kind."""

    def __init__(self, passages: Sequence[GoldPassage]) -> None:
        self.passages = passages
        self.texts = [f"{each.title}\n{each.text}" for each in passages]
        self._lowered = [text.lower() for text in self.texts]
        self.names: dict[Node, frozenset[str]] = {}
        self.by_name: dict[str, set[Node]] = defaultdict(set)
        self.facts: dict[Node, list[Fact]] = defaultdict(list)
        self._places: dict[str, list[int]] = {}
        for number, passage in enumerate(passages):
            for place, entity in enumerate(passage.entities):
                node = number, place
                self.names[node] = frozenset(_bare(passage.text[each.start : each.end]) for each in entity.mentions)
                for name in self.names[node]:
                    self.by_name[fold(name)].add(node)
            for relation in passage.relations:
                ends = (number, relation.source), (number, relation.target)
                for sign, (start, end) in (("", ends), ("-", ends[::-1])):
                    kind = f"{sign}{relation.type} {self.type(start)} {self.type(end)}"
                    self.facts[start].append(Fact(start, kind, end, bool(relation.evidence)))

    def type(self, node: Node) -> str:
        """Return the type of an entity."""
        return self.passages[node[0]].entities[node[1]].type

    def name(self, node: Node) -> str:
        """Return the longest name of an entity."""
        return max(self.names[node], key=lambda name: (len(name), name))

    def passages_stating(self, name: str, relation: str) -> set[int]:
        """Return the passages that state a relation of an entity with this folded name."""
        nodes = self.by_name[name]
        return {each[0] for each in nodes for fact in self.facts[each] if fact.relation == relation and fact.is_stated}

    def names_shared(self, node: Node) -> list[str]:
        """Return the folded names by which an entity can be a bridge: no adjective, no first name, not everywhere."""
        names = {fold(name): name for name in self.names[node] if name not in ADJECTIVES}
        is_person = self.type(node) == "PER"
        if NO_BRIDGES & names.keys() or any(len(self.passages_with(each)) > MOST_PASSAGES for each in names.values()):
            return []
        return sorted(folded for folded, name in names.items() if name[:1].isupper() and (" " in name or not is_person))

    @cache  # noqa: B019 - one object lives as long as the run
    def words(self, number: int) -> frozenset[str]:
        """Return the folded words of a passage."""
        return frozenset(map(fold, split_words(self.texts[number])))

    def passages_with(self, name: str) -> list[int]:
        """Return the passages whose title or text has a name."""
        if name not in self._places:
            low = name.lower()
            near = [number for number, text in enumerate(self._lowered) if low in text]
            self._places[name] = [number for number in near if _within(low, self._lowered[number])]
        return self._places[name]

    def is_clear(self, node: Node) -> bool:
        """Return whether the name of an entity means it alone in all passages."""
        name = self.name(node)
        is_full = self.type(node) != "PER" or " " in name
        return (
            is_full
            and name not in ADJECTIVES
            and name[:1].isupper()
            and len(self.passages_with(name)) == 1
            and self.by_name[fold(name)] == {node}
        )

    def single(self, kinds: Iterable[str]) -> Iterator[Fact]:
        """Yield the facts of these kinds whose start has no second one of its relation, in a fixed order."""
        chosen = frozenset(kinds)
        for node in sorted(self.facts):
            for fact in self.facts[node]:
                alike = [each for each in self.facts[node] if each.relation == fact.relation]
                if fact.kind in chosen and len(alike) == 1 and self.name(fact.end) not in ADJECTIVES:
                    yield fact


def _bare(name: str) -> str:
    """Return a name without an article before it and punctuation after it."""
    name = re.sub(r"^the (?=[A-Z])", "", name.strip(" ’',"))
    return name if ABBREVIATED.search(name) else name.rstrip(".")


def bridges(data: Annotated, chance: random.Random) -> Iterator[Question]:
    """Yield the questions of two steps."""
    onward: dict[str, list[Fact]] = defaultdict(list)
    for fact in data.single(WORDINGS["ask"]):
        for name in data.names_shared(fact.start):
            if fact.is_stated and len(data.passages_stating(name, fact.relation)) == 1:
                onward[name].append(fact)
    for first in data.single(WORDINGS["bridge"]):
        if not data.is_clear(first.start):
            continue
        for name in data.names_shared(first.end):
            for second in onward[name]:
                if fits(data, first, second):
                    phrase = chance.choice(WORDINGS["bridge"][first.kind]).format(data.name(first.start))
                    relations = first.relation, second.relation
                    yield Question(
                        chance.choice(WORDINGS["ask"][second.kind]).format(phrase),
                        data.name(second.end),
                        "bridge",
                        (first.start[0], second.start[0]),
                        relations,
                        (
                            f"bridge:{name}",
                            f"answer:{name} {second.relation}",
                            f"pair:{first.relation} {second.relation}",
                            *(f"relation:{each}" for each in relations),
                        ),
                    )


def fits(data: Annotated, first: Fact, second: Fact) -> bool:
    """Return whether two facts make one question that needs both of their passages."""
    here, there = first.start[0], second.start[0]
    answer = data.name(second.end)
    hidden = data.names[first.end] | data.names[second.start]
    asked = data.name(first.start)
    return (
        here != there
        and data.type(first.end) == data.type(second.start)
        and first.relation.strip("-") != second.relation.strip("-")
        and here not in data.passages_with(answer)
        and not any(_within(name, asked) for name in (*hidden, answer))
        and not _within(asked, answer)
        and not any(_within(name, answer) for name in hidden)
    )


def _within(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def plain(data: Annotated, chance: random.Random) -> Iterator[Question]:
    """Yield questions in words of their own: on what two things share, on which is older, and on one passage."""
    for table, ask in (("both", shared), ("compare", compared)):
        by_end: dict[tuple[str, ...], list[Fact]] = defaultdict(list)
        for fact in data.single(WORDINGS[table]):
            end = fold(data.name(fact.end)) if table == "both" else ""
            if fact.is_stated and data.is_clear(fact.start):
                by_end[fact.kind, end].append(fact)
        for facts in by_end.values():
            chance.shuffle(facts)
            yield from filter(None, (ask(data, *pair) for pair in combinations(facts[:12], 2)))
    for fact in data.single(WORDINGS["plain"]):
        if fact.is_stated and data.is_clear(fact.start):
            found = worded(data, "plain", "one passage", data.name(fact.end), fact)
            if found:
                yield found


def shared(data: Annotated, left: Fact, right: Fact) -> Question | None:
    """Return the question for what two things have in common."""
    return worded(data, "both", "shared", data.name(left.end), left, right)


def compared(data: Annotated, left: Fact, right: Fact) -> Question | None:
    """Return the question which of two is older, by their years."""
    years = [YEAR.findall(data.name(each.end)) for each in (left, right)]
    if any(len(each) != 1 for each in years) or years[0] == years[1]:
        return None
    older = min((left, right), key=lambda each: YEAR.findall(data.name(each.end))[0])
    return worded(data, "compare", "compared", data.name(older.start), left, right)


def worded(data: Annotated, table: str, kind: str, answer: str, *facts: Fact) -> Question | None:
    """Return a question in the first wording that repeats no word of its passages; None where all do."""
    gold = tuple(fact.start[0] for fact in facts)
    names = [data.name(fact.start) for fact in facts]
    if len(set(gold)) < len(gold) or (table != "compare" and any(_within(answer, name) for name in names)):
        return None
    there = [word for number in gold for word in data.words(number)]
    relation = facts[0].relation
    for wording in WORDINGS[table][facts[0].kind]:
        own = [word for word in map(fold, split_words(wording)) if not is_stop_word(word)]
        if not any(same_word(word, other) for word in own for other in there):
            counted = f"relation:{kind} {relation}", *([] if kind == "shared" else [kind]), "bridge:" + fold(answer)
            return Question(wording.format(*names), answer, kind, gold, (relation,), counted)
    return None


def choose(questions: Iterable[Question], chance: random.Random) -> list[Question]:
    """Return the questions, rare relations first, as far as none of what they are counted by is too common."""
    found = list(questions)
    chance.shuffle(found)
    common = Counter(relation for each in found for relation in each.relations)
    found.sort(key=lambda each: min(common[relation] for relation in each.relations))
    counts: Counter[str] = Counter()
    texts: set[str] = set()
    chosen = []
    for each in found:
        counted = *each.counted, f"start:{each.gold[0]}", f"gold:{sorted(each.gold)}"
        if each.text not in texts and all(counts[what] < MOST[what.partition(":")[0]] for what in counted):
            counts.update(counted)
            texts.add(each.text)
            chosen.append(each)
    return chosen


def write(folder: Path, data: Annotated, questions: Sequence[Question]) -> None:
    """Write a set."""
    folder.mkdir(parents=True, exist_ok=True)
    corpus = [{"idx": n, "title": each.title, "text": each.text} for n, each in enumerate(data.passages)]
    rows = [
        {
            "id": f"{folder.name}-{number}",
            "question": each.text,
            "answer": each.answer,
            "type": each.type,
            "gold": sorted(each.gold),
            "relations": each.relations,
            "test": any(is_test(data.passages[number].title) for number in each.gold),
        }
        for number, each in enumerate(questions)
    ]
    for name, lines in (("corpus", corpus), ("questions", rows)):
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")


def main() -> None:
    """Write both sets and print how many questions they have."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    data = Annotated(read(options.gold).passages)
    for name, make in (("bridge_dev", bridges), ("plain_dev", plain)):
        chance = random.Random(options.seed)
        chosen = choose(make(data, chance), chance)
        write(options.folder / name, data, chosen)
        types = ", ".join(f"{kind} {count}" for kind, count in sorted(Counter(e.type for e in chosen).items()))
        relations = len({relation.strip("-") for each in chosen for relation in each.relations})
        print(f"{name}: {len(chosen)} questions ({types}), {relations} relations, {len(data.passages)} passages")


if __name__ == "__main__":
    main()
