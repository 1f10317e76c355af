"""The files of the sources that a user names, and the key of each. Reads names and kinds; of contents only kg.toml."""

from __future__ import annotations

import itertools
import os
import posixpath
import stat
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePath

from kg_neo4j.acquire.identity import origin_id
from kg_neo4j.acquire.readers import NO_READER, kinds
from kg_neo4j.errors import SourceNotFound, UsageError
from kg_neo4j.records import SkippedSource

MAX_KEY_CHARACTERS = 1_000
MAX_FOLDERS = 200  # within each other; the walk recurses
ROOT_MARK = "kg.toml"  # its folder is the root of the keys of the files below it
MAX_MARK_BYTES = 64_000


@dataclass(frozen=True, slots=True)
class FilePatterns:
    """Which files of folders are read, by patterns such as "*.md", "drafts" or "drafts/*.txt".

    A pattern with a "/" is compared with the path below the folder that was named, others with the name of each file
    and folder. `*` stands for any letters, "/" too. A file that `include` names is read whatever its suffix. Sources
    that are files are always read.
    """

    include: tuple[str, ...] = ()  # empty: all that can be read
    exclude: tuple[str, ...] = ()  # also of what `include` names

    def names(self, path: str) -> bool:
        """Return whether a file has to be read, its suffix aside."""
        return _matches(path, self.include)

    def leaves_out(self, path: str, *, is_folder: bool = False) -> bool:
        """Return whether a file, or a folder with all that is below it, is not to be read."""
        return _matches(path, self.exclude) or bool(self.include and not is_folder and not self.names(path))


ALL = FilePatterns()


