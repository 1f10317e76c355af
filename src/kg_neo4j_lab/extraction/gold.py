"""Reads passages annotated in the format of DocRED and Re-DocRED: `sents`, `vertexSet`, `labels`.

Data sets of annotated tokens do not say where spaces were. Punctuation, quotes, brackets, contractions, hyphens,
slashes and ranges of numbers are joined as a writer of English would; everything else has a space before it. Offsets
are code points of this running text. The names of relations come from the file `rel_info.json` beside the passages,
where there is one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kg_neo4j.errors import SourceNotFound, UnreadableSource
from kg_neo4j_offline.extractor.mentions import Place

NAMES = "rel_info.json"


@dataclass(frozen=True, slots=True, order=True)
class GoldMention:
    """Where an entity is named."""

    start: int
    end: int
    sentence: int
    type: str


@dataclass(frozen=True, slots=True)
class GoldEntity:
    """A cluster of mentions; its type is that of most of them."""

    name: str  # the longest mention
    type: str
    mentions: tuple[GoldMention, ...]  # ascending, without repeats


@dataclass(frozen=True, slots=True)
class GoldRelation:
    """A stated relation between two entities, given by their indexes."""

    source: int
    type: str  # an id such as P19
    target: int
    evidence: tuple[int, ...] = ()  # sentences; empty where the annotation names none


@dataclass(frozen=True, slots=True)
class GoldPassage:
    """One annotated passage."""

    title: str
    text: str
    sentences: tuple[Place, ...]
    tokens: tuple[tuple[Place, ...], ...]  # of each sentence
    entities: tuple[GoldEntity, ...]
    relations: tuple[GoldRelation, ...]  # each triple once


@dataclass(frozen=True, slots=True)
class GoldSet:
    """A file of passages."""

    path: str
    passages: tuple[GoldPassage, ...]
    relation_names: Mapping[str, str] = field(default_factory=dict)  # id -> name; empty where no file says so

    @property
    def relation_types(self) -> frozenset[str]:
        """The ids of all relations that are named or used."""
        return frozenset(self.relation_names) | {each.type for one in self.passages for each in one.relations}

    @property
    def entity_types(self) -> frozenset[str]:
        """The types of all mentions."""
        return frozenset(
            mention.type for one in self.passages for entity in one.entities for mention in entity.mentions
        )


def read(path: str | Path) -> GoldSet:
    """Read a file of passages. Raises SourceNotFound, and UnreadableSource naming the passage that is no such one."""
    file = Path(path)
    if not file.is_file():
        raise SourceNotFound(f"no file {file}", hint="--gold takes a JSON file in the format of Re-DocRED")
    rows = _load(file)
    if not isinstance(rows, list):
        raise UnreadableSource(f"{file} is not a list of passages", hint="the format is that of Re-DocRED")
    passages = []
    for number, row in enumerate(rows, start=1):
        try:
            passages.append(passage(row))
        except (KeyError, IndexError, TypeError, ValueError) as error:
            why = f"{type(error).__name__}: {error}"
            raise UnreadableSource(f"{file}: passage {number} is not annotated as in Re-DocRED: {why}") from error
    names = file.with_name(NAMES)
    found = dict(_load(names)) if names.is_file() else {}
    return GoldSet(str(path), tuple(passages), {str(key): str(name) for key, name in found.items()})


def passage(row: Mapping[str, Any]) -> GoldPassage:
    """Return one passage. Raises KeyError, IndexError, TypeError or ValueError where the row is not as it should be."""
    running = join([[str(token) for token in sentence] for sentence in row["sents"]])
    entities = tuple(_entity(mentions, running) for mentions in row["vertexSet"])
    triples: dict[tuple[int, str, int], GoldRelation] = {}
    for label in row.get("labels", ()):
        source, target = int(label["h"]), int(label["t"])
        if not (0 <= source < len(entities) and 0 <= target < len(entities)):
            raise IndexError(f"label between entities {source} and {target} of {len(entities)}")
        evidence = tuple(int(sentence) for sentence in label.get("evidence", ()))
        relation = GoldRelation(source, str(label["r"]), target, evidence)
        triples.setdefault((source, relation.type, target), relation)
    title, relations = str(row["title"]), tuple(triples.values())
    return GoldPassage(title, running.text, running.sentences, running.tokens, entities, relations)


def _entity(rows: Sequence[Mapping[str, Any]], running: RunningText) -> GoldEntity:
    mentions = tuple(sorted({_mention(row, running) for row in rows}))
    if not mentions:
        raise ValueError("an entity without mentions")
    counts = Counter(mention.type for mention in mentions)
    kind = min(counts, key=lambda each: (-counts[each], each))
    longest = max(mentions, key=lambda each: each.end - each.start)
    return GoldEntity(running.text[longest.start : longest.end], kind, mentions)


def _mention(row: Mapping[str, Any], running: RunningText) -> GoldMention:
    sentence = int(row["sent_id"])
    first, last = (int(border) for border in row["pos"])
    if not 0 <= first < last:
        raise ValueError(f"a mention of the tokens {first} to {last}")
    tokens = running.tokens[sentence]
    start, end = tokens[first][0], tokens[last - 1][1]
    if start >= end:
        raise ValueError(f"a mention without letters: {row.get('name')!r}")
    return GoldMention(start, end, sentence, str(row["type"]))


def _load(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UnreadableSource(f"{file} cannot be read as JSON: {error}") from error


_NOT_BEFORE = frozenset(
    [*",.;:!?)]}%", "'s", "’s", "n't", "'re", "'ve", "'ll", "'d", "'m", "...", "…", "th", "nd", "rd"]
)
_NOT_AFTER = frozenset("([{$£€#")
_JOINTS = frozenset("-/‐‑")


@dataclass(frozen=True, slots=True)
class RunningText:
    """Text with the places of its sentences and tokens (code points, half open)."""

    text: str
    sentences: tuple[Place, ...]
    tokens: tuple[tuple[Place, ...], ...]  # of each sentence; a token of white space has no width


def join(sentences: Sequence[Sequence[str]]) -> RunningText:
    """Return the tokens of sentences as one paragraph."""
    pieces: list[str] = []
    length = 0
    borders: list[Place] = []
    places: list[tuple[Place, ...]] = []
    for sentence in sentences:
        words = [word.replace("\xa0", " ").strip() for word in sentence]
        of_sentence: list[Place] = []
        for word, is_spaced in zip(words, _spaces(words), strict=True):
            if word and is_spaced and length:
                pieces.append(" ")
                length += 1
            of_sentence.append((length, length + len(word)))
            pieces.append(word)
            length += len(word)
        visible = [place for place in of_sentence if place[0] < place[1]]
        borders.append((visible[0][0], visible[-1][1]) if visible else (length, length))
        places.append(tuple(of_sentence))
    return RunningText("".join(pieces), tuple(borders), tuple(places))


def _spaces(words: Sequence[str]) -> Iterator[bool]:
    """Yield for each word of a sentence whether a space stands before it."""
    is_quoting = False
    before = ""
    for index, word in enumerate(words):
        joined = (
            word in _NOT_BEFORE
            or before in _NOT_AFTER
            or (1 < len(word) <= 3 and word[0] == "'" and word[1:].isalpha())  # a contraction
            or (is_quoting and '"' in (word, before))
            or word in _JOINTS
            or before in _JOINTS
            or _is_range(words, index)
        )
        if word == '"':
            is_quoting = not is_quoting
        before = word
        yield index == 0 or not joined


def _is_range(words: Sequence[str], index: int) -> bool:
    """Tell whether a dash between two numbers joins them: 1998–2002."""
    dash = next((place for place in (index, index - 1) if words[place] == "–"), 0)
    return 0 < dash < len(words) - 1 and words[dash - 1][:1].isdigit() and words[dash + 1][:1].isdigit()
