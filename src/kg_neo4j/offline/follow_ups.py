"""Follow-ups by rule: "he", "she", "it", "there", "And his wife?", "What about Bonpland?", "When?". English. Pure.

A pronoun means the last one spoken of whom it fits: in a turn first what was asked for, then what the question named,
then what else the answer speaks of. A question that was cut short takes the form of the one before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kg_neo4j import data_files
from kg_neo4j.data_files import fill
from kg_neo4j.retrieve.conversation.turns import Turn, TurnMention, Understood
from kg_neo4j.retrieve.question import Asks, read
from kg_neo4j.retrieve.words import fold, split_words

BACK = 4  # turns that a pronoun may reach back
NEAR = 40  # characters between a name and a pronoun
MANY = 5  # people whom "they" no longer stands for

_DATA = data_files.beside(__file__)
_WH = _DATA.parts("parts")["wh"]
_PATTERNS = {
    name: re.compile(fill(pattern, {"wh": _WH}), re.IGNORECASE) for name, pattern in _DATA.table("patterns").items()
}
_LEAD = _PATTERNS["lead"]
_ABOUT = _PATTERNS["about"]
_BARE_WH = _PATTERNS["bare_wh"]
_WHOLE = _PATTERNS["whole"]
_PREPOSITION = _PATTERNS["preposition"]
_POSSESSIVE = _PATTERNS["possessive"]
_WORDS = _PATTERNS["words"]
_DEMONSTRATIVE = _PATTERNS["demonstrative"]
_TWO = _PATTERNS["two"]
_EXPLETIVE = _PATTERNS["expletive"]
_THERE_IS = _PATTERNS["there_is"]
_HOW_MANY = _PATTERNS["how_many"]
_IT_IS = _PATTERNS["it_is"]
_OBJECT_NEXT = _PATTERNS["object_next"]
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
        whole = _LEAD.sub("", text)
        found = _replaced(whole if _WHOLE.match(whole) else text, turns)
    found = " ".join(found.split())
    found = found[:1].upper() + found[1:]
    return Understood(found, "rule") if found.casefold() != text.casefold() else Understood(text)


# ------------------------------------------------------------------------------------------------- cut short


def _completed(text: str, turns: Sequence[Turn]) -> str | None:
    """Return the whole question that a short one stands for; None where it is none."""
    last = turns[-1].question
    about = _ABOUT.match(text)
    rest = about["rest"] if about else _LEAD.sub("", text).strip(" ?!.")
    if bare := _BARE_WH.match(rest):
        return _with_question_word(bare["wh"], last)
    if not about and (_WHOLE.match(rest) or len(split_words(rest)) > 7 or not _is_short(text, rest)):
        return None
    if not split_words(rest):
        return None
    if _PREPOSITION.match(rest):
        return _with_phrase(_replaced(f"{rest[0].lower()}{rest[1:]}", turns), last)
    if noun := _POSSESSIVE.match(rest):
        owner = _owner(rest, noun["noun"].strip(), turns)
        if owner:
            return _with_owned(owner, noun["noun"].strip(), turns[-1])
        if not rest.casefold().startswith("the "):
            return text
    named = _replaced(rest, turns)
    return _with_name(named, turns[-1])


def _is_short(text: str, rest: str) -> bool:
    """Return whether a question without a verb goes on with the one before: "And Bonpland?", "His wife?"."""
    return (
        bool(_LEAD.match(text)) or bool(_POSSESSIVE.match(rest) or _PREPOSITION.match(rest)) or len(rest.split()) <= 4
    )


def _with_question_word(word: str, last: str) -> str:
    changed = re.sub(rf"^\s*{_WH}\b", word.capitalize(), last, count=1, flags=re.IGNORECASE)
    if changed != last or re.match(rf"^\s*{_WH}\b", last, re.IGNORECASE):
        return changed
    return f"{word.capitalize()} {last[:1].lower()}{last[1:]}"


def _with_phrase(phrase: str, last: str) -> str:
    """Put "in 1804" or "in Jena" in the place of what the last question has there, or at its end."""
    preposition = phrase.split(maxsplit=1)[0]
    body = last.rstrip(" ?!.")
    number = bool(re.search(r"\d{3,4}", phrase))
    same = (
        r"\b(?:in|during|after|before|since|until|by|around|from) (?:the year )?\d[\d -]*"
        if number
        else (rf"\b{preposition} (?:the )?(?:[A-ZÀ-Ž][\w'’.-]*(?: (?:von|de|of|the) )?\s?)+")
    )
    matches = list(re.finditer(same, body))
    if matches:
        place = matches[-1]
        ending = " " if body[place.end() - 1].isspace() else ""
        return f"{body[: place.start()]}{phrase}{ending}{body[place.end() :]}?"
    return f"{body} {phrase}?"


def _owner(rest: str, noun: str, turns: Sequence[Turn]) -> str | None:
    """Return whose wife or director is meant; None for "the" with a noun that nobody has."""
    word = rest.split(maxsplit=1)[0].casefold()
    if word == "the":
        if noun.casefold().split()[-1] not in _KIN:
            return None
        focus = _focus(turns[-1])
        return focus.name if focus else None
    meant = _meant(word, turns, owner=True)
    return meant or None


def _with_owned(owner: str, noun: str, turn: Turn) -> str:
    """Ask the last question of somebody's wife: "Where was X born?" becomes "Where was X's wife born?"."""
    owned = f"{_genitive(owner)} {noun}"
    last = turn.question
    genitive = re.search(r"\b(?:[\w'’.-]+ ){0,6}?[\w.-]+(?:['’]s?) (?P<noun>[a-z]+(?:-[a-z]+)*)", last)
    for name in (owner, *(each.said for each in turn.asked if each.name == owner)):
        held = re.search(rf"{re.escape(name)}['’]s? [a-z]+(?:-[a-z]+)*(?: [a-z]+)?(?=[?.! ]|$)", last)
        if held and read(last).asks in (Asks.PERSON, Asks.DEFINITION, Asks.OTHER):
            return f"{last[: held.start()]}{owned}{_after_noun(last, held.end(), held[0])}"
    if genitive is None:
        for each in turn.asked:
            if each.name == owner and (place := last.find(each.said)) >= 0:
                return f"{last[:place]}{owned}{last[place + len(each.said) :]}"
    return f"Who was {owned}?"