def _matches(path: str, patterns: Sequence[str]) -> bool:
    name = path.rpartition("/")[2]
    wanted = (pattern.rstrip("/") for pattern in patterns)
    return any(fnmatchcase(path if "/" in pattern else name, pattern) for pattern in wanted)


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to be read."""

    path: Path  # where it is
    real_path: str  # links followed
    key: str  # its name within the graph: the path relative to a root, the alias, or the key that the graph has
    source: str  # as the user would name it
    named: bool  # by the user, not found in a folder


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """Where a source is, and the folder that the keys of its files are relative to."""

    source: str
    path: str  # links of its folders followed; of a folder those of itself, too
    root: str  # links followed; `path` is the root or is in it
    name: str  # the alias, else its own name

    @property
    def key(self) -> str:
        """The path relative to the root, "" for the root itself."""
        return printable(_below(self.path, self.root) or "")


def places_of(sources: Sequence[str], alias: str | None = None, root: str | None = None) -> list[SourcePlace]:
    """Return where `sources` are, and the folders that the keys of their files are relative to.

    That is `root`; where it is None the folder of the nearest kg.toml; else the folder given, or that of the file
    given. Raises SourceNotFound for a source that does not exist, and UsageError for an invalid alias, root or kg.toml.
    """
    if alias is not None:
        if len(sources) != 1:
            raise UsageError(f"--as names one source; {len(sources)} are given")
        if not alias.strip() or len(alias) > MAX_KEY_CHARACTERS or not alias.isprintable():
            hint = "use a short printable name without line breaks"
            raise UsageError(f"--as: {alias[:50]!r} is not a name", hint=hint)
    for source in sources:
        if not source.strip() or "\0" in source:
            raise UsageError(f"{source!r} is not a path")
        try:
            os.lstat(source)
        except (FileNotFoundError, NotADirectoryError) as error:
            hint = "`--wikipedia TITLE` loads a page of Wikipedia"
            raise SourceNotFound(f"no such file or folder: {printable(source)}", hint=hint) from error
        except OSError:
            continue  # it may be there, behind a folder that is closed to us: skipped with that reason
    return [place(source, alias, root) for source in sources]


def place(source: str, alias: str | None = None, root: str | None = None) -> SourcePlace:
    """Return where `source` is and the root of its keys; it need not exist.

    Raises UsageError for a source outside `root`, for a root that is no folder, and for a kg.toml that is not TOML.
    """
    path = Path(source)
    is_folder = os.path.isdir(path)  # noqa: PTH112 (Path.is_dir raises where a folder may not be looked into)
    folder = real_path(path if is_folder else path.parent)
    real = folder if is_folder else str(Path(folder, path.name))
    name = alias or (path.name if path.name not in ("", "..") else Path(real_path(path)).name or "root")
    if root is None:
        return SourcePlace(source, real, _marked_root(folder) or folder, name)
    given = real_path(root)
    if not os.path.isdir(given):  # noqa: PTH112 (as above)
        raise UsageError(f"the root {printable(root)!r} is not a folder", hint="name an existing folder: --root DIR")
    if _below(real, given) is None:
        raise UsageError(
            f"{printable(source)} ({printable(real)}) is outside the root {printable(root)} ({printable(given)})",
            hint="`--root DIR` with a folder that holds every source",
        )
    return SourcePlace(source, real, given, name)


def _marked_root(folder: str) -> str | None:
    """Return the nearest folder, `folder` or above it, that holds a kg.toml; None where there is none."""
    for each in (Path(folder), *Path(folder).parents):
        mark = each / ROOT_MARK
        try:
            state = mark.stat()
        except OSError:
            continue
        if problem := _problem(mark, state):
            hint = f"an empty {ROOT_MARK} marks a root"
            raise UsageError(f"{printable(str(mark))} cannot mark a root: {problem}", hint=hint)
        return str(each)
    return None


def _problem(mark: Path, state: os.stat_result) -> str | None:
    """Return why a kg.toml cannot be read as TOML, None where it can."""
    if not stat.S_ISREG(state.st_mode):
        return "not a file"
    if state.st_size > MAX_MARK_BYTES:
        return f"{state.st_size:,} bytes, more than {MAX_MARK_BYTES:,}"
    try:
        tomllib.loads(mark.read_text("utf-8"))
    except OSError as error:
        return _reason(error)
    except (ValueError, RecursionError) as error:
        return f"not TOML: {error}"
    return None


@dataclass(frozen=True, slots=True)
class _Keys:
    """Gives files their keys."""

    alias: str | None
    held: Mapping[str, Sequence[str]]  # origin -> the keys of the documents that were read from it

    def key(self, source: SourcePlace, path: str, named: str) -> str:
        """Return the key of the file whose real path is `path`; `named` begins with the name of its source.

        A file keeps the key that the graph has of it.
        """
        if self.alias is not None:
            return named
        key = printable(_below(path, source.root) or _below(source.path, source.root) or named)
        held = self.held.get(origin_id(path), [key])
        return key if key in held else held[0]


def find(
    sources: Sequence[SourcePlace],
    alias: str | None = None,
    *,
    known: Mapping[str, str] | None = None,
    chosen: FilePatterns = ALL,
) -> Iterator[FoundFile | SkippedSource]:
    """Yield the files of `sources`, each real file once, in the order given, those of a folder sorted by name.

    `known` holds the documents of the graph, key -> origin; their files keep their keys. Raises UsageError if two
    sources have different files of one key. Follows a link in a folder only to a file inside that folder.
    """
    known = known or {}
    held: dict[str, list[str]] = {}
    for key, origin in sorted(known.items()):
        held.setdefault(origin, []).append(key)
    keys = _Keys(alias, held)
    if len(sources) > 1:
        _check_keys(sources, keys, chosen)
    paths: dict[str, str] = {}  # by key
    read: dict[str, str] = {}  # real path -> key
    for each in itertools.chain.from_iterable(_files(source, keys, chosen) for source in sources):
        if isinstance(each, SkippedSource):
            yield each
        elif paths.setdefault(each.key, each.real_path) != each.real_path:
            reason = f"{printable(paths[each.key])} has the same key {each.key!r}"
            yield SkippedSource(each.source, f"{reason}; load this file by itself with --as NAME")
        elif each.real_path in read:
            yield SkippedSource(each.source, f"already read as {read[each.real_path]!r}")
        else:
            read[each.real_path] = each.key
            yield each


def _check_keys(sources: Sequence[SourcePlace], keys: _Keys, chosen: FilePatterns) -> None:
    """Refuse sources with different files of one key, before any file is read."""
    found: dict[str, str] = {}  # real path -> key
    paths: dict[str, str] = {}  # key -> real path
    for each in itertools.chain.from_iterable(_files(source, keys, chosen) for source in sources):
        if isinstance(each, SkippedSource) or each.real_path in found:
            continue
        found[each.real_path] = each.key
        if paths.setdefault(each.key, each.real_path) != each.real_path:
            raise UsageError(
                f"{printable(paths[each.key])} and {printable(each.real_path)} would both have the key {each.key!r}",
                hint="name a folder above both with --root DIR, or load one of them by itself with --as NAME",
            )


def _files(source: SourcePlace, keys: _Keys, chosen: FilePatterns) -> Iterator[FoundFile | SkippedSource]:
    path = Path(source.source)
    try:
        mode = path.stat().st_mode
    except OSError as error:
        yield SkippedSource(source.source, _reason(error))
        return
    if stat.S_ISDIR(mode):
        yield from _in_folder(path, source, keys, source.name, chosen)
        return
    real = real_path(path)
    yield FoundFile(path, real, keys.key(source, real, printable(source.name)), printable(source.source), named=True)


def _in_folder(
    folder: Path, source: SourcePlace, keys: _Keys, prefix: str, chosen: FilePatterns
) -> Iterator[FoundFile | SkippedSource]:
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
        named, below = printable(entry.path), f"{prefix}/{entry.name}".removeprefix(f"{source.name}/")
        if entry.name == ROOT_MARK or chosen.leaves_out(below, is_folder=entry.is_dir(follow_symlinks=False)):
            continue
        if entry.name.startswith("."):
            yield SkippedSource(named, "hidden", "hidden")
        elif entry.is_dir(follow_symlinks=False):
            yield from _in_folder(Path(entry.path), source, keys, f"{prefix}/{entry.name}", chosen)
        elif entry.is_symlink() and (refused := _refused_link(entry.path, source.path)):
            yield SkippedSource(named, refused)
        elif (suffix := Path(entry.name).suffix.lower()) not in kinds() and not chosen.names(below):
            yield SkippedSource(named, NO_READER, suffix or "-")
        else:
            real = real_path(entry.path)
            key = keys.key(source, real, printable(f"{prefix}/{entry.name}"))
            yield FoundFile(Path(entry.path), real, key, named, named=False)


def _refused_link(path: str, root: str) -> str | None:
    """Return why a link is not followed, None where it leads to a file within `root`."""
    try:
        if not Path(real_path(path)).is_relative_to(root):
            return "a link that leads out of the folder"
        return "a link to a folder" if stat.S_ISDIR(Path(path).stat().st_mode) else None
    except OSError as error:
        return f"a link that leads nowhere: {_reason(error)}"


def _below(path: str, root: str) -> str | None:
    """Return `path` relative to `root`, with "/" between its parts, "" for the root; None where it is outside."""
    if path == root:
        return ""
    return PurePath(path).relative_to(root).as_posix() if PurePath(path).is_relative_to(root) else None


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


# ------------------------------------------------------------------------------------------------- what is gone


class LoadedFolder:
    """A folder that is loaded now, and may have been loaded before. Raises as `folders.place`."""

    def __init__(self, source: str, alias: str | None = None, root: str | None = None) -> None:
        self.place = place(source, alias, root)
        self.prefix = alias or self.place.key  # of the keys of its files, "" if the folder itself is the root
        self.prefix += "/" if self.prefix else ""
        self._listings: dict[Path, frozenset[str] | None] = {}
        # What the key or the source of a document begins with: relative to the folder itself or to any above it.
        path = PurePath(self.place.path)
        above = [path.relative_to(each).as_posix() for each in path.parents]
        spelled = [self.place.name, posixpath.normpath(source), path.as_posix(), Path(source).absolute().as_posix()]
        self._begins = ("", *dict.fromkeys(f"{printable(each)}/" for each in (*above, *spelled)))

    def find(self, origin: str | None, *names: str) -> str | None:
        """Return where in this folder a document was read, relative to it; None if it was not read from here.

        `names` are its key and its source as it was written then. What they suggest is compared with `origin`, so a
        folder of the same name elsewhere is another one. No file needs to be there any more.
        """
        for name in map(posixpath.normpath, names if origin else ()):
            for begin in self._begins:
                path = name.removeprefix(begin)
                if name.startswith(begin) and origin == origin_id(self.at(path)):
                    return path
        return None

    def is_gone(self, path: str) -> bool | None:
        """Return True if the folder does not list `path` any more; None if a folder on the way cannot be read.

        A file that is there but cannot be read, or is no text any more, is not gone.
        """
        folder = Path(self.place.path)
        for part in path.split("/"):
            if (names := self._names(folder)) is None:
                return None
            if part not in names:
                return True
            folder /= part
        return False

    def path_in(self, real_path: str | None) -> str | None:
        """Return the path of a file relative to this folder; None for one that is not in it."""
        if real_path is None or not Path(real_path).is_relative_to(self.place.path):
            return None
        return printable(Path(real_path).relative_to(self.place.path).as_posix())

    def at(self, path: str) -> str:
        """Return the whole path of what `path` names in this folder."""
        return str(Path(self.place.path, *path.split("/")))

    def _names(self, folder: Path) -> frozenset[str] | None:
        if folder not in self._listings:
            try:
                self._listings[folder] = frozenset(printable(entry.name) for entry in folder.iterdir())
            except NotADirectoryError:  # what was attached to a file
                self._listings[folder] = frozenset()
            except OSError:
                self._listings[folder] = None
        return self._listings[folder]


def loaded_folders(
    sources: Sequence[str], alias: str | None = None, root: str | None = None
) -> tuple[LoadedFolder, ...]:
    """Return the folders among `sources`."""
    return tuple(LoadedFolder(source, alias, root) for source in sources if Path(source).is_dir())
