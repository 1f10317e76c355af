"""What kind of thing an entity is, by its type: a person, a place, a date, or anything else. Pure."""

from __future__ import annotations

PERSON, PLACE, DATE, THING = "person", "place", "date", "thing"
_TYPES = {
    PERSON: "PERSON PEOPLE HUMAN CHARACTER MAN WOMAN CHILD",
    PLACE: "PLACE LOCATION CITY TOWN VILLAGE SETTLEMENT COUNTRY REGION STATE PROVINCE CONTINENT ISLAND MOUNTAIN CAVE "
    "RIVER LAKE SEA OCEAN DESERT BUILDING ADDRESS GPE LOC FACILITY",
    DATE: "DATE YEAR",
}
_KINDS = {each: kind for kind, types in _TYPES.items() for each in types.split()}


def kind_of(entity_type: str) -> str:
    """Return PERSON, PLACE, DATE or THING."""
    return _KINDS.get(entity_type, THING)
