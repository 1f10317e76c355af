"""Relationships and life events in one sentence: rules over the words between its names and dates. Pure."""

from __future__ import annotations

from kg_neo4j_offline.extractor import lexicon as lex
from kg_neo4j_offline.extractor.dates import DateSpan
from kg_neo4j_offline.extractor.entities import DATE, ORGANIZATION, PERSON, PLACE, EntityDraft, RelationDraft
from kg_neo4j_offline.extractor.parsed_text import ParsedSentence, TextItem, item_at
from kg_neo4j_offline.extractor.relation_patterns import (
    KIN,
    PEOPLE,
    VERBS,
    Trigger,
    find_subjects,
    is_subject,
    noun_subject,
    trigger_before,
)

_BEFORE_DATES = frozenset("in on since from around about by until circa of early late the".split())
_CLAUSES = frozenset("before after when while but until where who which whom".split())
_OPENING = frozenset("later then there while first finally early late".split())
_MEETINGS = frozenset({"MET", "VISITED", "MARRIED_TO", "WORKED_WITH", "TRAVELLED_WITH"})
_CHILD_OF = {("SON_OR_DAUGHTER_OF", "m"): "SON_OF", ("SON_OR_DAUGHTER_OF", "f"): "DAUGHTER_OF"}
_LIFE_WORDS = {"b": "BORN", "born": "BORN", "d": "DIED", "died": "DIED"}
_BEGINNINGS = frozenset("founded established opened built launched published".split())
_KILLED = frozenset("killed executed murdered assassinated beheaded hanged".split())
_VERBS = lex.PERSON_VERBS | VERBS | lex.BE
_LEADS = frozenset("the then there at last later again also".split())


def relate(sentence: ParsedSentence) -> list[RelationDraft]:
    """Return the relationships that one sentence states, in the order of the text."""
    flow, dates = _flow(sentence)
    found: list[RelationDraft] = []
    for index, item in enumerate(flow):
        if not item.possessive and (item.kind == "name" or _is_object(flow, index)):
            found += (
                _kin(flow, index, sentence)
                or _triggered(flow, index, sentence)
                or _located(flow, index, sentence)
                or _was_in(flow, index, sentence, found)
            )
    for relation in found:
        relation.date = _date_of(relation, dates, sentence)
    return [relation for relation in found if relation.source is not relation.target]


def _is_object(flow: list[TextItem], index: int) -> bool:
    """Tell whether a pronoun stands where a name could: "him", and "her" without a noun after it."""
    item, following = flow[index], item_at(flow, index + 1)
    if item.entity is None or item.lower not in ("him", "her"):
        return False
    alone = following.kind in ("mark", "end") or following.lower in lex.PREPOSITIONS | lex.CONJUNCTIONS
    return item.lower == "him" or alone


def _flow(sentence: ParsedSentence) -> tuple[list[TextItem], list[DateSpan]]:
    """Return the sentence without parentheses and dates, and the dates."""
    flow: list[TextItem] = []
    dates: list[DateSpan] = []
    for item in sentence.items:
        if item.hidden or item.text in "()":
            continue
        if item.date is not None:
            dates.append(item.date)
            while flow and flow[-1].kind == "word" and flow[-1].lower in _BEFORE_DATES:
                flow.pop()
        elif dates and flow and flow[-1].text == item.text == "," and flow[-1].end < dates[-1].start < item.start:
            flow.pop()  # both commas around a date
        else:
            flow.append(item)
    return flow, dates


def _triggered(flow: list[TextItem], index: int, sentence: ParsedSentence) -> list[RelationDraft]:
    """Apply the table: the words before the name, and the subject before these."""
    rule = trigger_before(flow, index)
    if rule is None or _chained(flow, index):
        return []
    trigger, begin = rule
    if trigger.noun:
        is_deputy = item_at(flow, begin - 1).lower in ("vice", "deputy", "assistant", "acting")
        sources = [] if is_deputy else noun_subject(flow, begin)
    else:
        asked = flow[begin].lower in lex.SPEECH_VERBS and item_at(flow, begin - 1).text in ("”", '"', "’")
        is_other = asked or _is_passive(flow, begin, trigger)  # “Where is he?” asked Ragna
        sources = [] if is_other else find_subjects(flow, begin, trigger.sources)
    found = []
    for subject in sources:
        for item in _listed(flow, index):
            source, target = subject.entity, item.entity
            if source is target or source.type not in trigger.sources or target.type not in trigger.targets:
                continue
            start, end = min(subject.start, flow[begin].start), max(item.end, subject.end)
            kind = _CHILD_OF.get((trigger.type, source.gender), trigger.type)
            one, other = (target, source) if trigger.back else (source, target)
            found.append(RelationDraft(one, kind, other, sentence, start, end, trigger.strength))
    return found


def _chained(flow: list[TextItem], index: int) -> bool:
    """Tell whether a name only describes the next one: "Quraysh tribal leader Abd al-Muttalib"."""
    for position in range(index + 1, min(index + 4, len(flow))):
        if flow[position].kind == "name":
            return position > index + 1 and flow[position - 1].lower in lex.ROLE_NOUNS
        if flow[position].kind != "word" or flow[position].lower in lex.BARRIERS:
            return False
    return False


