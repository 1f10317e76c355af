"""kg eval answers on published sets: systems side by side, plans that hold, runs that go on, on a real Neo4j."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyarrow import Table, parquet

from answer_judge import is_judging, rules
from fake_llm import FakeLlm
from kg_neo4j._cli import app as command_line
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.retrieve.tree.search import read_trees
from published_sets import MILL, narrative_set, quality_line, quality_question, two_articles, write_lines

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def kg(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    database: Database,
    graph: str,
    tmp_path: Path,
) -> Iterator[Run]:
    """Run `kg eval answers` in this process, offline, on a graph of this test's own: code, output, errors."""
    address = database.address
    monkeypatch.setenv("NEO4J_URI", address.uri)
    monkeypatch.setenv("NEO4J_USERNAME", address.username)
    monkeypatch.setenv("NEO4J_PASSWORD", address.password)
    monkeypatch.setenv("KG_CACHE", str(tmp_path / "cache"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "KG_MODEL", "KG_JUDGE_MODEL", "KG_PRICES"):
        monkeypatch.delenv(name, raising=False)

    def run(
        questions: Path, *arguments: str, command: Sequence[str] = ("answers", "--questions")
    ) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["kg", "eval", *command, str(questions), "--graph", graph, *arguments])
        with pytest.raises(SystemExit) as exit_:
            command_line.main()
        output = capsys.readouterr()
        return int(exit_.value.code or 0), output.out, output.err

    return run


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kg: Run) -> Iterator[FakeLlm]:
    """A priced model that answers and judges; nothing is cached."""
    prices = tmp_path / "prices.toml"
    prices.write_text("[scripted]\ninput = 1.0\noutput = 4.0\n", "utf-8")
    with FakeLlm(rules=rules) as server:
        changed = {"OPENAI_BASE_URL": server.url, "KG_MODEL": "scripted", "KG_PRICES": str(prices)}
        for name, value in {**changed, "KG_ANSWER_CACHE": "0", "KG_MODEL_RETRIES": "0"}.items():
            monkeypatch.setenv(name, value)
        yield server


def shape(result: tuple[int, str, str]) -> dict[str, Any]:
    code, out, err = result
    assert code == 0, err + out
    found = json.loads(out)
    assert isinstance(found, dict)
    return found


def without_times(text: str) -> str:
    return re.sub(r'"ms_p50": [\d.]+', "", text)


# ----------------------------------------------------------------------------------------------------- without a model


def test_systems_are_compared_without_a_model_and_the_proxy_is_labelled(kg: Run, tmp_path: Path) -> None:
    questions, cases = two_articles(tmp_path), tmp_path / "cases.csv"
    code, out, err = kg(questions, "--systems", "naive,local", "--score", "short", "--cases", str(cases))
    assert code == 0, err
    assert "Correct (proxy)" in out
    assert "proxy: statements are compared by their words" in out
    assert out.index("All questions") < out.index("Hard questions alone")
    table = list(csv.DictReader(cases.read_text("utf-8-sig").splitlines()))
    assert [row["system"] for row in table] == ["naive", "local"] * 4
    assert {row["judge"] for row in table} == {"words"}
    sluice = next(row for row in table if row["question"] == "Who opened the sluice?")
    assert (sluice["ground_truth"], sluice["hard"], sluice["tp"], sluice["statements_f1"]) == ("Ines", "1", "1", "1.0")
    similarity = float(sluice["similarity"])
    assert float(sluice["correctness"]) == pytest.approx(0.25 * similarity + 0.75)


def test_means_are_plain_and_the_hard_subset_is_apart(kg: Run, tmp_path: Path) -> None:
    found = shape(kg(two_articles(tmp_path), "--systems", "naive", "--json"))
    assert (found["format"], found["texts"], found["judge"]) == ("quality", 2, {"name": "words", "proxy": True})
    for name, chosen in (("systems", found["cases"]), ("hard", [case for case in found["cases"] if case["hard"]])):
        score = found[name]["naive"]
        assert score["cases"] == len(chosen)
        for measure in ("correctness", "similarity", "exact_match", "f1"):
            mean = sum(case[measure] for case in chosen) / len(chosen)
            assert score[measure] == pytest.approx(mean, abs=1e-4)
    assert found["hard"]["naive"]["cases"] == 2


