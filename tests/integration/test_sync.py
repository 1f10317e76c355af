"""What was loaded is kept in step with where it came from: edited and vanished files, any language. Rows 51 and 55."""

from __future__ import annotations

import re
import shutil
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from crash_points import COMMITTED, CrashPoints, Step
from fake_llm import FakeLlm
from kg_neo4j import LoadOptions, Settings, load, unload
from kg_neo4j.errors import ModelRefused, SourceNotFound, UsageError
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import list_documents
from kg_neo4j.graph.export import lines

PLAIN = LoadOptions(analytics=False)
PRUNE = LoadOptions(analytics=False, prune=True)
OLDER = LoadOptions(analytics=False, alias="docs")  # gives the keys of older versions, with the folder's name in front
LOADED = pytest.mark.parametrize(("first", "begin"), [(PLAIN, ""), (OLDER, "docs/")], ids=["now", "older"])
TEXTS = {
    "a.txt": "Anna Weber met Karl Braun in Vienna in 1901. Karl Braun lived in Vienna.",
    "b.txt": "Marie Curie worked in Paris. Anna Weber wrote to Marie Curie in 1903.",
    "sub/c.txt": "Karl Braun was born in Graz in 1870. Pierre Curie lived in Paris.",
}


@pytest.fixture
def online(offline: Settings, llm: FakeLlm, tmp_path: Path) -> Settings:
    changed = {"openai_base_url": llm.url, "model": "scripted", "model_concurrency": 4, "cache": tmp_path / "cache"}
    return Settings(**{**offline.model_dump(), **changed, "answer_cache": False})


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return written(tmp_path / "docs")


def written(folder: Path, texts: Mapping[str, str] = TEXTS) -> Path:
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


def keys(database: Database, graph: str) -> list[str]:
    return [document.key for document in list_documents(database, graph)]


def alone(database: Database, settings: Settings, folder: Path, options: LoadOptions = PLAIN) -> str:
    """Return the export of a graph that never had anything else; the graph is emptied first."""
    delete_graph(database, settings.graph)
    load([str(folder)], settings=settings, options=options)
    return dump(database, settings.graph)


# ---------------------------------------------------------------------------------------------------- vanished files


def test_what_patterns_leave_out_is_not_gone(database: Database, offline: Settings, docs: Path) -> None:
    load([str(docs)], settings=offline, options=replace(PLAIN, exclude=("sub",)))
    assert keys(database, offline.graph) == ["a.txt", "b.txt"]
    load([str(docs)], settings=offline, options=replace(PRUNE, include=("c.txt",)))
    assert keys(database, offline.graph) == ["a.txt", "b.txt", "sub/c.txt"]
    (docs / "b.txt").unlink()
    load([str(docs)], settings=offline, options=replace(PRUNE, exclude=("b.txt", "sub")))
    assert keys(database, offline.graph) == ["a.txt", "sub/c.txt"]


@LOADED
def test_files_that_vanished_are_reported_and_stay_until_they_are_pruned(
    database: Database, offline: Settings, docs: Path, first: LoadOptions, begin: str
) -> None:
    load([str(docs)], settings=offline, options=first)
    whole = dump(database, offline.graph)
    (docs / "b.txt").unlink()
    shutil.rmtree(docs / "sub")
    reported = load([str(docs)], settings=offline, options=PLAIN)
    assert reported.changes == 0
    assert dump(database, offline.graph) == whole
    gone = f"{begin}b.txt, {begin}sub/c.txt"
    assert f"{gone}: no longer in their folder or wiki; --prune removes them" in reported.notes
    pruned = load([str(docs)], settings=offline, options=PRUNE)
    assert pruned.changes > 0
    assert any(note.startswith(f"{gone}: removed") for note in pruned.notes)
    left = dump(database, offline.graph)
    assert "Marie Curie" not in left
    assert "Anna Weber" in left
    assert load([str(docs)], settings=offline, options=PRUNE).changes == 0
    assert left == alone(database, offline, docs, first)


@pytest.mark.parametrize("is_marked", [True, False], ids=["marked", "not marked"])
def test_a_folder_of_the_same_name_elsewhere_and_files_loaded_by_name_are_not_touched(
    database: Database, offline: Settings, docs: Path, tmp_path: Path, is_marked: bool
) -> None:
    other = written(tmp_path / "other" / "docs", {"z.txt": "Zofia Nowak met Jan Kowalski in Lublin."})
    single = written(tmp_path / "single", {"docs.txt": "Ewa Lis lived in Gdynia."})
    for folder in (docs.parent, other.parent) if is_marked else ():
        (folder / "kg.toml").touch()
    load([str(docs)], settings=offline, options=PLAIN)
    load([str(other)], settings=offline, options=PLAIN)
    load([str(single / "docs.txt")], settings=offline, options=PLAIN)
    (single / "docs.txt").unlink()
    whole = dump(database, offline.graph)
    for source in (docs, other):
        report = load([str(source)], settings=offline, options=PRUNE)
        assert report.changes == 0
        named = [note for note in report.notes if "loaded from another place of this name" in note]
        assert len(named) == is_marked
    assert dump(database, offline.graph) == whole


