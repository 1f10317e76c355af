"""Trees to be drawn in tests."""

from __future__ import annotations

from kg_neo4j.organise.tree.picture import DETAIL, LEAF, SUMMARY, PictureNode, TreePicture

HOSTILE = """</script><script>document.title = "taken"</script><img src=x onerror=alert(1)> & ]]> \x0b \ud800 “ü漢”"""


def tree(
    leaves: int = 12, cluster: int = 3, *, text: str = "It snowed.", aspects: int = 2, scattered: bool = False
) -> TreePicture:
    """Return a tree of so many leaves: clusters of neighbours in each aspect, a second level over all of them.

    Those of scattered clusters stand as far apart as they can: all have nearly the same middle.
    """
    nodes = [PictureNode(LEAF, "", 0, number, f"{text} {number}") for number in range(leaves)]
    names = tuple(f"aspect_{number}" for number in range(aspects))
    first: dict[str, list[int]] = {}
    for name in names:
        for number, start in enumerate(range(0, leaves, cluster)):
            first.setdefault(name, []).append(len(nodes))
            parts = tuple(range(start, min(start + cluster, leaves)))
            parts = tuple(range(number, leaves, -(-leaves // cluster))) if scattered else parts
            nodes.append(PictureNode(SUMMARY, name, 1, number, text, "model", ("cut",) if number == 1 else (), parts))
    for name in names:
        if leaves > cluster:
            nodes.append(PictureNode(SUMMARY, name, 2, 0, text, "extractive", (), tuple(first[name])))
    nodes += [PictureNode(DETAIL, "", 0, 0, f"note: {text}", "model", (), (number,)) for number in range(leaves)]
    return TreePicture(f"Tree of {text}", "narrative", (*names, "unseen"), ("unseen",), tuple(nodes))