def test_a_question_keeps_to_its_text_unless_the_whole_graph_is_wanted(kg: Run, tmp_path: Path) -> None:
    question = quality_question("Who opened the sluice?", ["Bram", "Ines", "Ada", "Tom"], 2)
    other = quality_line("Nobody opened anything in Hald, and the sea was calm.", [question], key="10009")
    mill = quality_line(MILL, [quality_question("Who owned the mill?", ["Bram", "Ines", "Ada", "Tom"], 1, number=2)])
    questions = write_lines(tmp_path / "q.dev", [other, mill])
    kept = shape(kg(questions, "--systems", "naive", "--score", "short", "--json"))
    free = shape(kg(questions, "--systems", "naive", "--score", "short", "--whole-graph", "--json"))
    asked = [
        next(case for case in each["cases"] if case["question"] == "Who opened the sluice?") for each in (kept, free)
    ]
    assert [case["answer"] for case in asked] == ["", "Ines"]  # a passage alone counts as not found


def test_narrativeqa_counts_the_better_golden_answer_and_records_both(kg: Run, tmp_path: Path) -> None:
    cases = tmp_path / "cases.csv"
    found = shape(
        kg(
            narrative_set(tmp_path / "set"),
            "--kind",
            "gutenberg",
            "--systems",
            "naive",
            "--cases",
            str(cases),
            "--json",
        )
    )
    burned = next(case for case in found["cases"] if case["question"] == "What did Bram burn?")
    assert [each["golden"] for each in burned["golden"]] == ["The book of debts", "His debts"]
    assert burned["correctness"] == pytest.approx(max(each["correctness"] for each in burned["golden"]), abs=1e-5)
    assert burned["similarity"] == pytest.approx(max(each["similarity"] for each in burned["golden"]), abs=1e-5)
    rows = [row for row in csv.DictReader(cases.read_text("utf-8-sig").splitlines()) if row["id"].endswith("/2")]
    assert [row["ground_truth"] for row in rows] == ["The book of debts", "His debts"]
    assert "Lost" in found["refused"][0]["source"]


def test_a_text_that_cannot_be_read_is_said_and_its_questions_are_left_out(kg: Run, tmp_path: Path) -> None:
    folder = narrative_set(tmp_path / "set")
    (folder / "tmp" / f"{'a' * 40}.content").write_bytes(b"\x00\x01\x02" * 50)
    found = shape(kg(folder, "--systems", "naive", "--json"))
    assert [case["question"] for case in found["cases"]] == ["What was the dog's name?"]
    assert any("binary" in each["reason"] for each in found["refused"])


