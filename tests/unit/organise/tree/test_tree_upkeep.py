"""What a tree is built with: what nobody chose stays, what was chosen otherwise is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kg_neo4j.errors import UsageError
from kg_neo4j.organise.tree.aspects import GENERAL, fingerprint, load_aspects
from kg_neo4j.organise.tree.interface import TreeBuildOptions, TreeOptions
from kg_neo4j.organise.tree.upkeep import options_json, read_options, settled

ASPECTS = load_aspects()


def choose(choice: TreeBuildOptions, stored: TreeOptions | None = None, *, rebuild: bool = False) -> TreeOptions:
    return settled(replace(choice, rebuild=rebuild), stored, "e/256", "approximate-1", "the tree 'narrative' of 'A'")


def test_defaults_are_those_of_the_thesis_and_of_raptor() -> None:
    usual = choose(TreeBuildOptions())
    assert usual == TreeOptions(
        aspects=ASPECTS, aspects_hash=fingerprint(ASPECTS), embedder="e/256", tokeniser="approximate-1"
    )
    raptor = choose(TreeBuildOptions(name="raptor"))
    assert (raptor.details, raptor.aspects) == (0, (GENERAL,))


def test_settings_are_read_again_as_they_were_written() -> None:
    found = choose(TreeBuildOptions(leaf_tokens=100, seed=3, details=2))
    text = options_json(found)
    assert read_options(text, "narrative", ASPECTS) == found
    assert "prompt" not in text


def test_what_notes_are_on_is_kept() -> None:
    stored = choose(TreeBuildOptions(details_by="aspect"))
    assert read_options(options_json(stored), "narrative", ASPECTS) == stored
    assert choose(TreeBuildOptions(), stored).details_by == "aspect"
    assert choose(TreeBuildOptions(details_by="text"), stored) == choose(TreeBuildOptions())


def test_what_nobody_chose_stays_as_the_tree_has_it() -> None:
    stored = choose(TreeBuildOptions(leaf_tokens=100, summary_tokens=50, details=3, aspects=ASPECTS[:2]))
    assert choose(TreeBuildOptions(), stored) == stored
    assert choose(TreeBuildOptions(details=0), stored) == replace(stored, details=0)


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        pytest.param(TreeBuildOptions(leaf_tokens=300), "leaf_tokens 200, not 300", id="leaf tokens"),
        pytest.param(TreeBuildOptions(summary_tokens=100), "summary_tokens 200, not 100", id="summary tokens"),
        pytest.param(TreeBuildOptions(levels=2), "levels 5, not 2", id="levels"),
        pytest.param(TreeBuildOptions(seed=1), "seed 42, not 1", id="seed"),
        pytest.param(TreeBuildOptions(aspects=ASPECTS[:1]), "the aspects plot, character", id="aspects"),
    ],
)
def test_what_was_built_with_something_else_is_refused_unless_it_is_rebuilt(
    choice: TreeBuildOptions, said: str
) -> None:
    stored = choose(TreeBuildOptions())
    with pytest.raises(UsageError, match=said) as refused:
        choose(choice, stored)
    assert "--rebuild" in str(refused.value.hint)
    assert choose(choice, stored, rebuild=True) != stored


def test_another_tokeniser_is_refused() -> None:
    stored = replace(choose(TreeBuildOptions()), tokeniser="o200k_base")
    with pytest.raises(UsageError, match="the tokeniser o200k_base, not approximate-1"):
        choose(TreeBuildOptions(), stored)
