"""Loading by the pages: upload, plan, yes, progress; and the bounds of all of it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from fake_llm import FakeLlm, answer
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


def test_a_folder_keeps_its_paths(server: httpx.Client, home: Settings) -> None:
    kept = ("notes/a/same.txt", "notes/b/same.txt", "notes/same.txt", "notes/a b/C\u00e9|.txt")
    left = ("notes/.git/config.txt", "notes/.DS_Store", "notes/photo.heic", "../../evil.txt", "a/../evil.txt")
    texts = [f"Person {number} met Karl Braun in Vienna in 190{number}.".encode() for number in range(9)]
    files = [("folder", each) for each in zip((*kept, *left), texts, strict=True)]
    files += [("files", ("same.txt", b"Anna Weber met Karl Braun in Vienna.")), ("files", ("empty.txt", b""))]
    plan = plan_of(post(server, "/load", files=files))
    shown = server.get("/load.json", params={"plan": plan}).json()["plan"]
    safe = ["empty.txt", "notes/a b/C\u00e9_.txt", "notes/a/same.txt", "notes/b/same.txt", "notes/same.txt", "same.txt"]
    assert [each["name"] for each in shown["files"]] == safe
    assert [each.partition(":")[0] for each in shown["left_out"]] == list(left)
    page = server.get("/load", params={"plan": plan}).text
    assert faults(page) == []
    assert "5 files are left out" in page
    job = loaded(server, plan)
    assert (job["state"], job["documents"]) == ("done", 5)
    keys = [each["key"] for each in server.get("/api/documents").json()["documents"]]
    assert keys == sorted(name for name in safe if name != "empty.txt")
    skipped = job["skipped"]
    assert [each.partition(":")[0] for each in skipped] == [*left, "empty.txt"]  # type: ignore[attr-defined]
    assert str(home.home) not in json.dumps(job)
    later = server.get(str(job["path"])).text  # it stays there
    assert faults(later) == []
    assert all(name in later for name in left)
    assert "6 skipped" in server.get("/runs").text
    files = [path.name for path in home.home.rglob("evil.txt")]
    assert files == []


def test_paths_of_a_folder_are_refused_or_made_safe(server: httpx.Client, home: Settings) -> None:
    for path in ("a/" * 30 + "x.txt", "x" * 200 + "/x.txt", "..\\x.txt", ".hidden/x.txt", "a/b"):
        assert post(server, "/load", files=[("folder", (path, TEXT))]).status_code == 400, path
    for path, safe in (("/etc/x.txt", "etc/x.txt"), ("ab:\\x.txt", "ab_/x.txt"), ("a//b/ x.txt", "a/b/x.txt")):
        plan = plan_of(post(server, "/load", files=[("folder", (path, TEXT))]))
        shown = server.get("/load.json", params={"plan": plan}).json()["plan"]
        assert [each["name"] for each in shown["files"]] == [safe]
    clash = [("folder", ("a.txt", TEXT)), ("folder", ("a.txt/b.txt", TEXT))]
    assert post(server, "/load", files=clash).status_code == 400
    waiting = list((home.home / "uploads").glob("*-waiting/*"))
    assert len(waiting) == 3
    assert server.post("/api/load", files={"folder": ("a/x.txt", TEXT)}).status_code == 400


def state_of(client: httpx.Client, id: str, *states: str) -> Mapping[str, Any]:
    """Wait until a load has one of the states."""
    until = time.monotonic() + 120
    while (job := client.get("/api/status", params={"id": id}).json()["jobs"][0])["state"] not in states:
        assert time.monotonic() < until, job
        time.sleep(0.05)
    return dict(job)


def test_a_load_is_cancelled_keeps_what_is_complete_and_continues(
    online: Settings, llm: FakeLlm, tmp_path: Path
) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('["scripted"]\ninput = 1.0\noutput = 2.0\n', "utf-8")
    own = {"home": tmp_path, "prices": prices, "model_concurrency": 2, "summary_tokens": 0}
    may_answer, asked = threading.Event(), threading.Event()

    def slow(prompt: str, user: str) -> str:
        if llm.calls > 3:
            asked.set()
            assert may_answer.wait(60)
        return answer(prompt, user)

    llm.rules = slow
    text = "\n\n".join(
        f"# Part {part}\n\n" + " ".join(f"Anna Weber{part}x{n} met Karl Braun{n} in Vienna." for n in range(220))
        for part in range(12)
    )
    with served(online.model_copy(update=own), Rights(write=True, spend_usd=5.0)) as server:
        running = server.post("/api/load", json={"name": "long.txt", "text": text}).json()["id"]
        waiting = server.post("/api/load", json={"name": "next.txt", "text": "Ada Lovelace met Charles."}).json()["id"]
        assert asked.wait(60)
        page = server.get("/run", params={"id": running}).text
        assert faults(page) == []
        assert "Cancel this load" in page
        cancelled = server.post("/api/cancel", json={"id": waiting}).json()["jobs"][0]
        assert (cancelled["state"], cancelled["id"]) == ("cancelled", waiting)
        gone = post(server, "/run/cancel", id=running)
        assert gone.headers["location"] == f"/run?id={running}"
        assert state_of(server, running, "running")["stage"] == "stopping"
        assert "Cancel this load" not in server.get("/run", params={"id": running}).text
        assert server.post("/api/cancel", json={"id": running}).status_code == 200  # again: nothing more
        may_answer.set()
        assert state_of(server, running, "cancelled", "done")["state"] == "cancelled"
        assert "It was cancelled" in server.get("/run", params={"id": running}).text
        with server.stream("GET", f"/api/jobs/{running}/events") as stream:
            assert '"state": "cancelled"' in "".join(stream.iter_text())
        [document] = server.get("/api/documents").json()["documents"]
        assert 3 <= document["done"] < document["chunks"], document
        assert server.get("/api/entity", params={"name": "Anna Weber0x0"}).status_code == 200  # it is whole
        before = llm.calls
        again = server.post("/api/load", json={"name": "long.txt", "text": text}).json()["id"]
        assert state_of(server, again, "done", "failed")["state"] == "done"
        assert not any("Anna Weber0x0 met" in each.user for each in llm.requests[before:])  # its chunk is done
        [document] = server.get("/api/documents").json()["documents"]
        assert document["done"] == document["chunks"]
        assert state_of(server, waiting, "cancelled")["documents"] == 0
        assert server.post("/api/cancel", json={"id": "none"}).status_code == 404
        assert server.post("/api/cancel", json={"id": again}).json()["jobs"][0]["state"] == "done"


def test_a_load_without_a_model_is_cancelled(server: httpx.Client) -> None:
    text = " ".join(f"Anna Weber{number} met Karl Braun in Vienna in 1901." for number in range(9_000))
    id = server.post("/api/load", json={"name": "long.txt", "text": text}).json()["id"]
    while not (job := state_of(server, id, "running", "done"))["done"] and job["state"] == "running":
        time.sleep(0.02)
    server.post("/api/cancel", json={"id": id})
    assert state_of(server, id, "cancelled", "done", "failed")["state"] == "cancelled"
    [document] = server.get("/api/documents").json()["documents"]
    assert document["done"] < document["chunks"]


def test_a_server_that_only_reads_cancels_nothing(home: Settings) -> None:
    with served(home) as client:
        assert client.post("/api/cancel", json={"id": "x"}).status_code == 403
        assert client.get("/api/cancel").status_code == 405
