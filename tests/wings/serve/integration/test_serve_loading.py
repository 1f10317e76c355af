"""Loading by the pages: upload, plan, yes, progress; and the bounds of all of it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from fake_llm import FakeLlm
from hostile_pages import faults
from kg_neo4j.settings import Settings
from kg_neo4j_serve import limits
from kg_neo4j_serve.connection import Rights
from served import post, served

TEXT = b"Ada Lovelace met Charles Babbage in 1833. Charles Babbage designed the Analytical Engine."


@pytest.fixture
def home(offline: Settings, tmp_path: Path) -> Settings:
    return offline.model_copy(update={"home": tmp_path})


@pytest.fixture
def server(home: Settings) -> Iterator[httpx.Client]:
    with served(home, Rights(write=True)) as client:
        yield client


def uploaded(client: httpx.Client, *files: tuple[str, bytes]) -> httpx.Response:
    given = [("files", each) for each in files] or [("files", ("", b""))]
    return post(client, "/load", files=given)


def loaded(client: httpx.Client, plan: str) -> dict[str, object]:
    begun = post(client, "/load/begin", plan=plan)
    assert begun.status_code == 303, begun.text
    until = time.monotonic() + 120
    while (job := client.get(begun.headers["location"].replace("/run?", "/run.json?")).json())["ended"] is False:
        assert time.monotonic() < until, job
        time.sleep(0.1)
    return dict(job["job"], path=begun.headers["location"])


def plan_of(answer: httpx.Response) -> str:
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].partition("plan=")[2]


def test_files_are_planned_then_loaded(server: httpx.Client, home: Settings) -> None:
    plan = plan_of(uploaded(server, ("ada.txt", TEXT), ("notes.md", b"# Notes\n\nCharles Babbage lived in London.")))
    shown = server.get("/load.json", params={"plan": plan}).json()["plan"]
    assert [each["name"] for each in shown["files"]] == ["ada.txt", "notes.md"]
    assert (shown["documents"], shown["calls"], shown["usd"], shown["model"]) == (2, 0, 0.0, None)
    assert str(home.home) not in json.dumps(shown)
    page = server.get("/load", params={"plan": plan}).text
    assert "This costs nothing" in page
    assert server.get("/api/documents").json()["total"] == 0  # nothing is loaded before the yes
    job = loaded(server, plan)
    assert (job["state"], job["documents"], job["sources"]) == ("done", 2, ["ada.txt", "notes.md"])
    assert server.get("/load", params={"plan": plan}).status_code == 404
    runs = server.get("/runs").text
    assert job["path"] in runs
    assert [each["title"] for each in server.get("/runs.json").json()["found"]["documents"]] == ["ada", "Notes"]
    assert server.get(str(job["path"])).status_code == 200
    assert server.get("/run", params={"id": "none"}).status_code == 404
    again = server.get("/load.json", params={"plan": plan_of(uploaded(server, ("ada.txt", TEXT)))}).json()["plan"]
    assert again["chunks_to_ask"] == 0


def test_an_upload_is_dropped_and_the_oldest_go(
    server: httpx.Client, home: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = plan_of(uploaded(server, ("a.txt", TEXT)))
    assert post(server, "/load/drop", plan=first).headers["location"] == "/load"
    assert post(server, "/load/begin", plan=first).status_code == 404
    monkeypatch.setattr(limits, "KEPT_PLANS", 2)
    plans = [plan_of(uploaded(server, ("a.txt", TEXT))) for _ in range(3)]
    kept = [server.get("/load", params={"plan": each}).status_code for each in plans]
    assert kept == [404, 200, 200]
    assert len(list((home.home / "uploads").glob("*-waiting/*"))) == 2


def test_names_are_made_safe_or_refused(server: httpx.Client, home: Settings) -> None:
    hostile = (
        ("../../etc/evil.txt", "evil.txt"),
        ("C:\\temp\\b.txt", "b.txt"),
        ("..\\..\\c.txt", "c.txt"),
        (".hidden.txt", "hidden.txt"),
        ("d|e?.txt", "d_e_.txt"),
        ("<script>alert(1)<x>.txt", "_script_alert(1)_x_.txt"),
        ("'onerror='x.txt", "'onerror='x.txt"),
    )
    for name, safe in hostile:
        plan = plan_of(uploaded(server, (name, TEXT)))
        shown = server.get("/load.json", params={"plan": plan}).json()["plan"]
        assert [each["name"] for each in shown["files"]] == [safe]
        assert faults(server.get("/load", params={"plan": plan}).text) == []
    for name in ("..", "a.exe", "passwd", "x" * 200 + ".txt", "/.txt"):
        assert uploaded(server, (name, TEXT)).status_code == 400, name
    assert uploaded(server).status_code == 400
    assert uploaded(server, ("a/x.txt", TEXT), ("b/x.txt", TEXT)).status_code == 400
    outside = [path for path in home.home.rglob("*") if path.is_file() and "-waiting/" not in path.as_posix()]
    assert outside == []
    for plan in ("../" * 3, "0" * 32, "x"):
        assert server.get("/load", params={"plan": plan}).status_code == 404


def test_uploads_are_bounded(server: httpx.Client) -> None:
    many = [("files", (f"{number}.txt", b"x")) for number in range(limits.MOST_FILES + 1)]
    assert post(server, "/load", files=many).status_code == 400
    large = [("files", ("a.txt", b"x" * (limits.MOST_UPLOAD + 1)))]
    assert post(server, "/load", files=large).status_code == 413
    for path in ("/load", "/load/begin", "/load/drop"):
        assert server.post(path, data={"plan": "0" * 32}).status_code == 403, path
    assert server.post("/load", files={"files": ("a.txt", TEXT)}).status_code == 403


def test_the_plan_says_what_a_model_costs(online: Settings, llm: FakeLlm, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('["scripted"]\ninput = 1.0\noutput = 2.0\n', "utf-8")
    settings = online.model_copy(update={"home": tmp_path, "prices": prices})
    with served(settings, Rights(write=True, spend_usd=0.5)) as server:
        plan = server.get("/load.json", params={"plan": plan_of(uploaded(server, ("ada.txt", TEXT)))}).json()
        assert llm.requests == []
        assert plan["plan"]["calls"] > 0
        assert plan["plan"]["usd"] > 0
        assert plan["spending"] == {"limit_usd": 0.5, "spent_usd": 0.0, "left_usd": 0.5}
        page = server.get("/load", params={"plan": plan["plan"]["id"]}).text
        assert "This is expected to cost" in page
        job = loaded(server, plan["plan"]["id"])
        assert job["state"] == "done"
        spent = server.get("/runs.json").json()["spending"]
        assert spent["spent_usd"] == pytest.approx(job["usd"])
        assert spent["left_usd"] == pytest.approx(0.5 - job["usd"])
