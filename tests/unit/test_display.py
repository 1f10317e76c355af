"""A missing attribute is answered with what does it; answers and results have a text, sources and a length."""

from __future__ import annotations

import copy
import pickle
import re
from dataclasses import FrozenInstanceError
from pkgutil import resolve_name

import pytest

import kg_neo4j
from kg_neo4j import KnowledgeGraph, data_files, display
from kg_neo4j.display import Listed, near
from kg_neo4j.pipeline.commands.search import SearchHit, SearchResult, ShownEntity
from kg_neo4j.records import Answer, Citation, LoadReport, Passage, Usage

CITED = Citation("c1", "ada.pdf", 0, 30, "Ada Lovelace met Charles Babbage.", page=3)
BEST = Passage(Citation("c2", "notes", 5, 20, "He built an engine."), "Before.", "After.", "")
FOUND = Answer("Whom did Ada meet?", "local", "Charles Babbage [1]", True, (CITED,), (), Usage(), 0.1, passages=(BEST,))
LOST = Answer("Who?", "local", "No answer found.", False, (), (), Usage(), 0.1, passages=(BEST,))


OTHERS = (  # that advice calls
    *("print", "len", "asdict", "DataFrame", "Path", "Settings", "LoadOptions", "KgError", "kg_neo4j", "from", "the"),
    *("KnowledgeGraph", "AsyncKnowledgeGraph", "KnowledgeGraphRetriever", "kg", "ask", "load", "load_text", "graphs"),
    *("report", "map", "wrong", "add", "edit", "undo", "progress"),
)


def test_an_answer_has_a_text_and_sources_and_is_true_where_it_is_found() -> None:
    assert (FOUND.text, bool(FOUND)) == ("Charles Babbage [1]", True)
    assert (LOST.text, bool(LOST)) == ("Before. He built an engine. After.", False)
    assert FOUND.sources == (CITED, BEST.citation)
    assert [each.quote for each in LOST] == ["He built an engine."]
    assert [(each.document, each.page) for each in FOUND] == [("ada.pdf", 3), ("notes", None)]
    nothing = Answer("Who?", "local", "No answer found.", False, (), (), Usage(), 0.1)
    assert (nothing.text, nothing.sources) == ("No answer found.", ())


def test_results_and_entities_are_iterated() -> None:
    hit = SearchHit("entity", "Ada", "PERSON", "", 1, 0.0, "1")
    found = SearchResult("ada", (hit,))
    assert (list(found), found[0], len(found), bool(SearchResult("x", ()))) == ([hit], hit, 1, False)


def test_large_records_are_short_for_debugging() -> None:
    assert repr(FOUND).startswith("Answer(question='Whom did Ada meet?'")
    assert len(repr(Answer("q" * 900, "local", "a" * 900, True, (CITED,) * 90, (), Usage(), 0.1))) < 1_000


@pytest.mark.parametrize(
    ("kind", "word", "does_it"),
    [
        (KnowledgeGraph, "get_entity", "entity("),
        (KnowledgeGraph, "list", "graphs()"),
        (KnowledgeGraph, "aask", "AsyncKnowledgeGraph"),
        (KnowledgeGraph, "neighbors", "facts"),
        (KnowledgeGraph, "serach", "did you mean search?"),
        (KnowledgeGraph, "zzz", "there are: "),
        (Answer, "references", "sources"),
        (Answer, "Citation", "did you mean citations?"),
        (ShownEntity, "neighbors", "try facts"),
        (SearchHit, "title", "name"),
        (LoadReport, "to_dict", "asdict"),
    ],
)
def test_a_missing_name_is_answered_with_what_does_it(kind: type, word: str, does_it: str) -> None:
    made = object.__new__(kind)
    with pytest.raises(AttributeError, match=f"{kind.__name__!r} has no attribute {word!r}") as refused:
        getattr(made, word)
    assert does_it in str(refused.value)


def test_the_class_itself_answers_too() -> None:
    with pytest.raises(AttributeError, match=r"graphs\(\)"):
        KnowledgeGraph.list  # noqa: B018
    assert not hasattr(KnowledgeGraph, "__fspath__")


def test_the_package_names_what_does_it() -> None:
    advice = {
        "connect": 'try KnowledgeGraph("notes")',
        "Serach": "did you mean Search?",
        "Anser": "did you mean Answer",
    }
    for name, does_it in advice.items():
        with pytest.raises(AttributeError, match=f"no attribute {name!r}") as refused:
            getattr(kg_neo4j, name)
        assert does_it in str(refused.value)


def test_what_is_advised_is_there() -> None:
    homes = {"search": "SearchResult SearchHit ShownEntity ShownFact", "doctor": "Status"}
    classes = {
        name: f"kg_neo4j.pipeline.commands.{home}:{name}" for home, names in homes.items() for name in names.split()
    }
    classes["Readable"] = "kg_neo4j.display:Readable"
    table = data_files.beside(display.__file__).table("instead")
    for name, text in table.items():
        kind = resolve_name(classes.get(name, f"kg_neo4j:{name}" if name != "kg_neo4j" else name))
        own = {*dir(kind), *getattr(kind, "__dataclass_fields__", ())}
        rows = [line.split(" | ") for line in text.splitlines() if line]
        words = [word for row in rows for word in row[0].split()]
        assert not own & {*words}, "a name that is there needs no advice"
        assert [word for word in words if words.count(word) > 1 or word != word.lower()] == []
        fields = kind.model_fields if name == "Settings" else ("schema", "include") if name == "LoadOptions" else ()
        for _, advice in rows:
            called = re.findall(r"(?:kg\.)?(\w+)(?:\(|\[)", advice) or re.findall(r"^\w+", advice)
            assert {*called} <= own | {*fields, *OTHERS}, advice


def test_records_are_copied_and_pickled_as_before() -> None:
    assert pickle.loads(pickle.dumps(FOUND)) == copy.deepcopy(FOUND) == FOUND
    with pytest.raises(FrozenInstanceError):
        FOUND.answer = ""  # type: ignore[misc]
    assert Listed([CITED]) == (CITED,)


def test_near_names_keep_their_case() -> None:
    assert near("persn", ["PERSON", "PLACE"]) == "did you mean PERSON?"
    assert near("xyzzy", ["PERSON", "PLACE"]) == "there are: PERSON, PLACE"
