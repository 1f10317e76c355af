"""Types that the words around a name give, whatever the recogniser took it for."""

from __future__ import annotations

import pytest

from offline_reading import read


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("Wanjiru Sagaria, 41, has led the office since then.", "Wanjiru Sagaria", "PERSON"),
        ("It is kept by Ximo Arrizabal, the 61-year-old author of the library.", "Ximo Arrizabal", "PERSON"),
        ("Fifteen-year-old Nvard Petrosh of Lund beat the champion.", "Nvard Petrosh", "PERSON"),
        ("The prize went to Prof. Lode Verhulst for his work.", "Lode Verhulst", "PERSON"),
        ("Ewart Macrane spoke first. His father, Donnie Macrane, was there with Ada.", "Ewart Macrane", "PERSON"),
        ("The castle was held for King Christian IV by Otto Lind.", "Christian IV", "PERSON"),
        ("Ada Berg wrote to Sorby & Pane about it.", "Sorby & Pane", "ORGANIZATION"),
        ("Otto Lind works for Calder Pharma in Oslo.", "Calder Pharma", "ORGANIZATION"),
        ("Cllr Ravik thanked Otto Lind. Cllr Ravik left.", "Cllr Ravik", "PERSON"),
    ],
)
def test_a_sign_settles_a_type(text, name, kind):
    assert read(text).types[name] == kind


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("Oslo was founded in 1048 by Harald Berg.", "Oslo", "PLACE"),
        ("He went to Oslo, the king's seat.", "Oslo", "PLACE"),
        ("The University of Lund, a member of the league, was closed.", "University of Lund", "ORGANIZATION"),
        ("They live in Oslo, the 900-year-old city.", "Oslo", "PLACE"),
    ],
)
def test_a_near_miss_keeps_its_type(text, name, kind):
    assert read(text).types[name] == kind


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Otto Lind beat the Slovene banker Ada Berg, a Swede.", {"Otto Lind", "Ada Berg"}),
        ("Otto Lind met the Serbian Goran Ilicek in Oslo.", {"Otto Lind", "Goran Ilicek", "Oslo"}),
        ("Ada Berg studied at Lund Academy. The Academy was closed.", {"Ada Berg", "Lund Academy"}),
    ],
)
def test_words_of_origin_and_short_forms_are_no_names_of_their_own(text, names):
    assert read(text).names == names
