"""The passages that answer best: which sentence comes first, and what stands around it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.records import Passage
from kg_neo4j.retrieve.interface import FoundChunk
from kg_neo4j.retrieve.question import read
from kg_neo4j_offline.passages import best

TEXT = """Maria Stein[a] (4 May 1801 – 7 June 1870) was an Austrian botanist and the founder of the garden at Linz.
She was born in Vienna. Her father, Karl Stein, was a baker.

After the death of her brother she travelled with her friend Paula Horn to Egypt. There she was taught Arabic by Yusuf
Haddad. The couple lived in Graz for twelve years. The garden had four thousand plants.[12] Paula Horn wrote her life.
"""
ROWS = [
    "| Port | Opened | Trade |",
    "| --- | --- | --- |",
    *(f"| Port Nord {number} | {1890 + number} | dried fish, salt and timber |" for number in range(1, 10)),
]


def passages(question: str, *texts: str, document: str = "", section: str = "") -> list[Passage]:
    chunks = [FoundChunk(f"c{n}", text, 0, section, document, 1.0) for n, text in enumerate(texts)]
    return [passage for _, passage in best(read(question), chunks)]


def first(question: str, *texts: str) -> str:
    """Return the sentence that answers best."""
    return " ".join(passages(question, *texts)[0].citation.quote.split())


def words(passage: Passage) -> int:
    return len(f"{passage.before} {passage.citation.quote} {passage.after}".split())


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Who was Maria Stein?", TEXT[: TEXT.index("\n")]),
        ("Where was Stein born?", "She was born in Vienna."),
        ("Who was Stein's father?", "Her father, Karl Stein, was a baker."),
        ("Who taught Stein Arabic?", "There she was taught Arabic by Yusuf Haddad."),
        ("How long did the couple live in Graz?", "The couple lived in Graz for twelve years."),
        ("Was Stein born in Vienna?", "She was born in Vienna."),
        ("How many plants had the garden?", "The garden had four thousand plants.[12]"),
        ("who wrote the life of horn", "Paula Horn wrote her life."),  # a name in small letters
    ],
)
def test_the_sentence_with_the_terms_of_the_question_comes_first(question: str, sentence: str) -> None:
    assert first(question, TEXT) == sentence


def test_a_rare_term_counts_more_than_one_that_all_sentences_have() -> None:
    texts = ("The ferry was green. The ferry was old. The ferry sank at night.", "The brakes were worn out.")
    assert first("Did the ferry have brakes?", *texts) == texts[1]


def test_a_word_of_the_same_family_counts() -> None:
    texts = ("The miller was tall and thin.", "The death of the miller was slow.")
    assert first("How did the miller die?", *texts) == texts[1]


def test_the_sentences_beside_count() -> None:
    texts = ("He opened a school for boys.", "Berg was rich. He opened a school for girls.")
    assert first("Which school did Berg open?", *texts) == "He opened a school for girls."


def test_the_heading_above_and_the_title_count() -> None:
    moss, hald = "## Moss\n\nThe school was opened late.", "## Hald\n\nThe school was opened early."
    road = "The road leads from Moss to Hald over the hill."
    assert first("When was the school at Hald opened?", f"{moss}\n\n{hald}", road) == "The school was opened early."
    assert first("When was the school at Moss opened?", f"{moss}\n\n{hald}", road) == "The school was opened late."
    chunks = [FoundChunk("a", "The school was opened late.", 0, "", "Moss", 1.0)]
    chunks += [FoundChunk("b", "The school was opened early.", 0, "", "Hald", 1.0)]
    chunks += [FoundChunk("c", road, 0, "", "Roads", 1.0)]
    [(sentence, passage), *_] = best(read("When was the school at Hald opened?"), chunks)
    assert (passage.citation.document, sentence.text) == ("Hald", "The school was opened early.")


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("When did the ferry sink?", "The ferry sank in 1871."),
        ("Where did the ferry sink?", "The ferry sank at Hald."),
        ("How many ferries sank?", "Three ferries sank at once."),
        ("How long did the ferry sink?", "The ferry sank for nine hours."),
    ],
)
def test_what_is_of_the_kind_asked_for_counts(question: str, sentence: str) -> None:
    assert first(question, "The ferry sank off the bay.", sentence) == sentence


def test_of_sentences_that_count_much_the_same_the_one_found_first_comes_first() -> None:
    texts = ("The ferry sank in a storm.", f"The ferry sank in a flood{', and the wind blew hard' * 7}.")  # 41 words
    assert first("How did the ferry sink?", *texts) == texts[0]
    assert first("How did the ferry sink?", *reversed(texts)) == texts[1]


def test_a_very_long_sentence_counts_less() -> None:
    long = f"The ferry sank in a storm{', and the wind blew from the north' * 6}."
    assert first("How did the ferry sink?", long, "The ferry sank in a flood.") == "The ferry sank in a flood."


@pytest.mark.parametrize(
    "text",
    [
        "## The ships that the town of Hald had in 1890\n\nHald had three ships.",
        "Ships of Hald\n\nHald had three ships.",
        "The ships of Hald\n\nHald had three ships.",
        "THE SHIPS THAT THE TOWN OF HALD HAD\n\nHald had three ships.",
        "The ships that Hald had in 1890 are these:\n\nHald had three ships.",
        "Which ships did the town of Hald have? Hald had three ships.",
        "“Which ships did the town of Hald have?” Hald had three ships.",
        "3. Ships of Hald in 1890. Hald had three ships.",
        "Ships, Hald.\n\nHald had three ships.",
    ],
)
def test_no_heading_list_head_question_or_fragment_answers(text: str) -> None:
    [passage] = passages("Which ships did Hald have in 1890?", text)
    assert passage.citation.quote == "Hald had three ships."


def test_what_does_not_answer_may_stand_beside() -> None:
    [passage] = passages("Which ships did Hald have?", "The ships of Hald are these:\n\nHald had a barge and a brig.")
    assert passage.before == "The ships of Hald are these:"


def test_a_passage_ends_at_its_heading_and_its_chunk() -> None:
    text = "The bay is wide.\n\n## Ships\n\nHald had three ships. One was a brig.\n\n## Roads\n\nThe road is new."
    passage = passages("Which ships did Hald have?", text, "A fourth came late.", section="Port")[0]
    assert (passage.before, passage.citation.quote, passage.after) == ("", "Hald had three ships.", "One was a brig.")
    assert passage.section == "Ships"
    assert passages("How wide is the bay?", text, section="Port")[0].section == "Port"


def test_a_passage_takes_whole_sentences_behind_and_before_up_to_its_length() -> None:
    wind = ["The wind " + "and the rain " * 6 + f"came on day {number}." for number in range(8)]  # 24 words each
    [passage] = passages("Who sold ships?", " ".join([*wind[:4], "Otto Berg sold ships.", *wind[4:]]))
    assert (passage.before, passage.after) == (wind[3], " ".join(wind[4:6]))
    assert words(passage) == 3 * 24 + 4


def test_no_sentence_is_in_two_passages() -> None:
    days = " ".join(f"The day number {each} came with wind and rain over the whole wide bay." for each in "abcdef")
    found = passages("What did Otto do?", f"Otto drew maps. {days} Otto sold ships there.")
    said = " ".join(f"{each.before} {each.citation.quote} {each.after}" for each in found)
    assert said.count("The day number e came") == 1


def test_there_are_three_passages_at_most_the_best_first() -> None:
    texts = [f"Otto sold {what}." for what in ("red sails", "a boat", "his ships", "the mill", "some salt")]
    found = passages("What ships did Otto sell?", *texts)
    assert [each.citation.quote for each in found] == [texts[2], texts[0], texts[1]]


def test_a_row_of_a_table_comes_with_the_head_of_its_table() -> None:
    text = "\n".join(ROWS) + "\n\nThe ports are small towns."
    row = passages("When was Port Nord 8 opened?", text)[0]
    assert row.citation.quote == ROWS[9]
    assert row.before.startswith(f"{ROWS[0]} ")
    near = passages("When was Port Nord 1 opened?", text)[0]
    assert (near.citation.quote, near.before.count(ROWS[0])) == (ROWS[2], 1)
    last = passages("Are the ports small towns?", text)[0]
    assert last.citation.quote == "The ports are small towns."
    assert not last.before.startswith(ROWS[0])


def test_the_head_counts_to_the_length_and_a_rule_needs_no_spaces() -> None:
    text = "\n".join([ROWS[0], "|---|---|---|", *ROWS[2:]])
    for rows in (text, "\n".join(ROWS)):
        [row, *_] = passages("When was Port Nord 7 opened?", rows)
        assert row.before.startswith(f"{ROWS[0]} ")
        assert words(row) <= 80


@pytest.mark.parametrize(
    ("question", "text", "title"),
    [
        ("Where was Ada Lind born?", "# Ada Lind\n\nShe was born in Oslo. She taught for long.", ""),
        ("Where was Ada Lind born?", "She was born in Oslo. She taught for long.", "Ada Lind"),
        ("أين ولد ابن سينا؟", "ولد ابن سينا في بخارى سنة ٩٨٠. درس الطب في المدينة.", ""),  # a script without capitals
        ("紫式部は何を書きましたか", "紫式部は源氏物語を書きました。京都に住んでいました。", ""),
        ("मीरा का जन्म कहाँ हुआ?", "मीरा का जन्म मेड़ता में हुआ था। वह गाती थी।", ""),
        ("How many ships had Moss in 1901?", "Port | Year | Ships\nHald | 1890 | 14\nMoss | 1901 | 22", ""),
        ("How did the ferry sink?", f"The ferry sank in a storm{', and the wind blew hard' * 50}.", ""),
    ],
)
def test_there_is_a_passage_where_the_text_or_its_title_has_a_name_of_the_question(
    question: str, text: str, title: str
) -> None:
    assert passages(question, text, document=title)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What did Mira do?", "The council met in the hall to vote."),
        ("What did Mira do in March?", "The council met in March to vote."),
        ("What did Mira do on Monday?", "The council met on Monday to vote."),
        ("What did Mira do in 1901?", "The council met in 1901 to vote."),
        ("Who discovered penicillin?", "The council met in the hall to vote."),
        ("asdf qwer", "The council met in the hall to vote."),
        ("What did Mira do?", ""),
    ],
)
def test_there_is_nothing_where_no_passage_has_a_name_of_the_question(question: str, text: str) -> None:
    assert passages(question, text) == []


@pytest.mark.parametrize("question", ["What did the council do in May?", "What did the council do in 1901?"])
def test_a_month_or_a_year_is_no_name_that_a_passage_must_have(question: str) -> None:
    assert first(question, "The council met in the hall to vote.") == "The council met in the hall to vote."


@pytest.mark.parametrize(
    ("question", "text", "sentence"),
    [
        ("Gdzie urodził się Olin?", "Miasto leży nad rzeką. Olin urodził się w Haldzie.", 1),
        ("Kto był ojcem Olina?", "Olin urodził się w Haldzie. Ojciec Olina, Mikołaj, był piekarzem.", 1),
        ("Wo wurde Gerda Holm geboren?", "Die Stadt liegt am Fluss. Gerda Holm wurde 1890 in Hald geboren.", 1),
        ("Где родился Олин?", "Олин родился в Хальде в 1890 году. Он писал стихи о море.", 0),
        ("Πού γεννήθηκε ο Ολίν;", "Η πόλη είναι μικρή. Ο Ολίν γεννήθηκε στη Χαλδ.", 1),
    ],
)
def test_other_languages_are_ranked_too(question: str, text: str, sentence: int) -> None:
    assert first(question, text) == [f"{each}." for each in text.rstrip(".").split(". ")][sentence]


def test_a_citation_has_the_words_of_the_source_and_what_stands_around_is_for_reading() -> None:
    [passage] = passages("Who wrote the life of Paula Horn?", TEXT, document="Lives")
    assert TEXT[passage.citation.start : passage.citation.end] == passage.citation.quote
    assert (passage.citation.chunk_id, passage.citation.document) == ("c0", "Lives")
    assert "The garden had four thousand plants." in passage.before
    assert "Arabic by Yusuf Haddad." in passage.before


SENTENCES = st.sampled_from(
    ["Ada sold ships.", "Ada!", "Who?", "## Ada", "Hald:", "The wind " + "blew on " * 20 + "Hald.", "a | b c d", "\n\n"]
)


@given(st.lists(st.one_of(SENTENCES, st.text(max_size=60)), max_size=14), st.text(max_size=60))
def test_any_question_to_any_text_has_short_passages_that_stand_in_it(parts: list[str], question: str) -> None:
    text = " ".join(parts)
    found = passages(f"Did Ada sell ships? {question}", text, "Hald had ships. Ada was poor.")
    assert len(found) <= 3
    for passage in found:
        source = {"c0": text, "c1": "Hald had ships. Ada was poor."}[passage.citation.chunk_id]
        assert source[passage.citation.start : passage.citation.end] == passage.citation.quote
        assert " | " in passage.citation.quote or not passage.citation.quote.endswith(("?", ":"))
        assert " | " in passage.citation.quote or words(passage) <= max(80, len(passage.citation.quote.split()))
