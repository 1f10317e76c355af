"""What options of a load mean."""

from __future__ import annotations

from kg_neo4j import LoadOptions, Settings
from kg_neo4j.pipeline.options import site_of


def test_the_language_of_texts_and_that_of_the_wikipedia_are_apart() -> None:
    assert site_of(Settings(), LoadOptions(language="pl")).language == "en"
    assert site_of(Settings(), LoadOptions(wiki_language="pl")).language == "pl"
