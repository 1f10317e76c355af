"""What happened when: births, deaths, and what else a sentence dates. Pure."""

from __future__ import annotations

from kg_neo4j.offline.extractor.entities import DATE, PERSON, PLACE, EntityDraft, RelationDraft
from kg_neo4j.offline.extractor.grammatical_subject import find_subjects, is_subject
from kg_neo4j.offline.extractor.lexicon import BE, NOMINATIVE, POSSESSIVE, PRONOUNS, RELATIVES
from kg_neo4j.offline.extractor.parsed_text import ParsedSentence, TextItem
from kg_neo4j.offline.extractor.relation_patterns import Trigger


def life_events(sentence: ParsedSentence) -> list[RelationDraft]:
    """Read when somebody was born or died, and note the year."""
    found = []
    items = sentence.items
    for index, item in enumerate(items):
        if item.date is None or item.date.year is None or item.hidden:
            continue
        if _year_of_noun(items, index):
            continue
        verb = _life_verb(items, index)
        if verb is None:
            continue
        trigger = Trigger((), "", frozenset({PERSON}), frozenset(), 9, None)
        flow = [each for each in items[: verb + 1] if not each.hidden and each.text not in "()"]
        subjects = find_subjects(flow, len(flow) - 1, trigger)
        for subject in subjects[:1]:
            born = items[verb].lower == "born"
            person = subject.entity
            if born and person.birth_year is None:
                person.birth_year = item.date.year
            elif not born and person.death_year is None:
                person.death_year = item.date.year
            kind = "BORN_ON" if born else "DIED_ON"
            start = min(subject.start, items[verb].start)
            found.append(RelationDraft(person, kind, date_entity(item), sentence, start, item.end, 9, item.date.text))
    return found


def life_ranges(sentence: ParsedSentence) -> list[RelationDraft]:
    """Read births and deaths in parentheses directly behind a person's name: "Emmerich Lodl (1872–1938)"."""
    found = []
    items = sentence.items
    for index, item in enumerate(items[:-3]):
        if item.kind != "name" or item.possessive or items[index + 1].text != "(":
            continue
        inside = items[index + 2 : index + 14]
        inside = inside[: next((place for place, each in enumerate(inside) if each.text == ")"), 0)]
        if item.entity.type != PERSON:
            found += _begun(item, inside, sentence)
            continue
        owner = _maiden(items, index) or item.entity
        for kind, target in _life_in(inside, item.entity):
            other, when = (target.entity, "") if target.date is None else (date_entity(target), target.date.text)
            found.append(RelationDraft(owner, kind, other, sentence, item.start, target.end, 9, when))
    return found


def _begun(item: TextItem, inside: list[TextItem], sentence: ParsedSentence) -> list[RelationDraft]:
    """Return since when a thing is there: "the Vistula Society (founded 1871)"."""
    verb, date = inside[0].lower if inside else "", inside[-1] if inside else None
    if date is None or _year(date) is None or len(inside) > 3 or verb not in _BEGINNINGS:
        return []
    kind = f"{verb}_in".upper()
    return [RelationDraft(item.entity, kind, date_entity(date), sentence, item.start, date.end, 9, date.text)]


def _maiden(items: list[TextItem], index: int) -> EntityDraft | None:
    """Return who is meant by the maiden name at `index`: "Ada Brandt, née Lind"."""
    if index < 2 or items[index - 1].lower not in ("née", "nee", "né"):
        return None
    before = items[index - 3] if index > 2 and items[index - 2].text == "," else items[index - 2]
    return before.entity if before.kind == "name" and before.entity.type == PERSON else None


