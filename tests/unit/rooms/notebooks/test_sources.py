"""What people give to `load`: paths, lists and generators of them, tables with a map; else it is refused."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pandas
import pytest

from kg_neo4j import KnowledgeGraph
from kg_neo4j.errors import UsageError
from kg_neo4j.rooms.notebooks.sources import flat

FRAME = pandas.DataFrame({"person": ["Ada Lovelace", "Charles Babbage"], "city": ["London", "London"]})


def test_lists_and_generators_are_taken_apart(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a", "utf-8")
    mail = SimpleNamespace(name="mail", texts=list)
    given = ("https://a.example/b", [Path("x"), ("y", {"z"})], tmp_path.glob("*.md"), mail)
    assert flat(None, given, False) == ["https://a.example/b", Path("x"), "y", "z", tmp_path / "a.md", mail]


def test_a_table_without_a_map_is_answered_with_the_map() -> None:
    for table in (FRAME, {"people": FRAME}):
        with pytest.raises(UsageError, match="needs a map") as refused:
            KnowledgeGraph("x").load([table])
        assert "kg.map(frame)" in str(refused.value.hint)
        assert any("kg.map(frame)" in note for note in refused.value.__notes__)  # a traceback shows it
    assert flat(None, (FRAME,), True)[0] is FRAME


@pytest.mark.parametrize("given", [5, None, b"text", 0.5])
def test_what_is_no_source_is_refused_with_what_is_one(given: object) -> None:
    with pytest.raises(UsageError, match="cannot be loaded") as refused:
        KnowledgeGraph("x").load(given)
    assert "load_text" in str(refused.value.hint)


@pytest.mark.parametrize("text", ["Ada met Charles.", "a\nb", f"{'Who was she? ' * 99}"])
def test_a_text_is_answered_with_what_loads_it(text: str) -> None:
    with pytest.raises(UsageError, match="not the name of a file") as refused:
        KnowledgeGraph("x").load(text)
    assert "load_text" in str(refused.value.hint)


def test_a_wrong_argument_is_answered_with_those_there_are() -> None:
    kg = KnowledgeGraph("x")
    for name, does_it in {
        "dryrun": "--dry-run",
        "langage": "did you mean language",
        "chunk_size": "chunk_tokens",
    }.items():
        with pytest.raises(TypeError, match=rf"load\(\) has no argument {name!r}; .*{re.escape(does_it)}"):
            kg.load("a.txt", **{name: True})
    with pytest.raises(TypeError, match=r"search\(\): .*'top_k'; it takes \(self, words: .*limit: "):
        kg.search("x", top_k=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"entity\(\): missing a required argument: 'name'"):
        kg.entity()  # type: ignore[call-arg]


def test_settings_may_be_given_by_name() -> None:
    kg = KnowledgeGraph("x", neo4j_uri="bolt://a.example:7687", neo4j_password="secret", model_window=2_048)
    assert (kg.name, kg.settings.neo4j_uri, kg.settings.model_window) == ("x", "bolt://a.example:7687", 2_048)
    assert kg.settings.neo4j_password is not None
    assert kg.settings.neo4j_password.get_secret_value() == "secret"
    assert KnowledgeGraph(settings=kg.settings, temperature=1).settings.model_window == 2_048
    wrong = {"name": "first argument", "uri": "neo4j_uri", "password": "neo4j_password", "modle": "did you mean model"}
    for name, does_it in wrong.items():
        with pytest.raises(TypeError, match=f"no argument {name!r}; .*{does_it}"):
            KnowledgeGraph(**{name: "x"})
