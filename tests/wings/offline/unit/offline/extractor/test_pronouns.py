"""Whom a pronoun means, and when it is left open."""

from __future__ import annotations

import pytest

from kg_neo4j_offline.extractor import extractor
from kg_neo4j_offline.extractor.lexicon import PRONOUNS
from kg_neo4j_offline.extractor.ner import find_trained
from kg_neo4j_offline.extractor.parsed_text import sentences

MARSH = "Helen Marsh wrote novels. "


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        # somebody without a name is meant
        ("Tom Sayer lived in Leeds. My own brother was there too. He sold the farm in 1950.", [""]),
        ("Daniel Pryce visited the mill. The foreman stopped the wheel. He lost two fingers.", [""]),
        ("Daniel Pryce visited the mill. He stopped the wheel.", ["Daniel Pryce"]),
        ("Helen Marsh painted the hall. Her mother sold it to Oskar Brand. She moved to Oslo.", ["Helen Marsh", ""]),
        ("Clara Nunn called. Mother wants her key back.", [""]),
        ("Clara Nunn married a clerk in 1920. He died in 1950.", [""]),
        ("Clara Nunn married a clerk in 1920. She died in 1950.", ["Clara Nunn"]),
        ("Leo Baptista coaches the side. The striker said he was ready.", [""]),
        ("The striker scored twice. Leo Baptista, who coaches the side, praised him.", [""]),
        # ... but not where the noun says what somebody named is
        ("Paul Reed is the mayor. He opened the bridge.", ["Paul Reed"]),
        ("The mayor, Paul Reed, opened the bridge. He left early.", ["Paul Reed"]),
        (MARSH + "The daughter of a baker, she moved to Oslo in 1920.", ["Helen Marsh"]),
        ("Ines Duarte, 41, the town's first woman mayor, opened the school. She had taught there.", ["Ines Duarte"]),
        ("Carl Bright, 39, a baker and a widower with two girls, lives here. His van is red.", ["Carl Bright"]),
        # who is named in the phrase before the subject
        ("George Lamb ran the paper. Sacked by Victor Hale, he founded the Courier.", ["George Lamb"]),
        ("George Lamb ran the paper. Praised by Victor Hale's son Peter, he founded the Courier.", ["George Lamb"]),
        ("When Victor Hale left, he founded the Courier.", ["Victor Hale"]),
        ("George Lamb ran the paper. With Victor Hale he founded the Courier.", ["George Lamb"]),
        ('"Where is it?" asked Clara Nunn when she woke.', ["Clara Nunn"]),
        # who stands in the same clause
        ("Mary Doyle laughed. It was Anne Price who called her.", ["Mary Doyle"]),
        ("Mary Doyle laughed. Anne Price called after her.", ["Mary Doyle"]),
        ("Mary Doyle laughed. Anne Price left without thanking her.", ["Mary Doyle"]),
        ("Hans Vogt studied under Karl Weiss, whom he admired.", ["Hans Vogt"]),
        ("Anton Kern taught in Graz. Peter Voss, a pupil of his, carried the coffin.", ["Anton Kern"]),
        ("Ada Holm sang. She did not teach: that was her nephew Karl Voss.", ["Ada Holm", "Ada Holm"]),
        ("Tom Sayer hid in the cellars of St. Anselm. The books were his.", ["Tom Sayer"]),
        # two may be meant, or one who was both "he" and "she"
        ("Paul Reed and Simon Frost were late. He drove.", [""]),
        ("Wen Tavi left. Her boat sank, and Wen Tavi lost his hat.", ["", ""]),
        # the words around a name tell the gender
        ("Otto Lind met Wen, the widow of a smith. She sold the inn.", ["Wen"]),
        ("Otto Lind met his sister-in-law Wen Tavi. He sold the inn.", ["Otto Lind", "Otto Lind"]),
    ],
)
def test_a_pronoun_means_one_person_or_is_left_open(text, meant):
    parsed = sentences(text)
    extractor.read(text, parsed, find_trained(text), None)
    words = [item for sentence in parsed for item in sentence.items if item.lower in PRONOUNS]
    assert [item.entity.name if item.entity is not None else "" for item in words] == meant
