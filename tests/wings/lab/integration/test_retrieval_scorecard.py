"""kg eval retrieval, on a corpus of a few passages in a real Neo4j."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kg_neo4j._cli import app as command_line
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.retrieve import projection_cache

Run = Callable[..., tuple[int, str, str]]
PASSAGES = [
    ("Rain Road (film)", "Rain Road is a 1931 film directed by Ada Lind in Bergen."),
    ("Ada Lind", "Ada Lind (4 May 1890 – 3 June 1950) was a Norwegian director. She was born in Oslo."),
    *(
        (f"Note {n}", f"Number {n}: a film director was born, and where the director of the film was is not known.")
        for n in range(8)
    ),
]
QUESTIONS = [
    {"id": "q1", "question": "Where was the director of the film Rain Road born?", "gold": [0, 1], "type": "bridge"},
    {"id": "q2", "question": "When did Ada Lind die?", "gold": [1], "type": "single"},
]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    corpus, questions = tmp_path / "corpus.jsonl", tmp_path / "questions.jsonl"
    rows = [{"idx": number, "title": title, "text": text} for number, (title, text) in enumerate(PASSAGES)]
    corpus.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    questions.write_text("\n".join(map(json.dumps, QUESTIONS)), encoding="utf-8")
    return str(corpus), str(questions)


@pytest.fixture
def evaluate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], database: Database, files: tuple[str, str]
) -> Iterator[Run]:
    """Run `kg eval retrieval` in this process: exit code, standard output, standard error."""
    address = database.address
    monkeypatch.setenv("NEO4J_URI", address.uri)
    monkeypatch.setenv("NEO4J_USERNAME", address.username)
    monkeypatch.setenv("NEO4J_PASSWORD", address.password)
    graphs = set()

    def run(*arguments: str) -> tuple[int, str, str]:
        corpus, questions = files
        monkeypatch.setattr(
            sys, "argv", ["kg", "eval", "retrieval", "--corpus", corpus, "--questions", questions, *arguments]
        )
        with pytest.raises(SystemExit) as exit_:
            command_line.main()
        output = capsys.readouterr()
        if "--json" in arguments and output.out.startswith("{"):
            graphs.add(json.loads(output.out)["graph"])
        return int(exit_.value.code or 0), output.out, output.err

    yield run
    for graph in graphs:
        projection_cache.forget(database, graph)
        delete_graph(database, graph)


def test_the_walk_finds_what_flat_search_does_not(evaluate: Run, tmp_path: Path) -> None:
    code, out, _ = evaluate("--json", "--k", "2", "--k", "5")
    assert code == 0
    shape = json.loads(out)
    assert set(shape["modes"]) == {"bm25", "dense", "fusion", "naive", "local"}
    assert (shape["passages"], shape["questions"]) == (10, 2)
    for each in shape["modes"].values():
        assert {"recall", "all_gold", "mrr", "ms_p50", "ms_p95"} <= set(each)
    assert shape["modes"]["local"]["recall"]["2"] == 1.0
    assert set(shape["modes"]["local"]["types"]) == {"bridge", "single"}
    assert shape["by_question"]["local"] == {"q1": 1.0, "q2": 1.0}
    assert set(shape["differences"]) == {"naive", "local"}
    saved = tmp_path / "saved.json"
    saved.write_text(out, encoding="utf-8")
    code, out, err = evaluate("--against", str(saved), "--k", "5")
    assert (code, err) == (0, "")
    assert "local: +0.0 (+0.0 to +0.0) points against the saved run" in out
    assert "again:  kg eval retrieval --corpus" in out
    assert f"--k 5 --against {saved}" in out
    assert "beyond" in out


def test_a_long_passage_does_not_take_the_places_of_others(evaluate: Run, files: tuple[str, str]) -> None:
    long = "\n\n".join(f"In year {n} a director of the film was born, and the film was made." * 40 for n in range(20))
    rows = [{"idx": number, "title": f"Film {number}", "text": text} for number, text in enumerate((long, "A film."))]
    Path(files[0]).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    question = {"id": "q", "question": "When was the director of the film born?", "gold": [0, 1]}
    Path(files[1]).write_text(json.dumps(question), encoding="utf-8")
    shape = json.loads(evaluate("--json", "--k", "2", "--mode", "naive")[1])
    assert shape["modes"]["naive"]["recall"]["2"] == 1.0


def test_triples_of_another_extractor_are_the_graph(evaluate: Run, tmp_path: Path) -> None:
    said = {
        PASSAGES[0][1]: [["Rain Road", "directed by", "Ada Lind"], ["Rain Road", "in", "Bergen"]],
        PASSAGES[1][1]: [["Ada Lind", "was born in", "Oslo"]],
    }
    docs = [{"text": text, "extracted_triples": triples} for text, triples in said.items()]
    file = tmp_path / "triples.json"
    file.write_text(json.dumps({"docs": docs}), encoding="utf-8")
    code, out, err = evaluate("--json", "--mode", "local", "--triples", str(file))
    shape = json.loads(out)
    assert (code, shape["nodes"], shape["relationships"]) == (0, 4, 3)
    assert f"{file} says nothing of 8 of 10 passages" in err
    assert shape["modes"]["local"]["recall"]["2"] == 1.0
    assert shape["graph"] != json.loads(evaluate("--json", "--mode", "naive")[1])["graph"]


def test_the_corpus_is_loaded_once(evaluate: Run, database: Database) -> None:
    first, again = (json.loads(evaluate("--json")[1]) for _ in range(2))
    assert first["graph"] == again["graph"]
    assert (first["nodes"], first["relationships"]) == (again["nodes"], again["relationships"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(("--mode", "tree"), "no mode 'tree' to measure"), (("--against", "nowhere.json"), "no file 'nowhere.json'")],
)
def test_what_cannot_be_measured_is_said_before_anything_is_loaded(
    evaluate: Run, arguments: tuple[str, ...], words: str
) -> None:
    code, _, err = evaluate(*arguments)
    assert code in (1, 2)
    assert words in err


def test_a_run_of_other_questions_is_not_compared(evaluate: Run, tmp_path: Path) -> None:
    shape = json.loads(evaluate("--json", "--limit", "1")[1])
    saved = tmp_path / "saved.json"
    saved.write_text(json.dumps(shape), encoding="utf-8")
    code, _, err = evaluate("--against", str(saved))
    assert code == 2
    assert "other questions" in err


def test_a_published_pool_is_measured_next_to_published_figures(
    evaluate: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    measured = json.loads(evaluate("--json", "--k", "2")[1])["modes"]["local"]["recall"]["2"]
    corpus = [{"title": title, "text": text} for title, text in PASSAGES]
    questions = [
        {**each, "paragraphs": [{**corpus[n], "is_supporting": n in each["gold"]} for n in (0, 1, 2)]}
        for each in QUESTIONS
    ]
    pool = tmp_path / "dataset"
    pool.mkdir()
    (pool / "musique_corpus.json").write_text(json.dumps(corpus), encoding="utf-8")
    (pool / "musique.json").write_text(json.dumps(questions), encoding="utf-8")
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[4] / "benchmarks"))
    import published

    monkeypatch.setattr(sys, "argv", ["published.py", str(pool)])
    published.main()
    out = capsys.readouterr().out
    rows = {cells[1].strip(): cells for line in out.splitlines() if len(cells := line.split("|")) > 7}
    assert rows["local"][2].strip().startswith(f"{100 * measured:.1f} (")
    assert rows["HippoRAG 2"][3].strip() == "74.7"
    assert "Not comparable: this is not the published pool of MuSiQue. It has 2 questions over 10 passages" in out
