"""Follow-ups by rule: "he", "she", "it", "there", "And his wife?", "What about Bonpland?", "When?". English. Pure.

A pronoun means the last one spoken of whom it fits: in a turn first what was asked for, then what the question named,
then what else the answer speaks of. A question that was cut short takes the form of the one before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kg_neo4j import data_files
from kg_neo4j.retrieve.question import Asks, read
from kg_neo4j.rooms.chat.turns import Turn, TurnMention, Understood
from kg_neo4j.words import fold, split_words

BACK = 4  # turns that a pronoun may reach back
NEAR = 40  # characters between a name and a pronoun
MANY = 5  # people whom "they" no longer stands for

_DATA = data_files.beside(__file__)
_WH = _DATA.parts("parts")["wh"]
_PATTERNS = {
    name: re.compile(data_files.fill(pattern, {"wh": _WH}), re.IGNORECASE)
    for name, pattern in _DATA.table("patterns").items()
}
_KIN = _DATA.word_set("owned")
_SUBJECTS = {"he": "m", "she": "f", "him": "m", "himself": "m", "herself": "f"}
_THEY = frozenset("they them themselves".split())
_NOUNS = {noun: (kind, gender.strip("-")) for kind, gender, nouns in _DATA.rows("nouns", 3) for noun in nouns.split()}


def resolve(question: str, turns: Sequence[Turn]) -> Understood:
    """Return `question` so that it stands by itself; as it is where nothing in it refers to the turns before."""
    text = " ".join(question.split())
    if not turns or not text:
        return Understood(text)
    found = _completed(text, turns)
    if found is None:
        whole = _PATTERNS["lead"].sub("", text)
        found = _replaced(whole if _PATTERNS["whole"].match(whole) else text, turns)
    found = " ".join(found.split())
    found = found[:1].upper() + found[1:]
    return Understood(found, "rule") if found.casefold() != text.casefold() else Understood(text)


# ------------------------------------------------------------------------------------------------- cut short


def _completed(text: str, turns: Sequence[Turn]) -> str | None:
    """Return the whole question that a short one stands for; None where it is none."""
    last = turns[-1].question
    about = _PATTERNS["about"].match(text)
    rest = about["rest"] if about else _PATTERNS["lead"].sub("", text).strip(" ?!.")
    if bare := _PATTERNS["bare_wh"].match(rest):
        word = bare["wh"].capitalize()
        if re.match(rf"^\s*{_WH}\b", last, re.IGNORECASE):
            return re.sub(rf"^\s*{_WH}\b", word, last, count=1, flags=re.IGNORECASE)
        return f"{word} {last[:1].lower()}{last[1:]}"
    noun, preposition = _PATTERNS["possessive"].match(rest), _PATTERNS["preposition"].match(rest)
    # one without a verb goes on with the last: "And Bonpland?", "His wife?"
    is_short = _PATTERNS["lead"].match(text) or noun or preposition or len(rest.split()) <= 4
    if not about and (_PATTERNS["whole"].match(rest) or len(split_words(rest)) > 7 or not is_short):
        return None
    if not split_words(rest):
        return None
    if preposition:
        return _with_phrase(_replaced(f"{rest[0].lower()}{rest[1:]}", turns), last)
    if noun:
        owner = _owner(rest, noun["noun"].strip(), turns)
        if owner:
            return _with_owned(owner, noun["noun"].strip(), turns[-1])
        if not rest.casefold().startswith("the "):
            return text
    return _with_name(_replaced(rest, turns), turns[-1])


def _with_phrase(phrase: str, last: str) -> str:
    """Put "in 1804" or "in Jena" in the place of what the last question has there, or at its end."""
    body = last.rstrip(" ?!.")
    if re.search(r"\d{3,4}", phrase):
        same = r"\b(?:in|during|after|before|since|until|by|around|from) (?:the year )?\d[\d -]*"
    else:
        preposition = phrase.split(maxsplit=1)[0]
        same = rf"\b{preposition} (?:the )?(?:[A-ZÀ-Ž][\w'’.-]*(?: (?:von|de|of|the) )?\s?)+"
    matches = list(re.finditer(same, body))
    if not matches:
        return f"{body} {phrase}?"
    place = matches[-1]
    ending = " " if body[place.end() - 1].isspace() else ""
    return f"{body[: place.start()]}{phrase}{ending}{body[place.end() :]}?"


def _owner(rest: str, noun: str, turns: Sequence[Turn]) -> str:
    """Return whose wife or director is meant; empty for "the" with a noun that nobody has."""
    word = rest.split(maxsplit=1)[0].casefold()
    if word != "the":
        return _meant(word, turns, owner=True)
    if noun.casefold().split()[-1] not in _KIN:
        return ""
    return next((each.name for each in _order(turns[-1])), "")


def _with_owned(owner: str, noun: str, turn: Turn) -> str:
    """Ask the last question of somebody's wife: "Where was X born?" becomes "Where was X's wife born?"."""
    owned = f"{_genitive(owner)} {noun}"
    last = turn.question
    genitive = re.search(r"\b(?:[\w'’.-]+ ){0,6}?[\w.-]+(?:['’]s?) (?P<noun>[a-z]+(?:-[a-z]+)*)", last)
    for name in (owner, *(each.said for each in turn.asked if each.name == owner)):
        held = re.search(rf"{re.escape(name)}['’]s? [a-z]+(?:-[a-z]+)*(?: [a-z]+)?(?=[?.! ]|$)", last)
        if held and read(last).asks in (Asks.PERSON, Asks.DEFINITION, Asks.OTHER):
            *_, before, end = held[0].split()  # a verb that the noun took along is given back
            verb = "" if before.endswith(("'s", "’s", "'", "’")) else f" {end}"
            return f"{last[: held.start()]}{owned}{verb}{last[held.end() :]}"
    if genitive is None:
        for each in turn.asked:
            if each.name == owner and (place := last.find(each.said)) >= 0:
                return f"{last[:place]}{owned}{last[place + len(each.said) :]}"
    return f"Who was {owned}?"