def _is_passive(flow: list[TextItem], begin: int, trigger: Trigger) -> bool:
    """Tell whether a bare verb stands in the passive: "was founded, Berlin" says nothing of who did it."""
    is_bare = trigger.words[-1] not in lex.PREPOSITIONS and trigger.words != ("married",)
    return is_bare and item_at(flow, begin - 1).lower in lex.BE


def _listed(flow: list[TextItem], index: int) -> list[TextItem]:
    """Return the name at `index` and those that continue its list: "Goethe and Schiller", "A, B and C"."""
    names, position = [flow[index]], index
    while item_at(flow, position + 1).text in (",", "and"):
        step = position + 2
        while step - position < 4 and (
            item_at(flow, step).text in (",", "and") or item_at(flow, step).lower in lex.DETERMINERS
        ):
            step += 1
        name, following = item_at(flow, step), item_at(flow, step + 1).lower
        if name.kind != "name":
            break
        new_clause = following in _VERBS or following.endswith("ed")
        same = name.entity.type == flow[position].entity.type and not flow[position].possessive
        apposition = flow[position + 1].text == "," and flow[step - 1].text != "and" and following not in ("and", ",")
        if new_clause or not same or apposition:
            break
        names.append(name)
        position = step
    return names


def _kin(flow: list[TextItem], index: int, sentence: ParsedSentence) -> list[RelationDraft]:
    """Read "his elder brother Wilhelm", "her father, Władysław Skłodowski", "Anna's friend Tom"."""
    comma = item_at(flow, index - 1).text == ","
    position = index - 2 if comma else index - 1
    noun = item_at(flow, position).lower
    if noun not in KIN:
        return []
    for owner in reversed(flow[max(0, position - 3) : position]):
        if owner.entity is not None and (owner.possessive or (owner.kind == "word" and owner.lower in lex.POSSESSIVE)):
            break
        if owner.kind != "word" or owner.lower in lex.BARRIERS or owner.lower in lex.DETERMINERS:
            return []
    else:
        return []
    if owner.entity.type != PERSON:
        return []
    kind, back, gender = KIN[noun]
    found = []
    for item in [flow[index]] if comma and not noun.endswith("s") else _listed(flow, index):
        person = item.entity
        if person.type == PERSON and person is not owner.entity:
            person.gender = person.gender or gender
            source, target = (person, owner.entity) if back else (owner.entity, person)
            found.append(RelationDraft(source, kind, target, sentence, owner.start, item.end, 9))
    return found


def _located(flow: list[TextItem], index: int, sentence: ParsedSentence) -> list[RelationDraft]:
    """Read where something is: "Passy, France", "the College of Mines in Mexico City"."""
    target = flow[index].entity
    has_article = item_at(flow, index - 1).lower == "the"
    before = index - 2 if has_article else index - 1
    word, place = item_at(flow, before).lower, item_at(flow, before - 1)
    if target.type != PLACE or place.kind != "name" or place.entity.type not in (PLACE, ORGANIZATION):
        return []
    comma = word == "," and place.entity.type == PLACE and not has_article and _is_pair(flow, index)
    of_place = word == "of" and place.entity.type == ORGANIZATION and not has_article
    if not (word == "in" or comma or of_place):
        return []
    kind = "BASED_IN" if of_place else "LOCATED_IN"  # "Lind & Co of Bergen"
    return [RelationDraft(place.entity, kind, target, sentence, place.start, flow[index].end, 7)]


def _is_pair(flow: list[TextItem], index: int) -> bool:
    """Tell whether "A, B" is a place within a place and not the middle of a list: "Belgium, Brazil, and Chile"."""
    listed = item_at(flow, index - 3).text in (",", "and") or item_at(flow, index + 1).text in ("and", "or")
    position = index + 1
    while not listed and item_at(flow, position).text == ",":
        following = item_at(flow, position + 1)
        if following.lower in ("and", "or"):
            return item_at(flow, position + 2).kind != "name"
        if following.kind != "name":
            return True
        position += 2
    return not listed and not (position > index + 1 and item_at(flow, position).lower in ("and", "or"))


def _was_in(
    flow: list[TextItem], index: int, sentence: ParsedSentence, found: list[RelationDraft]
) -> list[RelationDraft]:
    """Read where somebody was: "In Lima, Humboldt observed ...", "met Thomas Jefferson in Washington"."""
    target = flow[index].entity
    if target.type != PLACE or item_at(flow, index - 1).lower not in ("in", "at", "near"):
        return []
    if index <= 2 and all(item.kind == "mark" or item.lower in _OPENING for item in flow[: index - 1]):
        place = index + 2 if item_at(flow, index + 1).text == "," else index + 1
        subject = item_at(flow, place)
        named = subject.kind == "name" and is_subject(flow, place)
        if not (named or subject.lower in lex.NOMINATIVE | {"they"}):
            return []
        joined = item_at(flow, place + 1).lower == "and" and item_at(flow, place + 2).kind == "name"
        meant = [subject, flow[place + 2]] if joined else [subject]
        people = [each.entity for each in meant if each.entity is not None] or subject.plural
        start, end = flow[index - 1].start, subject.end
        people = [each for each in people if each.type == PERSON]
        return [RelationDraft(each, "WAS_IN", target, sentence, start, end, 6) for each in people]
    before = item_at(flow, index - 2)
    met = [each for each in found if each.end == before.end and each.target is before.entity]
    return [
        RelationDraft(each.source, "WAS_IN", target, sentence, each.start, flow[index].end, 5)
        for each in met[:2]
        if each.type in _MEETINGS and each.source.type == PERSON
    ]


