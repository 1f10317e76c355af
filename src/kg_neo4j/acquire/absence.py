"""Whether a file that was loaded from a folder is gone from it. Only what a folder lists is believed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kg_neo4j.acquire.folders import FoundFile, find, name_of, printable, real_path
from kg_neo4j.acquire.identity import origin_id


class LoadedFolder:
    """A folder that is loaded now, and may have been loaded before."""

    def __init__(self, source: str, alias: str | None = None) -> None:
        self._source = source
        self._alias = alias
        self._root = Path(real_path(source))
        self._listings: dict[Path, frozenset[str] | None] = {}
        self._present: frozenset[str] | None = None
        self.prefix = printable(alias or name_of(Path(source))) + "/"  # of the keys of its files

    def is_gone(self, key: str) -> bool | None:
        """Say whether no file bears `key` any more; None where a folder on the way cannot be read.

        A file that is there but cannot be read, or is no text any more, is not gone.
        """
        folder = self._root
        for part in key.removeprefix(self.prefix).split("/"):
            names = self._names(folder)
            if names is None:
                return None
            if part not in names:
                return True
            folder /= part
        return False

    def bore(self, key: str, origin: str | None) -> bool:
        """Say whether the document with this key and this origin was read from this very folder.

        A folder of the same name elsewhere gives the same keys; the origins tell them apart. A file that was read
        through a link within the folder is known as long as it is there itself.
        """
        expected = self._root.joinpath(*key.removeprefix(self.prefix).split("/"))
        return origin is not None and (origin == origin_id(str(expected)) or origin in self._origins())

    def _names(self, folder: Path) -> frozenset[str] | None:
        if folder not in self._listings:
            try:
                self._listings[folder] = frozenset(printable(entry.name) for entry in folder.iterdir())
            except OSError:
                self._listings[folder] = None
        return self._listings[folder]

    def _origins(self) -> frozenset[str]:
        """Return the origins of the files that are in the folder now."""
        if self._present is None:
            found = find([self._source], self._alias)
            self._present = frozenset(origin_id(each.real_path) for each in found if isinstance(each, FoundFile))
        return self._present


def loaded_folders(sources: Sequence[str], alias: str | None = None) -> tuple[LoadedFolder, ...]:
    """Return the folders among `sources`."""
    return tuple(LoadedFolder(source, alias) for source in sources if Path(source).is_dir())
