"""Fields of requests that the user sets, thoughts of models, and what gateways want; against real HTTP servers."""

from __future__ import annotations

import json
import pickle
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from fake_llm import FakeLlm, Reply, Request
from kg_neo4j import factory
from kg_neo4j._models import model_options
from kg_neo4j._models.model_options import ModelOptions
from kg_neo4j._models.openai_chat import THOUGHTS, OpenAIChat
from kg_neo4j._models.openai_client import served_models
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Task
from kg_neo4j.errors import ModelRefused, RequestRefused, UsageError
from kg_neo4j.extract import schema
from kg_neo4j.extract.llm_extractor import LlmExtractor
from kg_neo4j.settings import Settings, configured
from tls_server import write_certificate

OPTIONS = {
    "service_tier": "flex",
    "reasoning_effort": "low",
    "extract": {"reasoning_effort": "none"},
    "answer": {"think": True},
    "judge": {"chat_template_kwargs": {"enable_thinking": False}},
}


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm(rules=lambda *_: "Yes.") as server:
        yield server


def settings_of(llm: FakeLlm, **given: Any) -> Settings:
    return Settings(**{"openai_base_url": llm.url, "model": "m", "model_retries": 0, "answer_cache": False, **given})


class Asking(Task[str]):
    kind = "answer"
    max_tokens = 100

    def messages(self, complaint: str = "") -> tuple[str, str]:
        return "Be brief.", "Is it so?"

    def accept(self, said: Completion) -> str:
        return said.text


class Extracting(Asking):
    kind = "extract"
    options = {"grammar": "root"}  # noqa: RUF012 (never changed)


class Judging(Asking):
    kind = "judge"


class Summing(Asking):
    kind = "community_report"


# ----------------------------------------------------------------------------------------- which fields a task has


@pytest.mark.parametrize(
    ("task", "fields"),
    [
        (Asking(), {"service_tier": "flex", "reasoning_effort": "low", "think": True}),
        (Extracting(), {"service_tier": "flex", "reasoning_effort": "none", "grammar": "root"}),
        (Judging(), {"service_tier": "flex", "reasoning_effort": "low", **OPTIONS["judge"]}),  # type: ignore[dict-item]
        (Summing(), {"service_tier": "flex", "reasoning_effort": "low"}),
    ],
)
def test_a_task_has_the_fields_for_all_and_those_of_its_table(
    llm: FakeLlm, task: Task[str], fields: dict[str, Any]
) -> None:
    door = factory.door(settings_of(llm, model_options=OPTIONS))
    assert door.ask(task).value == "Yes."
    sent = llm.requests[0].body
    usual = {"model", "messages", "temperature", "max_tokens"}
    assert {name: value for name, value in sent.items() if name not in usual} == fields


def test_without_options_a_request_has_no_further_field_and_its_key_is_as_before(llm: FakeLlm) -> None:
    door = factory.door(settings_of(llm))
    door.ask(Asking())
    assert set(llm.requests[0].body) == {"model", "messages", "temperature", "max_tokens"}
    before = "026a7d7a12ffe5a000734a1d392d1869975d62398bb5b68f03f4550934a76c85"
    assert door.request(Asking()).hash("m") == before


def test_only_fields_that_can_change_an_answer_are_hashed(llm: FakeLlm) -> None:
    def hashes(**given: Any) -> tuple[str, str]:
        door = factory.door(settings_of(llm, **given))
        return door.request(Asking()).hash("m"), LlmExtractor(door, schema.load("lean")).config_hash

    plain = hashes()
    free = {"service_tier": "flex", "store": False, "metadata": {"a": "b"}, "prompt_cache_key": "k", "keep_alive": "1h"}
    assert hashes(model_options=free) == plain
    assert hashes(model_options={"reasoning_effort": "low"}) != plain
    unknown = hashes(model_options={"x_trace": "7"})
    assert unknown[0] != plain[0]
    assert unknown[1] != plain[1]
    assert hashes(model_options={"x_trace": "7"}, not_hashed=("x_trace",)) == plain
    of_answers = hashes(model_options={"answer": {"think": False}})
    assert of_answers[0] != plain[0]
    assert of_answers[1] == plain[1]


def test_the_order_of_fields_is_no_part_of_the_hash() -> None:
    first, second = ModelOptions({"a": 1, "b": {"c": 2, "d": 3}}), ModelOptions({"b": {"d": 3, "c": 2}, "a": 1})
    assert first.hashed("extract") == second.hashed("extract") == '{"a": 1, "b": {"c": 2, "d": 3}}'


@pytest.mark.parametrize("given", [{"messages": []}, {"extract": {"max_tokens": 5}}, {"judge": {"stream": True}}])
def test_fields_that_carry_the_question_or_the_budget_cannot_be_set(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="model_options may not set"):
        model_options.read(Settings(model_options=given))


