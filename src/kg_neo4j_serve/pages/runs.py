"""Runs: the loads of this server, how far the documents are, what was spent; rows in quarantine; loading files.

An upload waits in a folder of the graph until it is loaded or dropped, or until newer ones come.
"""

from __future__ import annotations

import re
import secrets
import shutil
from collections.abc import Iterable, Mapping, Sequence
from itertools import filterfalse, islice
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlencode

from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.records import LoadPlan
from kg_neo4j_serve import limits
from kg_neo4j_serve.jobs import ENDED, NEW, STOPPING, made_safe
from kg_neo4j_serve.limits import checked, page, picked, start_of
from kg_neo4j_serve.refusals import missing
from kg_neo4j_serve.rendering import Action, ServedPage
from kg_neo4j_serve.service import Service

_ID = re.compile(r"[0-9a-f]{32}")  # of an upload
LEFT_OUT = ".left_out"  # in the folder of an upload: what is not loaded, and why; a line each


def listed(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the loads of this server, and a page of the documents with how far each is."""
    sizes = service.database().read(queries.get("write/count_graph"), graph=service.graph)[0]
    cursor = given.get("cursor")
    return {
        "jobs": service.status().jobs,
        "spending": _spending(service),
        "size": picked(sizes, "nodes", "relationships"),
        "found": service.documents(cursor=cursor),
        "is_first": start_of(cursor) == 0,
    }


def shown(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return one load, by its id."""
    job = service.jobs.find(checked(given.get("id", ""), "id"))
    about = {"ended": job.state in ENDED, "is_stopping": job.stage == STOPPING}
    return {"job": job, **about, "spending": _spending(service)}


def upload(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the plan of an upload; without one, what may be uploaded."""
    from kg_neo4j.acquire.readers import kinds

    id = given.get("plan", "")
    return {
        "plan": _planned(service, id) if id else None,
        "spending": _spending(service),
        "suffixes": tuple(kinds()),
        "most_files": limits.MOST_FILES,
        "most_bytes": limits.MOST_UPLOAD,
    }


def _spending(service: Service) -> dict[str, float] | None:
    """Return what models have cost since the server started; nothing where none is called."""
    if service.budget is None:
        return None
    limit, spent = service.budget.limit_usd, service.budget.spent_usd
    return {"limit_usd": limit, "spent_usd": spent, "left_usd": max(0.0, limit - spent)}


def receive(service: Service, form: Mapping[str, Any]) -> str:
    """Keep the files of a form, single ones and those of a folder, and lead to their plan."""
    single, in_folder = (
        [(each.filename, each.file) for each in form[name] if getattr(each, "filename", "")]
        for name in ("files", "folder")
    )
    return f"/load?{urlencode({'plan': _keep(service, single, in_folder)})}"


def begin(service: Service, form: Mapping[str, Any]) -> str:
    """Load an upload, whose files are kept from now on, and lead to its progress. Raises Refused if too many wait."""
    folder = _folder(service, str(form.get("plan", "")))
    files = [(name, (folder / name).read_bytes()) for name in _files(folder)]
    job = service.jobs.begin(files, _left_out(folder), in_folders=True)
    shutil.rmtree(folder)
    return f"/run?{urlencode({'id': job.id})}"


def cancel(service: Service, form: Mapping[str, Any]) -> str:
    """Cancel a load, and lead to it."""
    return f"/run?{urlencode({'id': service.cancel(str(form.get('id', ''))).jobs[0].id})}"


def drop(service: Service, form: Mapping[str, Any]) -> str:
    """Delete an upload, and lead to the next one."""
    shutil.rmtree(_folder(service, str(form.get("plan", ""))))
    return "/load"


def _keep(service: Service, single: Sequence[tuple[str, BinaryIO]], in_folder: Sequence[tuple[str, BinaryIO]]) -> str:
    """Keep files until somebody says yes, and return the id of the plan. The oldest uploads go where there are many.

    Files of a folder keep their paths in it; those that are hidden, or of kinds that are not read, are left out.
    """
    named, left_out = {made_safe(name): data for name, data in single}, []
    for name, data in in_folder:
        try:
            named[made_safe(name, in_folders=True)] = data
        except UsageError:
            left_out.append(f"{' '.join(name[:200].split())}: it is hidden, or of a kind that is not read")
    if not single and not in_folder:
        raise UsageError("no file was chosen")
    if len(named) + len(left_out) < len(single) + len(in_folder) or not 0 < len(named) <= limits.MOST_FILES:
        raise UsageError(
            f"a load has 1 to {limits.MOST_FILES} files with different names", hint="; ".join(left_out[:3]) or None
        )
    room = _room(service)
    room.mkdir(parents=True, exist_ok=True, mode=0o700)
    waiting = sorted(room.iterdir(), key=lambda each: each.stat().st_mtime)
    for old in waiting[: max(0, len(waiting) + 1 - limits.KEPT_PLANS)]:
        shutil.rmtree(old)
    folder = room / secrets.token_hex(16)
    folder.mkdir(mode=0o700)
    try:
        for name, data in named.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with (folder / name).open("xb") as file:
                shutil.copyfileobj(data, file)
        (folder / LEFT_OUT).write_text("\n".join(left_out), "utf-8", "replace")
    except OSError as error:
        shutil.rmtree(folder)
        raise UsageError(f"the files cannot be kept: {error.strerror}", hint="shorter names") from None
    return folder.name


def _files(folder: Path) -> list[str]:
    """Return the paths of the files of an upload, below its folder."""
    found = (each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file())
    return sorted(name for name in found if name != LEFT_OUT)


def _left_out(folder: Path) -> list[str]:
    return (folder / LEFT_OUT).read_text("utf-8").splitlines()


def _planned(service: Service, id: str) -> dict[str, Any]:
    """Return an upload and estimates of what loading it would take. No model is called."""
    from kg_neo4j.pipeline.commands.plan import plan
    from kg_neo4j.pipeline.options import LoadOptions

    folder = _folder(service, id)
    names = _files(folder)
    found = plan(
        [str(folder / each) for each in names], settings=service.settings, options=LoadOptions(root=str(folder))
    )
    usage = found.usage + found.embedding
    return {
        "id": id,
        "files": [{"name": each, "size": (folder / each).stat().st_size} for each in names],  # size in bytes
        "model": found.model,  # None: the built-in rules; nothing is paid
        **{name: getattr(found, name) for name in ("documents", "chunks", "chunks_to_ask")},
        **{name: getattr(usage, name) for name in ("calls", "input_tokens", "output_tokens")},
        "usd": usage.usd if usage.calls else 0.0,  # None where no price is known
        "seconds": found.seconds,
        "assumptions": found.assumptions,
        "left_out": _left_out(folder),
        "notes": list(_notes(found, folder)),
    }


def _notes(found: LoadPlan, folder: Path) -> Iterable[str]:
    """Yield what a person should know, without the path of the folder."""
    for each in found.skipped:
        yield f"{each.source} would be skipped: {each.reason}".replace(f"{folder}/", "")
    for note in filterfalse(NEW.fullmatch, found.notes):
        yield note.replace(f"{folder}/", "")


def _room(service: Service) -> Path:
    return service.jobs.folder.with_name(f"{service.jobs.folder.name}-waiting")


def _folder(service: Service, id: str) -> Path:
    folder = _room(service) / id
    if not _ID.fullmatch(id) or not folder.is_dir():
        raise missing("there is no such upload any more", "upload the files again")
    return folder


def quarantine(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a page of the rows in quarantine, by document, chunk and line."""
    from kg_neo4j.pipeline.commands.rebuild import quarantined

    skip = start_of(given.get("cursor"))
    found = quarantined(service.database(), service.graph)
    rows, cursor = page(list(islice(found, skip + limits.ROWS + 1)), skip, limits.ROWS)
    return {"rows": rows, "cursor": cursor, "is_first": skip == 0}


PAGES = (
    ServedPage("/quarantine", "quarantine.html", quarantine, title="Quarantine", rank=75, section="quarantine"),
    ServedPage("/runs", "runs.html", listed, title="Runs", rank=80, section="runs"),
    ServedPage("/run", "run.html", shown),
    ServedPage("/load", "load.html", upload, title="Load", writes=True, rank=90),
)
ACTIONS = (
    Action("/load", receive, max_files=limits.MOST_FILES),
    Action("/load/begin", begin),
    Action("/load/drop", drop),
    Action("/run/cancel", cancel),
)
