"""Where each entity is named: mentions grouped by who is meant. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from kg_neo4j.extract.interface import EntityMentions, Place
from kg_neo4j.offline.extractor.coreference import unite
from kg_neo4j.offline.extractor.demonyms import NATIONS
from kg_neo4j.offline.extractor.entities import DATE, OTHER, PERSON, PLACE, EntityDraft
from kg_neo4j.offline.networks.agreement import MentionSpan

_NODE_TYPES = {"PER": PERSON, "LOC": PLACE, "ORG": "ORGANIZATION", "MISC": OTHER, "TIME": DATE, "NUM": "NUMBER"}


def group_spans(text: str, spans: Sequence[MentionSpan]) -> tuple[EntityMentions, ...]:
    """Return the entities of `spans`: equal strings of a type are one, and so are other forms of one name."""
    places: dict[tuple[str, str], list[Place]] = {}
    for span in spans:
        name = " ".join(text[span.start : span.end].split())
        name = NATIONS.get(name, name) if span.type == "LOC" else name
        places.setdefault((name, span.type), []).append((span.start, span.end))
    return unite(
        text, [EntityMentions(name, _NODE_TYPES[kind], tuple(sorted(found))) for (name, kind), found in places.items()]
    )


def places_of(drafts: Sequence[EntityDraft]) -> tuple[EntityMentions, ...]:
    """Return the entities that the rules found, with the places of their names."""
    found = []
    for draft in drafts:
        places = sorted((item.start, item.end) for _, item in draft.mentions)
        if places:
            found.append(EntityMentions(draft.name, draft.type, tuple(places)))
    return tuple(found)
