"""Each example of docs/extending.md, with the real database, and servers on loopback behind the real clients."""

from __future__ import annotations

import importlib
import json
import mailbox
import os
import re
import site
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from fake_llm import FakeLlm, Reply, Request
from kg_neo4j import Extractor, KnowledgeGraph, LoadOptions, Source
from kg_neo4j.errors import UsageError
from kg_neo4j.settings import Settings
from kg_runner import Kg, environment_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "extending.md"
TEXT = "Ada Lovelace met Charles Babbage. Charles Babbage designed the Analytical Engine."
TICKETS = "On Monday we found that T-17 blocks T-20. Later T-20 blocks T-31."


def example(name: str) -> str:
    found = re.search(rf"```python {name}\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found, name
    return found[1]


def run(name: str) -> dict[str, Any]:
    """Run an example and return what it defines."""
    names: dict[str, Any] = {"__name__": name}
    exec(compile(example(name), f"{PAGE}: {name}", "exec"), names)
    return names


class FakeClaude(FakeLlm):
    """Speaks Anthropic's messages: what it says is what the other server says."""

    def reply_to(self, request: Request) -> Reply:
        assert request.path == "/v1/messages"
        assert any("canary" in value for value in request.headers.values())
        body = dict(request.body)
        body["messages"] = [{"role": "system", "content": body.pop("system")}, *body["messages"]]
        said = json.loads(super().reply_to(replace(request, path="/v1/chat/completions", body=body)).body)
        text = said["choices"][0]["message"]["content"]
        return self.json(
            {
                "id": "m",
                "type": "message",
                "role": "assistant",
                "model": body["model"],
                "content": [{"type": "text", "text": text}],
                "stop_reason": "end_turn",
                "stop_sequence": None,
                "usage": {"input_tokens": 90, "output_tokens": 30},
            }
        )


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "ada.txt"
    path.write_text(TEXT, "utf-8")
    return path


def test_a_chat_model_of_anthropics_client(offline: Settings, notes: Path) -> None:
    from anthropic import Anthropic

    with (
        FakeClaude() as server,
        Anthropic(api_key="canary", base_url=server.url.removesuffix("/v1"), max_retries=0) as client,
    ):
        model = run("anthropic")["ClaudeChat"]("claude-scripted", client)
        with KnowledgeGraph(settings=offline, chat_model=model) as kg:
            report = kg.load(notes, options=LoadOptions(analytics=False))
            assert (report.usage.calls, report.usage.input_tokens) == (server.calls, 90 * server.calls)
            assert report.usage.calls > 0
            assert "Ada Lovelace" in set(kg.to_pandas().entities["name"])
            before = server.calls
            assert "[1]" in kg.ask("Whom did Ada Lovelace meet?").answer
            assert server.calls > before
            with pytest.raises(UsageError, match="a budget cannot be kept with 'claude-scripted'"):
                kg.load(notes, options=LoadOptions(budget_usd=1.0))


@pytest.mark.long
def test_a_chat_model_of_litellm(offline: Settings, notes: Path, llm: FakeLlm, tmp_path: Path) -> None:
    """In an environment of its own: LiteLLM keeps openai at an older version than ours."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "litellm"], check=True)
    found = subprocess.run(
        [python, "-c", "import site; print(site.getsitepackages()[0])"], check=True, capture_output=True, text=True
    )
    ours = [*site.getsitepackages(), str(PAGE.parents[1] / "src")]
    (Path(found.stdout.strip()) / "ours.pth").write_text("\n".join(ours), "utf-8")
    script = f"""{example("litellm")}
import sys
from kg_neo4j import KnowledgeGraph, LoadOptions

model = LiteLLMChat("openai/scripted", api_base=sys.argv[1], api_key="k")
with KnowledgeGraph(sys.argv[2], chat_model=model) as kg:
    print(kg.load(sys.argv[3], options=LoadOptions(analytics=False)).usage.calls)
    print(kg.ask("Whom did Ada Lovelace meet?").answer)
"""
    done = subprocess.run(
        [python, "-c", script, llm.url, offline.graph, str(notes)],
        env={**os.environ, **environment_of(offline)},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    calls, answer = done.stdout.strip().splitlines()[-2:]
    assert int(calls) > 0
    assert "[1]" in answer
    assert llm.calls > int(calls)


def test_an_embedding_model(offline: Settings, notes: Path) -> None:
    model = run("embedding")["LetterPairs"]()
    with KnowledgeGraph(settings=offline, embedding_model=model) as kg:
        kg.load(notes, options=LoadOptions(analytics=False))
        stored = kg.query("MATCH (c:Chunk {graph: $graph}) RETURN size(c.embedding) AS dimension")
        assert set(stored["dimension"]) == {128}
        assert not any("searched by words alone" in note for note in kg.ask("Whom did Ada Lovelace meet?").notes)
        assert kg.load(notes, options=LoadOptions(analytics=False)).changes == 0


def test_an_extractor(offline: Settings, tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text(TICKETS, "utf-8")
    extractor: Extractor = run("extractor")["TicketExtractor"]()
    with KnowledgeGraph(settings=offline) as kg:
        report = kg.load(path, extractor=extractor, options=LoadOptions(analytics=False))
        assert report.rows.rejected == 0
        frames = kg.to_pandas()
        drawn = {(r.source, r.type, r.target) for r in frames.relationships.itertuples()}
        assert drawn == {("T-17", "BLOCKS", "T-20"), ("T-20", "BLOCKS", "T-31")}


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    path = tmp_path / "inbox.mbox"
    box = mailbox.mbox(path)
    for number, (subject, text) in enumerate([("Engine", TEXT), ("Tickets", TICKETS)]):
        mail = EmailMessage()
        mail["Message-ID"], mail["Subject"] = f"<{number}@example.org>", subject
        mail["From"] = "ada@example.org"
        mail.set_content(text)
        box.add(mail)
    box.close()
    return path


def test_a_source(offline: Settings, inbox: Path) -> None:
    source: Source = run("source")["MailSource"](str(inbox))
    with KnowledgeGraph(settings=offline) as kg:
        assert kg.load(source, options=LoadOptions(analytics=False)).documents == 2
        assert kg.load(source, options=LoadOptions(analytics=False)).changes == 0
        titles = kg.query("MATCH (d:Document {graph: $graph}) RETURN d.title AS title, d.key AS key ORDER BY title")
        assert list(titles["title"]) == ["Engine", "Tickets"]
        assert list(titles["key"]) == ["mail:<0@example.org>", "mail:<1@example.org>"]
        assert "Charles Babbage" in kg.ask("Whom did Ada Lovelace meet?").answer


def test_a_retriever(offline: Settings, notes: Path) -> None:
    with KnowledgeGraph(settings=offline) as kg:
        kg.load(notes, options=LoadOptions(analytics=False))
        answer = kg.ask("Whom did Ada Lovelace meet?", retriever=run("retriever")["FirstChunks"](kg))
        assert (answer.mode, answer.found) == ("first-chunks", True)
        assert all(each.quote in TEXT for each in answer.citations)
        with pytest.raises(UsageError, match="a retriever searches instead of a mode"):
            kg.ask("Whom?", mode="local", retriever=run("retriever")["FirstChunks"](kg))


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The page's package, installed as pip does it: a module and its entry points on the path."""
    folder = tmp_path / "packages"
    (folder / "kg_mail-1.0.dist-info").mkdir(parents=True)
    (folder / "kg_mail.py").write_text(
        "\n\n".join(example(name) for name in ("source", "extractor", "report", "command")), "utf-8"
    )
    declared = re.search(r"```toml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert declared
    entries = re.sub(r'\[project.entry-points."(.*)"\]', r"[\1]", declared[1])
    (folder / "kg_mail-1.0.dist-info" / "entry_points.txt").write_text(re.sub(r'"', "", entries), "utf-8")
    (folder / "kg_mail-1.0.dist-info" / "METADATA").write_text("Name: kg-mail\nVersion: 1.0\n", "utf-8")
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()
    yield folder
    sys.modules.pop("kg_mail", None)


def test_a_package_adds_a_source_an_extractor_and_a_report(package: Path, kg: Kg, inbox: Path) -> None:
    code, out, err = kg("load", f"mail:{inbox}", "--extractor", "tickets", "--no-analytics", "--json")
    assert code == 0, err
    assert json.loads(out)["documents"] == 2
    assert "BLOCKS" in kg("show", "T-17")[1]
    code, out, err = kg("report", "longest-documents", "--json")
    assert code == 0, err
    assert "Tickets" in out
    assert "longest-documents" in kg("report")[1]
    code, _, err = kg("load", f"mail:{inbox}", "--extractor", "none")
    assert code == 2
    assert "no installed package adds 'none'" in err
    assert "there are: tickets" in err


def test_a_package_adds_a_command(package: Path, inbox: Path) -> None:
    path = os.pathsep.join(filter(None, (str(package), os.environ.get("PYTHONPATH"))))
    command = [sys.executable, "-m", "kg_neo4j", "senders", str(inbox)]
    ran = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "ada@example.org\n" * 2, "")


def test_a_chunk_on_which_a_package_has_a_fault_is_listed_and_asked_again(package: Path, kg: Kg, inbox: Path) -> None:
    """All other chunks are loaded; once the package is repaired, the next load asks about the rest."""
    path, right = package / "kg_mail.py", (package / "kg_mail.py").read_text("utf-8")
    begin = "        found = list("
    fault = '        if "T-17" in shown_text:\n            raise ValueError("odd ticket")\n'
    assert begin in right
    path.write_text(right.replace(begin, fault + begin), "utf-8")
    load = ("load", f"mail:{inbox}", "--extractor", "tickets", "--no-analytics")
    for _ in range(2):
        code, out, err = kg(*load)
        assert code == 3, (out, err)
        assert "chunk 1 of 'Tickets': failed: tickets-1 raised ValueError (kg_mail.py, line" in out + err
        assert "Traceback" not in out + err
    path.write_text(right, "utf-8")
    sys.modules.pop("kg_mail", None)
    importlib.invalidate_caches()
    assert kg(*load)[0] == 0
    assert "BLOCKS" in kg("show", "T-17")[1]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("read\n// params", "write\n// params"), "a report only reads"),
        (('LONGEST = """', 'LONGEST = 5\nOTHER = """'), "cannot be read"),
        (("import mailbox", "import no_such_module"), "cannot be imported"),
    ],
)
def test_a_package_with_a_fault_is_named(package: Path, kg: Kg, change: tuple[str, str], reason: str) -> None:
    path = package / "kg_mail.py"
    text = path.read_text("utf-8")
    assert change[0] in text
    path.write_text(text.replace(*change), "utf-8")
    code, _, err = kg("report", "longest-documents")
    assert code == 2
    assert reason in err
    assert "kg_mail" in err or "kg-mail" in err
