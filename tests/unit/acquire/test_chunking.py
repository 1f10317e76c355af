"""Chunks: their bounds, their borders, their ids, and what stays when a text is edited."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j._models.tokens import Approximation
from kg_neo4j.acquire import chunking
from kg_neo4j.acquire.identity import document_id, text_hash
from kg_neo4j.acquire.interface import ParsedText
from kg_neo4j.acquire.plain_text import read_markdown
from kg_neo4j.acquire.structure import pieces
from kg_neo4j.errors import UsageError
from kg_neo4j.records import Chunk, Document

TOKENISER = Approximation()
NAMES = ["Leon", "Zofia", "Anna", "Wzorek", "Helena", "Karol", "Maria", "Jan", "Ewa", "Piotr"]


def document(text: str, *, markdown: bool = False, pages: tuple[int, ...] = ()) -> Document:
    parsed = read_markdown(text) if markdown else ParsedText(text)
    text, sections = parsed.text, parsed.sections
    return Document(
        id=document_id("g", "file", "x"),
        graph="g",
        kind="file",
        key="x",
        title="x",
        source="x",
        text=text,
        sha256=text_hash(text),
        sections=sections,
        pages=pages,
    )


def story(paragraphs: int, seed: int = 1) -> str:
    """A text whose paragraphs are all different and a few sentences long."""
    random_ = random.Random(seed)
    sentence = "{} met {} in the year {} and gave him {} letters."
    return "\n\n".join(
        " ".join(
            sentence.format(random_.choice(NAMES), random_.choice(NAMES), random_.randint(1000, 2000), number)
            for number in range(random_.randint(1, 8))
        )
        for _ in range(paragraphs)
    )


def check(source: Document, chunks: tuple[Chunk, ...], most: int) -> None:
    """What holds for the chunks of any document."""
    reached = 0
    for index, chunk in enumerate(chunks):
        assert chunk.index == index
        assert chunk.text == source.text[chunk.start : chunk.end]
        assert chunk.text.strip() == chunk.text != ""
        assert chunk.token_count == TOKENISER.count(chunk.text) <= most
        assert not source.text[reached : chunk.start].strip()
        assert chunk.end > reached
        reached = chunk.end
        assert (chunk.document_id, chunk.graph) == (source.id, source.graph)
    assert not source.text[reached:].strip()
    assert len({chunk.id for chunk in chunks}) == len(chunks)


WORDS = st.sampled_from(
    ["word", "A", "łódź", "one.", "Two!", "\n", "\n\n", " ", "- item\n", "# Head\n\n", "| a | b |\n"]
)
ANY_TEXT = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",)), max_size=400),
    st.lists(WORDS, max_size=200).map("".join),
    st.lists(WORDS, max_size=200).map(" ".join),
)


@given(text=ANY_TEXT, tokens=st.integers(4, 60), overlap=st.integers(0, 20), markdown=st.booleans())
def test_chunks_hold_the_whole_text_within_their_bounds(text, tokens, overlap, markdown):
    source = document(text, markdown=markdown)
    overlap = min(overlap, (tokens - 1) // 2)
    chunks = chunking.chunk(source, TOKENISER, max_tokens=tokens, overlap=overlap)
    if not overlap:
        check(source, chunks, chunking.largest(tokens))
    covered = sorted({place for chunk in chunks for place in range(chunk.start, chunk.end)})
    assert {place for place, char in enumerate(source.text) if not char.isspace()} <= set(covered)
    assert all(chunk.token_count <= chunking.largest(tokens) for chunk in chunks)
    assert all(chunk.text == source.text[chunk.start : chunk.end] for chunk in chunks)


@given(text=ANY_TEXT, tokens=st.integers(4, 60))
def test_the_same_text_gives_the_same_chunks(text, tokens):
    source = document(text)
    assert chunking.chunk(source, TOKENISER, max_tokens=tokens) == chunking.chunk(source, TOKENISER, max_tokens=tokens)


def test_target_and_bounds_are_those_of_w5():
    assert chunking.DEFAULT_TOKENS == 1200
    assert chunking.largest(1200) == 1500
    assert chunking.largest(1200, limit=1300) == 1300
    source = document(story(400))
    chunks = chunking.chunk(source, TOKENISER)
    check(source, chunks, 1500)
    assert all(chunk.token_count >= 690 for chunk in chunks)  # 720 by what its parts count
    assert 1050 <= sum(chunk.token_count for chunk in chunks) / len(chunks) <= 1350


def test_limit_of_the_model_is_never_passed():
    source = document(story(100))
    check(source, chunking.chunk(source, TOKENISER, max_tokens=300, limit=310), 310)
    check(source, chunking.chunk(source, TOKENISER, max_tokens=300, limit=100), 100)


def test_empty_text_has_no_chunks():
    assert chunking.chunk(document(""), TOKENISER) == ()
    assert chunking.chunk(document(" \n\n\t"), TOKENISER) == ()


def test_short_text_is_one_chunk():
    (chunk,) = chunking.chunk(document("  Leon met Zofia.\n"), TOKENISER)
    assert (chunk.text, chunk.start) == ("Leon met Zofia.", 2)


def test_borders_stand_between_paragraphs_where_paragraphs_are_short():
    source = document(story(200))
    for chunk in chunking.chunk(source, TOKENISER, max_tokens=400)[:-1]:
        assert source.text[chunk.end : chunk.end + 2] == "\n\n"


def test_borders_stand_between_sentences_where_paragraphs_are_long():
    source = document(story(200).replace("\n\n", " "))
    chunks = chunking.chunk(source, TOKENISER, max_tokens=200)
    assert len(chunks) > 10
    assert all(chunk.text.endswith(".") for chunk in chunks)


def test_sections_are_preferred_as_borders_and_give_the_path():
    parts = [f"# Part {part}\n\nIntro.\n\n## Below\n\n{story(3, seed=part)}" for part in range(30)]
    source = document("\n\n".join(parts), markdown=True)
    chunks = chunking.chunk(source, TOKENISER, max_tokens=400)
    check(source, chunks, 500)
    assert all(chunk.text.startswith("# Part") for chunk in chunks)
    assert all(chunk.section == chunk.text.splitlines()[0].removeprefix("# ") for chunk in chunks)


def test_a_heading_ends_no_chunk_and_the_path_is_that_of_the_first_text():
    parts = [f"# Part {part}\n\n## Below\n\n{story(9, seed=part)}" for part in range(20)]
    source = document("\n\n".join(parts), markdown=True)
    for tokens in (100, 300, 700):
        chunks = chunking.chunk(source, TOKENISER, max_tokens=tokens)
        assert not any(chunk.text.splitlines()[-1].startswith("#") for chunk in chunks)
        assert {"Part 3", "Part 3 > Below"} & {chunk.section for chunk in chunks}


def test_small_pieces_are_put_together():
    text = "\n\n".join(f"## Head {number}\n\n- one item {number}\n- another" for number in range(300))
    source = document(text, markdown=True)
    chunks = chunking.chunk(source, TOKENISER)
    assert len(tuple(pieces(source))) == 600
    assert len(chunks) <= 5


def test_three_pages_at_most():
    pages = [f"A page of few words, number {number:02}." for number in range(20)]
    starts = tuple(sum(len(page) + 2 for page in pages[:number]) for number in range(20))
    source = document("\n\n".join(pages), pages=starts)
    for overlap in (0, 100):
        chunks = chunking.chunk(source, TOKENISER, overlap=overlap)
        assert len(chunks) >= 7
        for chunk in chunks:
            touched = sum(
                chunk.start < start + len(page) and start < chunk.end for start, page in zip(starts, pages, strict=True)
            )
            assert touched <= chunking.MAX_PAGES


def test_insertion_changes_only_the_chunks_near_it():
    text = story(600)
    before = {chunk.id for chunk in chunking.chunk(document(text), TOKENISER, max_tokens=300)}
    for place in (0, len(text) // 2):
        border = text.find("\n\n", place)
        edited = text[:border] + "\n\nKarol came home." + text[border:]
        after = chunking.chunk(document(edited), TOKENISER, max_tokens=300)
        assert len(after) > 60
        assert sum(chunk.id not in before for chunk in after) <= 5


def test_an_insertion_in_a_real_article_changes_one_or_two_chunks(shared_data):
    """Nearly always: 0007-chunk-borders.md has the figures, also of the rule before."""
    text = (shared_data / "wikipedia" / "kirito_Muhammad.txt").read_text(encoding="utf-8")
    before = {chunk.id for chunk in chunking.chunk(document(text), TOKENISER)}
    changed = []
    for place in [place for place, char in enumerate(text) if char == "\n"][::3]:
        edited = f"{text[:place]}\nA traveller of the year {place} wrote {place * 7} letters home.{text[place:]}"
        changed.append(sum(chunk.id not in before for chunk in chunking.chunk(document(edited), TOKENISER)))
    assert len(changed) > 40
    assert max(changed) <= 5
    assert sum(number <= 2 for number in changed) >= 0.8 * len(changed)
    assert sum(changed) <= 1.6 * len(changed)


LETTER = (
    "In the spring a traveller from the north came to the town and read in its library about the caravans, the wells "
    "and the roads of the desert. He wrote a letter about them to his sister, and she kept it."
)


@pytest.mark.parametrize(
    ("share", "kind"),
    [
        *((share, "insert") for share in (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)),
        *((share, kind) for kind in ("remove", "a word") for share in (0.3, 0.5, 0.7)),
    ],
)
def test_an_edited_paragraph_of_a_real_article_changes_at_most_two_chunks(shared_data, share, kind):
    paragraphs = (shared_data / "wikipedia" / "kirito_Muhammad.txt").read_text(encoding="utf-8").split("\n")
    before = chunking.chunk(document("\n".join(paragraphs)), TOKENISER)
    place = int(len(paragraphs) * share)
    edited = {
        "insert": [LETTER, *paragraphs[place : place + 1]],
        "remove": [],
        "a word": [each.replace(" ", " indeed ", 1) for each in paragraphs[place : place + 1]],
    }
    after = "\n".join([*paragraphs[:place], *edited[kind], *paragraphs[place + 1 :]])
    kept = {chunk.id for chunk in before}
    assert len(before) >= 14
    assert 1 <= sum(chunk.id not in kept for chunk in chunking.chunk(document(after), TOKENISER)) <= 2


def test_an_insertion_right_at_a_border_changes_the_chunk_that_gets_it():
    """A border hangs on the text after it, so it stays, or the new text begins a chunk."""
    text = story(300)
    chunks = chunking.chunk(document(text), TOKENISER, max_tokens=400)
    before = {chunk.id for chunk in chunks}
    changed = []
    for chunk in chunks[1:]:
        edited = f"{text[: chunk.start]}In {chunk.start} Karol came home.\n\n{text[chunk.start :]}"
        after = chunking.chunk(document(edited), TOKENISER, max_tokens=400)
        changed.append(sum(each.id not in before for each in after))
    assert sum(changed) <= 1.3 * len(changed)


def test_ids_hang_on_document_text_and_earlier_equal_texts_only():
    line = "Leon met Zofia in the year 1920, and they wrote letters to each other for many years."
    source = document("\n\n".join([line] * 40))
    chunks = chunking.chunk(source, TOKENISER, max_tokens=20)
    assert len({chunk.text for chunk in chunks}) < len(chunks) == len({chunk.id for chunk in chunks})
    moved = chunking.chunk(document("\n\n\n" + source.text), TOKENISER, max_tokens=20)
    assert [chunk.id for chunk in moved] == [chunk.id for chunk in chunks]
    other = chunking.chunk(replace(source, id="0" * 32), TOKENISER, max_tokens=20)
    assert not {chunk.id for chunk in other} & {chunk.id for chunk in chunks}


def test_overlap_repeats_whole_sentences_of_the_chunk_before():
    source = document(story(60))
    plain = chunking.chunk(source, TOKENISER, max_tokens=200)
    chunks = chunking.chunk(source, TOKENISER, max_tokens=200, overlap=40)
    assert len(chunks) >= len(plain)
    for before, chunk in itertools.pairwise(chunks):
        repeated = source.text[chunk.start : before.end]
        assert 0 < TOKENISER.count(repeated) <= 41
        assert repeated.endswith(".")
        assert repeated[0].isupper()
        assert chunk.token_count <= 250


def test_overlap_within_one_long_sentence_begins_at_a_word():
    source = document("word " * 1_000)
    chunks = chunking.chunk(source, TOKENISER, max_tokens=100, overlap=10)
    assert all(before.end - chunk.start in range(40, 51) for before, chunk in itertools.pairwise(chunks))
    assert all(chunk.text.startswith("word ") for chunk in chunks)


@pytest.mark.parametrize(("tokens", "overlap"), [(100, 50), (100, -1), (0, 0), (-5, 0), (1, 1)])
def test_bounds_that_cannot_be_meant_are_refused(tokens, overlap):
    with pytest.raises(UsageError):
        chunking.chunk(document("x"), TOKENISER, max_tokens=tokens, overlap=overlap)


class Counting:
    """A tokeniser that counts how many characters it was given."""

    name = "counting"

    def __init__(self) -> None:
        self.characters = 0

    def count(self, text: str) -> int:
        self.characters += len(text)
        return TOKENISER.count(text)

    def spans(self, text: str) -> list[tuple[int, int]]:
        self.characters += len(text)
        return TOKENISER.spans(text)


@pytest.mark.parametrize("unit", ["a", "word ", "漢", "ż", "Ab. ", "=", "a\n", "- x\n", "." * 50])
def test_work_grows_with_the_text_and_no_faster(unit):
    work = []
    for size in (50_000, 200_000):
        tokeniser = Counting()
        source = document(unit * (size // len(unit)))
        chunks = chunking.chunk(source, tokeniser)
        check(source, chunks, 1500)
        work.append(tokeniser.characters / len(source.text))
    assert max(work) < 12
    assert work[1] < work[0] * 1.3


def test_real_texts_keep_every_bound(shared_data):
    for path in sorted((shared_data / "wikipedia").glob("*.txt")):
        source = document(path.read_text(encoding="utf-8"))
        for tokens in (200, 300, 1200):
            check(source, chunking.chunk(source, TOKENISER, max_tokens=tokens), chunking.largest(tokens))


def test_each_row_of_a_table_is_a_chunk_and_keeps_its_id_where_others_come_and_go() -> None:
    rows = ["name: Ada", "name: Ben", "name: Ada"]
    made = {}
    for lines in ((2, 3, 5), (3, 5)):
        text = "\n".join(rows[-len(lines) :])
        chunks = chunking.chunk(replace(document(text), lines=lines), TOKENISER)
        assert [(each.text, each.line, text[each.start : each.end]) for each in chunks] == [
            (row, line, row) for row, line in zip(rows[-len(lines) :], lines, strict=True)
        ]
        made[lines] = {each.id for each in chunks}
    assert len(made[2, 3, 5]) == 3
    assert made[3, 5] < made[2, 3, 5]
