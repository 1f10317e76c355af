"""Where pictures of pages are kept that were read from a scan."""

from __future__ import annotations

from pathlib import Path


def folder(home: str | Path, sha256: str) -> Path:
    """Return the folder, in the data folder `home`, of a file or of a text with this hash. It may be deleted."""
    return Path(home) / "scans" / sha256[:2] / sha256


def of_page(home: str | Path, text_sha256: str, page: int) -> Path:
    """Return where the picture of a page, from 1, of the document with this text is; it is there after a scan alone."""
    return folder(home, text_sha256) / f"{page}.jpg"
