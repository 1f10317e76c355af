"""Passages and short answers without a model, claims of a model that are checked, what is cited as a graph; Neo4j."""

from __future__ import annotations

import json
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fake_llm import FakeLlm
from film_graph import DOCUMENTS, MODEL, TOKENISER, answer, by_model, load_films, mark
from kg_neo4j._cli import app as command_line
from kg_neo4j.errors import UsageError
from kg_neo4j.factory import without_model
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.organise import search_indexes
from kg_neo4j.records import Answer, Filters
from kg_neo4j.retrieve.ask import NOT_FOUND
from kg_neo4j.retrieve.ask_context import AskContext
from kg_neo4j.retrieve.checking.citations import quotes_are_in_place
from kg_neo4j.retrieve.subgraph import QUERY, browser_text, parameters
from small_graph import load


@pytest.fixture(scope="module")
def films(database: Database) -> Iterator[str]:
    """A small graph of films, for tests that only read."""
    graph = f"test-films-{uuid.uuid4().hex[:12]}"
    load_films(database, graph)
    yield graph
    delete_graph(database, graph)


def assert_citations_hold(database: Database, graph: str, given: Answer) -> None:
    ids = [each.chunk_id for each in given.citations]
    rows = database.read(queries.get("retrieve/cited_chunks"), graph=graph, ids=ids)
    assert quotes_are_in_place(given.citations, {row["id"]: row["text"] for row in rows})


# ------------------------------------------------------------------------- lives and overviews, without a model


@pytest.mark.parametrize(
    ("question", "short", "words"),
    [
        ("How many documents are there?", "6", ["6 documents, ", "Hald Castle"]),
        ("What are these documents about?", "", ["- Ada Lind (", "and 1 more", "Mentioned and connected most: "]),
        ("What is Rain Road about?", "", ["1 document, ", "Rain Road is a 1931 drama film directed by Ada Lind"]),
        ("What are the main names in these documents?", "", ["- Ada Lind [", "- Rain Road [", "- Oslo ["]),
        ("When did Ada Lind die?", "3 June 1950", ["3 June 1950 [1]"]),
        ("How old was Ada Lind when she died?", "60", ["60 [1]"]),
    ],
)
def test_lives_and_overviews(database: Database, films: str, question: str, short: str, words: list[str]) -> None:
    given = answer(database, films, question)
    assert given.short == short
    assert given.found
    assert all(each in given.answer for each in words), given.answer
    assert_citations_hold(database, films, given)
    assert all(claim.support == "supported" for claim in given.claims)


def test_text_in_another_language_limits_an_answer(database: Database, graph: str) -> None:
    load(database, graph, "Ada Lind", ["Ada Lind wurde in Oslo geboren. Sie lebte in Bergen."], [[]])
    search_indexes.create_fulltext(database)
    assert answer(database, graph, "Where did Ada Lind live?").limits == ()
    database.driver.execute_query("MATCH (d:Document {graph: $graph}) SET d.language = 'de'", graph=graph)
    for mode in ("naive", "local"):
        (line,) = answer(database, graph, "Where did Ada Lind live?", mode=mode).limits
        assert "text in 'de'" in line


def test_an_overview_keeps_to_the_filters(database: Database, films: str) -> None:
    given = answer(database, films, "How many documents are there?", filters=Filters(documents=("Ada Lind",)))
    assert (given.short, "Hugo" in given.answer) == ("1", False)


# ------------------------------------------------------------------ passages and short answers, without a model


