"""Long texts that are embedded averaged, whole, truncated, and by their best piece."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from fake_llm import FakeLlm, Reply, Request
from kg_neo4j._models import embedding, tokens
from kg_neo4j.errors import ContextTooLong, UnreadableSource, UsageError
from kg_neo4j.factory import HASHED_EMBEDDING
from kg_neo4j.settings import Settings
from kg_neo4j_lab.retrieval.averaging import (
    AveragingOptions,
    AveragingResult,
    AveragingWay,
    averaging_table,
    plan_averaging,
    study_averaging,
)

HASHED = Settings(embedding_model=HASHED_EMBEDDING)
TEXTS, PASSAGES_A_TEXT, WORDS = 12, 8, 70  # 8 passages of some 140 tokens: 9 would be more than 1,200


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as server:
        yield server


def online(llm: FakeLlm, **changes: object) -> Settings:
    return Settings(openai_base_url=llm.url, openai_api_key="key", embedding_model="far", model_retries=0, **changes)


def lines(path: Path, rows: Sequence[object]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> tuple[list[str], list[str]]:
    """A corpus in which only the last passage of every eight holds the two words of a question."""
    passages = []
    for number in range(TEXTS * PASSAGES_A_TEXT):
        words = [f"ba{(number * 7 + word * word) % 40}" for word in range(WORDS)]
        last = number % PASSAGES_A_TEXT == PASSAGES_A_TEXT - 1
        passages.append({"idx": number + 100, "title": "", "text": " ".join(words + [f"zu{number}", "qi"] * 5 * last)})
    questions = [
        {"id": str(number), "question": f"qi zu{number}?", "gold": [number + 100]}
        for number in range(PASSAGES_A_TEXT - 1, len(passages), PASSAGES_A_TEXT)
    ]
    return [lines(tmp_path / "corpus.jsonl", passages)], [lines(tmp_path / "questions.jsonl", questions)]


def only(results: tuple[AveragingResult, ...]) -> tuple[AveragingResult, dict[str, AveragingWay]]:
    assert len(results) == 1
    return results[0], {way.way: way for way in results[0].ways}


def test_a_truncated_text_loses_its_end_and_the_best_piece_finds_it(files: tuple[list[str], list[str]]) -> None:
    study = study_averaging(*files, settings=HASHED, options=AveragingOptions())
    result, ways = only(study.results)
    assert (result.questions, result.passages, result.texts) == (TEXTS, TEXTS * PASSAGES_A_TEXT, TEXTS)
    assert result.pieces_per_text == 3
    assert list(ways) == ["averaged", "whole", "truncated", "best piece"]
    assert ways["best piece"].recall == {2: 1.0, 5: 1.0}
    assert ways["truncated"].recall[5] < 0.7  # 5 of 12 texts, drawn by words that say nothing
    assert ways["truncated"].beyond_averaged.points < -20
    low, high = ways["truncated"].interval[5]
    assert low < ways["truncated"].recall[5] < high
    assert ways["averaged"].beyond_averaged.points == 0
    assert study.embedder == HASHED_EMBEDDING


def test_an_averaged_vector_is_the_one_that_a_load_stores(files: tuple[list[str], list[str]]) -> None:
    """Rankings by `embed_texts`, which loads use, give the recall that the study prints."""
    from kg_neo4j_lab.retrieval.flat import Dense
    from kg_neo4j_lab.retrieval.questions import CorpusPassage, read_passages
    from kg_neo4j_offline.embedder.hashed_embedding import HashedEmbedding

    passages = read_passages(files[0][0])
    joined = [passages[start : start + PASSAGES_A_TEXT] for start in range(0, len(passages), PASSAGES_A_TEXT)]
    texts = ["\n\n".join(f"{each.title}\n{each.text}" for each in group) for group in joined]
    dense = Dense(
        [CorpusPassage(number, "", text) for number, text in enumerate(texts)], HashedEmbedding(), tokens.load()
    )
    asked = [f"qi zu{number}?" for number in range(PASSAGES_A_TEXT - 1, len(passages), PASSAGES_A_TEXT)]
    found = [number in dense.rank(question)[:2] for number, question in enumerate(asked)]
    _, ways = only(study_averaging(*files, settings=HASHED, options=AveragingOptions()).results)
    assert ways["averaged"].recall[2] == pytest.approx(sum(found) / TEXTS)
    assert any(found)


def test_a_ranking_by_words_is_fused_where_that_is_asked_for(files: tuple[list[str], list[str]]) -> None:
    alone, fused = (
        study_averaging(*files, settings=HASHED, options=AveragingOptions(words=words)) for words in (False, True)
    )
    assert (alone.words, fused.words) == (False, True)
    (_, before), (_, after) = only(alone.results), only(fused.results)
    assert after["truncated"].recall[2] > before["truncated"].recall[2]  # no other text has the question's words
    assert after["averaged"].beyond_averaged.points == 0
    assert "and words" in averaging_table(fused).title


def test_texts_within_the_limit_are_the_same_in_every_way(files: tuple[list[str], list[str]]) -> None:
    result, ways = only(study_averaging(*files, settings=HASHED, options=AveragingOptions((440,))).results)
    assert result.pieces_per_text == 1
    assert len({way.recall[5] for way in ways.values()}) == 1
    assert {way.beyond_averaged.points for way in ways.values()} == {0.0}


def test_a_text_that_holds_two_passages_of_a_question_is_needed_once(tmp_path: Path) -> None:
    rows = [{"idx": number, "title": "", "text": f"zu{number} " * 20} for number in range(100, 112)]
    corpus = lines(tmp_path / "c.jsonl", rows)
    questions = lines(tmp_path / "q.jsonl", [{"id": "1", "question": "zu100 zu101", "gold": [100, 101]}])
    options = AveragingOptions((90,))
    result, ways = only(study_averaging([corpus], [questions], settings=HASHED, options=options).results)
    assert result.texts == 6
    assert ways["averaged"].recall[2] == 1.0


def test_several_sets_and_lengths_are_rows_of_one_table(files: tuple[list[str], list[str]]) -> None:
    corpora, questions = files
    options = AveragingOptions((600, 1200, 600))
    study = study_averaging(corpora * 2, questions * 2, settings=HASHED, options=options)
    assert [each.chunk_tokens for each in study.results] == [600, 1200, 600, 1200]
    assert study.results[:2] == study.results[2:]
    table = averaging_table(study)
    assert len(table.rows) == 4 * 4
    assert all(len(row) == len(table.columns) for row in table.rows)
    shown = dict(zip(table.columns, table.rows[7], strict=True))
    assert (shown["Tokens"], shown["Pieces"], shown["Way"], shown["R@5"]) == (1200, 3, "best piece", 100)


def test_a_server_gets_no_text_that_is_longer_than_what_it_is_known_to_read(
    llm: FakeLlm, files: tuple[list[str], list[str]]
) -> None:
    study = study_averaging(*files, settings=online(llm), options=AveragingOptions())
    _, ways = only(study.results)
    assert list(ways) == ["averaged", "truncated", "best piece"]
    sent = [text for request in llm.requests for text in request.body["input"]]
    counts = [tokens.load().count(text) for text in sent]
    assert max(counts) <= embedding.LIMIT_TOKENS + 1  # a cut within a word may give one token more
    assert "is given 450 tokens at most: --whole sends longer texts whole, too" in study.notes[-1]


def test_texts_are_sent_whole_where_that_is_asked_for(llm: FakeLlm, files: tuple[list[str], list[str]]) -> None:
    study = study_averaging(*files, settings=online(llm), options=AveragingOptions(whole=True))
    _, ways = only(study.results)
    assert list(ways) == ["averaged", "whole", "truncated", "best piece"]
    sent = [text for request in llm.requests for text in request.body["input"]]
    assert sum(tokens.load().count(text) > 1_000 for text in sent) == TEXTS
    assert not any("--whole" in note for note in study.notes)


class Short(FakeLlm):
    """Refuses a text of more than 512 tokens, as a server does whose model reads no more."""

    def reply_to(self, request: Request) -> Reply:
        if all(tokens.load().count(text) <= 512 for text in request.body["input"]):
            return super().reply_to(request)
        error = {"message": "maximum context length is 512 tokens", "code": "context_length_exceeded"}
        return self.json({"error": error}, 400)


def test_a_server_that_refuses_whole_texts_ends_the_study(files: tuple[list[str], list[str]]) -> None:
    with Short() as short, pytest.raises(ContextTooLong, match="512 tokens"):
        study_averaging(*files, settings=online(short), options=AveragingOptions(whole=True))


@pytest.mark.parametrize("whole", [False, True])
def test_a_plan_counts_what_is_embedded_and_calls_no_server(
    llm: FakeLlm, files: tuple[list[str], list[str]], tmp_path: Path, whole: bool
) -> None:
    (tmp_path / "prices.toml").write_text("[far]\ninput = 2.0\n", "utf-8")
    settings, options = online(llm, prices=tmp_path / "prices.toml"), AveragingOptions(whole=whole)
    (plan,) = plan_averaging(*files, settings=settings, options=options)
    assert llm.requests == []
    study_averaging(*files, settings=settings, options=options)
    sent = [text for request in llm.requests for text in request.body["input"] if text != "dimension"]
    assert plan.embedded == len(sent)
    assert plan.tokens == sum(tokens.load().count(text) for text in sent)
    assert plan.usd == pytest.approx(2e-6 * plan.tokens)


def test_the_built_in_embedder_costs_nothing_and_an_unknown_price_is_not_nought(
    llm: FakeLlm, files: tuple[list[str], list[str]]
) -> None:
    assert plan_averaging(*files, settings=HASHED, options=AveragingOptions())[0].usd == 0.0
    assert plan_averaging(*files, settings=online(llm), options=AveragingOptions())[0].usd is None


def test_each_corpus_needs_its_questions(files: tuple[list[str], list[str]], tmp_path: Path) -> None:
    corpora, questions = files
    with pytest.raises(UsageError, match="passages: 2, of questions: 1"):
        study_averaging(corpora * 2, questions, settings=HASHED, options=AveragingOptions())
    with pytest.raises(UsageError, match="at least one token"):
        study_averaging(corpora, questions, settings=HASHED, options=AveragingOptions((0,)))
    with pytest.raises(UnreadableSource, match="no question"):
        study_averaging(corpora, [lines(tmp_path / "none.jsonl", [])], settings=HASHED, options=AveragingOptions())


def test_averaging_keeps_what_truncating_loses_on_a_published_set(shared_data: Path) -> None:
    folder = shared_data / "multihop" / "hotpotqa_dev"
    study = study_averaging(
        [str(folder / "corpus.jsonl")],
        [str(folder / "questions.jsonl")],
        settings=Settings(),
        options=AveragingOptions(),
    )
    result, ways = only(study.results)
    assert result.questions == 100
    assert 2.8 < result.pieces_per_text < 3.2
    assert ways["truncated"].beyond_averaged.high < -5
    assert abs(ways["whole"].beyond_averaged.points) < 5
    assert ways["best piece"].beyond_averaged.low > 0