def _after_noun(last: str, end: int, held: str) -> str:
    """Return what follows "X's noun" in a question; a verb that the noun took along is given back."""
    words = held.split()
    return (f" {words[-1]}" if words[-2].endswith(("'s", "’s", "'", "’")) is False else "") + last[end:]


def _with_name(name: str, turn: Turn) -> str:
    """Ask the last question of somebody or something else."""
    last = turn.question
    kinds = {each.name: each.kind for each in turn.mentions}
    asked = [each for each in turn.asked if each.said in last]
    same = [each for each in asked if each.name != name and _alike(name, each, kinds)]
    for each in same or asked:
        place = last.find(each.said)
        return f"{last[:place]}{name}{last[place + len(each.said) :]}"
    runs = read(last).full_names
    for run in runs:
        words = split_words(last)
        folded = [fold(word) for word in words]
        for start in range(len(words)):
            if tuple(folded[start : start + len(run)]) == run:
                said = re.compile(r"\W+".join(map(re.escape, words[start : start + len(run)])))
                return said.sub(lambda _: name, last, count=1)
    return f"Who was {name}?" if name[:1].isupper() else f"What is {name}?"


def _alike(name: str, mention: TurnMention, kinds: dict[str, str]) -> bool:
    kind = kinds.get(name)
    return kind is None or not kind or kind == mention.kind


# ----------------------------------------------------------------------------------------------------- pronouns


