from kg_neo4j.records import Answer, Citation
from kg_neo4j_offline.short.card import asks_about, asks_who, has_role, make_card
from kg_neo4j_offline.short.mentions import lines, mentions
from kg_neo4j_offline.short.things import Thing, ThingFact

MINUTES = (
    "Apologies: Cllr Desmond Eddowes (in hospital); Sir Anthony Wraxall. It was noted.\n\n"
    "Cllr Tom Eddowes, 29, offered to write. His uncle, Cllr Desmond Eddowes, had done so in 2014 without result. "
    "It was agreed that no rent would be raised.\n\n"
    "They stood in memory of Cllr Desmond Eddowes, who died on 22 March. A farrier by trade, he was the Chair for long."
    " Bhavna Mistry thanked Desmond Eddowes, and Iain Carrow spoke. He left early."
)


def card(name: str, text: str = MINUTES, thing: Thing | None = None) -> Answer | None:
    read = lines([("c1", "minutes", text)])
    return make_card(name, read, [each for line in read for each in mentions(line)], thing)


def test_a_card_has_the_best_sentences_word_for_word() -> None:
    told = card("Desmond Eddowes")
    assert told is not None
    first, *more = told.answer.splitlines()
    assert first == (
        "They stood in memory of Cllr Desmond Eddowes, who died on 22 March. "
        "A farrier by trade, he was the Chair for long. [1]"
    )
    assert more == [
        "His uncle, Cllr Desmond Eddowes, had done so in 2014 without result. [2]",  # "It was agreed" is not of him
        "Bhavna Mistry thanked Desmond Eddowes, and Iain Carrow spoke. [3]",  # nor is "He left"
    ]
    assert all(MINUTES[each.start : each.end] == each.quote for each in told.citations)
    assert [claim.citations for claim in told.claims] == [(1,), (2,), (3,)]


def test_what_a_sentence_says_by_the_way_does_not_come_first() -> None:
    told = card(
        "Otto Berg", "Ida Moe cooked, because Otto Berg was a slow writer. Ida met Otto Berg, a surgeon from Moss."
    )
    assert told is not None
    assert told.answer.startswith("Ida met Otto Berg, a surgeon from Moss. [1]")


def test_no_card_where_several_bear_the_name_or_nobody_does() -> None:
    assert card("Eddowes") is None
    assert card("Muriel Hatherleigh") is None


def test_key_facts_that_their_words_state_are_shown() -> None:
    text = "Ada Lind was a director.\n\nMuch later Ada Lind was born in Oslo, they say. Ada Lind never met Tom Berg."
    rows = [("1", "BORN_IN", "Oslo", "Ada Lind was born in Oslo"), ("2", "MARRIED_TO", "Tom Berg", "Oslo was cold")]
    facts = tuple(
        ThingFact(key, "Ada Lind", "a", kind, target, "b", Citation("c9", "lives", 0, len(quote), quote))
        for key, kind, target, quote in rows
    )
    told = card("Ada Lind", text, Thing("Ada Lind", ("a",), facts, (), exact=True))
    assert told is not None
    assert [line for line in told.answer.splitlines() if line.startswith("-")] == ["- Ada Lind born in Oslo [2]"]
    assert told.citations[1].document == "lives"


def test_which_questions_ask_for_a_card() -> None:
    assert asks_about("Tell me about Jane Stirling.") == "Jane Stirling"
    assert asks_about("describe the Marne Gate") == "the Marne Gate"
    assert asks_about("Who was Jane Stirling?") == ""
    assert asks_who("Who was Jane Stirling?") == "Jane Stirling"
    read = [
        each for line in lines([("c", "d", "Josef Marek, our foreman, left. Ilse stayed.")]) for each in mentions(line)
    ]
    assert has_role("Josef Marek", read)
    assert not has_role("Ilse", read)
