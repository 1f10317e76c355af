"""Relationships and life events in one sentence: rules over the words between its names and dates. Pure."""

from __future__ import annotations

from kg_neo4j.offline.extractor import lexicon as lex
from kg_neo4j.offline.extractor.dates import DateSpan
from kg_neo4j.offline.extractor.entities import DATE, ORGANIZATION, PERSON, PLACE, EntityDraft, RelationDraft
from kg_neo4j.offline.extractor.parsed_text import ParsedSentence, TextItem
from kg_neo4j.offline.extractor.relation_patterns import (
    KIN,
    VERBS,
    Trigger,
    find_subjects,
    is_subject,
    noun_subject,
    trigger_before,
)

_DATE_WORDS = frozenset(
    {"in", "on", "since", "from", "around", "about", "by", "until", "circa", "of", "early", "late", "the"}
)
_CLAUSES = frozenset({"before", "after", "when", "while", "but", "until", "where", "who", "which", "whom"})


def relate(sentence: ParsedSentence) -> list[RelationDraft]:
    """Return the relationships that one sentence states, in the order of the text."""
    flow, dates = _flow(sentence)
    found: list[RelationDraft] = []
    for index, item in enumerate(flow):
        if item.possessive or (item.kind != "name" and not _is_object(flow, index)):
            continue
        kin = _kin(flow, index, sentence)
        if kin:
            found += kin
            continue
        found += (
            _triggered(flow, index, sentence)
            or _located(flow, index, sentence)
            or _was_in(flow, index, sentence, found)
        )
    for relation in found:
        relation.date = _date_of(relation, dates, sentence)
    return [relation for relation in found if relation.source is not relation.target]


def _is_object(flow: list[TextItem], index: int) -> bool:
    """Tell whether a pronoun stands where a name could: "him", and "her" without a noun after it."""
    item = flow[index]
    if item.entity is None or item.lower not in ("him", "her"):
        return False
    following = flow[index + 1] if index + 1 < len(flow) else None
    alone = following is None or following.kind == "mark" or following.lower in lex.PREPOSITIONS | lex.CONJUNCTIONS
    return item.lower == "him" or alone


def _flow(sentence: ParsedSentence) -> tuple[list[TextItem], list[DateSpan]]:
    """Return the sentence without parentheses and dates, and the dates."""
    flow: list[TextItem] = []
    dates = []
    for item in sentence.items:
        if item.hidden or item.text in "()":
            continue
        if item.date is not None:
            dates.append(item.date)
            while flow and flow[-1].kind == "word" and flow[-1].lower in _DATE_WORDS:
                flow.pop()
            continue
        comma = (
            item.text == "," and dates and flow and flow[-1].text == "," and flow[-1].end < dates[-1].start < item.start
        )
        if comma:
            flow.pop()
            continue
        flow.append(item)
    return flow, dates


def _triggered(flow: list[TextItem], index: int, sentence: ParsedSentence) -> list[RelationDraft]:
    """Apply the table: the words before the name, and the subject before these."""
    rule = trigger_before(flow, index)
    if rule is None:
        return []
    trigger, begin = rule
    if _chained(flow, index):
        return []
    if not trigger.noun and (_is_passive(flow, begin, trigger) or _is_speech_tag(flow, begin)):
        return []
    if trigger.noun and begin and flow[begin - 1].lower in ("vice", "deputy", "assistant", "acting"):
        return []
    sources = noun_subject(flow, begin) if trigger.noun else find_subjects(flow, begin, trigger)
    found = []
    for source_item in sources:
        for target_item in _listed(flow, index):
            source, target = source_item.entity, target_item.entity
            if source is target or source.type not in trigger.sources or target.type not in trigger.targets:
                continue
            start = min(source_item.start, flow[begin].start)
            end = max(target_item.end, source_item.end)
            kind = _kinship(trigger.type, source)
            pair = (target, source) if trigger.back else (source, target)
            found.append(RelationDraft(pair[0], kind, pair[1], sentence, start, end, trigger.strength))
    return found


def _chained(flow: list[TextItem], index: int) -> bool:
    """Tell whether a name only describes the next one: "Quraysh tribal leader Abd al-Muttalib"."""
    for position in range(index + 1, min(index + 4, len(flow))):
        if flow[position].kind == "name":
            return position > index + 1 and flow[position - 1].lower in lex.ROLE_NOUNS
        if flow[position].kind != "word" or flow[position].lower in lex.BARRIERS:
            return False
    return False


def _kinship(kind: str, child: EntityDraft) -> str:
    if kind != "SON_OR_DAUGHTER_OF":
        return kind
    return {"m": "SON_OF", "f": "DAUGHTER_OF"}.get(child.gender, kind)