@pytest.mark.parametrize("mode", ["auto", "local", "naive"])
@pytest.mark.parametrize(
    ("question", "short", "said"),
    [
        ("Where was Ada Lind born?", "Oslo, Norway", "She was born in Oslo, Norway."),
        ("Where did Hugo Lind die?", "Bergen", "He died in Bergen."),
        ("When was Tom Berg born?", "1 March 1902", "Tom Berg (born 1 March 1902) was a Danish film director."),
    ],
)
def test_a_short_answer_stands_above_the_words_that_state_it(
    database: Database, films: str, question: str, short: str, said: str, mode: str
) -> None:
    given = answer(database, films, question, mode=mode)
    assert (given.found, given.short, given.answer) == (True, short, f"{short} [1]\n{said} [1]")
    assert [(each.text, each.support, each.judged_by) for each in given.claims] == [
        (short, "supported", "path"),
        (said, "supported", "words"),
    ]
    assert [(step.target, step.citation) for step in given.path] == [(short, 1)]
    assert given.citations == (given.passages[0].citation,)
    assert (given.usage.calls, given.evidence[0].text) == (0, said)
    assert_citations_hold(database, films, given)


@pytest.mark.parametrize("mode", ["auto", "local", "naive"])
def test_without_a_short_answer_the_best_sentence_and_three_passages_are_given(
    database: Database, films: str, mode: str
) -> None:
    given = answer(database, films, "Why did Ada Lind leave Oslo?", mode=mode)
    best = given.passages[0]
    assert (given.found, given.answer) == (False, "She was born in Oslo, Norway. [1]")
    assert (given.short, given.claims, given.path) == ("", (), ())
    assert (given.citations, given.evidence[0].text) == ((best.citation,), best.citation.quote)
    assert best.before == "Ada Lind (4 May 1890 – 3 June 1950) was a Norwegian film director."
    assert (best.citation.quote, best.after) == ("She was born in Oslo, Norway.", "Her father was Hugo Lind.")
    assert [each.citation.document for each in given.passages] == ["Ada Lind", "Rain Road (film)", "Hugo Lind"]
    assert_citations_hold(database, films, replace(given, citations=tuple(each.citation for each in given.passages)))


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("When was the director of film Rain Road born?", "Rain Road (film)"),
        ("Which film came out first, Salt or Rain Road?", "Rain Road (film)"),
        ("Are Ada Lind and Tom Berg from the same country?", "Tom Berg"),
        ("How many people visited Hald Castle in 2018?", "Hald Castle"),
        ("Who wrote Rain Road?", "Rain Road (film)"),
        ("Where did the mother of Tom Berg die?", "Tom Berg"),
        ("Who was the father of Tom Berg?", "Tom Berg"),
    ],
)
def test_what_no_clause_states_has_no_short_answer(
    database: Database, films: str, question: str, document: str
) -> None:
    given = answer(database, films, question, mode="local")
    assert (given.found, given.short, given.path, given.claims) == (False, "", (), ())
    assert given.passages[0].citation.document == document


@pytest.mark.parametrize("question", ["Who painted Zorblax?", "When did the moon fall down?", "?!"])
def test_names_and_words_that_no_passage_has_give_no_passages(database: Database, films: str, question: str) -> None:
    given = answer(database, films, question, mode="local")
    assert (given.found, given.answer, given.citations, given.passages) == (False, NOT_FOUND, (), ())


@pytest.mark.parametrize("question", ["Who directed ?", "Who was born first, or ?", "Are and both ?", "the father of"])
def test_questions_without_a_name_have_no_short_answer(database: Database, films: str, question: str) -> None:
    assert answer(database, films, question, mode="local").short == ""


def test_passages_keep_to_what_filters_leave(database: Database, films: str) -> None:
    filters = Filters(documents=("Rain Road (film)",))
    given = answer(database, films, "Where was the director of film Rain Road born?", mode="local", filters=filters)
    assert [each.citation.document for each in given.passages] == ["Rain Road (film)"]
    assert given.citations == (given.passages[0].citation,)
    assert {each.document for each in given.evidence if each.chunk_id} == {"Rain Road (film)"}


# --------------------------------------------------------------------------------------------- claims of a model


