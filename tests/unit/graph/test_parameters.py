"""Long parameters are sent, and not printed for a log that nobody reads; those of a question are sent together."""

from __future__ import annotations

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import sent


def test_a_parameter_is_sent_as_it_is_and_its_text_is_short() -> None:
    given = {"rows": [{"id": "a", "vector": [0.5] * 384}], "after": "abc", "limit": 3}
    text, params = sent(queries.get("write/vector_store_entity"), given)
    assert text == queries.get("write/vector_store_entity").text
    assert params == given
    assert repr(params) == "{'rows': <1 items>, 'after': 'abc', 'limit': 3}"


def test_parameters_of_a_question_are_one_map_so_that_their_types_make_no_other_plan() -> None:
    query = queries.get("retrieve/local")
    for words, linked in (("a OR b", ["x"]), (None, [])):
        text, params = sent(query, {"words": words, "linked": linked})
        assert params == {"given": {"words": words, "linked": linked}}
        assert text.count("$given.") == text.count("$") == query.text.count("$") > 20
