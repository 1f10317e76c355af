"""Where entities are named, by the trained pipeline and by rules."""

from __future__ import annotations

from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j_offline.extractor.coreference import group_spans
from kg_neo4j_offline.extractor.extractor import OfflineExtractor
from kg_neo4j_offline.extractor.mentions import EntityMentions
from kg_neo4j_offline.networks.mention_types import MentionSpan
from offline_reading import chunk, document

ENGLISH = "Marie Curie was born in Warsaw in 1867. In Paris Curie met Pierre Curie and the two married."
POLISH = "Urodził się w Warszawie, a jego siostra Bronisława Dłuska mieszkała wtedy w Paryżu z rodziną."


def mentions(text: str) -> dict[str, tuple[str, list[str]]]:
    extractor = OfflineExtractor(schemas.load("described"))
    found = extractor.find_mentions(ChunkTask(document(text), chunk(text)), text)
    return {each.name: (each.type, [text[start:end] for start, end in each.mentions]) for each in found}


def test_names_dates_and_numbers_come_with_their_places():
    found = mentions(ENGLISH)
    assert found["Warsaw"] == ("PLACE", ["Warsaw"])
    assert found["1867"] == ("DATE", ["1867"])
    assert found["Marie Curie"][0] == "PERSON"


def test_another_language_gives_the_names_that_rules_find():
    assert mentions(POLISH)["Bronisława Dłuska"][1] == ["Bronisława Dłuska"]


def test_a_surname_means_the_only_one_who_bears_it():
    text = "Ada Lind and Lind"
    assert group_spans(text, [MentionSpan(0, 8, "PER"), MentionSpan(13, 17, "PER")]) == (
        EntityMentions("Ada Lind", "PERSON", ((0, 8), (13, 17))),
    )


def test_a_surname_that_two_bear_means_nobody_in_particular():
    text = "Ada Lind, Otto Lind, Lind"
    found = group_spans(text, [MentionSpan(0, 8, "PER"), MentionSpan(10, 19, "PER"), MentionSpan(21, 25, "PER")])
    assert [each.name for each in found] == ["Ada Lind", "Otto Lind", "Lind"]


def test_a_line_break_is_a_space_in_a_name():
    assert group_spans("Ada\nLind", [MentionSpan(0, 8, "PER")])[0].name == "Ada Lind"
