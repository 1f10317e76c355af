"""What is chosen for a question to trees."""

from __future__ import annotations

import pytest

from kg_neo4j.errors import UsageError
from kg_neo4j.retrieve.tree.choice import TreeChoice


@pytest.mark.parametrize("wrong", [{"top_k": 0}, {"traversal": "sideways"}, {"kinds": ("leaf",)}, {"kinds": ()}])
def test_what_cannot_be_meant_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        TreeChoice(**wrong)  # type: ignore[arg-type]