def test_a_table_of_a_task_is_a_table() -> None:
    with pytest.raises(UsageError, match="extract is a table of fields"):
        model_options.read(Settings(model_options={"extract": "low"}))


def test_options_come_from_the_environment_and_from_kg_toml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = 'not_hashed = ["x"]\n[model_options]\nx = 1\n[model_options.extract]\nthink = false\n'
    (tmp_path / "kg.toml").write_text(text, "utf-8")
    assert Settings().model_options == {"x": 1, "extract": {"think": False}}
    assert Settings().not_hashed == ("x",)
    monkeypatch.setenv("KG_MODEL_OPTIONS", '{"reasoning_effort": "low"}')
    assert Settings().model_options == {"reasoning_effort": "low", "x": 1, "extract": {"think": False}}


# ----------------------------------------------------------------------------------------- refusals


def refusing(*names: str) -> Any:
    def fault(request: Request) -> Reply | None:
        if found := [name for name in names if name in request.body]:
            error = {"message": f"Unsupported parameter: '{found[0]}' is not supported with this model.", "code": None}
            return Reply(400, json.dumps({"error": error}).encode())
        return None

    return fault


@pytest.mark.parametrize("field", ["reasoning_effort", "think"])
def test_a_refused_field_of_the_user_stops_the_run_with_the_words_of_the_server(llm: FakeLlm, field: str) -> None:
    llm.faults = refusing(field)
    door = factory.door(settings_of(llm, model_options=OPTIONS))
    with pytest.raises(ModelRefused, match=f"'{field}' is not supported with this model") as caught:
        door.ask(Asking())
    assert caught.value.hint == f"remove or correct {field} in model_options"
    assert llm.calls == 1


def test_a_nested_field_is_named_with_its_place(llm: FakeLlm) -> None:
    error = {"error": {"message": "enable_thinking must be a boolean", "code": "invalid_value"}}
    llm.faults = lambda _: Reply(400, json.dumps(error).encode())
    options = {"chat_template_kwargs": {"enable_thinking": "no"}}
    with pytest.raises(ModelRefused) as caught:
        factory.door(settings_of(llm, model_options=options)).ask(Asking())
    assert caught.value.hint == "remove or correct chat_template_kwargs.enable_thinking in model_options"


def test_fields_of_ours_are_left_out_while_those_of_the_user_stay(llm: FakeLlm) -> None:
    llm.faults = refusing("temperature", "max_tokens")
    door = factory.door(settings_of(llm, model_options={"reasoning_effort": "low"}))
    assert door.ask(Asking()).value == "Yes."
    assert set(llm.requests[-1].body) == {"model", "messages", "reasoning_effort"}


def test_a_refusal_that_names_no_field_is_as_before(llm: FakeLlm) -> None:
    error = {"error": {"message": "no such thing", "code": "odd"}}
    llm.faults = lambda _: Reply(400, json.dumps(error).encode())
    with pytest.raises(RequestRefused):
        factory.door(settings_of(llm, model_options={"reasoning_effort": "low"})).ask(Asking())


# ----------------------------------------------------------------------------------------- thoughts


def thinking(llm: FakeLlm, usage: dict[str, Any]) -> Reply:
    choice = {"index": 0, "message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}
    return llm.json({"choices": [choice], "usage": usage})


@pytest.mark.parametrize(
    ("usage", "output"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 70, "total_tokens": 80}, 70),
        ({"prompt_tokens": 10, "completion_tokens": 8, "total_tokens": 80}, 70),  # counted apart, as xAI does
    ],
)
def test_thoughts_are_counted_and_priced_as_output(
    llm: FakeLlm, tmp_path: Path, usage: dict[str, Any], output: int
) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('["m"]\ninput = 0\noutput = 10\n', "utf-8")
    llm.script(thinking(llm, {**usage, "completion_tokens_details": {"reasoning_tokens": 62}}))
    used = factory.door(settings_of(llm, prices=prices)).ask(Asking()).usage
    assert (used.output_tokens, used.reasoning_tokens, used.usd) == (output, 62, output * 10 / 1e6)


def test_an_answer_has_room_for_thoughts_once_a_model_was_seen_to_think(llm: FakeLlm) -> None:
    door = factory.door(settings_of(llm))
    details = {"completion_tokens_details": {"reasoning_tokens": 20_000}}
    llm.script(thinking(llm, {"prompt_tokens": 10, "completion_tokens": 20_010, **details}))
    door.ask(Asking())
    door.ask(Summing())
    limits = [request.body["max_tokens"] for request in llm.requests]
    assert limits == [100, 100 + 2 * 20_000]


