"""Sets of aspects: the seven that ship, and files of users with everything that can be wrong in one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kg_neo4j.errors import UsageError
from kg_neo4j.organise.tree.aspects import (
    GENERAL,
    MOST,
    SHIPPED,
    fingerprint,
    load_aspects,
    prompt_of,
    write_aspects,
)

ONE = '[[aspects]]\nname = "food"\ntitle = "food and drink"\nquestion = "What is eaten?"\n'
PROMPT = """---
name: mine
version: 1
placeholders: text, words
answer: text
temperature: 0
source: mine
---
# System
Summarise in {{words}} words.
# User
{{text}}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "aspects.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_seven_aspects_ship_with_the_package() -> None:
    names = [aspect.name for aspect in load_aspects(None)]
    assert names == ["plot", "character", "setting", "point_of_view", "style", "theme", "irony_and_symbol"]


@pytest.mark.parametrize("name", SHIPPED[1:])
def test_a_set_that_ships_is_taken_by_its_name(name: str) -> None:
    found = load_aspects(name)
    assert 5 <= len(found) <= 8
    for aspect in found:
        assert len(aspect.cues) >= 15
        assert len(set(aspect.cues)) == len(aspect.cues)
        begun = tuple(cue[:-1] for cue in aspect.cues if cue.endswith("*"))
        assert not [cue for cue in aspect.cues if not cue.endswith("*") and cue.startswith(begun)]


def test_an_unknown_name_lists_the_sets_that_ship(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no aspects 'biograpy'") as refused:
        load_aspects("biograpy")
    assert "narrative, biography, science, law, minutes" in str(refused.value.hint)
    assert load_aspects(str(write(tmp_path, ONE))) == load_aspects(write(tmp_path, ONE))


def test_cues_of_a_file_are_read_and_do_not_change_its_fingerprint(tmp_path: Path) -> None:
    plain, cued = load_aspects(write(tmp_path, ONE)), load_aspects(write(tmp_path, ONE + 'cues = ["eat*", "żur"]\n'))
    assert (plain[0].cues, cued[0].cues) == ((), ("eat*", "żur"))
    assert fingerprint(plain) == fingerprint(cued)


@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_written_is_read_again(tmp_path: Path, name: str) -> None:
    aspects = load_aspects(name)
    text = write_aspects(aspects, ("A remark\nof one line.",))
    assert text.startswith("# A remark of one line.\n")
    assert load_aspects(write(tmp_path, text)) == aspects


@pytest.mark.parametrize("aspect", [*load_aspects("law"), *load_aspects(None), GENERAL], ids=lambda aspect: aspect.name)
def test_every_aspect_that_ships_has_a_prompt(aspect: object) -> None:
    prompt = prompt_of(aspect)  # type: ignore[arg-type]
    assert prompt.temperature == 0.5


def test_a_file_gives_its_aspects_in_its_order(tmp_path: Path) -> None:
    second = ONE.replace("food", "dress").replace("What is eaten?", "What   is\\nworn?")
    first, other = load_aspects(write(tmp_path, second + ONE))
    assert (first.name, first.title, first.question, first.prompt) == (
        "dress",
        "dress and drink",
        "What is worn?",
        "summary",
    )
    assert other.name == "food"


def test_a_prompt_of_the_user_stands_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text(PROMPT, encoding="utf-8")
    (aspect,) = load_aspects(write(tmp_path, ONE + 'prompt = "mine.md"\n'))
    assert prompt_of(aspect).render(text="T", words="9") == ("Summarise in 9 words.", "T")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"has no \[\[aspects\]\]"),
        ("aspects = []", r"has no \[\[aspects\]\]"),
        ('aspects = "plot"', r"has no \[\[aspects\]\]"),
        ("aspects = [1]", "aspect 1 is no table"),
        ("[[aspects]", "is not TOML"),
        (ONE + ONE, "two aspects with the name 'food'"),
        (ONE + ONE.replace('"food"', '"meals"').replace("food and", "FOOD and"), "two aspects with the title"),
        (ONE.replace('"food"', '"Food"'), "the name 'Food' is not lower-case words"),
        (ONE.replace('"food"', '"food_"'), "is not lower-case words"),
        (ONE.replace('"food"', '"food\'s"'), "is not lower-case words"),
        (ONE.replace('"food"', '"' + "a" * 41 + '"'), "the name has 41 characters; 40 are the most"),
        (ONE.replace('"food"', '"detail"'), "the name 'detail' is taken"),
        (ONE.replace('"food"', '"none"'), "the name 'none' is taken"),
        (ONE.replace('"food"', "7"), "has no name"),
        (ONE.replace('"food"', '"  "'), "has no name"),
        (ONE.replace("title", "titel"), "has 'titel'; it may have name, title, question, prompt, cues"),
        (ONE.replace('title = "food and drink"\n', ""), "aspect 1 has no title"),
        (ONE.replace("What is eaten?", "w" * 501), "the question has 501 characters"),
        (ONE + 'prompt = "nothing"\n', "the prompt 'nothing', which cannot be read"),
        (ONE + 'prompt = "nothing.md"\n', "which cannot be read"),
        (ONE + 'prompt = "../prompts/summary"\n', "there is no prompt"),
        (ONE + 'prompt = "extract"\n', "has the placeholder"),
        (ONE + "prompt = 3\n", "prompt is the name of a prompt"),
        (ONE + 'cues = "eat"\n', "cues are a list"),
        (ONE + 'cues = ["Eat"]\n', "the cue 'Eat' is no word in lower case"),
        (ONE + 'cues = ["to eat"]\n', "the cue 'to eat' is no word"),
        (ONE + 'cues = ["*"]\n', "is no word"),
        (ONE + "cues = [1]\n", "the cue 1 is no word"),
        ('name = "plot"\n' + ONE, "has 'name'; it may have"),
        ("".join(ONE.replace("food", f"food{number}") for number in range(MOST + 1)), "24 are the most"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        load_aspects(write(tmp_path, text))


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        load_aspects(tmp_path / "none.toml")
    with pytest.raises(UsageError, match="cannot be read"):
        load_aspects(tmp_path)
    (tmp_path / "latin.toml").write_bytes(ONE.replace("food and", "fööd and").encode("latin-1"))
    with pytest.raises(UsageError, match="is not TOML"):
        load_aspects(tmp_path / "latin.toml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PROMPT.replace("{{text}}", "The text").replace("text, words", "words"), "no place for the text"),
        (PROMPT.replace("{{words}}", "{{mood}}").replace("text, words", "mood, text"), "the placeholder 'mood'"),
        ("no header", "a prompt is a header"),
    ],
)
def test_what_is_wrong_with_a_prompt_is_said(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "mine.md").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        load_aspects(write(tmp_path, ONE + 'prompt = "mine.md"\n'))


def test_the_fingerprint_knows_words_and_prompts_not_places(tmp_path: Path) -> None:
    found = []
    for folder, prompt in (("a", PROMPT), ("b", PROMPT), ("c", PROMPT.replace("Summarise", "Retell"))):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.md").write_text(prompt, encoding="utf-8")
        found.append(fingerprint(load_aspects(write(tmp_path / folder, ONE + 'prompt = "mine.md"\n'))))
    assert found[0] == found[1] != found[2]
    seven = load_aspects(None)
    assert fingerprint(seven) != fingerprint(seven[:6])
    assert fingerprint(seven) != fingerprint((replace(seven[0], question="What?"), *seven[1:]))
