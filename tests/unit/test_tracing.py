"""Spans without a server: what they hold, and that nothing of the package is needed."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from opentelemetry.trace import SpanKind, StatusCode

from fake_llm import FakeLlm
from hidden_package import run_without
from kg_neo4j import tracing
from kg_neo4j._models.door import open_door
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_embedding import OpenAIEmbedding
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.prices import Price
from kg_neo4j._models.protocols import ChatModel, Completion
from kg_neo4j._models.tasks import Task
from kg_neo4j._models.workers import Crew
from kg_neo4j.errors import BadModelAnswer, ModelUnavailable
from kg_neo4j.records import Usage
from traced import named, traced, trees

SYSTEM, USER = "Answer as a lighthouse keeper.", "Which lamp burned at Skarnes?"
NEEDS_NOTHING = """\
from kg_neo4j import tracing
with tracing.span("one") as note, tracing.call("chat", type("Own", (), {"name": "own"})) as done:
    note({"a": 1})
    done({"b": 2})
"""


@dataclass(frozen=True)
class AskLamp(Task[str]):
    """Asks one thing."""

    kind = "lamp"
    cached = False

    def messages(self, complaint: str = "") -> tuple[str, str]:
        return SYSTEM, USER

    def accept(self, said: Completion) -> str:
        return said.text


class OwnModel:
    """A model of a program, which has no server."""

    name, window = "own", 8_000

    def complete(self, system: str, user: str, *, max_tokens: int | None = None, temperature: float = 0) -> Completion:
        return Completion("oil", "stop", Usage(2, 7, 3))


def chat(llm: FakeLlm) -> ChatModel:
    return OpenAIChat("scripted", Endpoint(llm.url, retries=0), price=Price(1.0, 4.0))


def test_a_call_has_the_names_of_the_conventions_and_no_text(llm: FakeLlm) -> None:
    llm.say("The oil lamp.")
    with traced() as spans:
        assert open_door(chat(llm)).ask(AskLamp()).value == "The oil lamp."
    (span,) = spans
    assert (span.name, span.kind, span.status.status_code) == ("chat scripted", SpanKind.CLIENT, StatusCode.UNSET)
    assert span.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "scripted",
        "server.address": "127.0.0.1",
        "server.port": llm.port,
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
        "kg_neo4j.calls": 1,
        "kg_neo4j.usd": pytest.approx(180e-6),
    }


def test_texts_are_messages_where_the_span_around_shows_them(llm: FakeLlm) -> None:
    llm.say("The oil lamp.").say("The oil lamp.").say("The oil lamp.")
    with traced() as spans:
        with tracing.span("root", text=True):
            open_door(chat(llm)).ask(AskLamp())
            with tracing.span("within", text=False):
                open_door(chat(llm)).ask(AskLamp())
        open_door(chat(llm)).ask(AskLamp())
    shown, *hidden = (dict(each.attributes or {}) for each in named(spans, "chat scripted"))
    asked = [{"role": "system", "parts": [{"type": "text", "content": SYSTEM}]}]
    asked += [{"role": "user", "parts": [{"type": "text", "content": USER}]}]
    assert json.loads(str(shown["gen_ai.input.messages"])) == asked
    answer = [{"role": "assistant", "parts": [{"type": "text", "content": "The oil lamp."}]}]
    assert json.loads(str(shown["gen_ai.output.messages"])) == answer
    assert [each for each in hidden if "gen_ai.input.messages" in each or "gen_ai.output.messages" in each] == []


def test_a_model_of_a_program_has_no_server_and_no_price() -> None:
    with traced() as spans:
        open_door(OwnModel()).ask(AskLamp())
    (span,) = spans
    own = {"gen_ai.request.model": "own", "gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 3}
    assert own.items() <= dict(span.attributes or {}).items()
    assert not {"server.address", "server.port", "kg_neo4j.usd"} & set(span.attributes or {})


def test_embeddings_are_calls_too(llm: FakeLlm) -> None:
    with traced() as spans:
        OpenAIEmbedding("vectors", Endpoint(llm.url, retries=0), price=Price(2.0)).embed([USER, SYSTEM])
    asked = [each.attributes or {} for each in named(spans, "embeddings vectors")]
    assert sum(int(str(each["kg_neo4j.calls"])) for each in asked) == llm.calls > 0
    assert {each["gen_ai.operation.name"] for each in asked} == {"embeddings"}
    assert {each["server.port"] for each in asked} == {llm.port}
    assert "lamp" not in "".join(each.to_json() for each in spans)


def test_an_error_leaves_its_class_and_not_its_words(llm: FakeLlm) -> None:
    llm.fail(503, message="the lamp went out")
    with traced() as spans, pytest.raises(ModelUnavailable, match="the lamp went out"), tracing.span("root"):
        open_door(chat(llm)).ask(AskLamp())
    for span in spans:
        assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, "ModelUnavailable")
        assert (span.attributes or {})["error.type"] == "ModelUnavailable"
        assert span.events == ()
    assert [each.name for each in spans] == ["chat scripted", "root"]
    assert "lamp" not in "".join(each.to_json() for each in spans)


def test_spans_of_a_crew_belong_to_the_span_in_which_work_was_begun() -> None:
    def work(item: str) -> str:
        with tracing.span(item):
            if item == "d":
                raise BadModelAnswer("no")
            return item

    with traced() as spans, tracing.span("other"):
        crew: Crew[str, str] = Crew(work, 2)
        for root in ("first", "second"):
            with tracing.span(root):
                for item in ("a", "b") if root == "first" else ("c", "d"):
                    crew.begin(item)
        done = [crew.take() for _ in range(4)]
        crew.stop()
        crew.wait()
    ((name, roots),) = trees(spans)
    within = {root: sorted(each for each, _ in below) for root, below in roots}
    assert (name, within) == ("other", {"first": ["a", "b"], "second": ["c", "d"]})
    assert sorted(each.item for each in done if each.error) == ["d"]


def test_without_the_package_a_span_is_nothing(tmp_path: Path) -> None:
    is_hidden = "with suppress(ImportError):\n    print(find_spec('opentelemetry'))"
    imports = "from contextlib import suppress\nfrom importlib.util import find_spec"
    ran = run_without("opentelemetry", tmp_path, ["-c", f"{imports}\n{NEEDS_NOTHING}\n{is_hidden}"])
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_nothing_is_imported_and_without_a_tracer_nothing_is_recorded() -> None:
    code = f"import sys\n{NEEDS_NOTHING}\nassert not [each for each in sys.modules if each.startswith('opentelemetry')]"
    code += f"\nfrom opentelemetry import trace\n{NEEDS_NOTHING}"
    code += "\nwith tracing.span('two'):\n    assert not trace.get_current_span().is_recording()"
    code += "\nassert not [each for each in sys.modules if each.startswith('opentelemetry.sdk')]"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