def say(text: str) -> Callable[[str, str], str]:
    """Return rules that answer with `text`, its {words} replaced by the mark of the passage that has them."""

    def rules(_: str, user: str) -> str:
        if "Claim 1:" in user:
            return '{"claims": [{"claim": 1, "verdict": "unsupported", "reason": "no such thing"}]}'
        return text.replace("{oslo}", mark(user, "born in Oslo")).replace("{rain}", mark(user, "1931 drama"))

    return rules


QUESTION = "Where was the director of Rain Road born?"


def test_claims_are_marked_where_their_sources_do_not_support_them(database: Database, films: str) -> None:
    with FakeLlm(
        rules=say("Ada Lind directed Rain Road [{rain}]. She was born in Paris [{oslo}]. She was kind.")
    ) as llm:
        given = by_model(database, films, llm, QUESTION)
    assert given.answer == "Ada Lind directed Rain Road [1]. She was born in Paris [2] [contradicted]. She was kind."
    assert [claim.support for claim in given.claims] == ["supported", "contradicted", "uncited"]
    assert any("says Oslo, not Paris" in note for note in given.notes)
    assert_citations_hold(database, films, given)


def test_claims_are_dropped_where_that_is_wanted(database: Database, films: str) -> None:
    with FakeLlm(
        rules=say("She was born in Paris [{oslo}]. Ada Lind directed Rain Road [{rain}]. She was kind.")
    ) as llm:
        given = by_model(database, films, llm, QUESTION, unsupported="drop")
    assert given.answer == "Ada Lind directed Rain Road [1]."
    assert len(given.citations) == 1
    assert any("dropped as contradicted" in note for note in given.notes)
    assert any("1 sentences were dropped" in note for note in given.notes)


def test_an_answer_of_which_nothing_is_left_is_replaced_by_the_sources_own_words(
    database: Database, films: str
) -> None:
    with FakeLlm(rules=say("She was born in Paris [{oslo}].")) as llm:
        given = by_model(database, films, llm, QUESTION, unsupported="drop")
    assert (given.found, given.answer) == (False, f"{DOCUMENTS['Rain Road (film)'][0]} [1]")
    assert given.citations == (given.passages[0].citation,)
    assert any("nothing in the model's answer was supported" in note for note in given.notes)


def test_a_model_judges_all_claims_in_one_call_and_accuses_only_where_words_are_missing_too(
    database: Database, films: str
) -> None:
    verdicts = [
        {"claim": n, "verdict": verdict, "reason": "no such thing"}
        for n, verdict in enumerate(("unsupported", "unsupported", "supported"), 1)
    ]
    said = (
        "Ada Lind directed Rain Road [{rain}]. Her childhood passed happily [{oslo}]. Oslo saw her come into the world "
        "[{oslo}]. She was born in Paris [{oslo}]."
    )
    with FakeLlm() as llm:
        answers = say(said)
        llm.rules = lambda prompt, user: (
            json.dumps({"claims": verdicts}) if "Claim 1:" in user else answers(prompt, user)
        )
        given = by_model(database, films, llm, QUESTION, judge=True)
        assert llm.calls == 2
    assert [(claim.support, claim.judged_by) for claim in given.claims] == [
        ("quoted", "model"),
        ("not all quoted", "model"),
        ("supported", "model"),
        ("contradicted", "words"),
    ]
    assert [claim.reason for claim in given.claims[:3]] == ["no such thing", "no such thing", ""]
    assert any("judged 3 of 4 claims" in note for note in given.notes)
    assert (given.usage.calls, given.usage.usd) == (2, pytest.approx(0.00028))