def _with_name(name: str, turn: Turn) -> str:
    """Ask the last question of somebody or something else."""
    last = turn.question
    kind = {each.name: each.kind for each in turn.mentions}.get(name)
    asked = [each for each in turn.asked if each.said in last]
    same = [each for each in asked if each.name != name and kind in (None, "", each.kind)]
    if same or asked:
        before, _, after = last.partition((same or asked)[0].said)
        return f"{before}{name}{after}"
    words = split_words(last)
    for run in read(last).full_names:
        for start in range(len(words)):
            own = words[start : start + len(run)]
            if tuple(map(fold, own)) == run:
                return re.sub(r"\W+".join(map(re.escape, own)), lambda _: name, last, count=1)
    return f"Who was {name}?" if name[:1].isupper() else f"What is {name}?"


# ----------------------------------------------------------------------------------------------------- pronouns


def _replaced(text: str, turns: Sequence[Turn]) -> str:
    """Return `text` with names in place of what refers to the turns before."""
    used: list[str] = []

    def name(match: re.Match[str]) -> str:
        word = match["word"].casefold()
        after = text[match.end() :]
        if not _refers(word, text[: match.start()], after):
            return match[0]
        owner = word in ("his", "its", "their") or (word == "her" and not _PATTERNS["object_next"].match(after))
        meant = _meant(word, turns, owner=owner, earlier=_named_before(text, match.start()))
        if not meant or (owner and meant in used):  # "When did Ada lose her post?"
            return match[0]
        used.append(meant)
        if word == "there":
            return f"in {meant}"
        if owner or word in ("hers", "theirs"):
            return _genitive(meant)
        return meant

    def noun(match: re.Match[str]) -> str:
        sure = match["which"].casefold() != "the"
        if match["more"] and not sure:  # "the man who ..." says itself who is meant
            return match[0]
        word = match["noun"].casefold()
        kind, gender = _NOUNS.get(word, ("thing", ""))
        meant = _last(turns, lambda each: each.kind == kind and word in each.name.casefold())
        if not meant and (kind != "thing" or sure):  # "the ship" stands only for what is called a ship
            meant = _last(turns, lambda each: each.kind == kind and (not gender or each.gender == gender))
        return f"{meant}{match['more'] or ''}" if meant else match[0]

    found = _PATTERNS["two"].sub(lambda match: _several(turns) or match[0], text)
    found = _PATTERNS["demonstrative"].sub(noun, found)
    return _PATTERNS["words"].sub(name, found)


def _refers(word: str, before: str, after: str) -> bool:
    """Return whether a word refers to something: not the "there" of "was there", not the "it" of "is it true"."""
    if word == "there":
        expletive = _PATTERNS["expletive"].search(before) and re.match(r"\s+\w", after)
        return not (_PATTERNS["how_many"].search(before) or _PATTERNS["there_is"].match(after) or expletive)
    return not (word == "it" and _PATTERNS["it_is"].match(after))


