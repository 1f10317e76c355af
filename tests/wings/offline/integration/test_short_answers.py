"""Short answers without a key are whole: all names of a list, and both ends of a period."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kg_neo4j import KnowledgeGraph, LoadOptions, Settings
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database

GRAPH = "short-answers"
TEXT = """\
The Game and Wildlife Conservation Trust disputed the figure. The Museum of Science and Industry stands in \
Manchester. Tom Reed and Ann Cole founded Westbank Tools in 1990. Both Arno Falk and Edith Falk won the \
prize. Rosa Klein, Max Weber and Otto Frank signed the letter. When Dora Lang and Felix Kern founded \
Nordlicht, the city gave them a house.

Oskar Brandt was born in Vienna and Emil Brandt in Graz. Nora Lind taught Peter Holm and Ida Berg taught \
Karl Moe. Maria Toth directed the film Blue Gate and Jan Novak wrote it. The parents of Ella Stone were \
Georg Stone and Hilda Stone. The firm Astra Pumps is based in Oslo, Norway and Bergen hosts a branch. Adam \
Watson counted hares from 1954 to 2007.

Then Rita Holt applauded Hugo Berg.
"""


@pytest.fixture(scope="module")
def graph(settings: Settings, database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    offline = settings.model_copy(update={"graph": GRAPH, "openai_base_url": None, "openai_api_key": None})
    path: Path = tmp_path_factory.mktemp("texts") / "notes.txt"
    path.write_text(TEXT, "utf-8")
    with KnowledgeGraph(settings=offline) as kg:
        kg.load(path, options=LoadOptions(analytics=False))
        yield kg
    delete_graph(database, GRAPH)


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("Who disputed the figure?", "Game and Wildlife Conservation Trust"),
        ("What stands in Manchester?", "Museum of Science and Industry"),
        ("Who founded Westbank Tools?", "Tom Reed and Ann Cole"),
        ("Who won the prize?", "Arno Falk and Edith Falk"),
        ("Who signed the letter?", "Rosa Klein, Max Weber and Otto Frank"),
        ("Who founded Nordlicht?", "Dora Lang and Felix Kern"),
        ("When did Adam Watson count hares?", "1954 to 2007"),
        # not the whole: the list begins another clause, names what was asked with, or has things of two kinds
        ("Whom did Nora Lind teach?", "Peter Holm"),
        ("Where was Oskar Brandt born?", "Vienna"),
        ("Who directed Blue Gate?", "Maria Toth"),
        ("Where is Astra Pumps based?", "Oslo, Norway"),
        ("In what year did Adam Watson count hares?", "1954"),
    ],
)
def test_a_short_answer_is_whole(graph: KnowledgeGraph, question: str, short: str) -> None:
    given = graph.ask(question)
    assert given.short == short
    assert {claim.support for claim in given.claims} == {"supported"}


def test_parents_do_not_tell_who_is_the_father(graph: KnowledgeGraph) -> None:
    given = graph.ask("Who is the father of Ella Stone?")
    assert (given.found, given.short, given.claims) == (False, "", ())
    assert given.answer == "The parents of Ella Stone were Georg Stone and Hilda Stone. [1]"
    assert given.passages[0].citation == given.citations[0]


def test_a_relationship_without_a_type_of_its_own_is_shown_with_its_verb(graph: KnowledgeGraph) -> None:
    [fact] = graph.entity("Rita Holt").facts
    assert (fact.type, fact.target) == ("RELATED_TO applaud", "Hugo Berg")
    reports = ("neighbours", {"name": "Rita Holt"}), ("shortest-path", {"from": "Rita Holt", "to": "Hugo Berg"})
    shown = [list(graph.report(name, **given)["Relationship"]) for name, given in reports]
    assert shown == [["-RELATED_TO applaud->"]] * 2
    assert "RELATED_TO applaud" in set(graph.report("facts-by-evidence", limit=100)["Relationship"])
