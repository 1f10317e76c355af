"""Relatives and friends that a noun beside a name tells of: "his elder brother Wilhelm", "Anna's friend Tom". Pure."""

from __future__ import annotations

from kg_neo4j_offline.extractor import lexicon as lex
from kg_neo4j_offline.extractor.entities import PERSON, RelationDraft
from kg_neo4j_offline.extractor.parsed_text import ParsedSentence, TextItem, item_at
from kg_neo4j_offline.extractor.relation_patterns import KIN, VERBS

_VERBS = lex.PERSON_VERBS | VERBS | lex.BE


def kin_relations(sentence: ParsedSentence) -> list[RelationDraft]:
    """Return what nouns such as "brother" say of whom they belong to and the name behind, in the order of the text."""
    flow = [item for item in sentence.items if not item.hidden and item.text not in "()" and item.date is None]
    return [
        relation
        for index, item in enumerate(flow)
        if item.kind == "name" and not item.possessive
        for relation in _of_noun(flow, index, sentence)
    ]


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


def _of_noun(flow: list[TextItem], index: int, sentence: ParsedSentence) -> list[RelationDraft]:
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