def _is_passive(flow: list[TextItem], begin: int, trigger: Trigger) -> bool:
    """Tell whether a bare verb stands in the passive: "was founded, Berlin" says nothing of who did it."""
    if trigger.words[-1] in lex.PREPOSITIONS or not begin:
        return False
    before = flow[begin - 1].lower
    return before in lex.BE and trigger.words != ("married",)


def _is_speech_tag(flow: list[TextItem], begin: int) -> bool:
    """Tell whether a verb only says who spoke: "Where is he?" asked Ragna."""
    return flow[begin].lower in lex.SPEECH_VERBS and begin > 0 and flow[begin - 1].text in ("”", '"', "’")


def _listed(flow: list[TextItem], index: int) -> list[TextItem]:
    """Return the name at `index` and those that continue its list: "Goethe and Schiller", "A, B and C"."""
    names = [flow[index]]
    position = index
    while True:
        step = position + 1
        while (
            step < len(flow)
            and (flow[step].text in (",", "and") or flow[step].lower in lex.DETERMINERS)
            and step - position < 4
        ):
            step += 1
        linked = step > position + 1 and flow[position + 1].text in (",", "and")
        if not linked or step >= len(flow) or flow[step].kind != "name":
            return names
        following = flow[step + 1].lower if step + 1 < len(flow) else ""
        new_clause = (
            following in lex.PERSON_VERBS or following in VERBS or following in lex.BE or following.endswith("ed")
        )
        same = flow[step].entity.type == flow[position].entity.type and not flow[position].possessive
        apposition = flow[position + 1].text == "," and flow[step - 1].text != "and" and following not in ("and", ",")
        if new_clause or not same or apposition:
            return names
        names.append(flow[step])
        position = step


def _kin(flow: list[TextItem], index: int, sentence: ParsedSentence) -> list[RelationDraft]:
    """Read "his elder brother Wilhelm", "her father, Władysław Skłodowski", "Anna's friend Tom"."""
    position = index - 1
    if position >= 0 and flow[position].text == ",":
        position -= 1
    if position < 1 or flow[position].lower not in KIN:
        return []
    kind, back, gender = KIN[flow[position].lower]
    owner = position - 1
    while owner >= 0 and position - owner <= 3:
        item = flow[owner]
        if item.entity is not None and (item.possessive or (item.kind == "word" and item.lower in lex.POSSESSIVE)):
            break
        if item.kind != "word" or item.lower in lex.BARRIERS or item.lower in lex.DETERMINERS:
            return []
        owner -= 1
    else:
        return []
    if owner < 0 or flow[owner].entity is None or flow[owner].entity.type != PERSON:
        return []
    found = []
    comma = flow[index - 1].text == ","
    for item in [flow[index]] if comma and not flow[position].lower.endswith("s") else _listed(flow, index):
        person = item.entity
        if person.type != PERSON or person is flow[owner].entity:
            continue
        if gender and not person.gender:
            person.gender = gender
        pair = (person, flow[owner].entity) if back else (flow[owner].entity, person)
        found.append(RelationDraft(pair[0], kind, pair[1], sentence, flow[owner].start, item.end, 9))
    return found


def _located(flow: list[TextItem], index: int, sentence: ParsedSentence) -> list[RelationDraft]:
    """Read where something is: "Passy, France", "the College of Mines in Mexico City"."""
    target = flow[index].entity
    if index < 2 or target.type != PLACE:
        return []
    before = index - 1
    if flow[before].lower == "the":
        before -= 1
    place = flow[before - 1] if before >= 1 else None
    if place is None or place.kind != "name" or place.entity.type not in (PLACE, ORGANIZATION):
        return []
    comma = flow[before].text == "," and place.entity.type == PLACE and _is_pair(flow, index)
    of_place = flow[before].lower == "of" and place.entity.type == ORGANIZATION and flow[index - 1].lower != "the"
    if not (flow[before].lower == "in" or comma or of_place):
        return []
    kind = "BASED_IN" if of_place else "LOCATED_IN"  # "Lind & Co of Bergen"
    return [RelationDraft(place.entity, kind, target, sentence, place.start, flow[index].end, 7)]


def _was_in(
    flow: list[TextItem], index: int, sentence: ParsedSentence, found: list[RelationDraft]
) -> list[RelationDraft]:
    """Read where somebody was: "In Lima, Humboldt observed ...", "met Thomas Jefferson in Washington"."""
    target = flow[index].entity
    if target.type != PLACE or not index or flow[index - 1].lower not in ("in", "at", "near"):
        return []
    if index <= 2 and all(item.kind == "mark" or item.lower in _OPENING for item in flow[: index - 1]):
        following = index + 2 if index + 1 < len(flow) and flow[index + 1].text == "," else index + 1
        subject = flow[following] if following < len(flow) else None
        named = subject is not None and (subject.kind == "name" and is_subject(flow, following))
        if subject is None or not (named or subject.lower in lex.NOMINATIVE | {"they"}):
            return []
        people = [each.entity for each in _pair_at(flow, following)] or list(subject.plural)
        return [
            RelationDraft(person, "WAS_IN", target, sentence, flow[index - 1].start, subject.end, 6)
            for person in people
            if person is not None and person.type == PERSON
        ]
    before = flow[index - 2] if index > 1 else None
    met = [each for each in found if before is not None and each.end == before.end and each.target is before.entity]
    return [
        RelationDraft(each.source, "WAS_IN", target, sentence, each.start, flow[index].end, 5)
        for each in met[:2]
        if each.type in _MEETINGS and each.source.type == PERSON
    ]


