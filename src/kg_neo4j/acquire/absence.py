"""Which documents were read from a folder, and which of their files are gone. Only what a folder lists is believed."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from pathlib import Path, PurePath

from kg_neo4j.acquire.folders import place, printable
from kg_neo4j.acquire.identity import origin_id


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
            names = self._names(folder)
            if names is None:
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
            except OSError:
                self._listings[folder] = None
        return self._listings[folder]


def loaded_folders(
    sources: Sequence[str], alias: str | None = None, root: str | None = None
) -> tuple[LoadedFolder, ...]:
    """Return the folders among `sources`."""
    return tuple(LoadedFolder(source, alias, root) for source in sources if Path(source).is_dir())
