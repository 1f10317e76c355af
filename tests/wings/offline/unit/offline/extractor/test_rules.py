"""What the built-in extractor reads out of single sentences."""

from __future__ import annotations

import pytest

from offline_reading import read


def test_birth_and_death_give_places_and_years():
    found = read("Ada Brandt was born in Kraków on 3 May 1871. She died in Vienna in 1934.")
    assert found.facts == {("Ada Brandt", "BORN_IN", "Kraków"), ("Ada Brandt", "DIED_IN", "Vienna")}
    assert {row["relationship_type"]: row["start_date"] for row in found.relationships} == {
        "BORN_IN": "3 May 1871",
        "DIED_IN": "1934",
    }
    assert found.types == {"Ada Brandt": "PERSON", "Kraków": "PLACE", "Vienna": "PLACE"}
    node = found.node("Ada Brandt")
    assert (node["birth_year"], node["death_year"]) == ("1871", "1934")


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Wilhelm was the elder son of Georg Brandt.", ("Georg Brandt", "PARENT_OF", "Wilhelm")),
        ("Ada Brandt, the daughter of Otto Brandt, sang.", ("Otto Brandt", "PARENT_OF", "Ada Brandt")),
        ("Ada Brandt married the French painter Paul Roux.", ("Ada Brandt", "MARRIED_TO", "Paul Roux")),
        ("Ada Brandt was married to Paul Roux.", ("Ada Brandt", "MARRIED_TO", "Paul Roux")),
        ("Ada Brandt studied at the University of Jena.", ("Ada Brandt", "STUDIED_AT", "University of Jena")),
        ("Ada Brandt worked in Mexico City.", ("Ada Brandt", "WORKED_IN", "Mexico City")),
        ("In 1901 Ada Brandt moved to Lublin.", ("Ada Brandt", "LIVED_IN", "Lublin")),
        ("Ada Brandt founded the Vistula Society.", ("Ada Brandt", "FOUNDED", "Vistula Society")),
        ("The Vistula Society was founded by Ada Brandt.", ("Ada Brandt", "FOUNDED", "Vistula Society")),
        ("Ada Brandt was a member of the Royal Society.", ("Ada Brandt", "MEMBER_OF", "Royal Society")),
        ("Ada Brandt was succeeded by Otto Lind.", ("Otto Lind", "SUCCEEDED", "Ada Brandt")),
        ("Ada Brandt was taught by Otto Lind.", ("Ada Brandt", "STUDENT_OF", "Otto Lind")),
        ("Ada Brandt was awarded the Copley Medal.", ("Ada Brandt", "RECEIVED", "Copley Medal")),
        ("Born in Warsaw, Ada Brandt left early.", ("Ada Brandt", "BORN_IN", "Warsaw")),
        ("Ada Brandt died in Kleinfeld.", ("Ada Brandt", "DIED_IN", "Kleinfeld")),  # who dies, dies in a place
        ("Ada Brandt applauded Otto Lind.", ("Ada Brandt", "RELATED_TO applaud", "Otto Lind")),
        ("Otto Lind was applauded by Ada Brandt.", ("Ada Brandt", "RELATED_TO applaud", "Otto Lind")),
        ("Ada Brandt's brother Otto sang.", ("Ada Brandt", "SIBLING_OF", "Otto")),
        ("Otto Lind lives with his sister-in-law Ada Roux.", ("Ada Roux", "RELATIVE_OF", "Otto Lind")),
    ],
)
def test_a_plain_statement_becomes_a_relationship(text, fact):
    assert fact in read(text).facts


@pytest.mark.parametrize(
    "text",
    [
        "Ada Brandt met the son of Otto Lind.",
        "Ada Brandt praised the son of Otto Lind.",
        "Ada Brandt was told Otto Lind had slept.",
        "Ada Brandt, a painter, was elected with four votes; Otto Lind got two.",
        "Ada Brandt (born Ada Lind) sang.",
        "“Otto Lind came in,” asked Ada Brandt.",
        "The Vistula Society was founded, Otto Lind said, in haste.",
        "“Where is he?” asked Ada Brandt. Otto Lind slept.",
        "Ada Brandt worked. Otto Lind slept.",
        "Ada Brandt wrote that Otto Lind had slept.",
        "In Lima, Ada Brandt measured the wind.",
        "In 1909 Ada Brandt lectured on glass.",
    ],
)
def test_what_is_not_stated_is_not_related(text):
    assert read(text).facts == set()


