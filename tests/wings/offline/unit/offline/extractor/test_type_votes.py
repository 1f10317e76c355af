"""Types that the words around a name give, whatever the recogniser took it for."""

from __future__ import annotations

import pytest

from offline_reading import read

ENGLISH = "\nIt was the end of the day, and he was in the house with her."


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("Wanjiru Sagaria, 41, has led the office since then.", "Wanjiru Sagaria", "PERSON"),
        ("It is kept by Ximo Arrizabal, the 61-year-old author of the library.", "Ximo Arrizabal", "PERSON"),
        ("Fifteen-year-old Nvard Petrosh of Lund beat the champion.", "Nvard Petrosh", "PERSON"),
        ("The prize went to Prof. Lode Verhulst for his work.", "Lode Verhulst", "PERSON"),
        ("Ewart Macrane spoke first. His father, Donnie Macrane, was there with Ada.", "Ewart Macrane", "PERSON"),
        ("The ferry Isle of Rona struck a rock near Oslo.", "Isle of Rona", "OTHER"),
        ("He sailed for Pellervo, a small port in the north.", "Pellervo", "PLACE"),
        ("Fit the Drain Valve before winter, and keep the Drain Valve clean.", "Drain Valve", "OTHER"),
        ("The castle was held for King Christian IV by Otto Lind.", "Christian IV", "PERSON"),
        ("Orvik was set up in 1971 by Ada Berg and Otto Lind.", "Orvik", "ORGANIZATION"),
        ("Ada Berg wrote to Sorby & Pane about it.", "Sorby & Pane", "ORGANIZATION"),
        ("Ada Berg reached Port Almery at noon.", "Port Almery", "PLACE"),
        ("The Halberd sank off Oslo in May. The Halberd was old.", "The Halberd", "OTHER"),
        ("Otto Lind works for Calder Pharma in Oslo.", "Calder Pharma", "ORGANIZATION"),
        ("Cllr Ravik thanked Otto Lind. Cllr Ravik left.", "Cllr Ravik", "PERSON"),
    ],
)
def test_a_sign_settles_a_type(text, name, kind):
    found = {node["name"].removeprefix("The "): node["node_type"] for node in read(text + ENGLISH).nodes}
    assert found.get(name.removeprefix("The ")) == kind


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
    assert {node["name"]: node["node_type"] for node in read(text + ENGLISH).nodes}[name] == kind


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Otto Lind beat the Slovene banker Ada Berg, a Swede.", {"Otto Lind", "Ada Berg"}),
        ("Otto Lind met the Serbian Goran Ilicek in Oslo.", {"Otto Lind", "Goran Ilicek", "Oslo"}),
        ("Ada Berg studied at Lund Infirmary. The Infirmary was closed.", {"Ada Berg", "Lund Infirmary"}),
    ],
)
def test_words_of_origin_and_short_forms_are_no_names_of_their_own(text, names):
    assert read(text + ENGLISH).names == names
