"""What fits: whole units, never without what they need, never over the budget (test plan, row 85)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j._models import tokens
from kg_neo4j.records import Evidence
from kg_neo4j.retrieve.interface import Found, FoundChunk, FoundEntity, FoundFact, Place
from kg_neo4j.retrieve.packing import ContextUnit, PackedContext, pack, pack_found
from kg_neo4j.retrieve.reply import AnswerQuestion, render

TOKENISER = tokens.load("approximate-1")


def unit(key: str, cost: int, needs: tuple[str, ...] = ()) -> ContextUnit:
    return ContextUnit(key, Evidence("chunk", key, key, 0.0, token_count=cost), needs)


@st.composite
def unit_sets(draw: st.DrawFn) -> list[ContextUnit]:
    """Units that need any others, themselves and unknown ones included."""
    keys = [f"u{n}" for n in range(draw(st.integers(0, 8)))]
    wanted = st.lists(st.sampled_from([*keys, "unknown"]), max_size=3).map(tuple)
    return [unit(key, draw(st.integers(0, 50)), draw(wanted)) for key in keys]


@given(unit_sets(), st.integers(0, 150))
def test_needs_are_met_and_the_budget_is_kept(units: list[ContextUnit], budget: int) -> None:
    packed = pack(units, {each.key: each for each in units}, budget)
    keys = {each.key for each in packed.units}
    assert packed.tokens == sum(each.evidence.token_count for each in packed.units) <= budget
    assert all(set(each.needs) <= keys for each in packed.units)
    assert len(keys) == len(packed.units)
    assert all(each in units for each in packed.units)


def test_what_is_needed_comes_first_and_a_smaller_unit_may_still_fit() -> None:
    units = [unit("big", 90), unit("fact", 10, ("entity",)), unit("entity", 5)]
    packed = pack(units, {each.key: each for each in units}, 20)
    assert [each.key for each in packed.units] == ["entity", "fact"]
    assert packed.left_out == 1


def test_packing_goes_on_from_what_is_packed() -> None:
    first = PackedContext((unit("a", 10),), 10, 0)
    packed = pack([unit("a", 10), unit("b", 5)], {}, 15, first)
    assert ([each.key for each in packed.units], packed.tokens) == (["a", "b"], 15)


# ------------------------------------------------------------------------------------------ with what was found

SENTENCES = [f"Person {n} met Person {n + 1} in {1800 + n} at a long table in a quiet house." for n in range(40)]


@st.composite
def founds(draw: st.DrawFn) -> Found:
    """Chunks of some sentences; facts and entities that rest on words of them, or on chunks that were not found."""
    chunks = []
    for number in range(draw(st.integers(1, 5))):
        text = " ".join(draw(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=12)))
        chunks.append(FoundChunk(f"c{number}", text, 0, "", "Doc", draw(st.floats(0, 0.1))))
    places = []
    for chunk in chunks:
        start = draw(st.integers(0, len(chunk.text) - 2))
        places += [Place(chunk.id, None, start, start + 2), Place(chunk.id)]
    place = st.lists(st.sampled_from([*places, Place("absent", None, 0, 5)]), max_size=2).map(tuple)
    score = st.floats(0, 0.1)
    entities = tuple(
        FoundEntity(f"e{n}", f"Person {n}", "PERSON", (), "", "", True, draw(score), draw(place))
        for n in range(draw(st.integers(0, 4)))
    )
    ends = st.integers(0, 6)
    facts = []
    for number in range(draw(st.integers(0, 6))):
        left, right = draw(ends), draw(ends)
        names = (f"Person {left}", f"e{left}", "MET", f"Person {right}", f"e{right}")
        facts.append(FoundFact(f"f{number}", *names, "", "", 1, draw(score), draw(place)))
    return Found("local", tuple(chunks), entities, tuple(facts))


@given(founds(), st.integers(20, 1500))
def test_no_fact_without_its_ends_and_its_words_and_none_over_the_budget(found: Found, budget: int) -> None:
    asked = AnswerQuestion("", found, TOKENISER, budget)
    evidence = asked.packed.evidence
    assert asked.packed.tokens <= budget
    entities = {each.id for each in evidence if each.kind == "entity"}
    facts = {fact.id: fact for fact in found.facts}
    shown = [(each.chunk_id, each.start, each.end) for each in evidence if each.kind == "chunk"]
    for each in evidence:
        if each.kind == "fact":
            assert {facts[each.id].source_id, facts[each.id].target_id} <= entities
        assert (each.chunk_id, each.start, each.end) in shown
    assert len(asked.sources) == len(shown)
    assert TOKENISER.count(render(evidence, asked.sources)) <= budget


def test_a_chunk_larger_than_the_budget_is_represented_by_the_words_that_matter() -> None:
    text = " ".join(SENTENCES)
    start = text.index("Person 7 met")
    chunk = FoundChunk("c", text, 0, "", "Doc", 1.0)
    names = ("Person 7", "e7", "MET", "Person 8", "e8")
    fact = FoundFact("f", *names, "", "", 1, 1.0, (Place("c", None, start, start + 12),))
    packed = pack_found(Found("local", (chunk,), (), (fact,)), TOKENISER, 200)
    assert [each.kind for each in packed.evidence] == ["chunk", "entity", "entity", "fact"]
    assert packed.evidence[0].text == SENTENCES[7]


def test_nothing_found_packs_to_nothing() -> None:
    assert pack_found(Found("local"), TOKENISER, 100) == PackedContext((), 0, 0)