def test_what_a_judge_finds_beside_the_question_is_shown_so_and_is_no_short_answer(
    database: Database, films: str
) -> None:
    verdict = '{"claims": [{"claim": 1, "verdict": "beside", "reason": "asks for the father"}]}'
    with FakeLlm() as llm:
        llm.rules = lambda _, user: (
            verdict
            if "Claim 1:" in user
            else f"Oslo saw her birth, in Norway [{mark(user, 'born in Oslo')}].\nShort answer: Oslo"
        )
        given = by_model(database, films, llm, "Where was the father of Ada Lind born?", judge=True)
        shown = llm.requests[-1].user
    assert (given.answer, given.short) == ("Oslo saw her birth, in Norway [1] [beside the question].", "")
    assert [(claim.support, claim.reason) for claim in given.claims] == [("beside the question", "asks for the father")]
    assert "Asked: Where was the father of Ada Lind born?" in shown


def test_ten_claims_are_judged_in_one_call(database: Database, films: str) -> None:
    with FakeLlm() as llm:
        llm.rules = lambda _, user: (
            '{"claims": []}'
            if "Claim 1:" in user
            else " ".join(f"Clouds gathered over hill number {n} [{mark(user, '1931')}]." for n in range(11))
        )
        given = by_model(database, films, llm, QUESTION, judge=True)
        asked = [each.user for each in llm.requests[1:]]
    assert len(given.claims) == 11
    assert [text.count("Asked: ") for text in asked] == [10, 1]


@pytest.mark.parametrize(
    "said",
    [
        "nonsense",
        '{"claims": "all"}',
        '{"claims": [{"claim": 9, "verdict": "unsupported"}, 3]}',
        "[]",
        '{"claims": [{"claim": 1, "verdict": "no"}]}',
        '{"claims": [{"claim": 1, "verdict": ["supported"]}]}',
    ],
)
def test_a_judge_that_makes_no_sense_leaves_the_verdict_to_the_words(database: Database, films: str, said: str) -> None:
    with FakeLlm() as llm:
        llm.rules = lambda _, user: (
            said if "Claim 1:" in user else f"Ada Lind thought of rain first [{mark(user, '1931')}]."
        )
        given = by_model(database, films, llm, QUESTION, judge=True)
    assert [(claim.support, claim.judged_by) for claim in given.claims] == [("quoted", "words")]


@pytest.mark.parametrize("status", [401, 500])
def test_an_answer_is_not_lost_because_its_judge_fails(database: Database, films: str, status: int) -> None:
    with FakeLlm(rules=say("Ada Lind directed Rain Road [{rain}].")) as llm:
        llm.answer(1).fail(status, message="no")
        given = by_model(database, films, llm, QUESTION, judge=True)
    assert given.answer == "Ada Lind directed Rain Road [1]."
    assert [(claim.support, claim.judged_by) for claim in given.claims] == [("supported", "words")]
    assert any("did not judge the claims" in note for note in given.notes)


@pytest.mark.parametrize(
    ("line", "short"),
    [
        ("Short answer: Oslo", "Oslo"),
        ("**Short answer:** Oslo.", "Oslo"),
        ("Short answer: -", ""),
        ("Short answer: Paris", ""),
    ],
)
def test_the_models_short_answer_counts_where_a_source_says_it(
    database: Database, films: str, line: str, short: str
) -> None:
    with FakeLlm(rules=say(f"She was born in Oslo [{{oslo}}].\n{line}")) as llm:
        given = by_model(database, films, llm, QUESTION)
    assert given.short == short
    assert given.answer == "She was born in Oslo [1]."


def test_unknown_ways_to_treat_claims_are_refused() -> None:
    with pytest.raises(UsageError, match="keep"):
        AskContext(MODEL, TOKENISER, without_model(), unsupported="keep")


def test_what_is_cited_and_gone_when_the_answer_is_given_is_not_cited(database: Database, graph: str) -> None:
    for title, (text, facts) in DOCUMENTS.items():
        load(database, graph, title, [text], [facts])
    with FakeLlm() as llm:

        def rules(_: str, user: str) -> str:
            delete_graph(database, graph)  # while the model thinks
            return f"She was born in Oslo [{mark(user, 'born in Oslo')}]."

        llm.rules = rules
        given = by_model(database, graph, llm, QUESTION)
    assert (given.found, given.citations, given.claims, given.passages) == (False, (), (), ())
    assert any("ask again" in note for note in given.notes)


