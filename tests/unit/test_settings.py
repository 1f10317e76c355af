"""Settings come from arguments, the environment, the kg.toml of the folder and the user's own, in this order."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kg_neo4j.errors import UsageError
from kg_neo4j.settings import OWN, Settings, config_files, configured, user_config_file
from kg_runner import RunKg


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, without settings; nor has the user any."""
    for name in ("KG_GRAPH", "KG_JUDGE", "KG_MODEL", "KG_MODEL_RETRIES", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    user_config_file().parent.mkdir(parents=True)
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_each_source_gives_way_to_the_one_before(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (Settings().graph, Settings().judge) == ("main", True)
    user_config_file().write_text(
        'graph = "mine"\nmodel = "large"\nopenai_base_url = "http://127.0.0.1:1/v1"\n', "utf-8"
    )
    assert (Settings().graph, Settings().openai_base_url) == ("mine", "http://127.0.0.1:1/v1")
    (project / "kg.toml").write_text('graph = "notes"\nmodel_retries = 1\njudge = false\n', "utf-8")
    assert (Settings().graph, Settings().model, Settings().model_retries, Settings().judge) == (
        "notes",
        "large",
        1,
        False,
    )
    monkeypatch.setenv("KG_GRAPH", "shell")
    assert Settings().graph == "shell"
    assert Settings(graph="argument").graph == "argument"
    monkeypatch.setenv("KG_GRAPH", "")
    assert Settings().graph == "notes"


def test_the_nearest_file_counts(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "kg.toml").write_text('graph = "outer"', "utf-8")
    inner = project / "texts" / "letters"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert Settings().graph == "outer"
    (inner / "kg.toml").touch()
    assert Settings().graph == "main"
    assert config_files() == (inner / "kg.toml",)


@pytest.mark.parametrize("name", sorted(OWN))
def test_a_folder_sets_no_server_key_or_program(project: Path, name: str) -> None:
    (project / "kg.toml").write_text(f'{name} = "x"', "utf-8")
    with pytest.raises(UsageError, match=f"a folder may not set {name}"):
        Settings()


def test_what_is_named_as_own_is_a_setting() -> None:
    secrets = {name for name, each in Settings.model_fields.items() if "SecretStr" in str(each.annotation)}
    places = {name for name, each in Settings.model_fields.items() if "Path" in str(each.annotation)}
    servers = {name for name in Settings.model_fields if name.endswith(("_url", "_uri", "_host"))}
    assert OWN - {"neo4j_username", "spacy_model", "trace_text"} == secrets | places | servers


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('grph = "x"', "no setting is called 'grph'"),
        ("[kg]\ngraph = 1", "no setting is called 'kg'"),
        ("graph =", "cannot be read as TOML"),
        ("a = " + "[" * 2_000, "cannot be read as TOML"),
    ],
)
def test_a_file_that_cannot_be_used_is_an_error(project: Path, text: str, said: str) -> None:
    (project / "kg.toml").write_text(text, "utf-8")
    with pytest.raises(UsageError, match=said):
        Settings()


def test_a_file_that_is_no_text_is_an_error(project: Path) -> None:
    (project / "kg.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="cannot be read as TOML"):
        Settings()


def test_a_folder_that_is_gone_has_no_settings(project: Path) -> None:
    project.rmdir()
    assert Settings().graph == "main"


def test_what_is_set_is_listed_with_its_origin_and_no_secret(
    project: Path, monkeypatch: pytest.MonkeyPatch, run_kg: RunKg
) -> None:
    assert run_kg(["config"], {})[1].startswith("all settings have their defaults")
    (project / "kg.toml").write_text('graph = "notes"\nmodel_retries = 1', "utf-8")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://ann:very-secret@models.example/v1")
    monkeypatch.setenv("KG_MODEL_RETRIES", "2")
    found = {each.name: (each.value, each.origin) for each in configured(Settings()) if each.origin != "default"}
    assert found == {
        "graph": ("notes", str(project / "kg.toml")),
        "openai_api_key": ("set", "environment"),
        "openai_base_url": ("https://***@models.example/v1", "environment"),
        "model_retries": ("2", "environment"),
    }
    secret = {name: os.environ[name] for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL")}
    code, out, _ = run_kg(["config", "--all"], secret)
    assert code == 0
    assert "notes" in out
    assert "secret" not in out


def test_a_value_that_does_not_fit_names_its_setting(project: Path, run_kg: RunKg) -> None:
    (project / "kg.toml").write_text('model_retries = "many"', "utf-8")
    code, _, err = run_kg(["config"], {})
    assert code == 2
    assert "KG_MODEL_RETRIES" in err
    assert "kg.toml" in err
