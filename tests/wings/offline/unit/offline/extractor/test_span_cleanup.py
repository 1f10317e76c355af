"""What a recogniser marks, cut to names: words around them, parts, common words."""

from __future__ import annotations

import pytest
import spacy
from spacy.tokens import Doc, Span

from kg_neo4j_offline.extractor.name_cleanup import tidy_names

VOCAB = spacy.blank("en").vocab


def tidied(tagged: str, first: int, after: int, kind: str) -> list[tuple[str, str]]:
    """Mark the words `first` to before `after` of a text written as word/TAG, and tidy."""
    words, tags = zip(*(each.rsplit("/", 1) for each in tagged.split()), strict=True)
    doc = Doc(VOCAB, words=list(words), tags=list(tags))
    doc.set_ents([Span(doc, first, after, label=kind)])
    return [(doc.text[span.start : span.end], span.type) for span in tidy_names(doc)]


@pytest.mark.parametrize(
    ("tagged", "kind", "names"),
    [
        ("in/IN Ada/NNP Lind/NNP ,/,", "PER", ["Ada Lind"]),
        ("Ada/NNP Lind/NNP and/CC Otto/NNP Berg/NNP", "PER", ["Ada Lind", "Otto Berg"]),
        ("Ada/NNP (/-LRB- Lind/NNP )/-RRB-", "PER", ["Ada", "Lind"]),
        ("French/JJ Ada/NNP Lind/NNP", "PER", ["Ada Lind"]),
        ("the/DT Alps/NNPS", "LOC", ["Alps"]),
        ("Oslo/NNP to/TO Bergen/NNP", "LOC", ["Oslo", "Bergen"]),
        ("University/NNP of/IN Oslo/NNP ./.", "ORG", ["University of Oslo"]),
        ("The/DT Long/NNP Winter/NNP", "MISC", ["The Long Winter"]),
        ("chemistry/NN", "ORG", []),
        (",/, ./.", "PER", []),
        ("Ada/NNP left/VBD Oslo/NNP", "PER", ["Ada", "Oslo"]),
        ("Oslo/NNP welcomed/VBD Bergen/NNP", "LOC", ["Oslo", "Bergen"]),
        ("Ada/NNP pupil/NN Otto/NNP Berg/NNP", "PER", ["Ada", "Otto Berg"]),
        ("Otto/NNP von/IN Berg/NNP", "PER", ["Otto von Berg"]),
        ("Poor/JJ soul/NN !/. Miss/NNP Lind/NNP", "MISC", ["Miss Lind"]),
        ("the/DT New/NNP Market/NNP", "MISC", ["New Market"]),
        ("the/DT regulations/NNS", "MISC", []),
        ("He/PRP went/VBD home/NN soon/RB", "MISC", []),
    ],
)
def test_a_marked_stretch_becomes_the_names_in_it(tagged, kind, names):
    assert [name for name, _ in tidied(tagged, 0, len(tagged.split()), kind)] == names


def test_what_a_person_owns_is_no_part_of_the_name():
    words = "Berg/NNP 's/POS harmonic/JJ style/NN and/CC Otto/NNP Berg/NNP"
    vocabulary, tags = zip(*(each.rsplit("/", 1) for each in words.split()), strict=True)
    doc = Doc(VOCAB, words=list(vocabulary), tags=list(tags))
    doc.set_ents([Span(doc, 0, 4, label="MISC"), Span(doc, 5, 7, label="PER")])
    found = [(doc.text[span.start : span.end], span.type) for span in tidy_names(doc)]
    assert found == [("Berg", "PER"), ("Otto Berg", "PER")]


def test_a_people_is_a_group_and_no_place():
    assert tidied("The/DT Meccans/NNPS left/VBD", 1, 2, "LOC") == [("Meccans", "ORG")]
    assert tidied("The/DT Alps/NNPS rose/VBD", 1, 2, "LOC") == [("Alps", "LOC")]


def test_a_word_that_also_stands_in_lower_case_is_no_name_where_a_sentence_begins():
    assert tidied("Trade/NN grew/VBD because/IN trade/NN paid/VBD", 0, 1, "ORG") == []


def test_dates_and_numbers_are_left_out():
    assert tidied("in/IN 1901/CD", 1, 2, "TIME") == []
    assert tidied("seven/CD", 0, 1, "NUM") == []
