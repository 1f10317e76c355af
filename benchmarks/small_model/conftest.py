"""The small model for the tests of this folder: `make test-small-model`.

SMALL_MODEL is the folder with the environment and the model; SMALL_MODEL_URL names a server that runs already.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # llama_server.py

from llama_server import running

from kg_neo4j import Settings
from private_server import PrivateServer, short_lived


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each test an hour: the model writes 20 tokens a second at best."""
    for item in items:
        if not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(3600))


@pytest.fixture(scope="session")
def small_model_url() -> Iterator[str]:
    """Yield the base URL of the small model's server."""
    if url := os.environ.get("SMALL_MODEL_URL"):
        yield url
        return
    with running(Path(os.environ["SMALL_MODEL"])) as url:
        yield url


@pytest.fixture(scope="session")
def small_settings(small_model_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Yield settings with the small model and a Neo4j of their own; nothing comes from a cache of answers."""
    with short_lived(), PrivateServer(tmp_path_factory.mktemp("home"), Settings()) as server:
        model = {"openai_base_url": small_model_url, "openai_api_key": "none", "model": "small", "model_window": 16_384}
        slow = {"model_timeout_s": 900, "model_concurrency": 1, "model_retries": 0, "answer_cache": False}
        yield Settings(**{**server.start().aside("small").model_dump(), **model, **slow})