@LOADED
def test_a_folder_without_a_readable_file_prunes_nothing_and_says_so(
    database: Database, offline: Settings, docs: Path, first: LoadOptions, begin: str
) -> None:
    """An empty folder is what is left where a disk is not mounted."""
    del begin
    load([str(docs)], settings=offline, options=first)
    whole = dump(database, offline.graph)
    shutil.rmtree(docs)
    with pytest.raises(SourceNotFound):
        load([str(docs)], settings=offline, options=PRUNE)
    docs.mkdir()
    (docs / "lost.txt").write_text("  ", "utf-8")
    report = load([str(docs)], settings=offline, options=PRUNE)
    (skipped,) = [each for each in report.skipped if f"`kg unload {docs}`" in each.reason]
    assert skipped.source == str(docs)
    assert dump(database, offline.graph) == whole
    assert unload(str(docs), settings=offline).documents == 3
    assert dump(database, offline.graph) == ""


def test_a_file_that_cannot_be_read_any_more_keeps_its_document(
    database: Database, offline: Settings, docs: Path
) -> None:
    load([str(docs)], settings=offline, options=PLAIN)
    (docs / "a.txt").write_bytes(bytes(range(256)) * 20)
    report = load([str(docs)], settings=offline, options=PRUNE)
    assert [Path(skipped.source).name for skipped in report.skipped] == ["a.txt"]
    assert "a.txt" in keys(database, offline.graph)


def test_nothing_is_pruned_where_the_load_itself_fails(
    database: Database, online: Settings, llm: FakeLlm, docs: Path
) -> None:
    load([str(docs)], settings=online, options=PLAIN)
    (docs / "b.txt").unlink()
    (docs / "a.txt").write_text("Another text about Ewa Lis.", "utf-8")
    for _ in range(9):
        llm.fail(401)
    with pytest.raises(ModelRefused):
        load([str(docs)], settings=online, options=PRUNE)
    assert "b.txt" in keys(database, online.graph)


@pytest.mark.parametrize(
    "step",
    [
        Step(f"{COMMITTED}write/withdraw_evidence", 0),
        Step("write/delete_chunks", 0),
        Step(f"{COMMITTED}write/delete_chunks", 1),
        Step(f"{COMMITTED}write/delete_entities", 0),
        Step("write/delete_document", 0),
        Step(f"{COMMITTED}write/delete_document", 0),
    ],
    ids=str,
)
def test_a_prune_that_was_killed_is_ended_by_the_next_one(
    database: Database,
    offline: Settings,
    environment: Mapping[str, str],
    runner: CrashPoints,
    docs: Path,
    step: Step,
) -> None:
    load([str(docs)], settings=offline, options=PLAIN)
    (docs / "b.txt").unlink()
    (docs / "sub" / "c.txt").unlink()
    arguments = ["load", str(docs), "--prune", "--no-analytics"]
    assert runner.run(arguments, environment, kill_at=step).killed
    assert runner.run(arguments, environment).exit_code == 0
    left = dump(database, offline.graph)
    assert left == alone(database, offline, docs)


# -------------------------------------------------------------------------------------------------------- unloading


def test_unloading_one_of_two_gives_the_graph_of_the_other(
    database: Database, offline: Settings, docs: Path, tmp_path: Path
) -> None:
    other = written(tmp_path / "more", {"d.txt": TEXTS["a.txt"] + " Ewa Lis lived in Gdynia."})
    load([str(other)], settings=offline)
    wanted = dump(database, offline.graph)
    delete_graph(database, offline.graph)
    load([str(docs)], settings=offline, options=PLAIN)
    load([str(other)], settings=offline)
    assert unload(f"{docs}/", settings=offline).documents == 3
    assert dump(database, offline.graph) == wanted


def test_an_empty_name_or_the_root_unloads_nothing(database: Database, offline: Settings, docs: Path) -> None:
    load([str(docs)], settings=offline, options=PLAIN)
    for name in ("", "/", "//", "doc", "docs/su"):
        with pytest.raises(SourceNotFound):
            unload(name, settings=offline)
    assert len(keys(database, offline.graph)) == 3


# ------------------------------------------------------------------------------------------------------------ edits

NEW = (
    "In the spring a traveller from the north came to the town and read in its library about the caravans, the wells "
    "and the roads of the desert. He wrote a letter about them to his sister, and she kept it."
)
Edit = Callable[[list[str]], list[str]]


def inserted(share: float) -> Edit:
    return lambda lines: [*lines[: int(len(lines) * share)], NEW, *lines[int(len(lines) * share) :]]


def removed(share: float) -> Edit:
    return lambda lines: [*lines[: int(len(lines) * share)], *lines[int(len(lines) * share) + 1 :]]


def worded(share: float) -> Edit:
    def edit(lines: list[str]) -> list[str]:
        place = int(len(lines) * share)
        return [*lines[:place], lines[place].replace(" ", " indeed ", 1), *lines[place + 1 :]]

    return edit


