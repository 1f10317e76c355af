"""Readers of QuALITY and NarrativeQA, on small files in exactly their formats, and on broken ones."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from kg_neo4j.errors import SourceNotFound, UnreadableSource, UsageError
from kg_neo4j.records import SkippedSource
from kg_neo4j_lab.answers.published_sets import guess, read_content, read_set
from kg_neo4j_lab.answers.questions import QuestionSet, StorySelection, documents_of, graph_of, read_answered
from published_sets import (
    DOCUMENT_COLUMNS,
    MILL,
    QUESTION_COLUMNS,
    TOWER,
    narrative_set,
    quality_line,
    quality_question,
    two_articles,
    write_lines,
    write_table,
)

OPTIONS = ["one", "two", "three", "four"]


def read(path: Path, **wanted: object) -> QuestionSet:
    return read_set(str(path), None, StorySelection(**wanted))  # type: ignore[arg-type]


# ----------------------------------------------------------------------------------------------------------- QuALITY


def test_the_right_option_is_the_golden_answer_and_hard_questions_are_marked(tmp_path: Path) -> None:
    found = read(two_articles(tmp_path))
    assert found.form == "quality"
    assert [(each.id, each.answers, each.is_hard) for each in found.questions] == [
        ("10001_AAAA1111_1", ("The lamp",), False),
        ("10001_AAAA1111_2", ("Tom, her brother",), True),
        ("10001_BBBB2222_1", ("The harbour money",), False),
        ("10002_AAAA1111_1", ("Ines",), True),
    ]
    assert found.refused == ()
    assert all(len(each.options) == 4 and each.answers[0] in each.options for each in found.questions)


def test_an_article_on_two_lines_is_one_text_and_its_questions_keep_to_it(tmp_path: Path) -> None:
    found = read(two_articles(tmp_path))
    assert [(story.key, story.title) for story in found.stories] == [
        ("quality/10001", "Story 10001"),
        ("quality/10002", "Story 10002"),
    ]
    assert [each.document for each in found.questions] == ["quality/10001"] * 3 + ["quality/10002"]
    documents = list(documents_of(found.stories, "g", []))
    assert [each.text for each in documents] == [TOWER, MILL]
    assert documents[0].url == "http://www.gutenberg.org/ebooks/10001"


@pytest.mark.parametrize(
    ("wanted", "stories", "questions"),
    [
        ({"kind": "gutenberg"}, 1, 3),
        ({"kind": "Slate"}, 1, 1),
        ({"kind": "science"}, 0, 0),
        ({"documents": 1}, 1, 3),
        ({"limit": 2}, 1, 2),
        ({"limit": 9}, 2, 4),
        ({"documents": 1, "limit": 1}, 1, 1),
    ],
)
def test_texts_and_questions_are_chosen(
    tmp_path: Path, wanted: dict[str, object], stories: int, questions: int
) -> None:
    found = read(two_articles(tmp_path), **wanted)
    assert (len(found.stories), len(found.questions)) == (stories, questions)


def test_the_markup_of_the_files_that_have_it_is_taken_off(tmp_path: Path) -> None:
    page = "<html><body><p>Ada lit the lamp.<br/>The ship &amp; its bell</p> <p>answered.</p></body></html>"
    path = write_lines(tmp_path / "q.dev", [quality_line(page, [quality_question("Who?", OPTIONS, 1)])])
    assert read(path).stories[0].read().split("\n\n")[-1] == "answered."
    assert "<" not in read(path).stories[0].read()


def test_what_gutenberg_puts_around_a_book_is_taken_off(tmp_path: Path) -> None:
    from published_sets import GUTENBERG

    row = quality_line(GUTENBERG.format(text=MILL), [quality_question("Who?", OPTIONS, 1)])
    assert read(write_lines(tmp_path / "q.dev", [row])).stories[0].read() == MILL


def test_a_test_file_has_no_labels_and_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "QuALITY.test", [quality_line(TOWER, [quality_question("Who?", OPTIONS, None)])])
    with pytest.raises(UnreadableSource, match="no question has a gold_label") as refused:
        read(path)
    assert "not published" in str(refused.value.hint)


@pytest.mark.parametrize("label", [0, 5, -1, "2", 2.0, True, [1]])
def test_a_bad_label_is_refused_alone_and_said(tmp_path: Path, label: object) -> None:
    rows = [quality_question("Who?", OPTIONS, label), quality_question("What?", OPTIONS, 4, number=2)]
    found = read(write_lines(tmp_path / "q.dev", [quality_line(TOWER, rows)]))
    assert [each.answers for each in found.questions] == [("four",)]
    assert "10001_AAAA1111_1" in found.refused[0].source
    assert "gold_label is not a number from 1 to 4" in found.refused[0].reason


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"options": None}, "options"),
        ({"options": ["a", 2]}, "options"),
        ({"options": ["", "b", "c", "d"]}, "right option is empty"),
        ({"question": ""}, "no question"),
        ({"difficult": 7}, "difficult"),
        ({"gold_label": None}, "no gold_label"),
    ],
)
def test_a_broken_question_is_refused_alone(tmp_path: Path, changed: dict[str, object], reason: str) -> None:
    rows = [{**quality_question("Who?", OPTIONS, 1), **changed}, quality_question("What?", OPTIONS, 4, number=2)]
    found = read(write_lines(tmp_path / "q.dev", [quality_line(TOWER, rows)]))
    assert len(found.questions) == 1
    assert reason in found.refused[0].reason


def test_questions_without_an_id_of_their_own_get_one(tmp_path: Path) -> None:
    rows = [quality_question("Who?", OPTIONS, 1), quality_question("What?", OPTIONS, 4)]
    for row in rows:
        del row["question_unique_id"]
    found = read(write_lines(tmp_path / "q.dev", [quality_line(TOWER, rows)]))
    assert [each.id for each in found.questions] == ["10001_AAAA1111_1", "10001_AAAA1111_2"]


def test_a_question_that_is_there_twice_is_asked_once(tmp_path: Path) -> None:
    row = quality_line(TOWER, [quality_question("Who?", OPTIONS, 1)])
    found = read(write_lines(tmp_path / "q.dev", [row, row]))
    assert (len(found.questions), len(found.refused)) == (1, 1)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"article": None}, "needs article_id, article"),
        ({"article": "  "}, "needs article_id, article"),
        ({"article_id": None}, "needs article_id"),
        ({"set_unique_id": 4}, "needs set_unique_id"),
        ({"questions": {"question": "Who?"}}, "not a list"),
        ({"questions": ["Who?"]}, "not a list"),
    ],
)
def test_a_line_that_is_none_is_named(tmp_path: Path, changed: dict[str, object], reason: str) -> None:
    good = quality_line(TOWER, [quality_question("Who?", OPTIONS, 1)])
    with pytest.raises(UnreadableSource, match=reason) as refused:
        read(write_lines(tmp_path / "q.dev", [good, {**good, **changed}]))
    assert "line 2" in str(refused.value)


def test_one_article_with_two_texts_is_refused(tmp_path: Path) -> None:
    question = quality_question("Who?", OPTIONS, 1)
    with pytest.raises(UnreadableSource, match="different texts"):
        read(write_lines(tmp_path / "q.dev", [quality_line(TOWER, [question]), quality_line(MILL, [question])]))


@pytest.mark.parametrize("wanted", [{"split": "train"}, {"summaries": True}])
def test_what_quality_does_not_have_is_said(tmp_path: Path, wanted: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="one file a set"):
        read(two_articles(tmp_path), **wanted)


def test_a_byte_order_mark_does_no_harm_and_another_encoding_is_refused(tmp_path: Path) -> None:
    path = two_articles(tmp_path)
    text = path.read_text(encoding="utf-8")
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert len(read(path).questions) == 4
    row = quality_line("The café was shut.", [quality_question("Who?", OPTIONS, 1)])
    path.write_bytes(json.dumps(row, ensure_ascii=False).encode("latin-1"))
    with pytest.raises(UnreadableSource, match="line 1: not UTF-8"):
        read(path)
    path.write_bytes(text.encode("utf-16"))
    with pytest.raises(UnreadableSource, match="line 1"):
        read(path)


def test_a_huge_line_is_refused_before_it_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kg_neo4j.acquire.json_lines.LONGEST_LINE", 4_000)
    row = quality_line("word " * 1_000, [quality_question("Who?", OPTIONS, 1)])
    with pytest.raises(UnreadableSource, match="longer than 4,000 bytes"):
        read(write_lines(tmp_path / "q.dev", [row]))


# ------------------------------------------------------------------------------------------------------- NarrativeQA


def test_both_golden_answers_are_kept_and_a_text_that_is_not_there_is_said(tmp_path: Path) -> None:
    found = read(narrative_set(tmp_path / "set"))
    assert found.form == "narrativeqa"
    assert [(each.text, each.held_against, each.document[-3:]) for each in found.questions] == [
        ("Who opened the sluice?", ("Ines", "Bram's daughter"), "aaa"),
        ("What was the dog's name?", ("Rusk",), "bbb"),
        ("What did Bram burn?", ("The book of debts", "His debts"), "aaa"),
    ]
    assert [each.id[-2:] for each in found.questions] == ["/1", "/1", "/2"]
    assert found.refused == (
        SkippedSource(
            f'The "Lost" Book ({"c" * 40})',
            f"no text tmp/{'c' * 40}.content: download_stories.sh of the set fetches it",
        ),
    )


def test_headers_of_gutenberg_and_markup_are_taken_off_the_texts(tmp_path: Path) -> None:
    found = read(narrative_set(tmp_path / "set"))
    book, film = documents_of(found.stories, "g", [])
    assert (book.text, book.title) == (MILL, "The Mill")
    assert "The lighthouse at Hald" in film.text
    assert "<pre" not in film.text
    assert "window" not in film.text
    assert film.title == "Tower, The (1931 film)"


@pytest.mark.parametrize(
    ("wanted", "titles"),
    [
        ({"kind": "gutenberg"}, ["The Mill"]),
        ({"kind": "movie"}, ["Tower, The (1931 film)"]),
        ({"kind": "imsdb"}, ["Tower, The (1931 film)"]),
        ({"split": "train"}, ["The Mill"]),
        ({"split": "valid", "kind": "gutenberg"}, []),
        ({"documents": 1}, ["The Mill"]),
    ],
)
def test_books_of_gutenberg_and_sets_are_chosen(tmp_path: Path, wanted: dict[str, object], titles: list[str]) -> None:
    found = read(narrative_set(tmp_path / "set"), **wanted)
    assert [story.title for story in found.stories] == titles
    assert {each.document for each in found.questions} == {story.key for story in found.stories}


def test_summaries_may_stand_for_the_texts(tmp_path: Path) -> None:
    found = read(narrative_set(tmp_path / "set"), summaries=True)
    assert [story.read() for story in found.stories] == ["Ines opens a sluice.", "A keeper lights a lamp."]
    assert found.refused[0].reason == "no summary in summaries.csv"
    assert found.stories[0].key != read(tmp_path / "set").stories[0].key


def test_the_folder_is_found_by_any_of_its_tables(tmp_path: Path) -> None:
    folder = narrative_set(tmp_path / "set")
    assert read(folder / "qaps.csv").questions == read(folder).questions


def test_a_packed_text_is_unpacked_and_a_damaged_one_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.content"
    packed = gzip.compress(MILL.encode())
    file.write_bytes(packed)
    assert read_content(file) == MILL
    file.write_bytes(packed[:-30])
    with pytest.raises(UnreadableSource, match="damaged gzip"):
        read_content(file)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no text"),
        (b"\x00\x01\x02" * 50, "binary"),
        (b"<html><body></body></html>", "no text"),
        (gzip.compress(b"\0" * 500, mtime=0), "binary"),
    ],
)
def test_a_text_that_cannot_be_read_is_refused_with_its_questions(tmp_path: Path, data: bytes, reason: str) -> None:
    folder = narrative_set(tmp_path / "set")
    (folder / "tmp" / f"{'a' * 40}.content").write_bytes(data or b" \n")
    refused: list[SkippedSource] = []
    left = list(documents_of(read(folder).stories, "g", refused))
    assert [each.title for each in left] == ["Tower, The (1931 film)"]
    assert reason in refused[0].reason


def test_a_text_larger_than_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kg_neo4j_lab.answers.published_sets.MAX_BYTES", 1_000)
    file = tmp_path / "a.content"
    for data in (b"word " * 300, gzip.compress(b"word " * 300)):
        file.write_bytes(data)
        with pytest.raises(UnreadableSource, match="larger than 1,000 bytes"):
            read_content(file)


@pytest.mark.parametrize("table", ["documents.csv", "qaps.csv"])
def test_missing_columns_are_named(tmp_path: Path, table: str) -> None:
    folder = narrative_set(tmp_path / "set")
    write_table(folder / table, "document_id,set,kind", [])
    with pytest.raises(UnreadableSource, match=r"no column (story_url|question, answer1, answer2)"):
        read(folder)


def test_a_row_with_other_columns_a_bad_quote_and_a_huge_field_are_named(tmp_path: Path) -> None:
    folder = narrative_set(tmp_path / "set")
    good = (folder / "qaps.csv").read_text(encoding="utf-8")
    for bad, reason in (
        ("a,b\n", "line 6: 2 columns, not 8"),
        ('a,"b"c,d\n', "line 6"),
        (f"a,{'x' * 200_000}\n", "line 6: (field larger|2 columns, not 8)"),  # the readers raise csv's limit
        ("f" * 40 + ",train,Who?,x,y,,,\n", "line 6: no document"),
    ):
        (folder / "qaps.csv").write_text(good + bad, encoding="utf-8")
        with pytest.raises(UnreadableSource, match=reason):
            read(folder)
    (folder / "qaps.csv").write_bytes(good.encode("utf-8") + "é,".encode("latin-1"))
    with pytest.raises(UnreadableSource, match="not UTF-8"):
        read(folder)
    (folder / "qaps.csv").write_bytes(b"\xef\xbb\xbf" + good.encode("utf-8"))
    assert len(read(folder).questions) == 3


def test_a_document_id_that_leads_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    folder = narrative_set(tmp_path / "set")
    row = ("../../secret", "train", "gutenberg", "http://x", 1, "", "X", 1, "", "")
    write_table(folder / "documents.csv", DOCUMENT_COLUMNS, [row])
    with pytest.raises(UnreadableSource, match="no document_id"):
        read(folder)


def test_an_empty_question_is_refused_alone(tmp_path: Path) -> None:
    folder = narrative_set(tmp_path / "set")
    rows = [("a" * 40, "train", " ", "x", "y", "", "", ""), ("a" * 40, "train", "Who?", "", " ", "", "", "")]
    write_table(folder / "qaps.csv", QUESTION_COLUMNS, rows)
    assert [each.reason for each in read(folder).refused[-2:]] == ["the question or both its answers are empty"] * 2


def test_a_set_that_there_is_not_and_a_folder_without_tables_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no set 'dev'"):
        read(narrative_set(tmp_path / "set"), split="dev")
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceNotFound, match=r"documents\.csv"):
        read(tmp_path / "empty")


# -------------------------------------------------------------------------------------------------- all of the formats


def test_the_format_is_guessed(tmp_path: Path) -> None:
    plain = write_lines(tmp_path / "questions.jsonl", [{"id": "1", "question": "Who?", "answer": "Ada"}])
    assert guess(str(plain)) == "questions"
    assert guess(str(two_articles(tmp_path))) == "quality"
    assert guess(str(narrative_set(tmp_path / "set"))) == "narrativeqa"
    assert read(plain).questions == read_answered(str(plain))
    with pytest.raises(SourceNotFound):
        guess(str(tmp_path / "nothing"))
    with pytest.raises(UsageError, match="no format 'squad'"):
        read_set(str(plain), "squad", StorySelection())
    with pytest.raises(UsageError, match="no texts to choose"):
        read(plain, documents=1)


def test_a_list_of_answers_are_golden_answers_and_aliases_are_spellings(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "question": "Who?", "answer": ["Ada", "Lind"]},
        {"id": "2", "question": "Who?", "answer": "Ada", "answer_aliases": ["A. Lind"]},
    ]
    first, second = read_answered(str(write_lines(tmp_path / "q.jsonl", rows)))
    assert (first.held_against, first.answers) == (("Ada", "Lind"), ("Ada", "Lind"))
    assert (second.held_against, second.answers) == (("Ada",), ("Ada", "A. Lind"))


def test_a_graph_is_named_by_its_texts(tmp_path: Path) -> None:
    all_, one = read(two_articles(tmp_path)).stories, read(two_articles(tmp_path), documents=1).stories
    assert graph_of(all_, "200") == graph_of(all_, "200")
    assert len({graph_of(all_, "200"), graph_of(one, "200"), graph_of(all_, "300")}) == 3


def test_what_a_terminal_obeys_is_no_part_of_a_title(tmp_path: Path) -> None:
    row = quality_line(TOWER, [quality_question("Who?", OPTIONS, 9)], title="The \x1b[2JTower\n")
    row["questions"][0]["question_unique_id"] = "1\x1b[2J"
    good = quality_question("What?", OPTIONS, 1, number=2)
    row["questions"].append(good)
    found = read(write_lines(tmp_path / "q.dev", [row]))
    assert "\x1b" not in found.stories[0].named + found.refused[0].source
    folder = narrative_set(tmp_path / "set")
    table = (folder / "documents.csv").read_text(encoding="utf-8").replace("The Mill", "The\x1b]0;x\x07 Mill")
    (folder / "documents.csv").write_text(table, encoding="utf-8")
    assert not {"\x1b", "\x07"} & set(read(folder).stories[0].named)
