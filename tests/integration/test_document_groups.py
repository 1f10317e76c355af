"""Documents are recorded in groups, one transaction each: the graph is that of recording them one by one."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest

from corpus import Fact, document, extraction
from fake_llm import FakeLlm
from kg_neo4j import LoadOptions, Settings, load
from kg_neo4j.errors import LeaseHeld, SourceError, UsageError
from kg_neo4j.extract import schema as schemas
from kg_neo4j.graph import documents as recording
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import CutDocument, LoadConfiguration, RecordedDocument, list_documents, record_documents
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.recorder import Recorder
from kg_neo4j.graph.settler import settle
from kg_neo4j_scale.extract import extract
from round_trips import counted

SCHEMA = schemas.load("described")
CONFIGURATION = LoadConfiguration("c0", "described", SCHEMA.hash, "words")
PEOPLE = ("Anna", "Ben", "Cleo", "Dora", "Emil")
Texts = dict[str, list[str]]  # file name -> paragraphs


@pytest.fixture(autouse=True)
def quick() -> Iterator[None]:
    """No group of these tests is cut short because the machine is busy."""
    with mock.patch.object(recording, "READING_S", 60.0):
        yield


def texts(draw: random.Random) -> Texts:
    """Nine documents of no, one or several paragraphs, of which some are in several documents."""
    return {f"{name}.txt": [paragraph(draw) for _ in range(draw.choice([0, 1, 1, 1, 2, 4]))] for name in range(9)}


def paragraph(draw: random.Random) -> str:
    one, other = draw.sample(PEOPLE, 2)
    return f"{one} met {other} in {draw.choice(('Graz', 'Linz'))} in {draw.randint(1900, 1903)}."


def edited(former: Texts, draw: random.Random) -> Texts:
    """The same documents, each unchanged, shortened, in another order, longer, or another; and three new ones."""
    found: Texts = {}
    for name, paragraphs in former.items():
        first = paragraph(draw)
        shuffled = draw.sample(paragraphs, len(paragraphs))
        found[name] = draw.choice([paragraphs, paragraphs[1:], shuffled, [first, *paragraphs], [first]])
    return found | {f"new-{name}.txt": [paragraph(draw)] for name in range(3)}


def cut(graph: str, given: Texts, configuration: LoadConfiguration = CONFIGURATION) -> list[CutDocument]:
    return [CutDocument(*document(graph, name, paragraphs), configuration) for name, paragraphs in given.items()]


def record(database: Database, graph: str, given: Sequence[CutDocument]) -> list[RecordedDocument]:
    """Record documents and what their paragraphs say, and settle."""
    found: list[RecordedDocument] = []
    with Lease(database, graph) as lease:
        recorder = Recorder(database, graph, SCHEMA, lease)
        for group in record_documents(database, lease, given):
            found += group
            pending = [extraction(chunk, facts(chunk.text)) for each in group for chunk in each.pending]
            recorder.record(pending)
        settle(database, graph, SCHEMA, lease)
    return found


def facts(text: str) -> list[Fact]:
    one, _, other, *_ = text.split()
    return [(one, "MET", other)]


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


def one_by_one() -> mock._patch[int]:
    return mock.patch.object(recording, "DOCUMENTS_AT_A_TIME", 1)


def collect(groups: Iterable[Sequence[RecordedDocument]], into: list[RecordedDocument]) -> None:
    for group in groups:
        into.extend(group)


def keys(found: Sequence[RecordedDocument]) -> list[str]:
    return [each.document.key for each in found]


# ------------------------------------------------------------------------------------------- the same as one by one


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 6))])
def test_new_edited_and_unchanged_documents_of_a_group_are_recorded_as_one_by_one(
    database: Database, graph: str, seed: int
) -> None:
    draw = random.Random(seed)
    before = texts(draw)
    after = edited(before, draw)
    again = replace(CONFIGURATION, config_hash="c1", rebuild=True)  # some documents are extracted again besides
    given = (
        [*cut(graph, before), *cut(graph, after)],
        [replace(each, configuration=draw.choice([CONFIGURATION, again])) for each in cut(graph, after)],
    )
    with one_by_one():
        wanted = [record(database, graph, each) for each in given]
    text = dump(database, graph)
    assert text.count('"Document"') == 12
    delete_graph(database, graph)
    assert [record(database, graph, each) for each in given] == wanted
    assert dump(database, graph) == text
    with counted() as trips:
        repeated = record(database, graph, given[1])
    assert sum(each.changes for each in repeated) == 0
    assert not any(each.pending or each.is_new for each in repeated)
    assert trips.naming("Write documents") == 0
    assert trips.naming("What is stored of documents") == 4  # 1 + 2 + 4 + 5 documents
    assert dump(database, graph) == text


def test_the_second_time_of_a_document_is_compared_with_what_the_first_one_wrote(
    database: Database, graph: str
) -> None:
    others = cut(graph, {"a.txt": ["Anna met Ben."], "b.txt": ["Ben met Cleo."]})
    first = cut(graph, {"c.txt": ["Cleo met Dora.", "Dora met Emil."]})
    second = cut(graph, {"c.txt": ["Dora met Emil."]})
    found = record(database, graph, [others[0], *first, *second, others[1]])  # the second group has room for two
    assert keys(found) == ["a.txt", "c.txt", "c.txt", "b.txt"]
    assert [each.is_new for each in found] == [True, True, False, True]
    twice = dump(database, graph)
    delete_graph(database, graph)
    record(database, graph, [*others, *second])
    assert dump(database, graph).count('"Chunk"') == twice.count('"Chunk"') == 3
    assert "Cleo met Dora." not in twice


# ------------------------------------------------------------------------------------------------- what a group ends


def test_what_comes_before_a_refused_document_is_recorded_and_nothing_after_it(database: Database, graph: str) -> None:
    given = cut(graph, {f"{number}.txt": [f"Anna met Ben in {1900 + number}."] for number in range(9)})
    record(database, graph, [replace(given[5], configuration=replace(CONFIGURATION, config_hash="c1"))])
    found: list[RecordedDocument] = []
    with Lease(database, graph) as lease, pytest.raises(UsageError, match=r"'5.txt' was loaded with another model"):
        collect(record_documents(database, lease, given), found)
    assert keys(found) == [f"{number}.txt" for number in range(5)]
    assert {each.key: each.chunks for each in list_documents(database, graph)} == dict.fromkeys(
        [*keys(found), "5.txt"], 1
    )


def test_what_comes_before_a_document_that_cannot_be_read_is_recorded(database: Database, graph: str) -> None:
    given = cut(graph, {f"{number}.txt": ["Anna met Ben."] for number in range(6)})

    def read() -> Iterator[CutDocument]:
        yield from given
        raise SourceError("torn")

    found: list[RecordedDocument] = []
    with Lease(database, graph) as lease, pytest.raises(SourceError, match="torn"):
        collect(record_documents(database, lease, read()), found)
    assert keys(found) == [each.key for each in list_documents(database, graph)] == [f"{n}.txt" for n in range(6)]


def test_a_run_that_lost_its_lease_records_no_group(database: Database, graph: str) -> None:
    given = cut(graph, {f"{number}.txt": ["Anna met Ben."] for number in range(7)})
    with Lease(database, graph) as lost:
        groups = record_documents(database, lost, given)
        next(groups)
        run_out = replace(queries.get("write/release_lease"), text="MATCH (l:Lease {graph: $graph}) SET l.expires = 0")
        database.write(run_out, graph=graph)
        with Lease(database, graph), pytest.raises(LeaseHeld, match="no longer"):
            next(groups)
    assert [each.key for each in list_documents(database, graph)] == ["0.txt"]


# --------------------------------------------------------------------------------------------------- how large it is


@pytest.mark.parametrize(
    ("limits", "sizes"),
    [
        ({"DOCUMENTS_AT_A_TIME": 200}, [1, 2, 4, 8, 16, 9]),
        ({"DOCUMENTS_AT_A_TIME": 5}, [1, 2, 4, 5, 5, 5, 5, 5, 5, 3]),
        ({"CHARACTERS_AT_A_TIME": 39}, [1, 2, *[3] * 12, 1]),
        ({"READING_S": -1.0}, [1] * 40),
    ],
)
def test_a_group_is_bounded_in_documents_text_and_time(
    database: Database, graph: str, limits: dict[str, float], sizes: list[int]
) -> None:
    given = cut(graph, {f"{number}.txt": ["Anna met Ben."] for number in range(40)})
    with mock.patch.multiple(recording, **limits), Lease(database, graph) as lease:
        assert [len(group) for group in record_documents(database, lease, given)] == sizes


def test_the_first_document_is_recorded_before_the_second_one_is_read(database: Database, graph: str) -> None:
    given = cut(graph, {f"{number}.txt": ["Anna met Ben."] for number in range(3)})
    read: list[str] = []

    def slowly() -> Iterator[CutDocument]:
        for each in given:
            read.append(each.document.key)
            yield each

    with Lease(database, graph) as lease:
        groups = record_documents(database, lease, slowly())
        assert keys(next(groups)) == read == ["0.txt"]
        assert keys(next(groups)) == read[1:] == ["1.txt", "2.txt"]


# ------------------------------------------------------------------------------------------------ stopped in between


class Stopped(Exception):
    """What a killed process leaves behind: nothing after this point happened."""


def stopped(database: Database, graph: str, given: Sequence[CutDocument], number: int, *, after_commit: bool) -> bool:
    """Record documents as a run that is killed at a write transaction, before or after its commit."""
    original, made = Database.write_transaction, iter(range(1_000))

    def write(self: Database, work: object) -> object:
        is_last = next(made) == number
        if is_last and not after_commit:
            raise Stopped
        result = original(self, work)  # type: ignore[arg-type]
        if is_last:
            raise Stopped
        return result

    with Lease(database, graph) as lease:
        try:
            with mock.patch.object(Database, "write_transaction", write):
                list(record_documents(database, lease, given))
        except Stopped:
            return True
    return False


@pytest.mark.parametrize("after_commit", [pytest.param(False, marks=pytest.mark.slow), True])
def test_stopped_at_any_transaction_and_repeated_gives_the_same_graph(
    database: Database, graph: str, after_commit: bool
) -> None:
    draw = random.Random(7)
    before = texts(draw)
    given = cut(graph, edited(before, draw))
    record(database, graph, cut(graph, before))
    record(database, graph, given)
    wanted = dump(database, graph)
    number, was_stopped = 0, True
    while was_stopped:
        delete_graph(database, graph)
        record(database, graph, cut(graph, before))
        was_stopped = stopped(database, graph, given, number, after_commit=after_commit)
        record(database, graph, given)
        assert dump(database, graph) == wanted, f"stopped at write {number}"
        number += 1
    assert number > 8


# ------------------------------------------------------------------------------------------------------ whole loads


OPTIONS = LoadOptions(chunk_tokens=30, wave=1, gleanings=0, analytics=False, vectors=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twenty files of three chunks."""
    path = tmp_path / "many"
    path.mkdir()
    write(path, "1903")
    return path


