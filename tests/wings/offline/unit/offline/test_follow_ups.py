"""Follow-ups by rule: what a word means, what a short question leaves out, and what stands by itself."""

from __future__ import annotations

import random

import pytest

from kg_neo4j._models import tokens
from kg_neo4j.rooms.chat.turns import TURNS, Turn, TurnMention, Understood, remember, render
from kg_neo4j_offline.follow_ups import resolve

TOKENISER = tokens.load("approximate-1")
ADA = TurnMention("Ada Lovelace", "person", "f", "Ada Lovelace")
BYRON = TurnMention("Lord Byron", "person", "m")
LONDON = TurnMention("London", "place")
ENGINE = TurnMention("Analytical Engine", "thing", "", "Analytical Engine")
WHO = Turn("Who was Ada Lovelace?", "Ada Lovelace was a daughter of Lord Byron.", (ADA, BYRON))
BORN = Turn("Where was Ada Lovelace born?", "In London.", (ADA, LONDON))
FATHER = Turn("Who was Ada Lovelace's father?", "Lord Byron.", (ADA, BYRON))
BUILT = Turn("Who planned the Analytical Engine?", "Babbage.", (ENGINE, TurnMention("Charles Babbage", "person", "m")))
SAND = Turn(
    "Who was George Sand?",
    "After his engagement to Maria Wodzińska he met Aurore Dupin (known by her pen name George Sand).",
    (TurnMention("George Sand", "person", "m", "George Sand"), TurnMention("Maria Wodzińska", "person", "f")),
)
ROBIN = Turn(
    "Tell me about Robin Ness", "Maria met Robin Ness.", (TurnMention("Robin Ness", "person", "", "Robin Ness"), BYRON)
)
KING = Turn(  # a title is sure
    "Who was King Olaf?",
    "Her son was King Olaf.",
    (TurnMention("King Olaf", "person", "m", "King Olaf", sure=True), ADA),
)