# ------------------------------------------------------------------------------------------------ as a graph


def test_the_cited_subgraph_has_the_cited_nodes_and_the_relationships_between_them_and_no_others(
    database: Database, films: str
) -> None:
    with FakeLlm(rules=say("Ada Lind directed Rain Road [{rain}]. She was born in Oslo [{oslo}].")) as llm:
        given = by_model(database, films, llm, QUESTION)
    row = database.read(queries.get(QUERY), **parameters(given, films))[0]
    labels = sorted(
        next(label for label in node.labels if label in ("Entity", "Chunk", "Document")) for node in row["nodes"]
    )
    names = {node["name"] for node in row["nodes"] if "Entity" in node.labels}
    assert labels.count("Chunk") == labels.count("Document") == 2
    assert names == {"Rain Road", "Ada Lind", "Oslo"}
    ids = {node.element_id for node in row["nodes"]}
    assert all({each.start_node.element_id, each.end_node.element_id} <= ids for each in row["relationships"])
    assert {each.type for each in row["relationships"]} == {"IN_DOCUMENT", "MENTIONED_IN", "DIRECTOR", "BORN_IN"}
    assert len({each.element_id for each in row["relationships"]}) == len(row["relationships"])


def test_the_text_for_browser_is_the_query_as_one_statement_and_runs(database: Database, films: str) -> None:
    given = answer(database, films, "Who directed Rain Road?", mode="local")
    text = browser_text(given, films)
    assert not [line for line in text.splitlines() if line.startswith(":")]
    with database.driver.session() as session:
        shown = session.run(text).single(strict=True)
        asked = session.run(queries.get(QUERY).text, parameters(given, films)).single(strict=True)
    assert {each.element_id for each in shown["nodes"]} == {each.element_id for each in asked["nodes"]}
    assert len(shown["nodes"]) == 4


def test_hostile_names_of_graphs_stay_literals(database: Database, films: str) -> None:
    name = "x'; MATCH (n) DETACH DELETE n; //\\"
    text = browser_text(answer(database, films, "Who directed Rain Road?"), name)
    with database.driver.session() as session:
        assert session.run(text).single(strict=True)["nodes"] == []


# ------------------------------------------------------------------------------------------- the command line


@pytest.fixture
def kg(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], database: Database
) -> Callable[..., tuple[int, str, str]]:
    """Run a command in this process: exit code, standard output, standard error."""
    address = database.address
    for name, value in (("URI", address.uri), ("USERNAME", address.username), ("PASSWORD", address.password)):
        monkeypatch.setenv(f"NEO4J_{name}", value)
    monkeypatch.setenv("KG_EMBEDDING_MODEL", MODEL.name)

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["kg", *arguments])
        with pytest.raises(SystemExit) as exit_:
            command_line.main()
        output = capsys.readouterr()
        return int(exit_.value.code or 0), output.out, output.err

    return run


def test_the_command_shows_path_sources_evidence_statistics_and_the_query(kg: Callable, films: str) -> None:
    code, out, _ = kg("ask", "Where did Hugo Lind die?", "--graph", films, "--show", "--stats", "--cypher")
    assert code == 0
    assert out.startswith("Bergen [1]\nHe died in Bergen. [1]\n")
    assert "Hugo Lind -says-> Bergen [1]" in out
    for words in (
        "  [1] Hugo Lind, chunk ",
        "The passages that fit best:\n  [1] Hugo Lind\n      Hugo Lind (1860 – 1921) was ",
        "\n    > He died in Bergen.\n",
        "claims:",
        "passages:",
        "took ",
        "no model call",
        "UNWIND [{chunk: '",
    ):
        assert words in out


