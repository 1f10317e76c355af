"""The word lists of the offline rules, which are in lexicon.toml."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from kg_neo4j import data_files


@lru_cache(maxsize=50_000)
def fold(word: str) -> str:
    """Return `word` in lower case without diacritics, the form in which names are compared."""
    decomposed = unicodedata.normalize("NFKD", word.replace("ł", "l").replace("Ł", "L").replace("ß", "ss"))
    return "".join(char for char in decomposed if not unicodedata.combining(char)).casefold()


_DATA = data_files.beside(__file__)
_words = _DATA.word_set

MONTHS = {name: number for number, names in enumerate(_DATA.lines("months"), start=1) for name in names.split()}
CALENDAR = frozenset(MONTHS) | _words("days_and_seasons")
PRONOUNS = {"he": "m", "him": "m", "his": "m", "himself": "m", "she": "f", "her": "f", "hers": "f", "herself": "f"}
POSSESSIVE = frozenset({"his", "her"})
DETERMINERS = _words("determiners")
BE = _words("be")
CONJUNCTIONS = _words("conjunctions")
RELATIVES = _words("relatives")
PREPOSITIONS = _words("prepositions")
STOPS = BE | CONJUNCTIONS | RELATIVES | PREPOSITIONS
BARRIERS = STOPS | _words("pronouns_and_auxiliaries")
OPENERS = BARRIERS | DETERMINERS | CALENDAR | _words("openers")
COMMON_CAPITALISED = _words("common_capitalised")
HONORIFICS = _words("honorifics")
DETACHABLE = HONORIFICS - _words("undetachable")  # left out of a name that is whole without them
SURE_TITLES = _words("sure_titles")  # which stand before the names of people alone
ABBREVIATED = _words("abbreviated")
FEMALE_TITLES = _words("female_titles")
MALE_TITLES = _words("male_titles")
PARTICLES = _words("particles")
PERSON_PARTICLES = _words("person_particles")
ORGANIZATION_HEADS = _words("organization_heads")
FIRM_HEADS = _words("firm_heads")  # the word before these is a name by itself
PLACE_HEADS = _words("place_heads")
ORGANIZATION_STARTS = _words("organization_starts")
CONCEPTS = _words("concepts")
PLACE_ARTICLES = _words("place_articles")
SURNAME_HEADS = _words("surname_heads")
PLACE_STARTS = _words("place_starts")
OTHER_HEADS = _words("other_heads")
HEADS = ORGANIZATION_HEADS | PLACE_HEADS | OTHER_HEADS
PLACES = _words("places")
DEMONYMS = _words("demonyms")
FEMALE_NAMES = _words("female_names")
MALE_NAMES = _words("male_names")
GIVEN_NAMES = FEMALE_NAMES | MALE_NAMES
ROLE_ADJECTIVES = _words("role_adjectives")
PLAIN_ROLES = _words("plain_roles")
ROLE_NOUNS = _words("role_nouns")
PLACE_NOUNS = _words("place_nouns")
PLACE_ROLES = _words("place_roles")
ORGANIZATION_ROLES = _words("organization_roles")
OTHER_ROLES = _words("other_roles")
VESSELS = _words("vessels")
GROUP_NOUNS = _words("group_nouns")
SPEECH_VERBS = _words("speech_verbs")
PERSON_VERBS = _words("person_verbs")
BEFALLEN = _words("befallen")
THING_VERBS = _words("thing_verbs")
SAILING_VERBS = _words("sailing_verbs")
WORK_NOUNS = _words("work_nouns")
EITHER_ROLES = _words("either_roles")
SITE_STARTS = _words("site_starts")


KNOWN = {
    name: kind
    for kind, key in (("ORGANIZATION", "known_organizations"), ("PRODUCT", "known_products"))
    for name in _DATA.lines(key)
}
_COUNTRIES = _DATA.table("countries")
NATIONS = {word: country for country, words in _COUNTRIES.items() for word in words.split()}
COUNTRIES = frozenset(_COUNTRIES)
