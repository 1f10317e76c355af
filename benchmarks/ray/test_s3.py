"""A manifest of objects in S3: the server is moto's, the client is the one that users have.

make test-ray
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from moto.server import ThreadedMotoServer

from kg_neo4j.errors import SourceNotFound
from kg_neo4j.records import SkippedSource
from kg_neo4j.settings import Settings
from kg_neo4j_scale import manifest
from kg_neo4j_scale.engines.choice import EngineOptions
from kg_neo4j_scale.extract import extract
from kg_neo4j_scale.manifest import Entry

TEXTS = {"notes/a.txt": "Anna Weber met Karl Braun in Vienna.", "notes/sub/b.md": "# Work\n\nInes Bram works in Turin."}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """One for all tests: clients keep its address as long as a process lives."""
    started = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    started.start()
    host, port = started.get_host_and_port()
    yield f"http://{host}:{port}"
    started.stop()


@pytest.fixture
def bucket(server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    for name, value in {
        "AWS_ENDPOINT_URL": server,
        "AWS_ACCESS_KEY_ID": "k",
        "AWS_SECRET_ACCESS_KEY": "s",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    client = boto3.client("s3", endpoint_url=server)
    client.create_bucket(Bucket="work")
    for key, text in TEXTS.items():
        client.put_object(Bucket="work", Key=key, Body=text.encode())
    client.put_object(Bucket="work", Key="notes/picture.png", Body=b"\x89PNG")
    client.put_object(Bucket="work", Key="notes/.hidden/c.txt", Body=b"No.")
    return "work"


def settings(tmp_path: Path) -> Settings:
    return Settings(cache=tmp_path / "cache", openai_api_key=None, openai_base_url=None)


def test_objects_have_the_keys_that_files_have(bucket: str, tmp_path: Path) -> None:
    for key, text in TEXTS.items():
        (tmp_path / key).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / key).write_text(text, "utf-8")
    stored = list(manifest.entries([f"s3://{bucket}/notes"]))
    local = [each for each in manifest.entries([str(tmp_path / "notes")]) if isinstance(each, Entry)]
    assert [(each.key, each.size, each.sha256) for each in stored if isinstance(each, Entry)] == [
        (each.key, each.size, each.sha256) for each in local
    ]
    assert [each.address for each in stored if isinstance(each, Entry)] == [f"s3://work/{key}" for key in TEXTS]
    assert sorted(each.reason.partition(";")[0] for each in stored if isinstance(each, SkippedSource)) == [
        "hidden",
        "not one of .txt, .text, .md, .markdown, .html, .htm, .xhtml, .pdf, .docx",
    ]


def test_workers_read_objects_by_themselves(bucket: str, tmp_path: Path) -> None:
    work = tmp_path / "work.jsonl"
    entries = [each for each in manifest.entries([f"s3://{bucket}/notes"]) if isinstance(each, Entry)]
    work.write_text("".join(f"{each.line}\n" for each in entries), "utf-8")
    report = extract(
        to=str(tmp_path / "out"),
        settings=settings(tmp_path),
        manifest=str(work),
        engine=EngineOptions("processes", workers=1),
    )
    assert (report.documents, report.skipped) == (2, ())


def test_an_object_that_changed_or_went_is_skipped(bucket: str, tmp_path: Path) -> None:
    work = tmp_path / "work.jsonl"
    entries = [each for each in manifest.entries([f"s3://{bucket}/notes"]) if isinstance(each, Entry)]
    work.write_text("".join(f"{each.line}\n" for each in entries), "utf-8")
    client = boto3.client("s3")
    client.put_object(Bucket="work", Key="notes/a.txt", Body=b"Something else.")
    client.delete_object(Bucket="work", Key="notes/sub/b.md")
    report = extract(to=str(tmp_path / "out"), settings=settings(tmp_path), manifest=str(work))
    assert report.documents == 0
    assert [each.reason.partition(":")[0] for each in report.skipped] == [
        "changed since the manifest was written (write the manifest again)",
        "the store did not give it",
    ]


def test_a_place_with_nothing_is_an_error(bucket: str) -> None:
    with pytest.raises(SourceNotFound, match="nothing at"):
        manifest.entries([f"s3://{bucket}/absent"])