def _named_before(text: str, place: int) -> bool:
    """Return whether the question itself names somebody before a pronoun: "Did Ada know her father?"."""
    names = read(text).full_names if text.strip() else ()
    before = {fold(word) for word in split_words(text[:place])}
    return any(set(run) <= before for run in names)


def _meant(word: str, turns: Sequence[Turn], *, owner: bool, earlier: bool = False) -> str:
    """Return the name that a pronoun stands for; empty where nothing fits."""
    if earlier and owner:
        return ""
    if word in _THEY or word in ("their", "theirs"):
        return _several(turns)
    if word == "there":
        return _last(turns, lambda each: each.kind == "place")
    if word in ("it", "itself", "its"):
        thing = _subject(turns[-1], ("thing", "place", ""))
        return thing.name if thing else _last(turns, lambda each: each.kind in ("thing", "place"))
    gender = _SUBJECTS.get(word) or ("m" if word == "his" else "f")
    subject = _subject(turns[-1], ("person", ""))
    if subject and (subject.gender in (gender, "") or (not subject.sure and _is_called(subject, gender, turns[-1]))):
        return subject.name
    person = _last(turns, lambda each: each.kind == "person" and each.gender == gender)
    person = person or _last(turns, lambda each: each.kind in ("person", "") and not each.gender)
    return _in_full(person, turns) if person else ""


def _in_full(name: str, turns: Sequence[Turn]) -> str:
    """Return the longest name of the conversation that has all words of `name`: "Ragna Tveit" for "Ragna"."""
    words = set(name.split())
    fuller = [each.name for turn in turns for each in turn.mentions if words <= set(each.name.split())]
    return max([name, *fuller], key=len)


def _subject(turn: Turn, kinds: Sequence[str]) -> TurnMention | None:
    """Return whom or what the question of a turn is about as a whole: "Who was X?", "Tell me about X"."""
    if not turn.asked or read(turn.question).asks is not Asks.DEFINITION:
        return None
    longest = max(turn.asked, key=lambda each: len(each.said))
    return longest if longest.kind in kinds else None


def _is_called(subject: TurnMention, gender: str, turn: Turn) -> bool:
    """Return whether an answer calls somebody "he" or "she" near the name, whatever the first name suggests."""
    words = "she|her|hers|herself" if gender == "f" else "he|his|him|himself"
    name = re.escape(subject.said or subject.name)
    near = rf"\b(?:{words})\b[^.;]{{0,{NEAR}}}?{name}|{name}[^.;]{{0,{NEAR}}}?\b(?:{words})\b"
    return re.search(near, turn.answer, re.IGNORECASE) is not None


def _several(turns: Sequence[Turn]) -> str:
    """Return the people of the last turn together, or its one and that of the turn before; else a company."""
    last = turns[-1]
    for group in (last.asked, last.told, last.mentions):
        people = list(dict.fromkeys(_in_full(each.name, turns) for each in group if each.kind == "person"))
        if len(people) > 1:
            return f"{', '.join(people[:-1])} and {people[-1]}" if len(people) < MANY else ""
    first = [
        _in_full(person.name, turns)
        for turn in turns[-2:]
        for person in [each for each in _order(turn) if each.kind == "person"][:1]
    ]
    if len(first) == 2 and first[0] != first[1]:
        return " and ".join(first)
    return _last(turns, lambda each: each.kind == "thing" or (each.kind == "person" and not each.gender))


def _last(turns: Sequence[Turn], fits: Callable[[TurnMention], bool]) -> str:
    """Return the name that comes to mind first among those that fit; empty where none does."""
    mentions = (each for turn in reversed(turns[-BACK:]) for each in _order(turn))
    return next((each.name for each in mentions if fits(each)), "")


def _order(turn: Turn) -> list[TurnMention]:
    """Return the mentions of a turn, what was asked for first."""
    asks = read(turn.question).asks if turn.question.strip() else Asks.OTHER
    wanted = {Asks.PERSON: "person", Asks.PLACE: "place", Asks.TIME: "date"}.get(asks)
    sought = [each for each in turn.told if each.kind == wanted][:1] if turn.answer else []
    return list(dict.fromkeys([*sought, *turn.asked, *turn.told]))


def _genitive(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"
