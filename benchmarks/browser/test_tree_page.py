"""The page of a tree in a real browser: `make test-pages`, where a Chromium is installed."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from chromium import program
from kg_neo4j.organise.tree.picture import page as draw
from tree_pictures import HOSTILE, tree


def test_a_browser_shows_a_nodes_text_and_sources(tmp_path: Path) -> None:
    picture = tree(text=HOSTILE)
    page = tmp_path / "tree.html"
    page.write_bytes(draw(picture).encode("utf-8"))
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    shown = subprocess.run(
        [program(), *flags, f"{page.as_uri()}#13"], capture_output=True, check=True, timeout=120
    ).stdout.decode()
    panel = shown[shown.index("<aside>") : shown.index("</aside>")]
    assert "<h1>aspect 0, level 1, cluster 2</h1>" in panel
    assert '<p class="method">by model</p>' in panel
    assert '<p class="flag">cut</p>' in panel
    assert "&lt;/script&gt;&lt;script&gt;document.title" in panel
    assert re.findall(r"<button[^>]*>(leaf \d+|aspect[^:]*):", panel) == [
        *("leaf 4", "leaf 5", "leaf 6"),
        "aspect 0, level 2, cluster 1",
    ]
    assert "<title>taken" not in shown
    near = {int(number) for number in re.findall(r'class="node \w+ near"[^>]* data-n="(\d+)"', shown)}
    near |= {int(number) for number in re.findall(r'class="node \w+ near" data-n="(\d+)"', shown)}
    assert {3, 4, 5} <= near
    assert not near & {0, 1, 2, 6}
