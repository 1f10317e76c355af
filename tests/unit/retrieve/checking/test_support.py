"""Whether cited words support a claim: single faults, and a measured set of pairs."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from kg_neo4j.acquire import files
from kg_neo4j.records import Document
from kg_neo4j.retrieve.checking.support import CitedPassage, best_window, find_quote, supports
from kg_neo4j.retrieve.sentences import split_sentences

PAIRS = json.loads((Path(__file__).parents[3] / "data" / "claims.json").read_text(encoding="utf-8"))
TEXT = (
    "Ada Lind (4 May 1890 – 3 June 1950) directed Rain Road in 1931. She was taught by Otto Berg. The film was not a "
    "success, and 1,200 copies were burned."
)
PASSAGE = CitedPassage(TEXT, "Ada Lind")


@pytest.mark.parametrize(
    "claim",
    [
        "Ada Lind directed Rain Road in 1931.",
        "Rain Road was directed by Ada Lind.",
        "Ada Lind was born on 4 May 1890.",
        "Lind died in 1950.",
        "Otto Berg taught Ada Lind.",
        "The film was not a success.",
        "1200 copies of the film were burned.",
        "She was born on May 4, 1890.",
    ],
)
def test_what_the_passage_says_in_other_words_is_supported(claim: str) -> None:
    assert supports(claim, [PASSAGE]).supported, supports(claim, [PASSAGE])


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        ("Ada Lind directed Rain Road in 1932.", "1932"),
        ("Ada Holm directed Rain Road in 1931.", "Holm"),
        ("Ada Lind was born in 1950.", "other end of the life"),
        ("Ada Lind died on 4 May 1890.", "other end of the life"),
        ("Ada Lind was born on 14 May 1890.", "14"),
        ("Ada Lind did not direct Rain Road.", "denies"),
        ("Ada Lind taught Otto Berg.", "Otto Berg"),
        ("Otto Berg directed Rain Road in 1931.", "Ada Lind"),
        ("The film was a success.", "denies"),
        ("Copies of the newspaper sold quickly abroad.", "only"),
        ("12,000 copies were burned.", "12000"),
        ("", "nothing that can be checked"),
    ],
)
def test_what_the_passage_does_not_say_is_not_supported_and_the_reason_is_told(claim: str, why: str) -> None:
    verdict = supports(claim, [PASSAGE])
    assert not verdict.supported
    assert why in verdict.reason


@pytest.mark.parametrize(
    ("claim", "text", "supported"),
    [
        ("The mill of Hald had 28 stones.", "The mill of Hald had twenty-eight stones.", True),
        ("The mill of Hald had twenty-eight stones.", "The mill of Hald had 28 stones.", True),
        ("The mill of Hald had 28 stones.", "The mill of Hald had twenty stones and 8 sieves.", False),
        ("The mill of Hald had 21 stones.", "The mill of Hald had twenty-one stones.", True),
        ("Both mills of Hald burned.", "The mills of Hald burned.", True),
        ("The mill burned on 7 October.", "The mill burned on the seventh of October.", True),
        ("The mill burned on the seventeenth of October.", "The mill burned on the seventh of October.", False),
        ("In June 340 men left the mill.", "340 men had left the mill in June.", True),
        ("The mill burned in September 1836.", "In July 1836 the mill was let, and in September it burned.", True),
        ("The mill burned on 7 October.", "The mill was let on 7 July and burned on 9 October.", False),
    ],
)
def test_numbers_and_dates_are_read_in_words_too(claim: str, text: str, *, supported: bool) -> None:
    assert supports(claim, [CitedPassage(text)]).supported is supported


def test_a_name_may_be_an_alias_that_the_graph_knows() -> None:
    passage = CitedPassage("The Enchantress met Babbage in 1833.", "", ((("Ada Lovelace"), "Enchantress"),))
    assert supports("Ada Lovelace met Babbage in 1833.", [passage]).supported
    assert not supports("Ada Lovelace met Babbage in 1833.", [CitedPassage(passage.text)]).supported


def test_a_pronoun_stands_for_a_name_said_before_or_for_the_title() -> None:
    quote = "She was born in Oslo."
    assert supports("Ada Lind was born in Oslo.", [CitedPassage(quote, "Ada Lind")]).supported
    assert supports("Ada Lind was born in Oslo.", [CitedPassage(quote, "Notes", near="Ada Lind directed.")]).supported
    assert not supports("Ada Lind was born in Oslo.", [CitedPassage(quote, "Notes")]).supported


def test_passages_support_together_what_neither_does_alone() -> None:
    first, second = (
        CitedPassage("Rain Road was directed by Ada Lind."),
        CitedPassage("Ada Lind was born in Oslo in 1890."),
    )
    claim = "Rain Road was directed by Ada Lind, who was born in Oslo in 1890."
    assert supports(claim, [first, second]).supported
    assert not supports(claim, [first]).supported


def test_nothing_cited_supports_nothing() -> None:
    assert not supports("Ada was born in Oslo.", []).supported
    assert not supports("Ada was born in Oslo.", [CitedPassage("")]).supported


def test_the_window_is_the_shortest_run_of_sentences_that_has_most_of_the_claim() -> None:
    start, end = best_window("Otto Berg taught her.", TEXT)
    assert TEXT[start:end] == "She was taught by Otto Berg."
    start, end = best_window("Ada Lind of Rain Road was taught by Otto Berg.", TEXT)
    assert TEXT[start:end].startswith("Ada Lind (4 May")
    assert TEXT[start:end].endswith("Otto Berg.")


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Ada moved from Oslo to Rome.", "Ada moved from Rome to Oslo."),
        ("He worked for the bank after the war.", "Before the war he worked for the bank."),
        ("The shop was built in 1869.", "The shop was built in 1847, and it passed in 1869 to his son."),
        ("Theodora Vey wished to sell the works.", "Rupert Brand wished to sell the works; Theodora Vey stopped him."),
        ("No agreement has been signed.", "An agreement has been signed."),
        ("The yard repaired the ship that the town owned.", "The town owned the yard that repaired the ship."),
        ("Lomvi, a sealing ketch", "Petrea | sealing ketch | 1911"),
    ],
)
def test_what_is_turned_round_or_said_of_another_is_quoted(claim: str, text: str) -> None:
    assert supports(claim, [CitedPassage(text, near="Lomvi | galeas | 1880")]).level == "quoted"


@pytest.mark.parametrize(
    ("claim", "text", "level"),
    [
        ("Ada Lind directed Rain Road in 1932.", "Ada Lind directed Rain Road in 1931.", "contradicted"),
        ("Ada Lind was born on 14 May 1890.", "Ada Lind was born on 4 May 1890 in Oslo.", "contradicted"),
        ("She was born in Paris.", "She was born in Oslo.", "contradicted"),
        ("She was born in Paris.", "She was born in 1890 and saw Oslo, where the king lived, as a child.", "quoted"),
        ("The strike ended in 1913.", "The strike (1911–1913) ended.", "supported"),
        ("Tom was 22 years old.", "22-year-old Tom was there.", "supported"),
        ("About 1,000 people were hurt.", "Many people were hurt.", "quoted"),
        (
            "The market drew 1,300 people more.",
            "The market drew 3,400 people, the night 2,100 people more or less.",
            "supported",
        ),
        ("No, the plan was never ratified.", "The plan of the league was never ratified.", "supported"),
        ("It does so if the user made no changes.", "It does so if the user has not made any changes.", "supported"),
    ],
)
def test_it_accuses_only_where_another_value_stands_in_the_same_place(claim: str, text: str, level: str) -> None:
    assert supports(claim, [CitedPassage(text)]).level == level


def test_a_text_in_any_language_has_a_claim_word_for_word() -> None:
    text = "Der Film war kein Erfolg. Ada Lind drehte den Film nicht in Oslo."
    place = find_quote("Ada Lind drehte den Film nicht in Oslo!", text)
    assert place is not None
    assert text[slice(*place)] == "Ada Lind drehte den Film nicht in Oslo."
    assert find_quote("Ada Lind drehte den Film in Oslo.", text) is None
    assert find_quote("Oslo.", text) is None


@pytest.mark.parametrize(("half", "precision", "recall"), [(0, 0.85, 0.9), (1, 0.8, 0.8)])
def test_most_verdicts_on_the_measured_pairs_are_right(half: int, precision: float, recall: float) -> None:
    """The threshold was chosen on half 0; docs/decisions/0022 has the figures."""
    right = wrong = missed = 0
    for entry in PAIRS:
        for claim in entry["claims"]:
            if int(hashlib.sha256(claim["text"].encode()).hexdigest(), 16) % 2 != half:
                continue
            verdict = supports(claim["text"], [CitedPassage(entry["text"], entry["title"])]).supported
            gold = claim["kind"] == "supported"
            right += verdict and gold
            wrong += verdict and not gold
            missed += gold and not verdict
    assert right + wrong + missed >= 25
    assert right / (right + wrong) >= precision
    assert right / (right + missed) >= recall


def test_there_are_enough_pairs_of_every_kind() -> None:
    kinds = [claim["kind"] for entry in PAIRS for claim in entry["claims"]]
    assert len(kinds) >= 140
    for kind in ("supported", "number", "name", "negated", "swapped", "other", "opposite"):
        assert kinds.count(kind) >= 5


OWN = {
    "the_bell_of_orlen": "examples/the_bell_of_orlen.md",
    "the_lamp_at_skarnes": "examples/the_lamp_at_skarnes.md",
    "alexander_von_humboldt": "examples/alexander_von_humboldt.md",
    "harbour": "tests/data/recorded/harbour.md",
    "minutes": "tests/data/peers/minutes.md",
}
ASKING = Path(__file__).parents[3] / "data" / "asking"


def test_claims_of_a_large_model_are_supported_and_wrong_ones_are_not() -> None:
    """The half that rules were chosen by, on texts of our own; benchmarks/claims.py has the other half."""
    texts = {name: _text(Path(__file__).parents[4] / file) for name, file in OWN.items()}
    claims = {row["id"]: row for row in map(json.loads, (ASKING / "claims.jsonl").read_text("utf-8").splitlines())}
    own = {
        key: [
            CitedPassage(texts[name][start:end], name.replace("_", " "), near=_near(texts[name], start, end))
            for name, start, end in row["cited"]
        ]
        for key, row in claims.items()
        if row["right"] and _half(row["question"]) == 0 and all(name in OWN for name, *_ in row["cited"])
    }
    right = [supports(claims[key]["claim"], passages).level for key, passages in own.items()]
    planted = map(json.loads, (ASKING / "planted.jsonl").read_text("utf-8").splitlines())
    wrong = [supports(row["claim"], own[row["of"]]).level for row in planted if row["of"] in own]
    assert (len(right), len(wrong)) == (70, 85)
    assert right.count("supported") >= 0.92 * len(right)
    assert right.count("contradicted") == 0
    assert wrong.count("supported") <= 0.15 * len(wrong)


def _text(path: Path) -> str:
    (found,) = files.read([str(path)], graph="claims")
    assert isinstance(found, Document)
    return found.text


def _half(question: str) -> int:
    return int(hashlib.sha256(question.encode()).hexdigest(), 16) % 2


def _near(text: str, start: int, end: int) -> str:
    sentences = split_sentences(text)
    before = [each.text for each in sentences if each.end <= start][-1:]
    return " ".join([*before, *[each.text for each in sentences if each.start >= end][:1]])
