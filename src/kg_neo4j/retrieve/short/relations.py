"""The relations that a question may ask for, by the nouns that name them and the types of facts that hold them. Pure.

A type is written with `>` where it leads from the thing to what is asked for, with `<` where it leads back: the
director of a film is at the end of the film's DIRECTOR and at the beginning of a DIRECTED.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation from a thing to what a question asks for."""

    name: str  # as a path shows it, where it was read in a passage
    facts: tuple[str, ...] = ()
    gives: str = "name"  # "person", "date", "place", "name", "words"
    hint: str = ""  # a word of passages about what it leads to, where several things share a name
    chain: tuple[str, ...] = ()  # other relations that it consists of, the first one first


_ALL = (
    Relation("director", (">DIRECTOR", "<DIRECTED", "<DIRECTOR_OF"), "person", "director"),
    Relation("composer", (">COMPOSER", "<COMPOSED", "<WROTE", ">LYRICS_BY"), "person", "composer"),
    Relation("performer", (">PERFORMER", "<PERFORMED", "<RECORDED"), "person", "singer"),
    Relation("author", (">AUTHOR", "<WROTE", "<AUTHOR_OF"), "person", "writer"),
    Relation("screenwriter", (">SCREENWRITER", "<WROTE"), "person", "writer"),
    Relation("producer", (">PRODUCER", "<PRODUCED"), "person", "producer"),
    Relation("creator", (">CREATOR", "<CREATED"), "person"),
    Relation("founder", (">FOUNDED_BY", ">FOUNDER", "<FOUNDED"), "person"),
    Relation("inventor", (">DISCOVERER_OR_INVENTOR", "<INVENTED", "<DISCOVERED"), "person"),
    Relation("developer", (">DEVELOPER", "<DEVELOPED"), "name"),
    Relation("publisher", (">PUBLISHER", "<PUBLISHED"), "name"),
    Relation("owner", (">OWNED_BY", "<OWNS", "<OWNED"), "name"),
    Relation("father", (">SON_OF", ">DAUGHTER_OF", ">CHILD_OF", "<FATHER_OF", "<PARENT_OF"), "person"),
    Relation("mother", (">SON_OF", ">DAUGHTER_OF", ">CHILD_OF", "<MOTHER_OF", "<PARENT_OF"), "person"),
    Relation("child", ("<SON_OF", "<DAUGHTER_OF", "<CHILD_OF", ">PARENT_OF", ">FATHER_OF", ">MOTHER_OF"), "person"),
    Relation("son", ("<SON_OF", ">PARENT_OF"), "person"),
    Relation("daughter", ("<DAUGHTER_OF", ">PARENT_OF"), "person"),
    Relation("spouse", (">MARRIED_TO", "<MARRIED_TO", ">SPOUSE", "<SPOUSE"), "person"),
    Relation("sibling", (">SIBLING_OF", "<SIBLING_OF", ">BROTHER_OF", "<BROTHER_OF", ">SISTER_OF"), "person"),
    Relation("paternal grandfather", chain=("father", "father")),
    Relation("paternal grandmother", chain=("father", "mother")),
    Relation("maternal grandfather", chain=("mother", "father")),
    Relation("maternal grandmother", chain=("mother", "mother")),
    Relation("father-in-law", chain=("spouse", "father")),
    Relation("mother-in-law", chain=("spouse", "mother")),
    Relation("sibling-in-law", chain=("spouse", "sibling")),
    Relation("child-in-law", chain=("child", "spouse")),
    Relation("stepchild", chain=("spouse", "child")),
    Relation("stepmother", chain=("father", "spouse")),
    Relation("stepfather", chain=("mother", "spouse")),
    Relation("uncle", chain=("father", "sibling")),
    Relation("born on", (">BORN_ON", ">DATE_OF_BIRTH"), "date"),
    Relation("died on", (">DIED_ON", ">DATE_OF_DEATH"), "date"),
    Relation("born in", (">BORN_IN", ">PLACE_OF_BIRTH"), "place"),
    Relation("died in", (">DIED_IN", ">PLACE_OF_DEATH"), "place"),
    Relation("buried in", (">BURIED_IN", ">PLACE_OF_BURIAL"), "place"),
    Relation("cause of death", (">CAUSE_OF_DEATH",), "words"),
    Relation("citizenship", (">COUNTRY_OF_CITIZENSHIP", ">NATIONALITY"), "place"),
    Relation("nationality", (">COUNTRY_OF_CITIZENSHIP", ">NATIONALITY"), "place"),
    Relation("country", (">COUNTRY", ">LOCATED_IN_COUNTRY", ">COUNTRY_OF_ORIGIN", ">DIVISION_OF_COUNTRY"), "place"),
    Relation("location", (">LOCATED_IN", ">DIVISION_OF", ">HEADQUARTERS_LOCATION", ">LOCATION"), "place"),
    Relation("capital", (">CAPITAL", "<CAPITAL_OF"), "place"),
    Relation("headquarters", (">HEADQUARTERS_LOCATION", ">HEADQUARTERED_IN", ">BASED_IN"), "place"),
    Relation("made on", (">PUBLICATION_DATE", ">INCEPTION", ">RELEASED_ON", ">FOUNDED_ON"), "date"),
    Relation("school", (">STUDIED_AT", ">EDUCATED_AT", ">GRADUATED_FROM", ">ATTENDED"), "name"),
    Relation("employer", (">EMPLOYER", ">WORKED_AT", ">WORKED_FOR", "<EMPLOYED"), "name"),
    Relation("award", (">AWARD_RECEIVED", ">WON", ">RECEIVED", "<AWARDED_TO"), "name"),
    Relation("record label", (">RECORD_LABEL", ">SIGNED_WITH"), "name"),
    Relation("team", (">MEMBER_OF_SPORTS_TEAM", ">PLAYED_FOR"), "name"),
    Relation("party", (">MEMBER_OF_POLITICAL_PARTY",), "name"),
    Relation("language", (">LANGUAGES_SPOKEN_WRITTEN_OR_SIGNED", ">ORIGINAL_LANGUAGE_OF_WORK", ">LANGUAGE"), "name"),
)
RELATIONS = {relation.name: relation for relation in _ALL}