def _pair_at(flow: list[TextItem], index: int) -> list[TextItem]:
    """Return the subject at `index`, and the one joined to it by "and"."""
    items = [flow[index]]
    if index + 2 < len(flow) and flow[index + 1].lower == "and" and flow[index + 2].kind == "name":
        items.append(flow[index + 2])
    return [item for item in items if item.entity is not None]


_OPENING = frozenset({"later", "then", "there", "while", "first", "finally", "early", "late"})
_MEETINGS = frozenset({"MET", "VISITED", "MARRIED_TO", "WORKED_WITH", "TRAVELLED_WITH"})


def _is_pair(flow: list[TextItem], index: int) -> bool:
    """Tell whether "A, B" is a place within a place and not the middle of a list."""
    following = flow[index + 1].text if index + 1 < len(flow) else "."
    listed = index >= 3 and flow[index - 3].text in (",", "and")
    return not listed and following not in ("and", "or") and flow[index - 1].text == "," and not _lists(flow, index)


def _lists(flow: list[TextItem], index: int) -> bool:
    """Tell whether names and commas go on from here to an "and": "Belgium, Brazil, Spain, and Chile"."""
    position = index + 1
    while position + 1 < len(flow) and flow[position].text == ",":
        if flow[position + 1].lower in ("and", "or"):
            return position + 2 < len(flow) and flow[position + 2].kind == "name"
        if flow[position + 1].kind != "name":
            return False
        position += 2
    return position > index + 1 and position < len(flow) and flow[position].lower in ("and", "or")


def _date_of(relation: RelationDraft, dates: list[DateSpan], sentence: ParsedSentence) -> str:
    """Return the date that belongs to a relationship: the only one, the nearest, or the one that opens the sentence."""
    usable = [date for date in dates if not _is_limit(date, sentence)]
    if not usable:
        return ""

    text_marks = [item.start for item in sentence.items if item.text in (";", ":")]

    def distance(date: DateSpan) -> int:
        low, high = min(date.start, relation.start), max(date.end, relation.end)
        if any(low < place < high for place in text_marks):
            return 1000
        between = [item.lower for item in sentence.items if date.end <= item.start < relation.start]
        between += [item.lower for item in sentence.items if relation.end <= item.start < date.start]
        return max(relation.start - date.end, date.start - relation.end, 0) + 30 * len(_CLAUSES & set(between))

    near = [date for date in usable if distance(date) <= 60]
    if near:
        return min(near, key=lambda date: (distance(date), date.start)).text
    first = usable[0]
    return first.text if first.start - sentence.start <= 12 else ""


def _is_limit(date: DateSpan, sentence: ParsedSentence) -> bool:
    """Tell whether a date says when something ended ("until 1829")."""
    before = [item.lower for item in sentence.items if item.end <= date.start][-1:]
    return bool(before) and before[0] in ("until", "till", "before", "to")


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
    owns = owner.possessive or (owner.kind == "word" and owner.lower in lex.POSSESSIVE)
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
        if item.lower in ("born", "died") or (
            item.lower in _KILLED and position and items[position - 1].lower in lex.BE
        ):
            return position
        if item.kind == "name" and item.entity.type == PERSON:
            return None
        if item.kind == "word" and (
            item.lower in lex.PRONOUNS or item.lower in lex.RELATIVES or item.lower in ("and", "but")
        ):
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
    if not named and not (subject.kind == "word" and subject.lower in lex.NOMINATIVE):
        return None
    between = items[first + 1 : dates[0]]
    if any(item.text == ";" or item.lower in lex.RELATIVES or item.lower in lex.NOMINATIVE for item in between):
        return None
    start, end = min(subject.start, date.start), max(subject.end, date.end)
    return RelationDraft(subject.entity, "ACTIVE_IN", date_entity(date), sentence, start, end, 3, date.text)


_LIFE_WORDS = {"b": "BORN", "born": "BORN", "d": "DIED", "died": "DIED"}
_BEGINNINGS = frozenset({"founded", "established", "opened", "built", "launched", "published"})
_KILLED = frozenset({"killed", "executed", "murdered", "assassinated", "beheaded", "hanged"})
_LEADS = frozenset({"the", "then", "there", "at", "last", "later", "again", "also"})