@pytest.mark.parametrize(
    ("name", "options", "room"),
    [
        ("gpt-5.4-mini", {}, THOUGHTS),
        ("openai/gpt-5", {}, THOUGHTS),
        ("gpt-5.4-mini", {"reasoning_effort": "none"}, 0),
        ("gpt-4o", {}, 0),
        ("m", {"think": True}, THOUGHTS),
        ("qwen3:8b", {"think": False}, 0),
        ("qwen3:8b", {"chat_template_kwargs": {"enable_thinking": False}}, 0),
        ("m", {"thinking": {"type": "enabled", "budget_tokens": 4_000}}, THOUGHTS),
        ("m", {"thinking": {"type": "disabled"}}, 0),
        ("m", {"thinking": True}, THOUGHTS),
        ("m", {"chat_template_kwargs": "none"}, 0),
    ],
)
def test_models_that_think_are_known_by_name_and_by_options(name: str, options: dict[str, Any], room: int) -> None:
    assert OpenAIChat(name, Endpoint()).thoughts(options) == room


def test_a_budget_reserves_the_room_for_thoughts(llm: FakeLlm, tmp_path: Path) -> None:
    from kg_neo4j._models.budget import Budget
    from kg_neo4j.errors import BudgetReached

    prices = tmp_path / "prices.toml"
    prices.write_text('["gpt-5-mini"]\ninput = 0\noutput = 100\n', "utf-8")
    settings = settings_of(llm, prices=prices, model="gpt-5-mini")
    with pytest.raises(BudgetReached):
        factory.door(settings, budget=Budget(0.01)).ask(Asking())  # 100 tokens cost 0.01, with thoughts 2.51
    assert factory.door(settings, budget=Budget(3)).ask(Asking()).value == "Yes."
    assert llm.requests[-1].body["max_tokens"] == 100 + THOUGHTS


def test_a_model_of_a_program_without_options_is_asked_without(llm: FakeLlm) -> None:
    class Plain:
        name, window = "plain", 8_000

        def complete(
            self, system: str, user: str, *, max_tokens: int | None = None, temperature: float = 0.0
        ) -> Completion:
            return OpenAIChat("m", Endpoint(llm.url)).complete(system, user, max_tokens=max_tokens)

    settings = Settings(model_options={"think": False}, answer_cache=False).with_models(chat=Plain())
    assert factory.door(settings).ask(Asking()).value == "Yes."
    assert "think" not in llm.requests[0].body


# ----------------------------------------------------------------------------------------- gateways


def test_headers_and_the_query_of_the_address_go_with_every_request(llm: FakeLlm) -> None:
    address = f"{llm.url}/openai/deployments/small/chat/completions?api-version=2024-10-21"
    headers = {"X-Team": SecretStr("maps"), "Helicone-Auth": SecretStr("Bearer canary-1234")}
    given = {"openai_base_url": address, "openai_api_key": "azure-key-5678", "model_headers": headers}
    assert factory.door(settings_of(llm, **given)).ask(Asking()).value == "Yes."
    sent = llm.requests[0]
    assert sent.path == "/v1/openai/deployments/small/chat/completions?api-version=2024-10-21"
    assert (sent.headers["x-team"], sent.headers["helicone-auth"]) == ("maps", "Bearer canary-1234")
    assert sent.headers["api-key"] == "azure-key-5678"


def test_no_secret_of_a_gateway_is_shown(llm: FakeLlm, monkeypatch: pytest.MonkeyPatch) -> None:
    llm.faults = lambda request: Reply(403, json.dumps({"error": {"message": str(request.headers)}}).encode())
    given = {
        "model_headers": {"X-Auth": "canary-header-77"},
        "model_proxy": None,
        "openai_base_url": f"{llm.url}?subscription-key=canary-query-88",
    }
    settings = settings_of(llm, **given)
    with pytest.raises(ModelRefused) as caught:
        factory.door(settings).ask(Asking())
    texts = [str(caught.value), repr(settings), repr(factory.chat_model(settings))]
    texts += [str(each) for each in configured(settings)]
    assert "canary" not in "".join(each for each in texts if "openai_base_url" not in each)
    assert not any("canary" in str(each) for each in configured(settings))


@pytest.mark.parametrize("headers", [{"X Team": "a"}, {"X-Team": "a\nb"}, {"X-Team": "ü"}])
def test_what_is_no_header_is_refused(llm: FakeLlm, headers: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="KG_MODEL_HEADERS"):
        factory.chat_model(settings_of(llm, model_headers=headers))


