"""kg tree --plot on a real Neo4j: the tree that is stored is the tree that is drawn."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kg_neo4j import Settings, TreeBuildOptions
from kg_neo4j.errors import UsageError
from kg_neo4j.graph.database import Database
from kg_neo4j.organise.tree.picture import DETAIL, LEAF, SUMMARY, plot_tree, read_picture
from kg_neo4j.pipeline.commands.tree import tree
from tree_runs import count, story, tell


def test_a_built_tree_is_drawn_with_every_node(
    database: Database, graph: str, offline: Settings, tmp_path: Path
) -> None:
    paragraphs = story()[:16]
    id = tell(database, graph, "lamp", paragraphs)
    target = tmp_path / "tree.svg"
    done = tree(settings=offline, options=TreeBuildOptions(plot=target))
    root = ElementTree.parse(target).getroot()
    drawn = [each.attrib["class"].split()[1] for each in root.iter("{http://www.w3.org/2000/svg}g")]
    assert drawn.count(LEAF) == done.leaves
    assert drawn.count(SUMMARY) == sum(done.summaries.values())
    assert drawn.count(DETAIL) == done.details
    first = target.read_bytes()
    assert tree(settings=offline, options=TreeBuildOptions(plot=target)).changes == 0
    assert target.read_bytes() == first
    picture = read_picture(database, graph, id)
    leaves = [node.text for node in picture.nodes if node.kind == LEAF]
    assert leaves == list(paragraphs)
    assert all(node.parts for node in picture.nodes if node.kind != LEAF)
    assert {node.level for node in picture.nodes if node.kind == SUMMARY} == {level for level, _ in done.summaries}


def test_passages_are_drawn_in_the_order_of_the_text(
    database: Database, graph: str, offline: Settings, tmp_path: Path
) -> None:
    paragraphs = story()[:8]
    id = tell(database, graph, "lamp", paragraphs)
    target = tmp_path / "tree.html"
    done = tree(settings=offline, options=TreeBuildOptions(leaf_tokens=30, plot=target))
    assert done.trees[0].are_passages
    leaves = [node.text for node in read_picture(database, graph, id).nodes if node.kind == LEAF]
    places = [" ".join(paragraphs).find(" ".join(leaf.split())[:25]) for leaf in leaves]
    assert places == sorted(places)
    page = target.read_text("utf-8")
    assert len(re.findall(r'class="node leaf"', page)) == done.leaves == len(leaves)


def test_what_cannot_be_drawn_is_refused_before_anything_is_built(
    database: Database, graph: str, offline: Settings, tmp_path: Path
) -> None:
    id = tell(database, graph, "lamp", story()[:4])
    with pytest.raises(UsageError, match=r"cannot draw a tree into 'tree\.png'"):
        tree(settings=offline, options=TreeBuildOptions(plot=tmp_path / "tree.png"))
    tell(database, graph, "bell", story()[:3])
    with pytest.raises(UsageError, match="the tree of one document, and there are 2"):
        tree(settings=offline, options=TreeBuildOptions(plot=tmp_path / "tree.svg"))
    assert count(database, graph, "Tree") == 0
    with pytest.raises(UsageError, match="there is no complete tree 'narrative' of The Lamp"):
        plot_tree(database, graph, id, tmp_path / "tree.svg", title="The Lamp")
    assert not list(tmp_path.iterdir())
    tree(settings=offline, options=TreeBuildOptions(documents=(id,), plot=tmp_path / "tree.svg"))
    assert (tmp_path / "tree.svg").exists()