def _replaced(text: str, turns: Sequence[Turn]) -> str:
    """Return `text` with names in place of what refers to the turns before."""
    used: list[str] = []

    def name(match: re.Match[str]) -> str:
        word = match["word"].casefold()
        after = text[match.end() :]
        if not _refers(word, text[: match.start()], after):
            return match[0]
        owner = word in ("his", "its", "their") or (word == "her" and not _OBJECT_NEXT.match(after))
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
        meant = _by_noun(match["noun"].casefold(), turns, sure=sure)
        return f"{meant}{match['more'] or ''}" if meant else match[0]

    def two(match: re.Match[str]) -> str:
        return _several(turns) or match[0]

    return _WORDS.sub(name, _DEMONSTRATIVE.sub(noun, _TWO.sub(two, text)))


def _refers(word: str, before: str, after: str) -> bool:
    """Return whether a word refers to something: not the "there" of "was there", not the "it" of "is it true"."""
    if word == "there" and _HOW_MANY.search(before):
        return False
    if word == "there":
        return not _THERE_IS.match(after) and not (_EXPLETIVE.search(before) and re.match(r"\s+\w", after))
    return not (word == "it" and _IT_IS.match(after))


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
        place = _last(turns, lambda each: each.kind == "place")
        return place.name if place else ""
    if word in ("it", "itself", "its"):
        thing = _subject(turns[-1], ("thing", "place", "")) or _last(
            turns, lambda each: each.kind in ("thing", "place")
        )
        return thing.name if thing else ""
    gender = _SUBJECTS.get(word) or ("m" if word == "his" else "f")
    subject = _subject(turns[-1], ("person", ""))
    if subject and (subject.gender in (gender, "") or (not subject.sure and _is_called(subject, gender, turns[-1]))):
        return subject.name
    person = _last(turns, lambda each: each.kind == "person" and each.gender == gender)
    person = person or _last(turns, lambda each: each.kind in ("person", "") and not each.gender)
    return _in_full(person.name, turns) if person else ""


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


def _by_noun(noun: str, turns: Sequence[Turn], *, sure: bool) -> str:
    """Return the name that "that city" stands for. "the ship" stands only for what is called a ship; `sure`: "that"."""
    kind, gender = _NOUNS.get(noun, ("thing", ""))
    meant = _last(turns, lambda each: each.kind == kind and noun in each.name.casefold())
    if meant is None and (sure or kind != "thing"):
        meant = _last(turns, lambda each: each.kind == kind and (not gender or each.gender == gender))
    return meant.name if meant else ""


def _several(turns: Sequence[Turn]) -> str:
    """Return the people of the last turn together, or its one and that of the turn before; else a company."""
    last = turns[-1]
    for group in (last.asked, last.told, last.mentions):
        people = list(dict.fromkeys(_in_full(each.name, turns) for each in group if each.kind == "person"))
        if len(people) > 1:
            return f"{', '.join(people[:-1])} and {people[-1]}" if len(people) < MANY else ""
    one = [_in_full(each.name, turns) for each in _order(last) if each.kind == "person"]
    before = (
        [_in_full(each.name, turns) for each in _order(turns[-2]) if each.kind == "person"] if len(turns) > 1 else []
    )
    if one and before and one[0] != before[0]:
        return f"{before[0]} and {one[0]}"
    single = _last(turns, lambda each: each.kind == "thing" or (each.kind == "person" and not each.gender))
    return single.name if single else ""


def _last(turns: Sequence[Turn], fits: Callable[[TurnMention], bool]) -> TurnMention | None:
    """Return the mention that comes to mind first among those that fit."""
    for turn in reversed(turns[-BACK:]):
        for each in _order(turn):
            if fits(each):
                return each
    return None


def _order(turn: Turn) -> list[TurnMention]:
    """Return the mentions of a turn, what was asked for first."""
    asks = read(turn.question).asks if turn.question.strip() else Asks.OTHER
    wanted = {Asks.PERSON: "person", Asks.PLACE: "place", Asks.TIME: "date"}.get(asks)
    sought = [each for each in turn.told if each.kind == wanted][:1] if turn.answer else []
    return list(dict.fromkeys([*sought, *turn.asked, *turn.told]))


def _focus(turn: Turn) -> TurnMention | None:
    return next(iter(_order(turn)), None)


def _genitive(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"
