"""Uploads that wait for a yes: kept in a folder of the graph until they are loaded or dropped, or newer ones come."""

from __future__ import annotations

import re
import secrets
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from kg_neo4j._serve import limits
from kg_neo4j._serve.jobs import checked_name
from kg_neo4j._serve.refusals import missing
from kg_neo4j._serve.results import LoadJob
from kg_neo4j._serve.service import Service
from kg_neo4j.errors import UsageError

if TYPE_CHECKING:
    from kg_neo4j.records import LoadPlan

_ID = re.compile(r"[0-9a-f]{32}")
_UNSAFE = re.compile(r'[\x00-\x1f\x7f:*?"<>|]')


@dataclass(frozen=True, slots=True)
class WaitingFile:
    """A file of an upload."""

    name: str
    size: int  # bytes


@dataclass(frozen=True, slots=True)
class PlannedLoad:
    """An upload, and what loading it would take; calls, tokens, price and seconds are estimates."""

    id: str
    files: tuple[WaitingFile, ...]
    model: str | None  # None: the built-in rules; nothing is paid
    documents: int
    chunks: int
    chunks_to_ask: int
    calls: int
    input_tokens: int
    output_tokens: int
    usd: float | None  # None where no price is known
    seconds: float
    assumptions: tuple[str, ...]
    notes: tuple[str, ...]


def safe_name(name: str) -> str:
    """Return the last part of a name as a browser sends it, without characters that a file system refuses.

    Raises UsageError where nothing of use is left.
    """
    last = re.split(r"[/\\]", name)[-1]
    return checked_name(_UNSAFE.sub("_", last).strip().lstrip("."))


def keep(service: Service, files: Sequence[tuple[str, BinaryIO]]) -> str:
    """Keep files until somebody says yes, and return the id of the plan. The oldest uploads go where there are many."""
    named = {safe_name(name): data for name, data in files}
    if not files:
        raise UsageError("no file was chosen")
    if len(named) < len(files) or len(files) > limits.MOST_FILES:
        raise UsageError(f"a load has 1 to {limits.MOST_FILES} files with different names")
    room = _room(service)
    room.mkdir(parents=True, exist_ok=True, mode=0o700)
    waiting = sorted(room.iterdir(), key=lambda each: each.stat().st_mtime)
    for old in waiting[: max(0, len(waiting) + 1 - limits.KEPT_PLANS)]:
        shutil.rmtree(old)
    folder = room / secrets.token_hex(16)
    folder.mkdir(mode=0o700)
    for name, data in named.items():
        with (folder / name).open("xb") as file:
            shutil.copyfileobj(data, file)
    return folder.name


def planned(service: Service, id: str) -> PlannedLoad:
    """Return what loading an upload would take. No model is called."""
    from kg_neo4j.pipeline import LoadOptions
    from kg_neo4j.pipeline.commands.plan import plan

    folder = _folder(service, id)
    paths = sorted(folder.iterdir())
    found = plan([str(each) for each in paths], settings=service.settings, options=LoadOptions(root=str(folder)))
    usage = found.usage + found.embedding
    return PlannedLoad(
        id,
        tuple(WaitingFile(each.name, each.stat().st_size) for each in paths),
        found.model,
        found.documents,
        found.chunks,
        found.chunks_to_ask,
        usage.calls,
        usage.input_tokens,
        usage.output_tokens,
        usage.usd if usage.calls else 0.0,
        found.seconds,
        found.assumptions,
        tuple(_notes(found, folder)),
    )


def begin(service: Service, id: str) -> LoadJob:
    """Load an upload; its files are kept from now on. Raises Refused where too many loads wait."""
    folder = _folder(service, id)
    job = service.load_files([(each.name, each.read_bytes()) for each in sorted(folder.iterdir())])
    shutil.rmtree(folder)
    return job


def drop(service: Service, id: str) -> None:
    """Delete an upload."""
    shutil.rmtree(_folder(service, id))


def _notes(found: LoadPlan, folder: Path) -> Iterable[str]:
    """Yield what a person should know, without the path of the folder."""
    for each in found.skipped:
        yield f"{Path(each.source).name} would be skipped: {each.reason}".replace(f"{folder}/", "")
    for note in found.notes:
        yield note.replace(f"{folder}/", "")


def _room(service: Service) -> Path:
    return service.jobs.folder.with_name(f"{service.jobs.folder.name}-waiting")


def _folder(service: Service, id: str) -> Path:
    folder = _room(service) / id
    if not _ID.fullmatch(id) or not folder.is_dir():
        raise missing("there is no such upload any more", "upload the files again")
    return folder
