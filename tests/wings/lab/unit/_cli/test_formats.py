"""kg study format: what is asked in each form, and the table, against a scripted server and recorded answers."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from llguidance import LLMatcher, LLTokenizer, grammar_from

import recorded_forms
from fake_llm import FakeLlm, Request
from kg_neo4j.extract import schema as schemas
from kg_runner import Kg, RunKg
from recorded_forms import asked

LEAN = schemas.load("lean")
NODES = [["1", "n1", "PERSON", "Ada", "", "", "clerk, first", "", ""], ["1", "n2", "PLACE", "Oslo", *[""] * 5]]
RELATIONSHIPS = [["1", "n1", "LIVED_IN", "n2", "1883", "", ""], ["1", "n1", "KNEW", "n9", "", "", ""]]


def objects(rows: list[list[str]], header: tuple[str, ...]) -> list[dict[str, str]]:
    return [{name: field for name, field in zip(header, row, strict=True) if field} for row in rows]


def answer_in(form: str) -> str:
    """Return the same rows in each form; the last one has no end."""
    if form == "rows":
        return json.dumps({"nodes": NODES, "relationships": RELATIONSHIPS})
    if form == "objects":
        nodes, relationships = objects(NODES, LEAN.node_header), objects(RELATIONSHIPS, LEAN.relationship_header)
        return json.dumps({"nodes": nodes, "relationships": relationships})
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([LEAN.node_header, *NODES])
    file.write("\n")
    csv.writer(file, lineterminator="\n").writerows([LEAN.relationship_header, *RELATIONSHIPS])
    return file.getvalue()


@pytest.fixture
def text(tmp_path: Path) -> str:
    file = tmp_path / "ada.md"
    file.write_text("# Ada\n\nAda, a clerk, lived in Oslo in 1883.\n\n# Ben\n\nBen wrote a book.\n", "utf-8")
    return str(file)


@pytest.fixture
def study(run_kg: RunKg, llm: FakeLlm, tmp_path: Path) -> Kg:
    """Run `kg study format` with the scripted model; `constrain` is KG_CONSTRAIN."""
    given = {"OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "k", "KG_MODEL": "m", "KG_CACHE": str(tmp_path / "cache")}
    given |= {"NEO4J_URI": "bolt://x:1", "KG_MODEL_RETRIES": "0"}

    def run(*arguments: str, constrain: str = "none") -> tuple[int, str, str]:
        return run_kg(("study", "format", *arguments), {**given, "KG_CONSTRAIN": constrain})

    return run


def say_by_form(request: Request) -> str:
    return answer_in(asked(request)[2])


def test_each_form_gives_the_same_rows(study: Kg, llm: FakeLlm, text: str, tmp_path: Path) -> None:
    facts = tmp_path / "facts.jsonl"
    rows = [("Ada", "Oslo", True), ("Ada", "1883", True), ("Ben", "book", True), ("Oslo", "LIVED IN", False)]
    facts.write_text("".join(json.dumps({"subject": a, "object": b, "true": c}) + "\n" for a, b, c in rows), "utf-8")
    recorded_forms.answer_by(llm, say_by_form)
    arguments = ("--limit", "1", "--facts", str(facts), "--format", "json", "--chunk-tokens", "300")
    code, out, err = study(text, *arguments, constrain="llama")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert [each["Form"] for each in found] == ["csv", "grammar", "rows", "objects"]
    for each in found:
        assert (each["Chunks"], each["Rows"], each["Accepted"]) == (1, 4, 3)
        assert (each["Facts"], each["False"]) == (2, 1)
        assert each["Tokens a row"] == round(each["Output"] / 3, 1)
    written = {each["Form"]: each["Output"] for each in found}
    assert written["csv"] == written["grammar"] < written["rows"] < written["objects"]
    sent = [{"grammar", "response_format"} & set(each.body) for each in llm.requests]
    assert sent == [set(), {"grammar"}, {"response_format"}, set()]


def test_a_server_that_takes_nothing_is_asked_by_words(study: Kg, llm: FakeLlm, text: str) -> None:
    recorded_forms.answer_by(llm, say_by_form)
    code, out, _ = study(text, "--limit", "1", "--format", "csv")
    assert code == 0
    table = list(csv.reader(io.StringIO(out)))
    assert table[0][:4] == ["Form", "Chunks", "Rows", "Accepted"]
    assert [row[:4] for row in table[1:]] == [[form, "1", "4", "3"] for form in ("csv", "rows", "objects")]
    assert not [each.body for each in llm.requests if {"grammar", "response_format"} & set(each.body)]


def test_a_form_that_cannot_be_asked_for_is_refused(study: Kg, llm: FakeLlm, text: str) -> None:
    code, _, err = study(text, "--forms", "csv", "grammar")
    assert code == 2
    assert "no rows can be asked for as 'grammar'" in err
    assert llm.calls == 0


def test_the_study_needs_a_model(run_kg: RunKg, text: str) -> None:
    code, _, err = run_kg(("study", "format", text), {"NEO4J_URI": "bolt://x:1"})
    assert code == 2
    assert "the forms of a model's rows cannot be compared" in err


def test_answers_are_replayed_by_chunk_and_form(study: Kg, llm: FakeLlm, text: str) -> None:
    recorded_forms.answer_by(llm, say_by_form)
    study(text, "--limit", "1", constrain="vllm")
    rows = [{"sha256": sha256, "form": form, "answer": answer_in(form)} for sha256, _, form in map(asked, llm.requests)]
    assert [row["form"] for row in rows] == list(recorded_forms.FORMS)
    recorded_forms.replay(llm, rows)
    code, out, _ = study(text, "--format", "csv", "--forms", "grammar", "rows", constrain="vllm")
    assert code == 0
    [*first] = csv.reader(io.StringIO(out))
    assert [row[:4] for row in first[1:]] == [["grammar", "1", "4", "3"], ["rows", "1", "4", "3"]]


def test_recorded_answers_of_a_large_model(run_kg: RunKg, llm: FakeLlm, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answers under "grammar" are those to plain CSV: the grammar that was sent accepts all three."""
    rows = recorded_forms.recorded()
    recorded_forms.replay(llm, rows)
    monkeypatch.chdir(recorded_forms.ROOT)
    given = {"OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "k", "KG_MODEL": "m", "NEO4J_URI": "bolt://x:1"}
    code, out, _ = run_kg((*recorded_forms.ARGUMENTS, "--format", "csv"), {**given, "KG_CONSTRAIN": "llama"})
    assert code == 0
    table = {row["Form"]: row for row in csv.DictReader(io.StringIO(out))}
    shown = ("Chunks", "Rows", "Accepted", "Facts", "False")
    counts = {form: [int(row[name]) for name in shown] for form, row in table.items()}
    assert counts["csv"] == counts["grammar"] == [3, 158, 158, 41, 0]
    assert counts["rows"] == [3, 156, 156, 41, 0]
    assert counts["objects"] == [3, 149, 149, 34, 0]
    written = [int(table[form]["Output"]) for form in ("csv", "rows", "objects")]
    assert written[0] * 1.5 < written[1] < written[0] * 2 < written[2]
    said = {(row["sha256"], row["form"]): row["answer"] for row in rows}
    sent = [(each.body["grammar"], said[asked(each)[::2]]) for each in llm.requests if "grammar" in each.body]
    assert len(sent) == 3
    for grammar, answer in sent:
        matcher = LLMatcher(LLTokenizer("byte"), grammar_from("gbnf", grammar), log_level=0)
        assert matcher.consume_tokens(list(answer.encode()))
        assert matcher.is_accepting()
