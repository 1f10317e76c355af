import re
from pathlib import Path

import pytest
import yaml

from neo4j_container import PLUGINS, SETTINGS, container, image, main, variable

COMPOSE = (Path(__file__).resolve().parents[5] / "docker-compose.yml").read_text(encoding="utf-8")


def environment() -> dict[str, str]:
    return dict(re.findall(r"^      (NEO4J_\w+): [\"']?(.*?)[\"']?$", COMPOSE, re.MULTILINE))


def test_docker_runs_the_same_neo4j_with_gds() -> None:
    assert f"image: {image()}\n" in COMPOSE
    assert image() == "neo4j:5.26.30-community"
    assert environment()["NEO4J_PLUGINS"] == PLUGINS


def test_the_container_of_the_tests_is_the_same() -> None:
    defined = container(docker_client_kw={"version": "1.44"})  # with a version, no engine is asked
    try:
        assert defined.image == image()
        assert defined.env == {"NEO4J_PLUGINS": PLUGINS} | {variable(name): SETTINGS[name] for name in SETTINGS}
        assert list(defined.ports) == ["7687"]
    finally:
        defined.get_docker_client().client.close()


@pytest.mark.parametrize("setting", sorted(SETTINGS))
def test_docker_has_the_settings_of_the_managed_server(setting: str) -> None:
    assert environment()[variable(setting)] == SETTINGS[setting]


def test_docker_asks_for_a_password_and_has_none_of_its_own() -> None:
    assert environment()["NEO4J_AUTH"].startswith("neo4j/${NEO4J_PASSWORD:?")


def test_docker_publishes_on_loopback_only() -> None:
    published = re.findall(r'- "([^"]+):(\d{4})"', COMPOSE)
    assert {port for _, port in published} == {"7687", "7474", "8765"}
    assert all(host.startswith("127.0.0.1:") for host, _ in published)


def test_docker_runs_the_server_with_few_rights() -> None:
    services = yaml.safe_load(COMPOSE)["services"]
    server = services["kg"]
    assert server["user"] == "10001:10001"
    assert server["read_only"] is True
    assert server["cap_drop"] == ["ALL"]
    assert server["depends_on"]["neo4j"]["condition"] == "service_healthy"
    assert all("healthcheck" in each for each in services.values())
    recipe = (Path(__file__).resolve().parents[5] / "Dockerfile").read_text(encoding="utf-8")
    assert "USER 10001:10001" in recipe
    assert services["neo4j"].get("profiles") is None  # `docker compose up` alone starts the database alone


def test_without_a_docker_engine_the_target_reports_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:9")
    assert main(["--version"]) == 3
    assert "needs a Docker engine, and none answers" in capsys.readouterr().err
