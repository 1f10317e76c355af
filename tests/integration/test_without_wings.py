"""One load and one question without each package of ours in turn. What needs the package names it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from fake_llm import FakeLlm
from hidden_package import PACKAGES, run_without

pytestmark = pytest.mark.slow

TEXT = "Ada Lovelace was a mathematician. Ada Lovelace worked with Charles Babbage in London."
COMMANDS = {  # one of each package
    "kg_neo4j_lab": ["eval", "extraction", "--gold", "gold.json"],
    "kg_neo4j_scale": ["extract", "ada.txt", "--to", "out"],
    "kg_neo4j_serve": ["serve"],
    "neo4j_local": ["db", "stop"],
}


@pytest.fixture
def online_environment(environment: Mapping[str, str], llm: FakeLlm) -> dict[str, str]:
    return {**environment, "OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "k", "KG_MODEL": "scripted"}


def kg(package: str, folder: Path, environment: Mapping[str, str], *arguments: str) -> tuple[int, str, str]:
    ran = run_without(package, folder, ["-m", "kg_neo4j", *arguments], **environment)
    return ran.returncode, ran.stdout, ran.stderr


@pytest.mark.parametrize("package", PACKAGES)
def test_a_model_loads_a_text_and_answers_without(
    package: str, tmp_path: Path, online_environment: Mapping[str, str]
) -> None:
    source = tmp_path / "ada.txt"
    source.write_text(TEXT, "utf-8")
    code, out, err = kg(package, tmp_path, online_environment, "load", str(source), "--json")
    assert code == 0, err
    loaded = json.loads(out)
    assert loaded["rows"]["accepted"] > 0
    code, out, err = kg(package, tmp_path, online_environment, "ask", "Who worked with Charles Babbage?", "--json")
    assert code == 0, err
    answer = json.loads(out)
    without_vectors = [each for each in (*loaded["notes"], *answer["notes"]) if "kg_neo4j_offline" in each]
    supported = [claim for claim in answer["claims"] if claim["support"] == "supported"]
    if package == "kg_neo4j_offline":
        assert len(without_vectors) == 2  # of the load, and of the question
        assert supported  # the check compares words and needs no parser
    else:
        assert without_vectors == []
    code, out, err = kg(package, tmp_path, online_environment, "ask", "Who painted Zorblax?", "--json")
    assert (code, json.loads(out)["answer"]) == (0, "No answer found."), err


@pytest.mark.parametrize("package", COMMANDS)
def test_a_command_of_a_package_that_is_missing_names_it(
    package: str, tmp_path: Path, environment: Mapping[str, str]
) -> None:
    code, _, err = kg(package, tmp_path, environment, *COMMANDS[package])
    assert code == 2, err
    assert f"the package {package}" in err
    assert "Traceback" not in err


def test_without_a_model_and_what_replaces_it_loading_says_what_is_missing(
    tmp_path: Path, environment: Mapping[str, str]
) -> None:
    source = tmp_path / "ada.txt"
    source.write_text(TEXT, "utf-8")
    code, _, err = kg("kg_neo4j_offline", tmp_path, environment, "load", str(source))
    assert code == 2
    assert "no model is set, and nothing replaces it: the package kg_neo4j_offline is not installed" in err
    assert "Traceback" not in err


def test_without_a_server_and_the_local_one_a_question_says_what_is_missing(
    tmp_path: Path, environment: Mapping[str, str]
) -> None:
    code, _, err = kg("neo4j_local", tmp_path, {**environment, "NEO4J_URI": ""}, "ask", "Who?")
    assert code == 2
    assert "no Neo4j server is set and the package neo4j_local is not installed; set NEO4J_URI" in err