def test_a_date_goes_with_the_relationship_it_stands_by():
    found = read(
        "In 1898 Ada Brandt moved to Paris. Otto Lind arrived in Rome in May 1901, before he left for Lima in 1907."
    )
    assert {(row["relationship_type"], row["start_date"]) for row in found.relationships} >= {
        ("LIVED_IN", "1898"),
        ("VISITED", "May 1901"),
    }
    assert "DATE" not in found.types.values()


def test_all_members_of_a_list_are_related():
    found = read("Ada Brandt and Otto Lind visited Oslo, Bergen and Paris.")
    assert found.facts == {
        (person, "VISITED", place) for person in ("Ada Brandt", "Otto Lind") for place in ("Oslo", "Bergen", "Paris")
    }


def test_they_means_two_who_were_the_subject_together():
    found = read("Ada Brandt and Otto Lind climbed Vesuvius. Then they reached Naples.")
    assert found.facts >= {("Ada Brandt", "VISITED", "Naples"), ("Otto Lind", "VISITED", "Naples")}


def test_a_pronoun_means_the_subject_of_the_sentence_before():
    found = read("Anna Lind lived in Oslo. Her father, Georg Lind, was a smith. She married Tom Falk.")
    assert found.facts >= {
        ("Georg Lind", "PARENT_OF", "Anna Lind"),
        ("Anna Lind", "MARRIED_TO", "Tom Falk"),
    }


def test_a_pronoun_that_may_mean_father_or_son_means_nobody():
    found = read("Otto Lind lived in Oslo. His father, Georg Lind, was a smith. He married Anna Falk.")
    assert not [fact for fact in found.facts if fact[1] == "MARRIED_TO"]


def test_a_short_name_means_the_full_one_of_the_chunk():
    found = read("Marie Curie lived in Paris. Curie worked in Sceaux. Later Marie moved to Passy.")
    assert [node["name"] for node in found.nodes if node["node_type"] == "PERSON"] == ["Marie Curie"]


def test_a_short_name_that_fits_two_people_stays_as_it_is():
    found = read("Marie Curie married Pierre Curie. Curie worked in Sceaux.")
    assert {"Marie Curie", "Pierre Curie", "Curie"} <= found.names


def test_a_name_that_is_common_in_the_chunk_is_not_swallowed_by_a_later_longer_one():
    found = read("Omar lived in Basra. Omar sang. Omar slept. Omar wrote. They met Zayn Omar in Mecca.")
    assert {"Omar", "Zayn Omar"} <= found.names


def test_a_month_of_another_calendar_is_not_part_of_the_name_after_it():
    found = read("Omar sang. Omar slept. Omar wrote. On the 9th of Dhu al-Hijjah Omar visited Basra.")
    assert ("Omar", "VISITED", "Basra") in found.facts


def test_the_document_title_settles_whom_a_surname_means():
    text = "Humboldt worked in Rome. Wilhelm von Humboldt lived in Rome."
    assert read(text, title="Alexander von Humboldt").names >= {"Alexander von Humboldt", "Wilhelm von Humboldt"}
    assert ("Alexander von Humboldt", "WORKED_IN", "Rome") in read(text, title="Alexander von Humboldt").facts


