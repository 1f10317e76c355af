import pytest

from kg_neo4j_offline.overview_extracts import form_of, most_named


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("How many documents are there?", "count"),
        ("Who are the main people in these letters?", "people"),
        ("What are the main places?", "things"),
        ("What is this handbook about?", "about"),
        ("What are these documents about?", "about"),
        ("Summarise these documents", "about"),
        ("What is A Christmas Carol about?", "title"),
        ("How many documents did Ada sign in 1890?", ""),
        ("Who are the main people that Ada met?", ""),
        ("What is the war about?", "title"),
        ("How many people are there?", ""),
        ("How many texts did Ada write?", ""),
    ],
)
def test_questions_about_the_whole_are_recognised_by_their_form(question: str, form: str) -> None:
    assert form_of(question) == form


def test_the_names_mentioned_most_are_of_the_kind_asked_for_and_each_is_there_once() -> None:
    rows = [
        {"name": name, "type": kind}
        for name, kind in [
            ("Scrooge", "PERSON"),
            ("1843", "DATE"),
            ("London", "CITY"),
            ("Ebenezer Scrooge", "PERSON"),
            ("Bob Cratchit", "PERSON"),
            ("Bob", "PERSON"),
        ]
    ]
    assert most_named(rows, "Who are the main people?", "people") == ["Scrooge", "Bob Cratchit"]
    assert most_named(rows, "What are the main places?", "things") == ["London"]
    assert most_named(rows, "", "things") == ["Scrooge", "London", "Bob Cratchit"]
