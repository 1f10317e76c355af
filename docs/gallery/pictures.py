"""Take a picture of each page of `kg plot` in the gallery, with Chromium: part of `make gallery`."""

from __future__ import annotations

import base64
import sys
import tempfile
import tomllib
from pathlib import Path

from chromium import browser  # of tests/

GALLERY = Path(__file__).resolve().parent
BOX = """(({x, y, width, height}) => ({x, y, width, height}))(
    document.querySelector(".kg-stage").getBoundingClientRect())"""
WIDTH, HEIGHT, SCALE = 1_280, 720, 1.5  # pixels of the window, and of the picture for each of them


def main() -> None:
    """Write NAME.webp: the graph without the panel at its side."""
    graphs = tomllib.loads((GALLERY / "gallery.toml").read_text(encoding="utf-8"))["graphs"]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, browser(Path(profile)) as tab:
        for given in graphs:
            tab.open((GALLERY / f"{given['name']}.html").as_uri(), width=WIDTH, height=HEIGHT)
            tab.value("new Promise(done => setTimeout(done, 1000))")  # names are placed one after the other
            clip = {**tab.value(BOX), "scale": SCALE}
            data = tab.call("Page.captureScreenshot", format="webp", quality=92, clip=clip)["data"]
            (GALLERY / f"{given['name']}.webp").write_bytes(base64.b64decode(data))
            sys.stdout.write(f"docs/gallery/{given['name']}.webp\n")


if __name__ == "__main__":
    main()
