"""Which files the named sources mean, and under which key each is known. Reads names and kinds, no contents."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kg_neo4j.errors import SourceNotFound, UsageError
from kg_neo4j.records import SkippedSource

SUFFIXES = {
    ".txt": "text",
    ".text": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".docx": "docx",
}
MAX_KEY_CHARACTERS = 1_000
MAX_FOLDERS = 200  # within each other; the walk recurses


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to be read."""

    path: Path  # where it is
    real_path: str  # links followed
    key: str  # its name within the graph: relative path with the folder's name, the file's name, or the alias
    source: str  # as the user would name it
    named: bool  # by the user, not found in a folder


def find(sources: Sequence[str], alias: str | None = None) -> Iterator[FoundFile | SkippedSource]:
    """Yield the files that `sources` mean, in the order given, those of a folder sorted by name.

    Raises, at once, SourceNotFound where a source does not exist, UsageError for an alias that cannot be meant and for
    two sources of the same name. A link within a folder is followed only to a file inside that folder.
    """
    if alias is not None:
        _check_alias(alias, sources)
    for source in sources:
        _check_exists(source)
    _check_names(sources)
    return _found(sources, alias)


def _found(sources: Sequence[str], alias: str | None) -> Iterator[FoundFile | SkippedSource]:
    for source in sources:
        path = Path(source)
        try:
            mode = path.stat().st_mode
        except OSError as error:
            yield SkippedSource(source, _reason(error))
            continue
        name = alias or name_of(path)
        if stat.S_ISDIR(mode):
            yield from _in_folder(path, real_path(path), name)
        else:
            yield FoundFile(path, real_path(path), printable(name), printable(source), named=True)


def _in_folder(folder: Path, root: str, prefix: str) -> Iterator[FoundFile | SkippedSource]:
    """Yield the files below `folder`, depth first, sorted by name; folders behind links are not entered."""
    if prefix.count("/") > MAX_FOLDERS:
        yield SkippedSource(printable(str(folder)), f"more than {MAX_FOLDERS} folders deep")
        return
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield SkippedSource(printable(str(folder)), _reason(error))
        return
    for entry in entries:
        source = printable(entry.path)
        if entry.name.startswith("."):
            yield SkippedSource(source, "hidden")
        elif entry.is_dir(follow_symlinks=False):
            yield from _in_folder(Path(entry.path), root, f"{prefix}/{entry.name}")
        elif entry.is_symlink() and (refused := _refused_link(entry.path, root)):
            yield SkippedSource(source, refused)
        elif Path(entry.name).suffix.lower() not in SUFFIXES:
            yield SkippedSource(
                source, f"not one of {', '.join(SUFFIXES)}; name the file itself to have it read as text"
            )
        else:
            key = printable(f"{prefix}/{entry.name}")
            yield FoundFile(Path(entry.path), real_path(entry.path), key, source, named=False)


def _refused_link(path: str, root: str) -> str | None:
    """Return why a link is not followed, None where it leads to a file within `root`."""
    try:
        if not Path(real_path(path)).is_relative_to(root):
            return "a link that leads out of the folder"
        return "a link to a folder" if stat.S_ISDIR(Path(path).stat().st_mode) else None
    except OSError as error:
        return f"a link that leads nowhere: {_reason(error)}"


def _check_exists(source: str) -> None:
    if not source.strip() or "\0" in source:
        raise UsageError(f"{source!r} is not a path")
    try:
        os.lstat(source)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise SourceNotFound(
            f"no such file or folder: {printable(source)}", hint="`--wikipedia TITLE` loads a page of Wikipedia"
        ) from error
    except OSError:
        return  # it may be there, behind a folder that is closed to us: skipped with that reason


def _check_names(sources: Sequence[str]) -> None:
    """Refuse two sources of one name: their documents would bear the same keys."""
    paths: dict[str, str] = {}
    for source in sources:
        name, real = name_of(Path(source)), real_path(source)
        if paths.setdefault(name, real) != real:
            raise UsageError(
                f"{printable(source)} and {printable(paths[name])} would both be known as {printable(name)!r}",
                hint="load one of them by itself with --as NAME",
            )


def _check_alias(alias: str, sources: Sequence[str]) -> None:
    if len(sources) != 1:
        raise UsageError(f"--as names one source; {len(sources)} are given")
    if not alias.strip() or len(alias) > MAX_KEY_CHARACTERS or not alias.isprintable():
        raise UsageError(f"--as: {alias[:50]!r} is not a name", hint="use a short printable name without line breaks")


def name_of(path: Path) -> str:
    """Return the last part of a path, also of `.` and `..`: what the keys of a folder's files begin with."""
    return path.name if path.name not in ("", "..") else Path(real_path(path)).name or "root"


def real_path(path: str | Path) -> str:
    """Return where links lead; the path itself where that may not be known."""
    try:
        return os.path.realpath(path)
    except OSError:
        return str(Path(path).absolute())


def printable(name: str) -> str:
    """Return a name of the file system that can be stored: bytes that are no text become escapes."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
