"""What a study of narrative trees compares: W4's grids, and what of them a tree is built for."""

from __future__ import annotations

import pytest

from kg_neo4j.errors import UsageError
from kg_neo4j.records import Filters
from kg_neo4j_lab.narrative.grid import ABLATIONS, SYSTEMS, Grids, StudyScope
from kg_neo4j_lab.narrative.questions import share

SEVEN = ("character", "irony_and_symbol", "plot", "point_of_view", "setting", "style", "theme")


def test_the_grids_reach_over_what_worked() -> None:
    ways = StudyScope().ways(SEVEN)
    assert len({way.name for way in ways}) == len(ways)
    count = {each: sum(way.ablation == each for way in ways) for each in ("", *ABLATIONS)}
    assert count == {
        "": len(SYSTEMS),
        "top-k": 10,
        "context": 7,
        "single-aspect": 8,
        "all-but-one": 8,
        "details": 4,
        "chunk-length": 6,
        "summary-length": 6,
        "length": 6,
    }
    numbers = [int(way.value) for way in ways if way.ablation == "context"]
    assert (min(numbers), max(numbers)) == (200, 3_000)
    for ablation in ("chunk-length", "summary-length", "length"):
        lengths = [int(way.value) for way in ways if way.ablation == ablation]
        assert (min(lengths), max(lengths)) == (100, 1_200)


def test_each_ablation_varies_one_thing() -> None:
    ways = {way.name: way.options(Filters(), 0) for way in StudyScope().ways(SEVEN)}
    assert [ways[f"tree top-k {k}"].tree.top_k for k in (1, 10)] == [1, 10]
    assert ways["tree context 500"].max_context_tokens == 500
    assert ways["tree single-aspect theme"].tree.aspects == ("theme",)
    for ablation in ("single-aspect all", "single-aspect theme", "all-but-one none", "all-but-one theme"):
        assert ways[f"tree {ablation}"].tree.kinds == ("chunk", "summary")
    assert ways["tree single-aspect all"] == ways["tree all-but-one none"]
    assert set(SEVEN) - set(ways["tree all-but-one theme"].tree.aspects) == {"theme"}
    assert ways["tree details 3"].tree.details == 3
    assert ways["tree summary-length 600"].tree.name != ways["tree"].tree.name == "narrative"
    assert ways["tree summary-length 200"].tree.name == "narrative"
    assert ways["raptor"].tree.name == "raptor"
    assert ways["naive"].mode == "naive"


def test_systems_fill_the_same_room_and_published_ones_read_the_five_nearest() -> None:
    ways = {way.name: way.options(Filters(), 0) for way in StudyScope().ways(SEVEN)}
    assert {ways[name].max_context_tokens for name in SYSTEMS} == {1_700}
    assert [ways[name].tree.top_k for name in ("raptor", "tree")] == [ways["naive"].chunks.top_k] * 2 == [100, 100]
    for name in ("raptor-cosine", "tree-cosine"):
        assert (ways[name].tree.top_k, ways[name].tree.cosine) == (5, True)
    assert (ways["naive-cosine"].chunks.top_k, ways["naive-cosine"].chunks.cosine) == (5, True)


def test_chunks_and_summaries_of_one_length_are_varied_together() -> None:
    wanted = StudyScope((), ("length",), Grids(length=(100, 200, 400)))
    assert [(each.name, each.leaf_tokens, each.summary_tokens) for each in wanted.trees()] == [
        ("narrative", 200, 200),
        ("study-length-100", 100, 100),
        ("study-length-400", 400, 400),
    ]
    read = {way.value: (way.tree, way.chunk_tokens) for way in wanted.ways(SEVEN)}
    assert read == {"100": ("study-length-100", 100), "200": ("narrative", 200), "400": ("study-length-400", 400)}


def test_trees_are_built_for_what_is_compared_alone() -> None:
    assert [each.name for each in StudyScope(("tree",), ()).trees()] == ["narrative"]
    assert [each.details for each in StudyScope(("tree",), ("details",)).trees()] == [3]
    both = StudyScope(("raptor",), ("summary-length",), Grids(summary_length=(200, 400))).trees()
    assert [(each.name, each.summary_tokens, each.details) for each in both] == [
        ("narrative", 200, 1),
        ("raptor", 200, 0),
        ("study-summaries-400", 400, 1),
    ]
    lengths = StudyScope((), ("chunk-length",), Grids(chunk_length=(100, 200))).trees()
    assert [each.leaf_tokens for each in lengths] == [200, 100]


def test_one_aspect_alone_leaves_nothing_without_it() -> None:
    ways = StudyScope((), ("single-aspect", "all-but-one")).ways(("general",))
    assert [(way.ablation, way.value) for way in ways] == [
        ("single-aspect", "all"),
        ("single-aspect", "general"),
        ("all-but-one", "none"),
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"systems": ("oracle",)},
        {"ablations": ("weather",)},
        {"systems": (), "ablations": ()},
        {"context_tokens": 0},
    ],
)
def test_what_cannot_be_meant_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        StudyScope(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [{"details": (0, 4)}, {"top_k": ()}, {"context": (200, 200)}, {"top_k": (-1,)}])
def test_grids_that_cannot_be_meant_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        Grids(**wrong)  # type: ignore[arg-type]


def test_quotes_are_found_over_line_breaks_and_marks_of_emphasis() -> None:
    texts = ["It says, *by whose\nvoice this valley was preserved.*", "Another _text_, in *bold* words."]
    quotes = ["by whose voice this valley was preserved", "Another text", "in bold words", "nowhere"]
    assert share(quotes, texts) == 3 / 4