NOUNS = {
    noun: name
    for name, nouns in {
        "director": "director|co-director|directors|film director",
        "composer": "composer|songwriter|lyricist",
        "performer": "performer|singer|artist|band|recording artist",
        "author": "author|writer|novelist",
        "screenwriter": "screenwriter",
        "producer": "producer",
        "creator": "creator",
        "founder": "founder|founders",
        "inventor": "inventor|discoverer",
        "developer": "developer",
        "publisher": "publisher",
        "owner": "owner",
        "father": "father|dad",
        "mother": "mother|mom",
        "child": "child|children",
        "son": "son|sons",
        "daughter": "daughter|daughters",
        "spouse": "spouse|husband|wife|partner",
        "sibling": "sibling|brother|sister",
        "paternal grandfather": "paternal grandfather|grandfather",
        "paternal grandmother": "paternal grandmother|grandmother",
        "maternal grandfather": "maternal grandfather",
        "maternal grandmother": "maternal grandmother",
        "father-in-law": "father-in-law|father in law",
        "mother-in-law": "mother-in-law|mother in law",
        "sibling-in-law": "brother-in-law|sister-in-law|sibling-in-law",
        "child-in-law": "son-in-law|daughter-in-law|child-in-law",
        "stepchild": "stepchild|stepson|stepdaughter",
        "stepmother": "stepmother",
        "stepfather": "stepfather",
        "uncle": "uncle|aunt",
        "born on": "date of birth|birth date|birthday|birthdate|year of birth|birth year",
        "died on": "date of death|death date|year of death",
        "born in": "place of birth|birthplace|birth place|city of birth|hometown|country of birth",
        "died in": "place of death|deathplace|city of death",
        "buried in": "place of burial|burial place|burial site|grave",
        "cause of death": "cause of death",
        "nationality": "nationality",
        "citizenship": "country of citizenship|citizenship",
        "country": "country|country of origin",
        "capital": "capital|capital city",
        "headquarters": "headquarters|headquarter location",
        "made on": "release date|date of release|publication date|year of release|founding date",
        "school": "alma mater",
        "employer": "employer",
        "award": "award",
        "record label": "record label|label",
        "team": "team",
        "party": "political party|party",
        "language": "language",
    }.items()
    for noun in nouns.split("|")
}
"""What a relation is called -> its name."""

VERBS = {
    "director": "directed",
    "composer": "composed",
    "performer": "performed|sang|recorded|sings",
    "author": "wrote|authored|written",
    "producer": "produced",
    "creator": "created",
    "founder": "founded|established|started",
    "inventor": "invented|discovered",
    "developer": "developed",
    "publisher": "published",
    "owner": "owns|owned",
    "spouse": "married",
}
"""A relation's name -> the verbs of "who ... X" and "the one who ... X"."""
