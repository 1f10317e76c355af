"""Which country an adjective of origin means: a French physicist is of France."""

from __future__ import annotations

from kg_neo4j import data_files

_COUNTRIES = data_files.beside(__file__).table("countries")
NATIONS = {word: country for country, words in _COUNTRIES.items() for word in words.split()}
COUNTRIES = frozenset(_COUNTRIES)