@pytest.mark.parametrize(
    ("turns", "asked", "meant"),
    [
        ([WHO], "When did she die?", "When did Ada Lovelace die?"),
        ([WHO], "When did he die?", "When did Lord Byron die?"),
        ([WHO], "Who taught her?", "Who taught Ada Lovelace?"),
        ([WHO], "Who was her teacher?", "Who was Ada Lovelace's teacher?"),
        ([WHO], "When did she lose her job?", "When did Ada Lovelace lose her job?"),
        ([WHO], "and when did she die?", "When did Ada Lovelace die?"),
        ([WHO], "And his wife?", "Who was Lord Byron's wife?"),
        ([WHO], "What about Lord Byron?", "Who was Lord Byron?"),
        ([WHO], "Did they meet?", "Did Ada Lovelace and Lord Byron meet?"),
        ([BORN], "And his wife?", "And his wife?"),
        ([BORN], "And Babbage?", "Where was Babbage born?"),
        ([BORN], "And her father?", "Where was Ada Lovelace's father born?"),
        ([BORN], "When?", "When was Ada Lovelace born?"),
        ([BORN], "Who lived there?", "Who lived in London?"),
        ([BORN], "How large is that city?", "How large is London?"),
        ([BORN], "Was there a king?", "Was there a king?"),
        ([BORN], "How many documents are there?", "How many documents are there?"),
        ([FATHER], "And her mother?", "Who was Ada Lovelace's mother?"),
        ([FATHER], "Where did he live?", "Where did Lord Byron live?"),
        ([SAND], "When was she born?", "When was George Sand born?"),  # not Maria
        ([ROBIN], "When was he born?", "When was Robin Ness born?"),
        ([KING], "When was she born?", "When was Ada Lovelace born?"),
        ([BUILT], "Was it built?", "Was Analytical Engine built?"),
        ([BUILT], "When did he plan it?", "When did Charles Babbage plan Analytical Engine?"),
        ([BUILT], "Is it true that he died poor?", "Is it true that Charles Babbage died poor?"),
        ([WHO, BUILT], "Did she see it?", "Did Ada Lovelace see Analytical Engine?"),
        ([WHO, BUILT], "Did they both know it?", "Did Ada Lovelace and Charles Babbage both know Analytical Engine?"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_follow_up_gets_the_names_that_it_means(turns: list[Turn], asked: str, meant: str) -> None:
    assert resolve(asked, turns).question == meant


@pytest.mark.parametrize(
    ("last", "asked", "meant"),
    [
        ("What did Ada do in Paris?", "And in Turin?", "What did Ada do in Turin?"),
        ("What did Ada do in 1833?", "And in 1840?", "What did Ada do in 1840?"),
        ("What did Ada do?", "In 1840?", "What did Ada do in 1840?"),
        ("In which year was Ada born?", "Where?", "Where was Ada born?"),
        ("Did Ada marry?", "When?", "When did Ada marry?"),
        ("Tell me about Ada.", "What about Byron?", "Tell me about Byron."),
    ],
)
def test_a_short_question_takes_the_form_of_the_one_before(last: str, asked: str, meant: str) -> None:
    turn = Turn(last, "", (TurnMention("Ada", "person", "f", "Ada"),))
    assert resolve(asked, [turn]).question == meant


@pytest.mark.parametrize(
    "asked",
    [
        "Who planned the Analytical Engine?",
        "When did Charles Babbage die?",
        "Did Ada Lovelace know her father?",
        "Is it known who wrote the letter?",
        "",
        "???",
        "😀",
    ],
)
def test_what_stands_by_itself_stays_as_it_is(asked: str) -> None:
    assert resolve(asked, [WHO]) == Understood(asked)


def test_without_a_conversation_nothing_is_meant() -> None:
    assert resolve("When did she die?", []) == Understood("When did she die?")


def test_a_pronoun_that_nobody_fits_stays() -> None:
    assert resolve("When did she die?", [BUILT]) == Understood("When did she die?")


def test_who_resolved_it_is_said() -> None:
    assert resolve("When did she die?", [WHO]).by == "rule"
    assert resolve("When did Babbage die?", [WHO]).by == ""


def test_odd_lines_do_no_harm() -> None:
    chance = random.Random(5)
    pieces = [
        "he",
        "she's",
        "And",
        "?",
        "'s",
        "what about",
        "\u202e",
        "(",
        "\\1",
        "$",
        "x" * 50,
        "there",
        "in",
        "\n",
        "her",
    ]
    turns = [WHO, Turn("\\g<0> (.*", "", (TurnMention("(", "person", "m", "("), TurnMention("\\1", "place"))), BORN]
    for _ in range(500):
        text = " ".join(chance.choices(pieces, k=chance.randint(1, 9)))
        assert isinstance(resolve(text, chance.sample(turns, chance.randint(1, 3))).question, str)


def test_of_a_long_conversation_the_last_turns_are_remembered() -> None:
    turns: tuple[Turn, ...] = ()
    for number in range(TURNS + 5):
        turns = remember(turns, Turn(f"Question {number}?", ""))
    assert [turns[0].question, turns[-1].question, len(turns)] == ["Question 5?", f"Question {TURNS + 4}?", TURNS]


def test_a_model_is_shown_whole_turns_within_its_budget() -> None:
    turns = [Turn(f"Question {number}?", "word " * 400) for number in range(10)]
    for budget in (50, 200, 400, 1_000):
        shown = render(turns, TOKENISER, budget)
        assert TOKENISER.count(shown) <= budget
        assert shown.count("Q: ") == shown.count("A: ")
    assert render(turns, TOKENISER, 400).startswith("Q: Question 7?")
    assert "Question 9?" in render(turns, TOKENISER, 400)
    assert render(turns, TOKENISER, 1) == ""
    assert "A: not found" in render([Turn("Who?", "")], TOKENISER)
