"""Load, rebuild, ask and report with a real model of 1.5 billion parameters: real streaming, counts, drift, nonsense.

No test says that the model is right. Each run has to end, to count, and to say what was rejected and why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from kg_neo4j import Settings, ask, load
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.pipeline.commands.communities import community_reports
from kg_neo4j.pipeline.commands.rebuild import quarantine, rebuild
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.progress import RECEIVED, SILENT
from kg_neo4j.records import LoadReport, QuarantinedRow

TEXT = """Ottilie Varga was born in Kesmark in 1871. Her father, Janos Varga, owned a glassworks by the river Poprad.
In 1889 she moved to Vienna. There she met the architect Emil Roth. In 1897 she founded the firm Varga Glass in Kesmark.
The firm made the windows of the railway station in Lemberg. Ottilie Varga died in Vienna in 1926.
"""


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "glass.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def loaded(small_settings: Settings, text: Path) -> LoadReport:
    """Load the text with the schema for small models."""
    RECEIVED.clear()
    return load([str(text)], settings=small_settings, options=LoadOptions(schema="small"))


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


def check(done: LoadReport, quarantined: Sequence[QuarantinedRow]) -> None:
    """Assert that all rows are accounted for, each rejected one with its words and a reason, and tokens are counted."""
    rows = done.rows
    print(done)
    assert rows.read == rows.accepted + rows.rejected
    assert sum(done.rejections.values()) == rows.rejected
    refused = [each.rejection for each in quarantined if each.rejection.line]
    assert Counter(str(each.reason) for each in refused) == Counter(done.rejections)
    assert all(each.text and each.detail for each in refused)
    assert len([each for each in quarantined if not each.rejection.line]) == len(done.failed_chunks)
    assert done.usage.input_tokens > 300
    assert done.usage.output_tokens > 20


def test_a_load_ends_counts_and_says_what_it_rejected(small_settings: Settings, loaded: LoadReport) -> None:
    check(loaded, quarantine(settings=small_settings))
    assert loaded.rows.accepted > 0
    assert loaded.nodes > 0
    assert RECEIVED["tokens"] > loaded.usage.output_tokens / 2, "the answer came as a stream"


def test_a_rebuild_reads_the_stored_answers_again(small_settings: Settings, loaded: LoadReport) -> None:
    with connect(small_settings, SILENT) as database:
        before = dump(database, small_settings.graph)
        again = rebuild(settings=small_settings)
        assert dump(database, small_settings.graph) == before
    assert again.usage.calls == 0
    assert again.rows == loaded.rows


def test_a_repeat_calls_no_model(small_settings: Settings, loaded: LoadReport, text: Path) -> None:
    again = load([str(text)], settings=small_settings, options=LoadOptions(schema="small"))
    assert again.usage.calls == 0 or loaded.failed_chunks
    assert again.changes == 0 or loaded.failed_chunks


@pytest.mark.parametrize("schema", ["lean", "described"])
def test_a_load_with_two_sections_ends_as_well(small_settings: Settings, text: Path, schema: str) -> None:
    own = small_settings.model_copy(update={"graph": schema})
    check(load([str(text)], settings=own, options=LoadOptions(schema=schema)), quarantine(settings=own))


@pytest.mark.parametrize("question", ["Where did Ottilie Varga die?", "Who was her husband?"])
def test_an_answer_ends_and_counts(small_settings: Settings, loaded: LoadReport, question: str) -> None:
    answer = ask(question, settings=small_settings)
    print(answer.answer, answer.claims, answer.notes)
    assert answer.usage.calls >= 1
    assert answer.usage.input_tokens > 100
    assert answer.usage.output_tokens > 0
    assert answer.answer
    assert all(each.quote in TEXT for each in answer.citations)


def test_reports_end_count_and_say_which_were_composed(small_settings: Settings, loaded: LoadReport) -> None:
    done = community_reports(settings=small_settings)
    print(done)
    assert done.usage.calls >= 1 or done.composed == done.communities
    assert done.by_model + done.composed == done.communities > 0