def _date_of(relation: RelationDraft, dates: list[DateSpan], sentence: ParsedSentence) -> str:
    """Return the date that belongs to a relationship: the only one, the nearest, or the one that opens the sentence."""
    usable = []
    for date in dates:
        before = [item.lower for item in sentence.items if item.end <= date.start]
        if before[-1:] not in (["until"], ["till"], ["before"], ["to"]):  # these say when something ended
            usable.append(date)
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
    return usable[0].text if usable[0].start - sentence.start <= 12 else ""


def life_events(sentence: ParsedSentence) -> list[RelationDraft]:
    """Read when somebody was born or died, and note the year."""
    found = []
    items = sentence.items
    for index, item in enumerate(items):
        if item.date is None or item.date.year is None or item.hidden or _year_of_noun(items, index):
            continue
        verb = _life_verb(items, index)
        if verb is None:
            continue
        flow = [each for each in items[: verb + 1] if not each.hidden and each.text not in "()"]
        for subject in find_subjects(flow, len(flow) - 1, PEOPLE)[:1]:
            born = items[verb].lower == "born"
            subject.entity.note_year("birth" if born else "death", item.date.year)
            start, kind = min(subject.start, items[verb].start), "BORN_ON" if born else "DIED_ON"
            found.append(_dated(subject, kind, item, sentence, start=start))
    return found


def _dated(
    item: TextItem, kind: str, date: TextItem, sentence: ParsedSentence, *, start: int, strength: int = 9
) -> RelationDraft:
    end = max(item.end, date.end)
    return RelationDraft(item.entity, kind, date_entity(date), sentence, start, end, strength, date.text)


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
    if not inside or _year(inside[-1]) is None or len(inside) > 3 or inside[0].lower not in _BEGINNINGS:
        return []
    return [_dated(item, f"{inside[0].lower}_in".upper(), inside[-1], sentence, start=item.start)]


def _maiden(items: list[TextItem], index: int) -> EntityDraft | None:
    """Return who is meant by the maiden name at `index`: "Ada Brandt, née Lind"."""
    if item_at(items, index - 1).lower not in ("née", "nee", "né"):
        return None
    before = item_at(items, index - 3 if item_at(items, index - 2).text == "," else index - 2)
    return before.entity if before.kind == "name" and before.entity.type == PERSON else None


def _life_in(inside: list[TextItem], person: EntityDraft) -> list[tuple[str, TextItem]]:
    """Return what a parenthesis says of a life: "1872–1938", "b. 1872", "b. Bonn 1872, d. Paris 1938"."""
    dates = [each for each in inside if _year(each) is not None]
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
    if any(item.lower == "anniversary" for item in items[max(0, noun - 4) : noun]):
        return True
    owner = items[noun - 1]
    owns = owner.possessive or (owner.kind == "word" and owner.lower in lex.POSSESSIVE)
    if not owns or owner.entity is None or owner.entity.type != PERSON:
        return False
    owner.entity.note_year(items[noun].lower, _year(items[index]))
    return True


def _life_verb(items: list[TextItem], index: int) -> int | None:
    """Return the place of "born" or "died" before a date, with nothing but places and prepositions between."""
    for position in range(index - 1, max(-1, index - 15), -1):
        item = items[position]
        killed = item.lower in _KILLED and item_at(items, position - 1).lower in lex.BE
        if killed or item.lower in ("born", "died"):
            return position
        if item.kind == "name" and item.entity.type == PERSON:
            return None
        if item.kind == "word" and (item.lower in lex.PRONOUNS or item.lower in lex.RELATIVES | {"and", "but"}):
            return None
    return None


def date_entity(item: TextItem) -> EntityDraft:
    """Return the entity of a date; the extractor joins equal ones."""
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
    while item_at(items, first).kind == "mark" or item_at(items, first).lower in _LEADS:
        first += 1
    subject = item_at(items, first)
    if subject.entity is None or subject.entity.type != PERSON or subject.quoted:
        return None
    named = subject.kind == "name" and is_subject(items, first)
    if not named and not (subject.kind == "word" and subject.lower in lex.NOMINATIVE):
        return None
    between = items[first + 1 : dates[0]]
    if any(item.text == ";" or item.lower in lex.RELATIVES or item.lower in lex.NOMINATIVE for item in between):
        return None
    start = min(subject.start, date.start)
    return _dated(subject, "ACTIVE_IN", date, sentence, start=start, strength=3)
