"""A scripted model server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fake_llm import FakeLlm


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    """A model server of this test's own."""
    with FakeLlm() as server:
        yield server