EDITS: dict[str, Edit] = {
    **{f"insert at {share:.0%}": inserted(share) for share in (0.1, 0.3, 0.5, 0.7, 0.9)},
    **{f"remove at {share:.0%}": removed(share) for share in (0.3, 0.5, 0.7)},
    **{f"a word at {share:.0%}": worded(share) for share in (0.3, 0.5, 0.7)},
    "append": lambda lines: [*lines, NEW],
}


TELLING = ("insert at 50%", "remove at 30%", "a word at 70%", "append")


@pytest.mark.parametrize("names", [TELLING, pytest.param(tuple(EDITS), marks=pytest.mark.long)], ids=["some", "all"])
def test_an_edit_of_a_real_article_is_asked_about_in_at_most_two_chunks(
    database: Database,
    online: Settings,
    shared_data: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    names: tuple[str, ...],
) -> None:
    options = LoadOptions(analytics=False, gleanings=0, wave=0)
    original = (shared_data / "wikipedia" / "kirito_Muhammad.txt").read_text("utf-8").split("\n")
    article = tmp_path / "article.txt"
    article.write_text("\n".join(original), "utf-8")
    whole = load([str(article)], settings=online, options=options)
    first = dump(database, online.graph)
    figures = {}
    for name in names:
        article.write_text("\n".join(EDITS[name](original)), "utf-8")
        figures[name] = load([str(article)], settings=online, options=options).steps["whole"].calls
        article.write_text("\n".join(original), "utf-8")
        load([str(article)], settings=online, options=options)
        assert dump(database, online.graph) == first
    with capsys.disabled():
        print(f"\n{whole.chunks} chunks; asked again: {figures}")  # noqa: T201
    assert whole.chunks >= 14
    assert max(figures.values()) <= 2
    assert min(figures.values()) >= 1


def test_an_edited_article_gives_the_graph_of_its_new_text(
    database: Database, online: Settings, shared_data: Path, tmp_path: Path
) -> None:
    options = LoadOptions(analytics=False, gleanings=0, wave=0)
    original = (shared_data / "wikipedia" / "kirito_MarieCurie.txt").read_text("utf-8").split("\n")
    article = tmp_path / "article.txt"
    article.write_text("\n".join(original), "utf-8")
    load([str(article)], settings=online, options=options)
    article.write_text("\n".join(inserted(0.5)(removed(0.2)(original))), "utf-8")
    load([str(article)], settings=online, options=options)
    edited = dump(database, online.graph)
    delete_graph(database, online.graph)
    load([str(article)], settings=online, options=options)
    assert dump(database, online.graph) == edited


# -------------------------------------------------------------------------------------------------------- languages


@pytest.fixture(scope="session")
def chapters(shared_data: Path) -> str:
    """Some chapters of a Polish novel."""
    text = (shared_data / "narrative_polish" / "lalka.txt").read_text("utf-8")
    start = text.index("W początkach roku 1878")
    return text[start : start + 40_000]


def entities(database: Database, graph: str) -> set[tuple[str, str]]:
    found = [line for line in lines(database, graph) if '"Entity"' in line]
    return {
        (match[1], match[2]) for line in found for match in re.finditer(r'"name": ?"(.*?)".*?"type": ?"(.*?)"', line)
    }


def test_a_polish_novel_loads_offline_with_its_names_as_they_are(
    database: Database, offline: Settings, chapters: str, tmp_path: Path
) -> None:
    (tmp_path / "lalka.txt").write_text(chapters, "utf-8")
    report = load([str(tmp_path / "lalka.txt")], settings=offline, options=PLAIN)
    assert any("text in 'pl'" in note for note in report.notes)
    (document,) = list_documents(database, offline.graph)
    assert document.language == "pl"
    names = {name for name, _ in entities(database, offline.graph)}
    assert {"Rzecki", "Wokulski"} <= {word for name in names for word in name.split()}
    assert [name for name in names if any(char in "ąćęłńóśźż" for char in name)]
    assert all(unicodedata.is_normalized("NFC", name) for name in names)


def test_composed_and_decomposed_text_give_the_same_entities(
    database: Database, offline: Settings, chapters: str, tmp_path: Path
) -> None:
    found = []
    for form in ("NFC", "NFD"):
        (tmp_path / "lalka.txt").write_text(unicodedata.normalize(form, chapters), "utf-8")
        load([str(tmp_path / "lalka.txt")], settings=offline, options=PLAIN)
        found.append(entities(database, offline.graph))
        delete_graph(database, offline.graph)
    assert found[0] == found[1]


def test_a_language_that_is_named_is_not_guessed(database: Database, offline: Settings, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("Anna Weber met Karl Braun in Vienna.", "utf-8")
    load([str(tmp_path / "x.txt")], settings=offline, options=PLAIN)
    assert list_documents(database, offline.graph)[0].language is None
    load([str(tmp_path / "x.txt")], settings=offline, options=replace(PLAIN, language="de"))
    assert list_documents(database, offline.graph)[0].language == "de"
    with pytest.raises(UsageError, match="code of a language"):
        load([str(tmp_path / "x.txt")], settings=offline, options=replace(PLAIN, language="../x"))
