"""The Neo4j of the tests, for pages that a server draws."""

from conftest import database, settings  # noqa: F401 - fixtures of tests/conftest.py
