"""Documents that may mean another bearer of a name: they do not give the same role and place of it."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Row
from kg_neo4j.graph.identity import namesake_key
from kg_neo4j.graph.resolution.bearers import Mentioned, grouped, of_documents
from kg_neo4j.graph.resolution.decisions import Components, Decision, Union, components
from kg_neo4j.graph.resolution.proposals import ASKED, Proposal, ProposalVerdict
from kg_neo4j.rooms.namesakes.splitting import part
from kg_neo4j.words import fold, is_stop_word, split_words

MOST = 8  # questions about one name
STEM = 5  # letters by which words are compared: "merchant" and "merchants"
JUDGED = 0.4  # of a question that is for a model, which reads sentences: nothing says that there are two
Answers = Mapping[tuple[str, str], tuple[bool, str]]  # left and right key -> one bearer or not, and why
_Words = tuple[frozenset[str], frozenset[str]]  # of roles, of places
_Group = dict[str, tuple[str, list[str], list[str]]]  # document -> its title, roles and places


def conflicts(
    database: Database,
    graph: str,
    mentioned: Iterable[Mentioned],
    stored: Iterable[Decision],
    ask: Callable[[Sequence[Proposal], Components], Answers],
    score: float,
) -> Iterator[Proposal]:
    """Yield what becomes of the names that documents may mean otherwise; `score` is that of a model's decisions.

    A "no" parts the documents of the right side. Those parted from one name are compared among each other, too. A "yes"
    is stored, so that it is not asked again.
    """
    keys, decisions = {each.key: each for each in mentioned}, list(stored)
    shown = components(decisions)
    said = database.read(queries.get("namesakes/said_of_names"), graph=graph)
    asked = list(questions(said, keys.values(), decisions))
    bearers = {each.right.key: shown.entity(each.left.key) for each in asked}
    shown = replace(shown, roots={**shown.roots, **bearers})
    answers = ask(asked, shown)
    others: defaultdict[str, list[Proposal]] = defaultdict(list)
    for each in asked:
        same, reason = answers.get((each.left.key, each.right.key), (None, ""))
        judged: dict[str, Any] = {"rule": "model", "score": score, "reason": reason}
        if same is False:
            others[bearers[each.right.key]].append(replace(each, **judged))
        elif same:
            yield replace(each, verdict=ProposalVerdict.JOIN, **judged)
        elif each.score >= ASKED:
            yield each
    pairs = [pair for found in others.values() for pair in itertools.combinations(found, 2)]
    between = [replace(other, left=one.right, score=score) for one, other in pairs]
    answers, together = ask(between, shown), Union()
    for each in between:
        same, reason = answers.get((each.left.key, each.right.key), (None, ""))
        if same:
            together.join(each.left.key, each.right.key)
        elif same is False:
            yield replace(each, verdict=ProposalVerdict.APART, document="", reason=reason)
    for entity, found in others.items():
        names = [keys[key] for key in shown.members_of(entity) if key in keys]
        for parted in grouped(found, lambda each: together.find(each.right.key)).values():
            documents = [document for each in parted for document in each.right.documents]
            yield from part(names, documents, "model", score, parted[0].reason)


def questions(said: Iterable[Row], mentioned: Iterable[Mentioned], stored: Iterable[Decision]) -> Iterator[Proposal]:
    """Yield a question for each group of documents that do not give the role and place that most documents give.

    What was decided once, also where it was taken back, is not asked again, nor are names that were parted.
    """
    decisions = list(stored)
    shown, keys = components(decisions), {each.key: each for each in mentioned}
    settled = {key for each in decisions for key in (each.left_key, each.right_key)}
    parted = {*shown.namesakes.values()}
    for row in said:
        names = [keys[key] for key in shown.members_of(row["key"]) if key in keys]
        first, *others = _groups(row["said"])
        for words, group in () if parted & {each.key for each in names} else others:
            one, other = _side(names, first[1]), _side(names, group)
            other = replace(other, key=namesake_key(other.key, document := next(iter(group))))
            if not settled & {namesake_key(each.key, document) for each in names for document in group}:
                reason = f"{_shown(group)}, {_shown(first[1])}: `kg resolve --split` parts them"
                differ = any(
                    mine and theirs and not mine & theirs for mine, theirs in zip(words, first[0], strict=True)
                )
                score = ASKED if differ else JUDGED
                yield Proposal(one, other, ProposalVerdict.ASK, "conflict", score, reason, document)


def _groups(said: Iterable[Sequence[Any]]) -> list[tuple[_Words, _Group]]:
    """Return documents that share words of roles and of places in groups with all their words, the largest first.

    Nine groups at most: a document that would begin another one is left out.
    """
    groups: list[tuple[_Words, _Group]] = []
    for document, title, roles, places in sorted(said, key=lambda each: not (each[2] or each[3])):
        words = (_words(roles), _words(places))
        place = next((n for n, (of, _) in enumerate(groups) if words[0] & of[0] and words[1] & of[1]), len(groups))
        if place == len(groups) <= MOST:
            groups.append((words, {}))
        if place < len(groups):
            of, group = groups[place]
            group[document] = (title, roles, places)
            groups[place] = ((of[0] | words[0], of[1] | words[1]), group)
    return sorted(groups, key=lambda each: len(each[1]), reverse=True)


def _side(names: Sequence[Mentioned], group: _Group) -> Mentioned:
    """Return the first of some names that a group of documents mentions, as these documents mean it."""
    name = next(each for each in names if any(document in each.documents for document in group))
    return of_documents(name, [document for document in group if document in name.documents], name.key)


def _words(texts: Sequence[str]) -> frozenset[str]:
    words = (fold(word) for text in texts for word in split_words(text))
    return frozenset(word[:STEM] for word in words if len(word) > 2 and not is_stop_word(word))


def _shown(group: _Group) -> str:
    title, roles, places = next(iter(group.values()))
    return f"{' and '.join(map(repr, (*roles[:1], *places[:1]))) or 'neither role nor place'} by {title!r}"
