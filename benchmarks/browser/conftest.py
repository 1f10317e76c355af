"""The Neo4j of the tests, for pages that a server draws."""

from conftest import answers_are_remembered, database, pytest_terminal_summary, settings  # noqa: F401 - of tests/