def test_the_json_has_it_all(kg: Callable, films: str) -> None:
    code, out, _ = kg("ask", "Where did Hugo Lind die?", "--graph", films, "--json", "--cypher")
    found = json.loads(out)
    assert code == 0
    assert (found["short"], found["found"]) == ("Bergen", True)
    assert [(step["relation"], step["target"]) for step in found["path"]] == [("says", "Bergen")]
    assert found["passages"][0]["citation"] == found["citations"][0]
    assert found["claims"][0]["support"] == "supported"
    assert {"retrieval_seconds", "model_seconds", "seconds", "calls", "tokens", "usd", "citations"} <= set(found)
    assert "UNWIND [{chunk: '" in found["cypher"]


def test_a_stream_is_a_draft_and_the_checked_answer_follows_it(
    kg: Callable, films: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeLlm(rules=say("She was born in Paris [{oslo}].")) as llm:
        monkeypatch.setenv("OPENAI_BASE_URL", llm.url)
        monkeypatch.setenv("KG_MODEL", "fake")
        code, out, err = kg("ask", QUESTION, "--graph", films, "--stream", "--stats")
        assert llm.requests[0].body["stream"] is True
        _, plain, quiet = kg("ask", QUESTION, "--graph", films)
        _, data, _ = kg("ask", QUESTION, "--graph", films, "--stream", "--json")
        assert "stream" not in llm.requests[1].body
        assert "stream" not in llm.requests[2].body
    assert code == 0
    assert (
        err.index("draft, not checked yet:")
        < err.index("She was born in Paris [")
        < err.index("the answer, with its claims")
    )
    assert out.startswith("She was born in Paris [1] [contradicted].")
    assert "1 calls, 100 tokens in, 20 out, price not known" in out
    assert "draft" not in quiet
    assert plain.startswith("She was born in Paris [1] [contradicted].")
    assert json.loads(data)["answer"] == "She was born in Paris [1] [contradicted]."


def test_settings_say_who_judges_claims_and_what_happens_to_them(
    kg: Callable, films: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeLlm(rules=say("Her childhood passed happily [{oslo}]. She was born in Oslo [{oslo}].")) as llm:
        monkeypatch.setenv("OPENAI_BASE_URL", llm.url)
        monkeypatch.setenv("KG_MODEL", "fake")
        monkeypatch.setenv("KG_UNSUPPORTED", "drop")
        monkeypatch.setenv("KG_JUDGE", "true")
        _, data, _ = kg("ask", QUESTION, "--graph", films, "--json")
        assert llm.calls == 2
        monkeypatch.setenv("KG_JUDGE", "false")
        _, quoted, _ = kg("ask", QUESTION, "--graph", films, "--json")
        assert llm.calls == 3
    assert "childhood" in json.loads(quoted)["answer"]
    assert json.loads(data)["answer"] == "She was born in Oslo [1]."


def test_kg_eval_answers_scores_shows_and_goes_on(kg: Callable, films: str, tmp_path: Path) -> None:
    questions, saved = tmp_path / "questions.jsonl", tmp_path / "saved.jsonl"
    passage = "Rain Road is a 1931 drama film directed by Ada Lind in Bergen."
    rows = [
        {"id": "1", "question": "Where did Hugo Lind die?", "answer": "bergen!", "type": "two"},
        {"id": "2", "question": "When did Ada Lind die?", "answer": "3 June 1951", "type": "one"},
        {"id": "3", "question": "When did the moon fall down?", "answer": "never", "type": "one"},
        {"id": "4", "question": "Who wrote Rain Road?", "answer": passage, "type": "one"},  # no short answer: not found
    ]
    questions.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    given = ("eval", "answers", "--questions", str(questions), "--graph", films, "--save", str(saved))
    code, out, _ = kg(*given, "--limit", "1")
    assert code == 0
    assert "100.0" in out
    code, out, _ = kg(*given, "--json")
    found = json.loads(out)
    assert (code, found["asked"], found["taken"]) == (0, 4, 1)
    assert (found["found"], found["exact_match"]) == (0.5, 0.25)
    assert found["types"]["two"]["exact_match"] == 1.0
    assert found["f1"] == pytest.approx((1 + 2 / 3) / 4, abs=1e-4)
    assert found["citation_validity"] == 1.0
    assert len(saved.read_text(encoding="utf-8").splitlines()) == 4
    assert kg("eval", "answers", "--questions", str(questions), "--graph", films, "--corpus", "x")[0] == 2


def test_kg_eval_answers_loads_a_corpus(
    kg: Callable, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, questions = tmp_path / "corpus.jsonl", tmp_path / "questions.jsonl"
    rows = [{"idx": n, "title": title, "text": text} for n, (title, (text, _)) in enumerate(DOCUMENTS.items())]
    corpus.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    question = {"id": "1", "question": "When was Tom Berg born?", "answer": "1 March 1902"}
    questions.write_text(json.dumps(question), encoding="utf-8")
    code, out, err = kg("eval", "answers", "--questions", str(questions), "--corpus", str(corpus), "--json")
    assert code == 0, err
    found = json.loads(out)
    delete_graph(database, found["graph"])
    assert (found["exact_match"], found["asked"]) == (1.0, 1)


def test_kg_eval_answers_with_a_model_counts_what_it_costs_and_pays_no_answer_twice(
    kg: Callable, films: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions, prices = tmp_path / "questions.jsonl", tmp_path / "prices.toml"
    rows = [{"id": str(n), "question": QUESTION, "answer": "Oslo"} for n in range(3)]
    questions.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    prices.write_text("[fake]\ninput = 1.0\noutput = 2.0\n", encoding="utf-8")
    monkeypatch.setenv("KG_PRICES", str(prices))
    given = (
        "eval",
        "answers",
        "--questions",
        str(questions),
        "--graph",
        films,
        "--save",
        str(tmp_path / "saved"),
        "--json",
    )
    with FakeLlm(
        rules=say("She was born in Oslo [{oslo}]. She was born in Paris [{oslo}].\nShort answer: Oslo")
    ) as llm:
        monkeypatch.setenv("OPENAI_BASE_URL", llm.url)
        monkeypatch.setenv("KG_MODEL", "fake")
        llm.answer(2).fail(401)  # the run ends after two questions
        assert kg(*given)[0] == 5
        llm.forget()
        code, out, err = kg(*given)
        assert code == 0, err
        assert llm.calls == 4
    found = json.loads(out)
    assert (found["taken"], found["exact_match"], found["calls"]) == (2, 1.0, 3)
    assert (found["claim_precision"], found["citation_validity"]) == (0.5, 1.0)
    assert found["usd"] == pytest.approx(3 * 0.00014)


def test_what_a_terminal_obeys_is_not_printed(kg: Callable, films: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeLlm(rules=say("She was \x1b[2J\x07born in Oslo [{oslo}].\nShort answer: Os\x1blo")) as llm:
        monkeypatch.setenv("OPENAI_BASE_URL", llm.url)
        monkeypatch.setenv("KG_MODEL", "fake")
        _, out, err = kg("ask", QUESTION, "--graph", films, "--stream", "--show")
    assert "born in Oslo" in out
    assert not {"\x1b", "\x07"} & set(out + err)


def test_no_chunk_of_another_graph_is_cited(database: Database, films: str, graph: str) -> None:
    load(database, graph, "Hugo Lind", ["Hugo Lind (1860 – 1921) was a baker. He died in Narvik."], [[]])
    search_indexes.create_fulltext(database)
    assert answer(database, films, "Where did Hugo Lind die?", mode="local").short == "Bergen"
    assert answer(database, graph, "Where did Hugo Lind die?", mode="local").short == "Narvik"
