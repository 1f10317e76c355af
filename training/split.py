"""Which passages no model may learn from: the last fifth of the hash space of their titles. One rule for all models.

It is the rule of the scorecard, `kg eval extraction --split test`, and stands with it in the package.
"""

from __future__ import annotations

from kg_neo4j_lab.partition import PARTS, TEST_FROM, VALIDATION_FROM, is_test, part, place

__all__ = ["PARTS", "TEST_FROM", "VALIDATION_FROM", "is_test", "part", "place"]
