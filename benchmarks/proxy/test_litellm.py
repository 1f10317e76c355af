"""A real load, a question and the doctor go through LiteLLM's proxy to a scripted model.

make test-proxy
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from fake_llm import FakeLlm
from kg_neo4j import Settings
from kg_runner import environment_of
from private_server import PrivateServer

TEXT = Path(__file__).resolve().parents[2] / "examples" / "the_bell_of_orlen.md"
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def behind() -> Iterator[FakeLlm]:
    """The scripted model behind the proxy."""
    with FakeLlm() as llm:
        yield llm


@pytest.fixture(scope="module")
def environment(behind: FakeLlm, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of a `kg` that asks a proxy, which has names of its own for the models behind it."""
    folder = tmp_path_factory.mktemp("proxy")
    names = {"reader": "openai/scripted", "vectors": "openai/scripted-vectors"}
    models = [
        {"model_name": name, "litellm_params": {"model": model, "api_base": behind.url, "api_key": "behind"}}
        for name, model in names.items()
    ]
    config = folder / "config.yaml"  # JSON is YAML
    config.write_text(json.dumps({"model_list": models, "general_settings": {"master_key": "sk-proxy"}}), "utf-8")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = str(probe.getsockname()[1])
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KG_", "NEO4J_", "OPENAI_"))}
    program = [os.environ["LITELLM"], "--config", str(config), "--host", "127.0.0.1", "--port", port]
    own = {**kept, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}  # its list of prices is fetched otherwise
    started = subprocess.Popen(program, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        transport = httpx.HTTPTransport(retries=9)  # waits half a second, one, two, four ... for the connection
        with httpx.Client(transport=transport, trust_env=False, timeout=60) as client:
            assert client.get(f"http://127.0.0.1:{port}/health/liveliness").status_code == 200
        with PrivateServer(folder / "home", Settings()) as server:
            at = {"OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1", "OPENAI_API_KEY": "sk-proxy", "KG_MODEL": "reader"}
            ours = {"KG_EMBEDDING_MODEL": "vectors", "KG_CACHE": str(folder / "cache"), "KG_PRICE": "1,4"}
            yield {**kept, **environment_of(server.start().aside("main")), **at, **ours}
    finally:
        started.terminate()
        started.wait(60)


def kg(environment: dict[str, str], *arguments: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "kg_neo4j", *arguments], env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_a_load_and_a_question_go_through_the_proxy(environment: dict[str, str], behind: FakeLlm) -> None:
    code, out, err = kg(environment, "load", str(TEXT), "--json", "--budget-usd", "1", "--price", "2,8")
    assert (code, json.loads(out)["unfinished"]) == (0, []), err
    assert json.loads(out)["usd"] > 0
    asked = [each for each in behind.requests if each.path != "/v1/models"]
    assert {each.body["model"] for each in asked} == {"scripted", "scripted-vectors"}
    assert any(each.body.get("stream") for each in asked)
    assert {each.headers["authorization"] for each in asked} == {"Bearer behind"}
    code, out, err = kg(environment, "ask", "What was the bell called?", "--json")
    assert (code, json.loads(out)["calls"] > 0) == (0, True), err


def test_the_doctor_knows_the_names_of_the_proxy_and_a_wrong_key_ends_at_once(environment: dict[str, str]) -> None:
    found = {each["subject"]: each for each in json.loads(kg(environment, "doctor", "--json")[1])}
    assert found["chat model"]["is_ok"], found
    assert not json.loads(kg({**environment, "KG_MODEL": "scripted"}, "doctor", "--json")[1])[-2]["is_ok"]
    code, _, err = kg({**environment, "OPENAI_API_KEY": "sk-wrong"}, "ask", "Who rang the bell?")
    assert (code, "refused the key" in err) == (5, True), err