def _life_in(inside: list[TextItem], person: EntityDraft) -> list[tuple[str, TextItem]]:
    """Return what a parenthesis says of a life: "1872–1938", "b. 1872", "b. Bonn 1872, d. Paris 1938"."""
    dates = [each for each in inside if each.date is not None and each.date.year is not None]
    between = any(each.text in ("–", "—", "-") for each in inside[1:-1])
    named = any(each.kind == "name" for each in inside)
    if len(dates) == 2 and between and not named:
        ends = zip(("BORN_ON", "DIED_ON"), dates, (person.birth_year, person.death_year), strict=True)
        return [(kind, date) for kind, date, known in ends if _year(date) == known]  # others are years of an office
    found: list[tuple[str, TextItem]] = []
    event = ""
    for each in inside:
        if each.kind == "word" and each.lower in _LIFE_WORDS:
            event = _LIFE_WORDS[each.lower]
        elif each in dates and event:
            found.append((f"{event}_ON", each))
        elif each.kind == "name" and each.entity.type == PLACE and event:
            found.append((f"{event}_IN", each))
        elif each.kind != "mark" and each.lower not in ("in", "at", "on", "c", "about"):
            return []
    return found


def _year_of_noun(items: list[TextItem], index: int) -> bool:
    """Note the year of "until his death in 1934" and "after Brandt's birth in 1871"; tell whether it was one."""
    noun = index - 2 if index > 2 and items[index - 1].lower in ("in", "on", "around", "about") else index - 1
    if noun < 1 or items[noun].lower not in ("death", "birth"):
        return False
    owner = items[noun - 1]
    if any(item.lower == "anniversary" for item in items[max(0, noun - 4) : noun]):
        return True
    owns = owner.possessive or (owner.kind == "word" and owner.lower in POSSESSIVE)
    person, year = owner.entity, _year(items[index])
    if not owns or person is None or person.type != PERSON:
        return False
    if items[noun].lower == "death" and person.death_year is None:
        person.death_year = year
    elif items[noun].lower == "birth" and person.birth_year is None:
        person.birth_year = year
    return True


def _life_verb(items: list[TextItem], index: int) -> int | None:
    """Return the place of "born" or "died" before a date, with nothing but places and prepositions between."""
    for position in range(index - 1, max(-1, index - 15), -1):
        item = items[position]
        if item.lower in ("born", "died") or (item.lower in _KILLED and position and items[position - 1].lower in BE):
            return position
        if item.kind == "name" and item.entity.type == PERSON:
            return None
        if item.kind == "word" and (item.lower in PRONOUNS or item.lower in RELATIVES or item.lower in ("and", "but")):
            return None
    return None


def date_entity(item: TextItem) -> EntityDraft:
    """Return the entity of a date; `merge_dates` of the extractor joins equal ones."""
    return EntityDraft(item.text, (item.lower,), type=DATE)


def _year(item: TextItem) -> int | None:
    return item.date.year if item.date is not None else None


def dated_event(sentence: ParsedSentence, stated: list[RelationDraft]) -> RelationDraft | None:
    """Return what ties a sentence's subject to its date where no relationship carries that date: a dated event.

    Only where the subject opens the sentence or follows the date that opens it, and nobody else comes between.
    """
    items = sentence.items
    dates = [index for index, item in enumerate(items) if item.date is not None and not item.hidden]
    if len(dates) != 1 or _year(items[dates[0]]) is None:
        return None
    date = items[dates[0]]
    if any(relation.date == date.text for relation in stated):
        return None
    first = dates[0] + 1 if dates[0] <= 3 else 0
    while first < len(items) and (items[first].kind == "mark" or items[first].lower in _LEADS):
        first += 1
    subject = items[first] if first < len(items) else None
    if subject is None or subject.entity is None or subject.entity.type != PERSON or subject.quoted:
        return None
    named = subject.kind == "name" and is_subject(items, first)
    if not named and not (subject.kind == "word" and subject.lower in NOMINATIVE):
        return None
    between = items[first + 1 : dates[0]]
    if any(item.text == ";" or item.lower in RELATIVES or item.lower in NOMINATIVE for item in between):
        return None
    start, end = min(subject.start, date.start), max(subject.end, date.end)
    return RelationDraft(subject.entity, "ACTIVE_IN", date_entity(date), sentence, start, end, 3, date.text)


_LIFE_WORDS = {"b": "BORN", "born": "BORN", "d": "DIED", "died": "DIED"}
_BEGINNINGS = frozenset({"founded", "established", "opened", "built", "launched", "published"})
_KILLED = frozenset({"killed", "executed", "murdered", "assassinated", "beheaded", "hanged"})
_LEADS = frozenset({"the", "then", "there", "at", "last", "later", "again", "also"})