def test_trees_are_built_and_read_and_a_repeat_builds_nothing(
    kg: Run, tmp_path: Path, database: Database, graph: str
) -> None:
    questions = two_articles(tmp_path)
    found = shape(kg(questions, "--systems", "naive,raptor,tree,local,global", "--json"))
    assert set(found["systems"]) == {"naive", "raptor", "tree", "local", "global"}
    assert {"load", "tree raptor", "tree narrative", "reports"} <= set(found["building"])
    assert found["systems"]["tree"]["context_tokens"] > 0
    aspects = {name: [each.aspects for each in read_trees(database, graph, name)] for name in ("raptor", "narrative")}
    assert aspects["raptor"] == [("general",)] * 2
    assert "raptor: the clusters of 2 trees are by UMAP and full covariances, as in RAPTOR" in found["notes"]
    assert all("general" not in each for each in aspects["narrative"])
    again = shape(kg(questions, "--systems", "naive,raptor,tree,local,global", "--json"))
    assert [case["answer"] for case in again["cases"]] == [case["answer"] for case in found["cases"]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--systems", "naive,oracle"), "no system 'oracle'"),
        (("--systems", ","), "no system to compare"),
        (("--systems", "naive", "--mode", "local"), "--systems names the modes"),
        (("--kind", "movie"), "no question"),
        (("--set", "train"), "one file a set"),
        (("--judge", "model"), "no model to judge with"),
        (("--judge", "nobody"), "no judge 'nobody'"),
        (("--format", "squad"), "no format 'squad'"),
        (("--systems", "naive", "--budget-usd", "0"), "a budget of 0 USD"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_loaded(
    kg: Run, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    code, out, err = kg(two_articles(tmp_path), *arguments)
    assert (code, out) == (2, "")
    assert said in err


# -------------------------------------------------------------------------------------------------------- with a model


def test_what_was_planned_is_what_is_asked(kg: Run, llm: FakeLlm, tmp_path: Path) -> None:
    questions = two_articles(tmp_path)
    given = (questions, "--systems", "naive", "--json")
    before = shape(kg(*given, "--dry-run"))
    assert llm.calls == 0
    assert before["load"]["documents"] == 2
    assert before["calls"] == 4 + 4 + 4 + 4  # answers; statements of 4 golden answers and of 4 answers; comparisons
    first = shape(kg(*given))
    loading = first["building"]["load"]["calls"]
    assert llm.calls == loading + 16
    assert first["paid"]["calls"] == 16
    assert (first["systems"]["naive"]["calls"], first["systems"]["naive"]["judging"]["calls"]) == (4, 12)
    assert first["paid"]["usd"] == pytest.approx(16 * 0.00018)
    planned = shape(kg(*given, "--dry-run"))
    assert planned["load"] is None
    assert {name: each["calls"] for name, each in planned["systems"].items()} == {"naive": 4}
    assert (planned["judging"]["calls"], planned["calls"]) == (12, 16)
    calls = llm.calls
    assert shape(kg(*given))["paid"]["calls"] == planned["calls"] == llm.calls - calls


def test_a_model_chooses_an_option_of_each_question_from_what_was_found(kg: Run, llm: FakeLlm, tmp_path: Path) -> None:
    files = ("--save", str(tmp_path / "run"), "--cases", str(tmp_path / "cases.csv"))
    given = (two_articles(tmp_path), "--systems", "naive,local", "--choose", *files, "--json")
    planned = shape(kg(*given, "--dry-run"))
    assert {name: each["calls"] for name, each in planned["systems"].items()} == {"naive": 8, "local": 8}
    found = shape(kg(*given))
    asked = [request.prompt for request in llm.requests if "Options:" in request.prompt]
    assert len(asked) <= 8  # two systems that found the same are asked the same: once
    assert {case["chosen"] for case in found["cases"]} <= {1, 2, 3, 4}
    table = list(csv.DictReader((tmp_path / "cases.csv").read_text("utf-8-sig").splitlines()))
    for name, score in found["systems"].items():
        right = [float(row["right_option"]) for row in table if row["system"] == name]
        assert score["accuracy"] == sum(right) / len(right) == sum(right) / 4
        assert 0.0 <= score["accuracy_interval"][0] <= score["accuracy"] <= score["accuracy_interval"][1] <= 1.0
    assert any(float(row["right_option"]) for row in table)
    assert {(each["system"], each["against"], each["measure"]) for each in found["differences"]} == {
        ("local", "naive", "accuracy"),
        ("local", "naive", "correctness"),
    }
    calls = llm.calls
    assert shape(kg(*given))["systems"]["naive"]["accuracy"] == found["systems"]["naive"]["accuracy"]
    assert llm.calls == calls
    code, out, _ = kg(*given[:-1])
    assert code == 0
    assert "Option right" in out
    assert "local against naive, accuracy:" in out


def test_options_are_chosen_by_a_model_alone(kg: Run, tmp_path: Path) -> None:
    code, _, err = kg(two_articles(tmp_path), "--systems", "naive", "--choose")
    assert code == 2
    assert "no model to choose options with" in err


def test_a_graph_is_asked_as_it_is_next_to_a_model_by_itself(kg: Run, llm: FakeLlm, tmp_path: Path) -> None:
    (folder := tmp_path / "set").mkdir()
    parquet.write_table(Table.from_pydict({"corpus_name": ["Mill"], "context": [MILL]}), folder / "novels.parquet")
    row = {"id": "q1", "source": "Mill", "question": "Who owned the mill?", "answer": "Bram", "question_type": "Fact"}
    (folder / "novel_questions.json").write_text(json.dumps([row]), "utf-8")
    shape(kg(folder, "--systems", "naive", "--json"))
    found = shape(kg(folder, "--as-built", "--json", command=["graphrag-bench"]))
    assert set(found["systems"]) == {*found["types"]["Fact"]} == {"auto", "none"}
    assert found["building"] == {}
    assert not any("node_id" in request.prompt for request in llm.requests)
    alone = [request.prompt for request in llm.requests if "NOT KNOWN" in request.prompt]
    assert len(alone) == 1
    assert row["question"] in alone[0]
    assert MILL.split(".")[0] not in alone[0]


def test_what_trees_and_reports_ask_is_planned_too(kg: Run, llm: FakeLlm, tmp_path: Path) -> None:
    questions = two_articles(tmp_path)
    given = (questions, "--systems", "naive,raptor,tree,global", "--json")
    shape(kg(questions, "--systems", "naive", "--json"))
    planned = shape(kg(*given, "--dry-run"))
    assert planned["building"]["tree raptor"]["calls"] > 0
    assert planned["building"]["reports"]["calls"] > 0
    assert planned["systems"]["tree"]["calls"] == 4
    assert {"tree raptor", "reports", "tree", "global"} <= set(planned["estimated"])
    assert any("community reports" in each for each in planned["assumptions"])
    shape(kg(*given))
    planned, calls = shape(kg(*given, "--dry-run")), llm.calls
    assert {name: each["calls"] for name, each in planned["building"].items() if each["calls"]} == {}
    done = shape(kg(*given))
    assert {name: each["calls"] for name, each in done["systems"].items()} == {
        name: each["calls"] for name, each in planned["systems"].items()
    }
    assert done["paid"]["calls"] == llm.calls - calls


def test_the_judges_verdicts_are_the_scores(kg: Run, llm: FakeLlm, tmp_path: Path) -> None:
    found = shape(kg(narrative_set(tmp_path / "set"), "--kind", "gutenberg", "--systems", "naive", "--json"))
    assert found["judge"] == {"name": "scripted", "proxy": False}
    for case in found["cases"]:
        for golden in case["golden"]:
            right, others = len(golden["right"]), len(golden["wrong"]) + len(golden["missing"])
            assert golden["f1"] == pytest.approx(right / (right + 0.5 * others))
            assert golden["correctness"] == pytest.approx(0.25 * golden["similarity"] + 0.75 * golden["f1"])
        assert case["judging"]["calls"] == 1 + 2 + 2
    assert sum(is_judging(request.prompt) for request in llm.requests) == 10


def test_a_judge_of_its_own_judges_what_was_answered_offline(
    kg: Run, llm: FakeLlm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KG_JUDGE_BASE_URL", llm.url)
    monkeypatch.setenv("KG_JUDGE_MODEL", "scripted")
    for name in ("OPENAI_BASE_URL", "KG_MODEL"):
        monkeypatch.delenv(name)
    found = shape(kg(two_articles(tmp_path), "--systems", "naive", "--json"))
    assert (found["model"], found["judge"]) == (None, {"name": "scripted", "proxy": False})
    assert all(is_judging(request.prompt) for request in llm.requests)
    assert llm.calls == found["paid"]["calls"] > 0


def test_a_case_that_is_not_judged_is_counted_and_left_out_of_the_mean(kg: Run, llm: FakeLlm, tmp_path: Path) -> None:
    llm.rules = lambda prompt, user: "{}" if is_judging(prompt) and "Tom give back" in user else rules(prompt, user)
    questions = two_articles(tmp_path)
    found = shape(kg(questions, "--systems", "naive", "--json"))
    score = found["systems"]["naive"]
    judged = [case["correctness"] for case in found["cases"] if case["correctness"] is not None]
    assert (score["unjudged"], len(judged)) == (1, 3)
    assert score["correctness"] == pytest.approx(sum(judged) / 3, abs=1e-4)
    unjudged = next(case for case in found["cases"] if case["correctness"] is None)
    assert (unjudged["judging"]["calls"], unjudged["golden"][0]["problem"][:11]) == (2, "statements:")
    _, out, _ = kg(questions, "--systems", "naive")
    assert "not judged: 1 cases, left out of the means of correctness" in out


def test_a_run_that_the_model_ends_goes_on_and_asks_nothing_twice(
    kg: Run, llm: FakeLlm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KG_MODEL_CONCURRENCY", "1")  # else calls in flight are answered after the refusal, and kept
    questions, save = two_articles(tmp_path), tmp_path / "run.jsonl"
    whole = shape(kg(questions, "--systems", "naive", "--json"))
    before = llm.calls
    given = (questions, "--systems", "naive", "--save", str(save), "--json")
    for answered in (0, 3, 9):
        llm.answer(answered).fail(401)
        assert kg(*given)[0] == 5
        llm.forget()
    done = shape(kg(*given))
    assert llm.calls - before == 16 + 3  # each refusal once
    assert without_times(json.dumps(done["systems"])) == without_times(json.dumps(whole["systems"]))
    assert done["cases"] == whole["cases"]
    again = kg(*given)
    assert llm.calls - before == 16 + 3
    assert json.loads(again[1])["taken"] == 4
    assert json.loads(again[1])["systems"] == done["systems"]


def test_the_file_has_a_line_a_case_and_a_last_line_that_was_cut_is_written_again(
    kg: Run, llm: FakeLlm, tmp_path: Path
) -> None:
    questions, save = two_articles(tmp_path), tmp_path / "run.jsonl"
    given = (questions, "--systems", "naive", "--save", str(save))
    first = kg(*given)
    lines = save.read_bytes().splitlines(keepends=True)
    cases = [row for row in map(json.loads, lines) if row["kind"] == "case"]
    assert [case["question"] for case in cases][3] == "Who opened the sluice?"
    assert {"question", "answer", "ground_truth", "correctness", "similarity"} <= cases[0].keys()
    save.write_bytes(b"".join(lines[:-1]) + lines[-1][: len(lines[-1]) // 2])
    calls = llm.calls
    assert kg(*given)[1] == first[1]
    assert llm.calls == calls
    assert save.read_bytes().splitlines() == [line.rstrip(b"\n") for line in lines]


def test_a_file_that_is_not_ours_is_refused_and_left_as_it_is(kg: Run, tmp_path: Path) -> None:
    save = tmp_path / "notes.jsonl"
    for foreign in ('{"note": "mine"}\n', "not JSON\n", "[1]\n"):
        save.write_text(foreign, "utf-8")
        code, _, err = kg(two_articles(tmp_path), "--systems", "naive", "--save", str(save))
        assert code == 1
        assert "line 1: not what" in err
        assert save.read_text("utf-8") == foreign


@pytest.mark.parametrize("option", ["--save", "--cases"])
def test_a_file_that_cannot_be_written_is_said_before_anything_is_paid(
    kg: Run, llm: FakeLlm, tmp_path: Path, option: str
) -> None:
    for place in (tmp_path, tmp_path / "nowhere" / "run"):
        code, _, err = kg(two_articles(tmp_path), "--systems", "naive", option, str(place))
        assert code == 2, err
        assert "cannot write" in err
    assert llm.calls == 0


def test_a_budget_ends_the_run_and_a_larger_one_goes_on(kg: Run, llm: FakeLlm, tmp_path: Path) -> None:
    questions, save = two_articles(tmp_path), tmp_path / "run.jsonl"
    shape(kg(questions, "--systems", "naive", "--json"))
    before = llm.calls
    given = (questions, "--systems", "naive", "--save", str(save), "--json")
    code, out, _ = kg(*given, "--budget-usd", "0.0028")
    assert (code, json.loads(out)["error"]["type"]) == (3, "BudgetReached")
    some = llm.calls - before
    assert 0 < some < 16
    done = shape(kg(*given, "--budget-usd", "1"))
    assert llm.calls - before == 16
    assert done["paid"]["calls"] == 16 - some
    assert sum(score["calls"] + score["judging"]["calls"] for score in done["systems"].values()) == 16


def test_answers_of_the_judge_are_cached_across_runs(
    kg: Run, llm: FakeLlm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KG_ANSWER_CACHE", "1")
    questions = two_articles(tmp_path)
    first = shape(kg(questions, "--systems", "naive", "--json"))
    again = shape(kg(questions, "--systems", "naive", "--json"))
    assert (first["paid"]["calls"], again["paid"]["calls"]) == (16, 4)
    assert again["systems"]["naive"]["correctness"] == first["systems"]["naive"]["correctness"]


def test_plain_questions_are_judged_where_that_is_wanted(kg: Run, llm: FakeLlm, tmp_path: Path) -> None:
    corpus = write_lines(tmp_path / "corpus.jsonl", [{"idx": 0, "title": "The Mill", "text": MILL}])
    rows = [{"id": "1", "question": "Who opened the sluice?", "answer": "Ines", "answer_aliases": ["his daughter"]}]
    questions = write_lines(tmp_path / "questions.jsonl", rows)
    found = shape(kg(questions, "--corpus", str(corpus), "--systems", "naive", "--json"))
    assert [each["golden"] for each in found["cases"][0]["golden"]] == ["Ines"]
    assert found["paid"]["calls"] == 4
    assert (found["format"], found["texts"]) == ("questions", 0)


def test_without_a_graph_of_their_own_texts_get_one(
    kg: Run, tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["kg", "eval", "answers", "--questions", str(two_articles(tmp_path)), "--systems", "naive", "--json"]
    monkeypatch.setattr(sys, "argv", given)
    with pytest.raises(SystemExit):
        command_line.main()
    found = json.loads(capsys.readouterr().out)
    delete_graph(database, found["graph"])
    assert re.fullmatch(r"eval-[0-9a-f]{12}", found["graph"])