def keyed(llm: FakeLlm, folder: Path) -> str:
    """Return a command that prints k1, k2, ... in turn; the server takes none but the last one in the file `good`."""
    script = folder / "key.py"
    script.write_text(
        "from pathlib import Path\n"
        f"count = Path({str(folder / 'count')!r})\n"
        "number = int(count.read_text() if count.exists() else 0) + 1\n"
        "count.write_text(str(number))\n"
        "print(f'key-number-{number}')\n",
        "utf-8",
    )
    llm.faults = lambda request: (
        None
        if request.headers["authorization"].endswith((folder / "good").read_text("utf-8"))
        else Reply(401, b'{"error": {"message": "the token has expired", "code": "expired"}}')
    )
    return f"python {script}"


def test_a_key_that_a_command_prints_is_asked_for_again_after_401(llm: FakeLlm, tmp_path: Path) -> None:
    good = tmp_path / "good"
    good.write_text("key-number-1", "utf-8")
    door = factory.door(settings_of(llm, api_key_command=keyed(llm, tmp_path)))
    assert [door.ask(task).value for task in (Asking(), Summing())] == ["Yes.", "Yes."]
    assert (tmp_path / "count").read_text() == "1"
    good.write_text("key-number-2", "utf-8")
    assert door.ask(Judging()).value == "Yes."
    assert [each.headers["authorization"] for each in llm.requests[2:]] == [
        "Bearer key-number-1",
        "Bearer key-number-2",
    ]
    good.write_text("another", "utf-8")
    with pytest.raises(ModelRefused, match="expired"):
        door.again().ask(Asking())
    assert (tmp_path / "count").read_text() == "3"  # once more, and no further time


def test_many_calls_whose_key_has_expired_run_the_command_once(llm: FakeLlm, tmp_path: Path) -> None:
    (tmp_path / "good").write_text("key-number-1", "utf-8")
    door = factory.door(settings_of(llm, api_key_command=keyed(llm, tmp_path), model_concurrency=8))
    assert door.ask(Asking()).value == "Yes."
    (tmp_path / "good").write_text("key-number-2", "utf-8")
    assert [answer.value for answer in door.ask_all([Asking() for _ in range(8)])] == ["Yes."] * 8
    assert (tmp_path / "count").read_text() == "2"


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("python -c 'import sys; print(\"canary-5\"); sys.exit(3)'", "it ended with 3"),
        ("no-such-program-here", "FileNotFoundError"),
        ("python -c 'print(\"two words\")'", "has characters that no key has"),
        ("true", "has characters that no key has"),
        ('"', "ValueError"),
    ],
)
def test_a_command_that_prints_no_key_is_named_and_its_output_is_not_shown(
    llm: FakeLlm, command: str, why: str
) -> None:
    with pytest.raises(UsageError, match=why) as caught:
        factory.door(settings_of(llm, api_key_command=command)).ask(Asking())
    assert "canary" not in f"{caught.value} {caught.value.hint}"
    assert llm.calls == 0


def test_a_proxy_of_ones_own_is_used(llm: FakeLlm) -> None:
    seen: list[str] = []

    class Proxy(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(self.path)
            body = llm.reply_to(Request("/v1/chat/completions", {}, {"messages": [{"content": "?"}]})).body
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        given = {"openai_base_url": "http://models.invalid/v1", "model_proxy": f"http://127.0.0.1:{proxy.server_port}"}
        assert factory.door(settings_of(llm, **given)).ask(Asking()).value == "Yes."
        proxy.shutdown()
    assert seen == ["http://models.invalid/v1/chat/completions"]


def test_certificates_of_ones_own_are_trusted(llm: FakeLlm, tmp_path: Path) -> None:
    class Listing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b'{"object": "list", "data": [{"id": "behind-tls"}]}'
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    write_certificate(certificate := tmp_path / "own.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with ThreadingHTTPServer(("127.0.0.1", 0), Listing) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        endpoint = Endpoint(f"https://localhost:{server.server_port}/v1", retries=0, ca_bundle=certificate)
        assert served_models(endpoint) == {"behind-tls"}
        server.shutdown()


def test_a_file_without_certificates_is_named(llm: FakeLlm, tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("nothing", "utf-8")
    with pytest.raises(UsageError, match="KG_CA_BUNDLE cannot be used"):
        factory.door(settings_of(llm, ca_bundle=tmp_path / "empty.pem")).ask(Asking())
    with pytest.raises(UsageError, match="KG_CA_BUNDLE cannot be used: No such file"):
        settings_of(llm, ca_bundle=tmp_path / "gone.pem")


def test_an_endpoint_with_a_gateway_pickles() -> None:
    headers = (("X-Team", SecretStr("maps")),)
    endpoint = Endpoint("https://a.example/v1?api-version=1", headers=headers, key_command=SecretStr("print-key"))
    copy = pickle.loads(pickle.dumps(endpoint))
    assert (copy, copy.query, copy.root) == (endpoint, {"api-version": "1"}, "https://a.example/v1")