def write(folder: Path, year: str) -> None:
    for number in range(20):
        one, other = f"Anna Weber{number}", f"Karl Braun{number}"
        paragraphs = (
            f"{one} met {other} in Vienna in 1901. {other} taught {one} how to paint and how to draw.",
            f"{one} wrote to {other} in 1902. {other} answered {one} from Paris, where he lived by then.",
            f"{one} left Vienna for Graz in {year}. {other} stayed in Paris and did not come back.",
        )
        (folder / f"{number:02}.txt").write_text("\n\n".join(paragraphs), "utf-8")


def scripted(settings: Settings, graph: str, llm: FakeLlm) -> Settings:
    given = {"graph": graph, "openai_base_url": llm.url, "openai_api_key": "k", "model": "scripted"}
    return Settings(**{**settings.model_dump(), **given, "answer_cache": False, "model_concurrency": 4})


def is_of_a_chunk(prompt: str) -> bool:
    return "node_id" in prompt


def test_a_load_groups_what_it_records_and_what_is_carried_over_from_done_chunks(
    database: Database, settings: Settings, graph: str, folder: Path
) -> None:
    prompts: list[list[str]] = []
    texts: list[str] = []
    for limit in (1, 200):
        delete_graph(database, graph)
        write(folder, "1903")
        with FakeLlm() as llm, mock.patch.object(recording, "DOCUMENTS_AT_A_TIME", limit):
            given = scripted(settings, graph, llm)
            with counted() as first:
                load([str(folder)], settings=given, options=OPTIONS)
            write(folder, "1904")
            with counted() as second:
                assert load([str(folder)], settings=given, options=OPTIONS).changes
            prompts.append(sorted(filter(is_of_a_chunk, (request.prompt for request in llm.requests))))
        texts.append(dump(database, graph))
    assert prompts[0] == prompts[1]
    assert len(prompts[1]) == 20 * 4
    assert all("Anna Weber" in prompt.partition("named so far")[2] for prompt in prompts[1] if "in 1904" in prompt)
    assert texts[0] == texts[1]
    for trips, answers in ((first, 0), (second, 5)):
        assert trips.naming("What is stored of documents") == trips.naming("Write documents") == 5, str(trips)
        assert trips.naming("Answers already paid for") == trips.naming("Names that the chunks") == answers, str(trips)


