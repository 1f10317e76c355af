"""The short answer to a question: a name, a date, yes or no, and the steps that lead there.

What stands next to a name (a life, an age, an office) comes first, then a path through the graph, then what a clause of
a passage states.

A question of several steps is taken apart: what a part of it means is put in its place, until one step is left. "What
is the population of the state where Rain Airport is located?" becomes "What is the population of Kansas?", and "the
spouse of Lil Hardin" the spouse's name. Only parts around a name are taken: the name bounds them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from kg_neo4j import data_files
from kg_neo4j.records import Answer, Citation, Claim, PathStep
from kg_neo4j.retrieve.checking.claims import QUOTED, SUPPORTED
from kg_neo4j.retrieve.interface import UNANSWERED, Found
from kg_neo4j.retrieve.question import Question, read
from kg_neo4j.retrieve.sentences import readable
from kg_neo4j.retrieve.words import PERSON, PLACE, fold, is_stop_word, split_words
from kg_neo4j_offline.extracting.clauses import parse
from kg_neo4j_offline.short.comparison import compare, read_comparison
from kg_neo4j_offline.short.following import ReachedValue, StatedStep, follow, steps_from
from kg_neo4j_offline.short.lives import StatedValue, asks_for_life, find_life, has_words
from kg_neo4j_offline.short.mentions import Line, lines, mentions
from kg_neo4j_offline.short.passage_reading import NAME, OF_GENDER
from kg_neo4j_offline.short.reading import find_stated
from kg_neo4j_offline.short.roles import asks_for_role, find_roles
from kg_neo4j_offline.short.things import Things
from kg_neo4j_offline.short.wanted import MADE, NOUN, VERB, AskedThing, read_thing, read_wanted, relation_of

READ_OFF = "answered without a model; each step of the path is quoted from a source"
LONGEST_QUOTE = 1_000  # characters of a sentence in which a list of names is looked for
MOST = 8  # works of one person that an answer lists
STEPS = 3  # parts of one question that are put in
_MADE = re.compile(
    rf"^what (?:did|has) (?P<np>.+?) (?P<verb>{'|'.join(MADE.values())})(?:ed|d)?\??$",
    re.IGNORECASE,
)
_EVENT = re.compile(r"\b(?:War|Wars|Battle|Treaty|Revolution|Uprising|Siege|Age|Era|Period|Dynasty|Crisis)\b")
_AND = r",? (?:and|&) (?:the )?"
_LIST = re.compile(rf"{NAME}(?:, {NAME})*{_AND}{NAME}")
_VERBS = ("VERB", "AUX")
_BETWEEN = re.compile(rf"{_AND}|, ")
_DATA = data_files.beside(__file__)
_PARTS = _DATA.parts("parts", noun=NOUN, verb=VERB)
_PATTERNS = _DATA.table("patterns")


def find_short(
    question: Question, names: Sequence[str], things: Things, found: Found, search: Callable[[str], Found]
) -> ReachedValue | None:
    """Return the short answer to `question`; None where it asks for nothing of the kind, or the way to it is broken.

    `names` are those of the graph that the question has; `search` finds what a question of fewer steps is answered by.
    """
    if beside := _find_beside(" ".join(question.text.split()), names, found, things):
        return beside
    comparison = read_comparison(question.text)
    if comparison is not None:
        compared = compare(comparison, things)
        return compared if compared and compared.steps else None
    if followed := _follow(question.text, things):
        return followed
    text, steps = _reduce(question.text, names, things)
    if steps and (followed := _follow(text, things)):
        return replace(followed, steps=(*steps, *followed.steps))
    stated = find_stated(read(text), search(text))
    if stated is None:
        return None
    value, place = stated
    value = _with_those_beside(value, place.quote, text, things)
    return ReachedValue(value, (*steps, StatedStep(place.document, "says", value, place)), stated=not steps)


def _follow(question: str, things: Things) -> ReachedValue | None:
    wanted = read_wanted(question)
    reached = follow(wanted, things) if wanted else []
    if wanted is None or not reached or not reached[0].steps:
        return None
    value = reached[0].value
    if wanted.relations[-1] not in (*OF_GENDER, "nationality", "citizenship", "country"):
        value = _with_those_beside(value, reached[0].steps[-1].place.quote, question, things)
    return replace(reached[0], value=value)


def _with_those_beside(value: str, quote: str, question: str, things: Things) -> str:
    """Return the list of names that a value is in: "Tom Reed and Ann Cole" founded it, not "Tom Reed".

    The words do not tell whether it is one name, as "Museum of Science and Industry". The whole is right in both cases.
    The value alone, where the list has a name of the question or of another kind, or a new clause begins in it.
    """
    quote = " ".join(quote.split())
    if len(quote) > LONGEST_QUOTE or not _LIST.search(quote):
        return value
    doc = parse(quote)
    for match in _LIST.finditer(doc.text):
        start = match.start()
        while is_stop_word(fold(doc.text[start:].partition(" ")[0])):
            start += len(doc.text[start:].partition(" ")[0]) + 1
        whole = doc.text[start : match.end()]
        parts = _BETWEEN.split(whole)
        if value not in parts:
            continue
        others = {fold(word) for part in parts if part != value for word in split_words(part)}
        kinds = [known for part in parts if (known := things.kinds(part))]
        following = next((token for token in doc if token.idx >= match.end()), None)  # None: the quote ends here
        begins = (following is None or following.pos_ in _VERBS) and any(
            token.pos_ in _VERBS for token in doc if token.idx < start
        )
        is_address = "," in whole and any(PLACE in known for known in kinds)
        if begins or is_address or others & set(map(fold, split_words(question))):
            return value
        return whole if not kinds or frozenset.intersection(*kinds) else value
    return value


# ------------------------------------------------------------------------------------------------- next to a name


def _find_beside(text: str, names: Sequence[str], found: Found, things: Things) -> ReachedValue | None:
    """Return the short answer next to a name; None where there is none, or it is not clear whose it is."""
    if made := _MADE.match(text):
        return _made(made, things)
    for asks, find in ((asks_for_life, find_life), (asks_for_role, find_roles)):
        if not asks(text):
            continue
        named = [mention for line in read_lines(names, found, things) for mention in mentions(line)]
        stated = [
            each for each in find(text, named) if each.value != each.mention.name or _may_be_person(each.value, things)
        ]
        if stated:
            return ReachedValue(_together([each.value for each in stated]), tuple(map(_step, stated)))
    return None


def _made(made: re.Match[str], things: Things) -> ReachedValue | None:
    """Return all that somebody wrote or founded, by facts whose words have a form of the verb."""
    verb = made["verb"].lower()
    thing = things.find(made["np"], nearly_so=False)
    found = steps_from(thing, relation_of(verb, MADE)) if thing else []
    steps = [step for step in found if has_words(step.place.quote, [fold(verb)])][:MOST]
    return ReachedValue(_together([step.target for step in steps]), tuple(steps)) if steps else None


def read_lines(names: Sequence[str], found: Found, things: Things) -> list[Line]:
    """Return the sentences that were found, and those of the passages about what the question names."""
    chunks = {each.id: (each.id, each.document, each.text) for each in found.chunks}
    for thing in filter(None, map(things.find, names)):
        for each in thing.passages:
            chunks.setdefault(each.chunk_id, (each.chunk_id, each.document, each.text))
    return lines(chunks.values())


def _may_be_person(name: str, things: Things) -> bool:
    kinds = things.kinds(name)
    return PERSON in kinds if kinds else " " in name and not _EVENT.search(name)


def _together(values: Sequence[str]) -> str:
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} and {values[-1]}"


def _step(stated: StatedValue) -> StatedStep:
    """Return what a sentence says of a name; where a name is asked for, of that name."""
    name, line = stated.mention.name, stated.mention.line
    return StatedStep(name, stated.relation, line.text if stated.value in ("", name) else stated.value, line.place)


# ---------------------------------------------------------------------------------------------------- several steps


def _reduce(text: str, names: Sequence[str], things: Things) -> tuple[str, tuple[StatedStep, ...]]:
    """Return a question with every part that can be followed put in, and the steps that led to these."""
    steps: tuple[StatedStep, ...] = ()
    known = sorted({re.sub(r"['’]s?$", "", name) for name in names}, key=len, reverse=True)
    for _ in range(STEPS):
        reduced = _put_in(text, known, things)
        if reduced is None:
            break
        text, value = reduced
        steps += value.steps
        known = [value.value, *known]
    return text, steps


def _put_in(text: str, names: Sequence[str], things: Things) -> tuple[str, ReachedValue] | None:
    """Return a question with its first part that can be followed put in, and what this part means."""
    for name in names:
        for pattern in _PATTERNS.values():
            for match in re.finditer(data_files.fill(pattern, {**_PARTS, "it": re.escape(name)}), text):
                wanted = read_thing(match["part"])
                if wanted.name.strip('"“”').lower() != name.lower():
                    wanted = AskedThing(name, wanted.relations)
                found = follow(wanted, things) if wanted.relations else []
                if found and found[0].steps and found[0].value.lower() not in text.lower():
                    whole = f"{text[: match.start('part')]}{found[0].value}{text[match.end('part') :]}"
                    return " ".join(whole.split()), found[0]
    return None


# ------------------------------------------------------------------------------------------------------- the reply


def tell(short: ReachedValue) -> Answer:
    """Return a short answer for people: first itself, then the words that it rests on, each with its citation."""
    number: dict[Citation, int] = {}
    for step in short.steps:
        number.setdefault(step.place, len(number) + 1)
    path = tuple(
        PathStep(
            step.source, step.relation, step.target, number[step.place], step.source_id, step.target_id, step.fact_id
        )
        for step in short.steps
    )
    said = short.value[:1].upper() + short.value[1:]
    marks = "".join(f" [{count}]" for count in number.values())
    quoted = {count: readable(place.quote) for place, count in number.items()}
    text = "\n".join([f"{said}{marks}", *(f"{quote} [{count}]" for count, quote in quoted.items())])
    support = SUPPORTED if short.stated else QUOTED
    claims = (
        Claim(said, tuple(number.values()), support, judged_by="path"),
        *(Claim(quote, (count,), support) for count, quote in quoted.items()),
    )
    answer = replace(UNANSWERED, answer=text, found=True, citations=tuple(number), claims=claims)
    return replace(answer, notes=(READ_OFF,), short=short.value, path=path)
