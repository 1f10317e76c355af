"""Which language a text is in; a text that leaves doubt has none."""

from __future__ import annotations

import ast
import sys
import unicodedata
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.acquire.language import abbreviations, detect, languages, primary, stop_words

SENTENCES = {
    "en": "The lighthouse was built when nobody else wanted to live there, and it is still the only house on it.",
    "pl": "Latarnia została zbudowana, kiedy nikt inny nie chciał tam mieszkać, i nadal jest to jedyny dom na cyplu.",
    "de": "Der Leuchtturm wurde gebaut, als niemand sonst dort wohnen wollte, und er ist noch das einzige Haus am Kap.",
    "fr": "Le phare a été construit quand personne ne voulait y vivre, et il est encore la seule maison sur le cap.",
    "es": "El faro fue construido cuando nadie más quería vivir allí, y todavía es la única casa que hay en el cabo.",
    "it": "Il faro fu costruito quando nessun altro voleva vivere là, ed è ancora la sola casa che si trova sul capo.",
    "nl": "De vuurtoren werd gebouwd toen niemand anders daar wilde wonen, en het is nog het enige huis op de kaap.",
    "ru": "Маяк был построен, когда никто другой не хотел там жить, и он всё ещё единственный дом, что есть на мысе.",
    "uk": "Маяк був збудований, коли ніхто інший не хотів там жити, і він все ще єдиний дім, який є на цьому мисі.",
    "el": "Ο φάρος χτίστηκε όταν κανείς άλλος δεν ήθελε να ζήσει εκεί, και είναι ακόμα το μόνο σπίτι στο ακρωτήριο.",
    "ja": "灯台はほかに誰もそこに住みたがらなかったころに建てられ、今も岬にあるただ一軒の家である。",
    "ko": "등대는 아무도 그곳에 살고 싶어 하지 않았을 때 지어졌고, 지금도 곶에 있는 유일한 집이다.",
    "he": "המגדלור נבנה כאשר איש לא רצה לגור שם, והוא עדיין הבית היחיד על הכף.",
}


@pytest.mark.parametrize("code", SENTENCES)
def test_a_sentence_is_enough(code: str) -> None:
    assert detect(SENTENCES[code]) == code
    assert detect(unicodedata.normalize("NFD", SENTENCES[code])) == code
    assert detect(SENTENCES[code].upper()) in (code, None)  # capitals may lose accents, never change the language


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n ",
        "12 345 – 67 %",
        "Anna met Ben.",  # too short
        "Anna Weber, Karl Braun, Paris, Lima, Quito, Zofia, Helena, Leon, Berlin, London, Oslo, Praha, Roma, Wien",
        "qwe rty uio pas dfg hjk lzx cvb nmq wer tyu iop asd fgh jkl zxc vbn",
        "Bahasa ini ditulis dengan cara yang sama dan tidak dapat dibedakan oleh kata kata yang ada di sini saja",
    ],
)
def test_a_text_that_leaves_doubt_has_no_language(text: str) -> None:
    assert detect(text) is None


def test_names_of_other_languages_do_not_mislead() -> None:
    names = "Władysław Żeromski, Łódź, Kraków, Częstochowa, Świętokrzyskie; "
    assert detect(names * 3 + SENTENCES["en"]) == "en"


def test_the_middle_and_the_end_of_a_long_text_count() -> None:
    assert detect(SENTENCES["en"] + "\n" + f"{SENTENCES['pl']}\n" * 2_000) == "pl"


def test_spacys_own_example_sentences_are_known() -> None:
    """Of 67 languages at most one is taken for another: Nynorsk, which has no stop words, for Bokmål."""
    examples = dict(_examples())
    found = {code: detect(text) for code, text in examples.items()}
    wrong = {code: other for code, other in found.items() if other not in (code, None)}
    assert len(examples) > 60
    assert set(wrong) <= {"nn"}
    assert sum(found[code] == code for code in examples) >= 55


def _examples() -> Iterator[tuple[str, str]]:
    spec = find_spec("spacy")
    assert spec is not None
    assert spec.origin is not None
    for path in sorted(Path(spec.origin).parent.glob("lang/*/examples.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign):
                yield path.parent.name, "\n".join(ast.literal_eval(node.value))


@given(st.text(max_size=300))
def test_any_text_has_a_known_language_or_none(text: str) -> None:
    assert detect(text) in (None, *languages())


def test_real_texts(shared_data: Path) -> None:
    assert detect((shared_data / "narrative_polish" / "lalka.txt").read_text("utf-8")) == "pl"
    for path in sorted((shared_data / "wikipedia").glob("*.txt")):
        assert detect(path.read_text("utf-8")) == "en"


def test_spacys_data_are_read_and_spacy_is_not_imported() -> None:
    before = "spacy" in sys.modules
    assert len(stop_words()) > 70
    assert {"nie", "się"} <= stop_words()["pl"]
    assert {"Dr", "e.g"} <= abbreviations("en")
    assert "z.B" in abbreviations("de")
    assert abbreviations("pl") == abbreviations("no-such-language") == frozenset()
    assert ("spacy" in sys.modules) == before


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("pl", "pl"),
        ("pt-BR", "pt"),
        ("PL_pl", "pl"),
        (" en ", "en"),
        ("", None),
        (None, None),
        ("../x", None),
        ("en-", None),
    ],
)
def test_codes_are_reduced_to_the_language(code: str | None, expected: str | None) -> None:
    assert primary(code) == expected
