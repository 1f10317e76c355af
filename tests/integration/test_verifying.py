"""kg verify: the claims of a text against a real graph, through the library and the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from fake_llm import FakeLlm
from kg_neo4j import Filters, KnowledgeGraph, LoadOptions, load, unload
from kg_neo4j.errors import SourceNotFound, UnreadableSource, UsageError
from kg_neo4j.graph.queries import Query
from kg_neo4j.pipeline.commands.verify import VerifiedText, verify_text
from kg_neo4j.settings import Settings
from kg_runner import Kg, RunKg, environment_of
from made_files import docx, pdf

ADA = (
    "Ada Lind was born in Oslo on 4 May 1890. She was taught by Otto Berg. Ada Lind directed Rain Road in 1931.\n\n"
    "Jan Holm never visited Vienna. The film was not a success."
)
GERMAN = (
    "Der Film wurde in Hamburg gedreht und war kein Erfolg. Die Schauspieler wurden nicht bezahlt, und das Haus wurde "
    "nach dem Krieg verkauft. Clara Voss wohnte damals mit ihrer Mutter in der Stadt."
)
PAGES = ["Eva Dahl painted the harbour of Bergen.", "Eva Dahl sold the harbour picture in 1902."]
TEXTS = Query(
    "test", "", "", "read", (), (), "", "", "MATCH (c:KgChunk {graph: $graph}) RETURN c.id AS id, c.text AS text"
)


@pytest.fixture(scope="module")
def notes(shared: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder = tmp_path_factory.mktemp("verified")
    (folder / "ada.txt").write_text(ADA, "utf-8")
    (folder / "film.txt").write_text(GERMAN, "utf-8")
    (folder / "eva.pdf").write_bytes(pdf(PAGES))
    with KnowledgeGraph(shared.graph, settings=shared) as found:
        found.load(folder, options=LoadOptions(analytics=False))
        yield found


@pytest.fixture
def kg_there(run_kg: RunKg, notes: KnowledgeGraph) -> Kg:
    """Run the command line on the graph of this file."""
    return lambda *arguments, typed="": run_kg(arguments, environment_of(notes.settings), typed)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Ada Lind directed Rain Road in 1931.", "stated"),
        ("Rain Road was directed by Ada Lind.", "stated"),
        ("Otto Berg taught Ada Lind.", "stated"),
        ("Ada Lind never directed Rain Road.", "not found"),
        ("Jan Holm visited Vienna.", "not found"),
        ("Ada Lind directed Rain Road in 1934.", "contradicted"),
        ("Ada Lind was born in Oslo on 9 June 1890.", "contradicted"),
        ("Rain Road directed Ada Lind in 1931.", "not found"),
        ("Ada Lind directed The Glass Year in 1931.", "contradicted"),
        ("Mia Fox directed Rain Road in 1931.", "not found"),
        ("Ada Lind collected stamps.", "not found"),
        ("Die Schauspieler wurden nicht bezahlt, und das Haus wurde nach dem Krieg verkauft.", "stated"),
        ("Die Schauspieler wurden bezahlt, und das Haus wurde nach dem Krieg verkauft.", "not found"),
    ],
)
def test_a_claim_is_stated_contradicted_or_not_found(notes: KnowledgeGraph, claim: str, verdict: str) -> None:
    (found,) = notes.verify(claim).claims
    assert (found.claim, found.verdict) == (claim, verdict)
    assert bool(found.citations) == (verdict != "not found")
    assert bool(found.reason) == (verdict == "contradicted")


def test_quotes_are_in_the_chunks_that_they_name(notes: KnowledgeGraph) -> None:
    claims = notes.verify("Ada Lind directed Rain Road in 1934. Jan Holm never visited Vienna.").claims
    texts = {row["id"]: row["text"] for row in notes._open().read(TEXTS, graph=notes.name)}
    quotes = [quote for each in claims for quote in each.citations]
    assert [(each.document, each.quote) for each in quotes] == [
        ("ada", "Ada Lind directed Rain Road in 1931."),
        ("ada", "Jan Holm never visited Vienna."),
    ]
    assert all(texts[each.chunk_id][each.start : each.end] == each.quote for each in quotes)


def test_the_page_of_a_pdf_is_given(notes: KnowledgeGraph) -> None:
    (found,) = notes.verify("Eva Dahl sold the harbour picture in 1902.").claims
    assert [each.page for each in found.citations] == [2]


def test_a_pronoun_is_read_as_the_name_before(notes: KnowledgeGraph) -> None:
    first, second, third = notes.verify("Ada Lind lived in Oslo. She directed Rain Road. They met in Paris.").claims
    assert (first.verdict, first.read_as) == ("not found", "")
    assert (second.verdict, second.read_as) == ("stated", "Ada Lind directed Rain Road.")
    assert (third.verdict, third.reason) == ("not found", "it is not clear what 'They' means")


def test_filters_choose_the_passages(notes: KnowledgeGraph) -> None:
    claim = "Ada Lind directed Rain Road in 1931."
    assert notes.verify(claim, filters=Filters(documents=("ada",))).claims[0].verdict == "stated"
    assert notes.verify(claim, filters=Filters(documents=("film",))).claims[0].verdict == "not found"
    with pytest.raises(UsageError, match="nonsense"):
        notes.verify(claim, filters=Filters(documents=("nonsense",)))


def test_a_text_without_claims_has_none(notes: KnowledgeGraph) -> None:
    assert notes.verify("") == VerifiedText((), 0)
    assert notes.verify("Who was Ada Lind?") == VerifiedText((), 1)


def test_an_empty_graph_is_named(offline: Settings, tmp_path: Path) -> None:
    (tmp_path / "rain.txt").write_text("Ada Lind directed Rain Road.")
    load([str(tmp_path / "rain.txt")], settings=offline)
    unload("rain.txt", settings=offline)
    found = verify_text("Ada Lind directed Rain Road.", settings=offline)
    assert [each.verdict for each in found.claims] == ["not found"]
    assert found.notes == (f"graph {offline.graph!r} is empty: load something first, for example kg load FILE",)


def test_files_are_read_as_kg_load_reads_them(notes: KnowledgeGraph, tmp_path: Path) -> None:
    (tmp_path / "draft.md").write_text("# Ada Lind of Oslo and Paris\n\nAda Lind directed **Rain Road**.\n", "utf-8")
    (tmp_path / "draft.pdf").write_bytes(pdf(["Ada Lind directed Rain Road."]))
    (tmp_path / "draft.html").write_text("<h1>Ada Lind</h1><p>Ada Lind directed Rain Road.</p>", "utf-8")
    for name in ("draft.md", "draft.pdf", "draft.html"):
        claims = notes.verify(tmp_path / name).claims
        assert [each.verdict for each in claims] == ["stated"], name
    (tmp_path / "draft.docx").write_bytes(docx())
    assert "stated" not in {each.verdict for each in notes.verify(str(tmp_path / "draft.docx")).claims}
    with pytest.raises(SourceNotFound):
        notes.verify(tmp_path / "missing.txt")
    with pytest.raises(UsageError, match="folder"):
        notes.verify(tmp_path)
    (tmp_path / "empty.txt").write_bytes(b"")
    with pytest.raises(UnreadableSource, match="empty"):
        notes.verify(tmp_path / "empty.txt")


def test_the_exit_code_says_whether_all_is_stated(kg_there: Kg, tmp_path: Path) -> None:
    draft = tmp_path / "draft.txt"
    draft.write_text("Ada Lind directed Rain Road in 1931.", "utf-8")
    code, out, err = kg_there("verify", str(draft))
    assert (code, err) == (0, "")
    assert out == (
        "stated        Ada Lind directed Rain Road in 1931.\n"
        "              ada: “Ada Lind directed Rain Road in 1931.”\n"
        "claims: 1, stated: 1, contradicted: 0, not found: 0\n"
    )
    draft.write_text("Ada Lind directed Rain Road in 1934. Ada Lind collected stamps.", "utf-8")
    code, out, _ = kg_there("verify", str(draft))
    assert code == 1
    assert "contradicted  Ada Lind directed Rain Road in 1934. (the cited text says 1931, not 1934)" in out
    assert "not found     Ada Lind collected stamps." in out
    assert kg_there("verify", str(tmp_path / "missing.txt"))[0] == 1
    assert kg_there("verify", str(draft), "--encoding", "nonsense")[0] == 2


def test_the_json_has_every_claim_with_its_quotes(kg_there: Kg, tmp_path: Path) -> None:
    draft = tmp_path / "draft.txt"
    draft.write_text("Who was Ada Lind? Ada Lind directed Rain Road in 1934.", "utf-8")
    code, out, _ = kg_there("verify", str(draft), "--json")
    shape = json.loads(out)
    assert (code, set(shape), shape["left_out"]) == (1, {"claims", "left_out", "notes"}, 1)
    (claim,) = shape["claims"]
    assert set(claim) == {"claim", "verdict", "reason", "citations", "read_as"}
    assert set(claim["citations"][0]) == {"chunk_id", "document", "start", "end", "quote", "page", "line", "correction"}


def test_standard_input_is_read_and_an_empty_one_has_no_claims(kg_there: Kg) -> None:
    assert kg_there("verify", "-", typed="Jan Holm never visited Vienna.")[0] == 0
    code, out, _ = kg_there("verify", "-", typed="")
    assert (code, out) == (0, "claims: 0, stated: 0, contradicted: 0, not found: 0\n")


def test_a_claim_in_other_words_is_not_found_and_no_model_is_asked(run_kg: RunKg, notes: KnowledgeGraph) -> None:
    with FakeLlm() as llm:
        model = {"OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "x", "KG_MODEL": "scripted"}
        given = environment_of(notes.settings) | model
        code, out, err = run_kg(["verify", "-"], given, typed="Ada Lind was a pupil of Otto Berg.")
        assert llm.calls == 0
    assert code == 1
    assert out.startswith("not found     Ada Lind was a pupil of Otto Berg.\n")
    assert "note: not found means: not in these words; no model reads the claims" in err


@pytest.mark.needs("kg_neo4j_scale")
def test_a_load_with_a_named_encoding_gives_the_document_that_utf_8_gives(kg: Kg, tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    path.write_bytes("Zoë Łącka met Jan Żak in Łódź.".encode("cp1250"))
    text = path.read_bytes().decode("cp1250")
    code, _, err = kg("load", str(path), "--no-analytics", "--encoding", "cp125")
    assert code == 2
    assert "cp1250" in err
    assert kg("load", str(path), "--no-analytics", "--encoding", "cp1250")[0] == 0
    (listed,) = json.loads(kg("documents", "--json")[1])
    path.write_text(text, "utf-8")
    code, out, _ = kg("load", str(path), "--no-analytics", "--json")
    assert (code, json.loads(out)["changes"]) == (0, 0)
    assert json.loads(kg("documents", "--json")[1]) == [listed]
    folder = tmp_path / "out"
    path.write_bytes(text.encode("cp1250"))
    assert kg("extract", str(path), "--to", str(folder), "--encoding", "cp1250")[0] == 0
    assert "Łódź" in "".join(each.read_text("utf-8") for each in folder.glob("*.jsonl"))
