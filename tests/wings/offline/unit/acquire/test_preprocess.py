"""W1's approach A1: stop words go, negations stay, and every span leads back to the source."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j_offline import preprocess
from kg_neo4j_offline.preprocess import shorten

TEXT = (
    "Muhammad was not born in Medina. He didn't move there until 622, and he never went back.\n\n"
    "Khadija, who was his first wife, was a merchant."
)


def test_stop_words_are_removed_and_each_sentence_is_a_line():
    assert shorten(TEXT).text.splitlines() == [
        "Muhammad not born Medina.",
        "n't 622, never went .",
        "Khadija, wife, merchant.",
    ]


def test_negations_stay_in_other_languages_too():
    assert "nie" in shorten("To nie jest dom i nigdy nie był.", "pl").text.split()
    assert "nicht" in shorten("Das ist nicht das Haus.", "de").text.split()


def test_sentences_end_as_the_language_ends_them():
    polish = shorten("Mieszkał tam np. Wokulski. Potem, w r. 1878, wyjechał do Paryża.", "pl")
    assert polish.text.splitlines() == ["Mieszkał np. Wokulski.", "Potem, r. 1878, wyjechał Paryża."]
    assert len(shorten("Er kam z.B. aus Wien. Dann ging er.", "de-AT").text.splitlines()) == 2


def test_words_lead_back_to_themselves():
    shortened = shorten(TEXT)
    for word in ("Muhammad", "Medina", "never", "Khadija", "merchant"):
        start = shortened.text.index(word)
        begin, end = shortened.to_source(start, start + len(word))
        assert TEXT[begin:end] == word


def test_span_over_removed_words_holds_them():
    shortened = shorten(TEXT)
    start = shortened.text.index("Khadija")
    begin, end = shortened.to_source(start, shortened.text.index("merchant") + len("merchant"))
    assert TEXT[begin:end] == "Khadija, who was his first wife, was a merchant"


def test_part_of_a_word_leads_to_that_part():
    shortened = shorten(TEXT)
    start = shortened.text.index("Khadija") + 2
    assert TEXT[slice(*shortened.to_source(start, start + 3))] == "adi"


def test_span_without_a_word_is_empty():
    shortened = shorten(TEXT)
    begin, end = shortened.to_source(5, 5)
    assert begin == end
    space = shortened.text.index(" ")
    begin, end = shortened.to_source(space, space + 1)
    assert begin == end


def test_texts_of_nothing_or_of_stop_words_are_empty():
    assert shorten("").text == shorten("to be or the").text == ""
    assert shorten("").to_source(0, 0) == (0, 0)


def test_language_without_stop_words_keeps_every_word():
    assert shorten("the house is here", "no-such-language").text == "the house is here"


def test_long_text_is_shortened_in_blocks(monkeypatch):
    whole = shorten(TEXT * 20)
    monkeypatch.setattr(preprocess, "_BLOCK", 200)
    parts = shorten(TEXT * 20)
    assert parts.text.split() == whole.text.split()
    assert parts.source_starts == whole.source_starts


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=200), st.data())
def test_any_span_leads_into_the_source(text, data):
    shortened = shorten(text)
    start = data.draw(st.integers(0, len(shortened.text)))
    end = data.draw(st.integers(start, len(shortened.text)))
    begin, stop = shortened.to_source(start, end)
    assert 0 <= begin <= stop <= len(text)
    words = shortened.text[start:end].split()
    assert not words or text[begin:stop].startswith(words[0])
