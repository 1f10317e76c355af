import re
from pathlib import Path

import pytest

from kg_neo4j._localdb import configuration, lock

COMPOSE = (Path(__file__).resolve().parents[3] / "docker-compose.yml").read_text(encoding="utf-8")


def variable(setting: str) -> str:
    """The name by which the Neo4j image knows a setting."""
    return "NEO4J_" + setting.replace("_", "__").replace(".", "_")


def environment() -> dict[str, str]:
    return dict(re.findall(r"^      (NEO4J_\w+): [\"']?(.*?)[\"']?$", COMPOSE, re.MULTILINE))


def test_docker_runs_the_same_neo4j_with_gds() -> None:
    assert f"image: neo4j:{lock.read('5.26').neo4j}-community" in COMPOSE
    assert "graph-data-science" in environment()["NEO4J_PLUGINS"]


SETTINGS = {**configuration.TRANSACTION_LOG, **configuration.SECURITY}
del SETTINGS["dbms.security.auth_enabled"]  # NEO4J_AUTH stands for it


@pytest.mark.parametrize("setting", sorted(SETTINGS))
def test_docker_has_the_settings_of_the_managed_server(setting: str) -> None:
    assert environment()[variable(setting)] == SETTINGS[setting]


def test_docker_asks_for_a_password_and_has_none_of_its_own() -> None:
    assert environment()["NEO4J_AUTH"].startswith("neo4j/${NEO4J_PASSWORD:?")


def test_docker_publishes_on_loopback_only() -> None:
    published = re.findall(r'- "([^"]+):(\d{4})"', COMPOSE)
    assert {port for _, port in published} == {"7687", "7474"}
    assert all(host.startswith("127.0.0.1:") for host, _ in published)
