import pytest

from kg_neo4j.rooms.chat.small_talk import is_small_talk


@pytest.mark.parametrize(
    "line",
    ["thanks", "Thanks!", "Thank you very much.", "hello", "Hi there", "ok, thanks", "Good morning!", "bye :)"],
)
def test_small_talk_asks_nothing(line: str) -> None:
    assert is_small_talk(line)


@pytest.mark.parametrize(
    "line",
    [
        "And his wife?",
        "When?",
        "Paris",
        "ok, and when?",
        "Who was Grace Hello?",
        "His wife",
        "no wife",
        "",
        "Good Hope",
    ],
)
def test_a_question_or_a_name_is_no_small_talk(line: str) -> None:
    assert not is_small_talk(line)