def test_answers_of_a_group_are_used_again(database: Database, settings: Settings, graph: str, folder: Path) -> None:
    """Cut otherwise, texts that are chunks again have their answers, which another graph of them would pay for."""
    with FakeLlm() as llm:
        given = scripted(settings, graph, llm)
        load([str(folder)], settings=given, options=OPTIONS)
        before, calls = dump(database, graph), llm.calls
        with counted() as trips:
            other = replace(OPTIONS, chunk_tokens=31, rebuild=True)
            assert load([str(folder)], settings=given, options=other).usage.calls == 0
        assert llm.calls == calls
    assert trips.naming("Answers already paid for") == 5, str(trips)
    assert dump(database, graph).count('"num":') == before.count('"num":') > 40


def test_files_of_one_document_in_two_folders_are_recorded_once(
    database: Database, settings: Settings, graph: str, folder: Path, tmp_path: Path
) -> None:
    offline = settings.model_copy(update={"graph": graph, "openai_api_key": None, "openai_base_url": None})
    targets = [str(tmp_path / "first"), str(tmp_path / "second")]
    for target in targets:
        extract([str(folder / "00.txt"), str(folder / "01.txt")], to=target, settings=offline, options=OPTIONS)
    load(targets[1:], settings=offline, options=OPTIONS)
    wanted = dump(database, graph)
    delete_graph(database, graph)
    report = load(targets, settings=offline, options=OPTIONS)
    assert report.documents == 2
    assert dump(database, graph) == wanted
