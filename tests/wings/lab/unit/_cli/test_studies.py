"""kg study aggregation and averaging: the shapes that other programs rely on, the tables, and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kg_neo4j.factory import HASHED_EMBEDDING
from kg_runner import Kg, RunKg


@pytest.fixture
def kg_study(run_kg: RunKg, tmp_path: Path) -> Kg:
    """Run `kg study` in this process, where no database is."""
    given = {"KG_CACHE": str(tmp_path / "cache"), "KG_EMBEDDING_MODEL": HASHED_EMBEDDING, "NEO4J_URI": "bolt://x:1"}
    return lambda *arguments: run_kg(("study", *arguments), given)


@pytest.fixture
def text(tmp_path: Path) -> str:
    file = tmp_path / "a.md"
    file.write_text("# Title\n\n" + "\n\n".join("Leon met Zofia. " * 40 for _ in range(20)), "utf-8")
    return str(file)


@pytest.fixture
def given(tmp_path: Path) -> tuple[str, ...]:
    """A corpus in a folder of its own, and its questions."""
    (tmp_path / "towns").mkdir()
    corpus, questions = tmp_path / "towns" / "corpus.jsonl", tmp_path / "towns" / "questions.jsonl"
    rows = [{"idx": number, "title": f"town{number}", "text": f"river{number} " * 90} for number in range(12)]
    asked = [{"id": str(number), "question": f"town{number}?", "gold": [number]} for number in range(12)]
    corpus.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    questions.write_text("\n".join(map(json.dumps, asked)), "utf-8")
    return str(corpus), "--questions", str(questions)


def test_aggregation_has_a_column_for_each_length(kg_study: Kg, text: str) -> None:
    code, out, err = kg_study("aggregation", text)
    assert (code, err) == (0, "")
    heads = next(line for line in out.splitlines() if "Tokens a chunk" in line)
    assert heads.split()[-4:] == ["300", "800", "1200", "2000"]
    saved = next(line for line in out.splitlines() if "Calls saved" in line)
    assert [each[-1] for each in saved.split()[-4:]] == ["%"] * 4
    assert max(map(len, out.splitlines())) <= 80


def test_the_shape_of_aggregation(kg_study: Kg, text: str) -> None:
    code, out, _ = kg_study("aggregation", text, "--chunk-tokens", "300", "1200", "--json")
    assert code == 0
    shape = json.loads(out)
    assert list(shape) == ["documents", "tokens", "tokeniser", "pieces", "targets"]
    assert (shape["documents"], shape["pieces"]) == (1, 21)
    assert [each["chunk_tokens"] for each in shape["targets"]] == [300, 1200]
    for each in shape["targets"]:
        assert each["calls_without"] == each["embedding_pieces_without"] == 21
        assert each["calls_saved"] == round(1 - each["calls_with"] / 21, 4)
        assert each["chunks_ratio"] == round(each["chunks"] / 21, 4)
        assert each["embedding_ratio"] == round(each["embedding_pieces_with"] / 21, 4)
        assert each["total_with"] == each["calls_with"] + each["embedding_pieces_with"]
        assert each["total_saved"] == round(1 - each["total_with"] / 42, 4)


def test_averaging_has_a_row_for_each_way_and_length(kg_study: Kg, given: tuple[str, ...]) -> None:
    code, out, err = kg_study("averaging", *given, "--chunk-tokens", "600", "1200")
    assert code == 0
    rows = [line.split() for line in out.splitlines() if line.strip().startswith("towns ")]
    assert [row[1] for row in rows] == ["600"] * 4 + ["1200"] * 4
    assert "note: passages are joined in the order of their file" in err
    assert "note: nothing is chosen by these figures: all questions are asked" in err


def test_averaging_in_every_format(kg_study: Kg, given: tuple[str, ...]) -> None:
    _, csv, _ = kg_study("averaging", *given, "--format", "csv")
    assert csv.splitlines()[0] == 'Set,Tokens,Texts,Pieces,Way,R@2,R@5,"R@5, 95 %",Points,Low,High'
    assert len(csv.splitlines()) == 5
    _, markdown, _ = kg_study("averaging", *given, "--format", "markdown")
    assert markdown.startswith("| Set | Tokens |")
    code, out, _ = kg_study("averaging", *given, "--words", "--format", "json")
    shape = json.loads(out)
    assert code == 0
    assert list(shape) == ["embedder", "tokeniser", "words", "results", "notes", "compared_at"]
    assert (shape["embedder"], shape["words"], shape["compared_at"]) == (HASHED_EMBEDDING, True, 5)
    (result,) = shape["results"]
    assert (result["questions"], result["passages"], result["chunk_tokens"]) == (12, 12, 1200)
    assert result["corpus_file"] == given[0]
    assert [way["way"] for way in result["ways"]] == ["averaged", "whole", "truncated", "best piece"]
    assert set(result["ways"][0]["recall"]) == {"2", "5"}
    assert result["ways"][0]["beyond_averaged"] == {"points": 0.0, "low": 0.0, "high": 0.0}


def test_averaging_says_before_what_it_would_embed(kg_study: Kg, given: tuple[str, ...]) -> None:
    code, out, err = kg_study("averaging", *given, "--dry-run", "--format", "json")
    assert (code, err) == (0, "")
    (plan,) = json.loads(out)
    assert list(plan) == ["corpus", "chunk_tokens", "texts", "embedded", "tokens", "usd"]
    assert plan["usd"] == 0.0
    code, out, _ = kg_study("averaging", *given, "--dry-run")
    assert code == 0
    assert f"{plan['tokens']}" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--format", "xml"), "there is no format 'xml'"),
        (("--chunk-tokens", "0"), "--chunk-tokens"),
        (("--questions", "other.jsonl"), "files of passages: 1, of questions: 2"),
    ],
)
def test_what_cannot_be_meant_exits_with_2(
    kg_study: Kg, given: tuple[str, ...], arguments: tuple[str, ...], said: str
) -> None:
    code, out, err = kg_study("averaging", *given, *arguments)
    assert (code, out) == (2, "")
    assert said in err
