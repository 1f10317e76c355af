"""Files of ours that quote documents, or may: found by what the documents say and by the names of files."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kg_neo4j import jsonl_log
from kg_neo4j.acquire import pictures
from kg_neo4j.acquire.folders import real_path
from kg_neo4j.acquire.identity import origin_id
from kg_neo4j.graph.documents import StoredDocument
from kg_neo4j.graph.export import whole
from kg_neo4j.settings import Settings

WORDS = 5  # in a row: who writes these as a document does quotes it
_WORD = re.compile(r"\w+")
SEARCHED = ("export", "archive")  # kinds of files that name their documents by id
ANSWERS = "answers"  # a file of questions, which belongs to a person, with the answers of `kg test --save`


@dataclass(frozen=True, slots=True)
class Trace:
    """A file or folder that quotes a document, or may, and what it is."""

    what: str
    path: Path

    def remove(self) -> None:
        """Delete it."""
        if self.path.is_dir():
            shutil.rmtree(self.path)
        else:
            self.path.unlink(missing_ok=True)


class Quoted:
    """Knows the words of documents again."""

    def __init__(self, texts: Iterable[str], names: Iterable[str]) -> None:
        """`names` are those that no other document gives."""
        self._runs = {run for text in texts for run in _runs(text)}
        self._names = [name.casefold() for name in names if len(name) > 2]

    def is_in(self, *texts: object) -> bool:
        """Return whether texts have five words in a row of the documents, or a name of theirs alone."""
        return any(
            not self._runs.isdisjoint(_runs(text)) or any(name in text.casefold() for name in self._names)
            for text in map(str, texts)
        )


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return zip(*(words[start:] for start in range(WORDS)), strict=False)


def written(settings: Settings, ids: Sequence[str]) -> tuple[list[Trace], list[Trace]]:
    """Return what commands wrote that may quote documents: what can be deleted, and folders with other work in them."""
    found, folders = dict[Path, Trace](), list[Trace]()
    for kind, path, when in _noted(settings):
        if kind == "extraction":
            folders.append(Trace("folder of extractions", path))
        elif kind != ANSWERS and (kind not in SEARCHED or _names(path, ids)):
            found[path] = Trace(f"{kind} of {when[:10]}", path)
    return [*found.values()], [*dict.fromkeys(folders)]


def _noted(settings: Settings) -> list[tuple[str, Path, str]]:
    """Return the kind, the path and the time of what commands wrote of the graph, as far as it is still there."""
    file = settings.home / jsonl_log.WRITTEN
    lines = jsonl_log.whole_lines(file.read_bytes())[0] if file.is_file() else []
    rows = [json.loads(line) for line in lines if line]
    return [
        (kind, Path(path), when)
        for kind, graph, path, when in rows
        if graph in ("", settings.graph)
        if Path(path).exists()
    ]


def _names(path: Path, ids: Sequence[str]) -> bool:
    """Return whether an export or archive has one of the documents; True where it cannot be read."""
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rb") if packed else path.open("rb") as lines:
            return any(id.encode() in line for line in lines for id in ids)
    except (OSError, EOFError):
        return True


def kept(settings: Settings, documents: Sequence[StoredDocument], texts: Sequence[Mapping[str, str]]) -> list[Trace]:
    """Return files in KG_HOME and KG_CACHE: uploads, scans, copies of stores, answers of studies."""
    home, found = settings.home, list[Trace]()
    origins, keys = {each.origin for each in documents}, {each.key for each in documents}
    uploads = home / "uploads" / hashlib.sha256(settings.graph.encode()).hexdigest()[:16]
    for path in filter(Path.is_file, uploads.rglob("*")):
        if origin_id(real_path(path)) in origins or path.relative_to(uploads).as_posix() in keys:
            found.append(Trace("upload", path))
            found.append(Trace("scan", pictures.folder(home, hashlib.sha256(path.read_bytes()).hexdigest())))
    names = {key.rpartition("/")[2] for key in keys}
    for plan in uploads.with_name(f"{uploads.name}-waiting").glob("*"):
        if any(each.name in names for each in plan.rglob("*")):
            found.append(Trace("upload that waits", plan))
    found += [Trace("pictures of a scan", pictures.folder(home, each)) for each in {row["sha256"] for row in texts}]
    said = " ".join(" ".join(row["text"].split()) for row in texts)
    for page in (home / "scans").glob("*/*/*.json"):
        lines = [" ".join(str(line[0]).split()) for line in json.loads(page.read_bytes())["lines"]]
        if any(lines) and all(line in said for line in lines):
            found.append(Trace("scan", page.parent))
    found += [Trace("copy of a store", path) for path in home.glob("neo4j-*/data-before-*")]
    found += [Trace("answers of a study", path) for path in (settings.cache / "studies").glob("*.jsonl")]
    return [each for each in {each.path: each for each in found}.values() if each.path.exists()]


def questions(settings: Settings, quoted: Quoted, *, remove: bool = False) -> int:
    """Count the saved questions that quote documents; with `remove`, take them out of their files."""
    count = 0
    noted = {path for kind, path, _ in _noted(settings) if kind == ANSWERS}
    for path in sorted({*(settings.home / "questions").glob("*.jsonl"), *noted}):
        lines = path.read_text("utf-8").splitlines(keepends=True)
        left = [line for line in lines if not quoted.is_in(*json.loads(line).values())] if any(lines) else lines
        count += len(lines) - len(left)
        if remove and len(left) < len(lines):
            with whole(path) as partial:
                partial.write_text("".join(left), "utf-8")
    return count
