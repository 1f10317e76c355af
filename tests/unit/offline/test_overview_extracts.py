import pytest

from kg_neo4j.offline.overview_extracts import form_of


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