def test_a_title_that_is_no_name_settles_nothing():
    found = read("Bergen lost its light. Ragna Tveit returned to Bergen.", title="The Lamp at Bergen")
    assert found.facts == {("Ragna Tveit", "VISITED", "Bergen")}


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("He met Johann Wolfgang von Goethe there.", "Johann Wolfgang von Goethe", "PERSON"),
        ("He met Tsar Nicholas II there.", "Nicholas II", "PERSON"),
        ("He met the Duke of Sussex there.", "Duke of Sussex", "PERSON"),
        ("He met Otto J. Lind there.", "Otto J. Lind", "PERSON"),
        ("He met Mrs. Dalloway there.", "Mrs. Dalloway", "PERSON"),
        ("He saw Karl August Varnhagen von Ense there.", "Karl August Varnhagen von Ense", "PERSON"),
        ("They went to Saint Petersburg.", "Saint Petersburg", "PLACE"),
        ("They crossed the Caspian Sea.", "Caspian Sea", "PLACE"),
        ("They came up the Orinoco by boat.", "Orinoco", "PLACE"),
        ("They lived near Grünau for years.", "Grünau", "PLACE"),
        ("They left the University of Göttingen.", "University of Göttingen", "ORGANIZATION"),
        ("They soon left the Prussian Army again.", "Prussian Army", "ORGANIZATION"),
        ("They heard of the Banu Hashim clan.", "Banu Hashim", "ORGANIZATION"),
        ("They heard of the Nobel Prize.", "Nobel Prize", "AWARD"),
        ("They heard of the Battle of Leipzig.", "Battle of Leipzig", "EVENT"),
        ("The painter Frederic Edwin Church came.", "Frederic Edwin Church", "PERSON"),
    ],
)
def test_names_are_whole_and_typed(text, name, kind):
    assert (name, kind) in {(node["name"], node["node_type"]) for node in read(text).nodes}


@pytest.mark.parametrize(
    "text",
    [
        "However, nothing happened. The next day was the same. Meanwhile it rained.",
        "In May it rained. On Monday it stopped. March was dry.",
        "I think that I'll go. I’m late, said nobody. Yes!",
        "French wine and German beer. He spoke English. The Polish language is hard.",
        "# Early Life\n\n## Career\n\nCHAPTER II\n\nit was late.",
        'He said: "Nothing." Then silence. Very little was left.',
        "The University closed. The King slept. The Church was empty.",
        "",
        " \n\n ",
        "...!?",
    ],
)
def test_common_words_are_no_entities(text):
    assert read(text).nodes == []


def test_a_parenthesis_after_a_name_gives_the_years():
    found = read("Ada Brandt (12 May 1801 – c. 1870) was a Polish physicist and chemist. She lived in Oslo.")
    node = found.node("Ada Brandt")
    assert (node["birth_year"], node["death_year"]) == ("1801", "1870")
    assert node["role"] == "Polish physicist and chemist"
    assert node["location"] == "Oslo"
    assert node["node_type"] == "PERSON"


def test_the_description_is_the_sentence_that_says_what_it_is():
    found = read("In Oslo people knew Ada Brandt. Ada Brandt was a botanist. Ada Brandt met Otto Lind.")
    assert found.node("Ada Brandt")["description"] == "Ada Brandt was a botanist."


def test_strength_says_how_direct_the_words_are():
    found = read("Ada Brandt was the daughter of Otto Brandt. Ada Brandt applauded Paul Roux.")
    strengths = {row["relationship_type"]: int(row["strength"]) for row in found.relationships}
    assert strengths["PARENT_OF"] > strengths["RELATED_TO"]
    assert all(1 <= strength <= 10 for strength in strengths.values())


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("“Nine thousand!” said Mr Lind. “Long Past?” asked Otto Berg.", {"Mr Lind", "Otto Berg"}),
        ("Tell Efua that Otto Berg is in Oslo.", {"Efua", "Otto Berg", "Oslo"}),
        ("IV. The general enters the town . 24\nV. Glass and railways . . 31\nVI. The war . 40", set()),
    ],
)
def test_what_is_said_commanded_or_listed_is_no_part_of_a_name(text, names):
    assert read(text).names == names


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("Azimuth Oy had changed its licence.", "Azimuth Oy", "ORGANIZATION"),
        ("The relay is under the Halden Public Licence.", "Halden Public Licence", "WORK"),
        ("Otto Berg lived at 10 Warriston Crescent in Edinburgh.", "Warriston Crescent", "PLACE"),
    ],
)
def test_the_last_word_of_a_name_tells_its_type(text, name, kind):
    assert read(text).node(name)["node_type"] == kind
