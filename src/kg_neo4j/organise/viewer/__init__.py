"""The graph viewer of our pages: one script, one style sheet, and the data that they draw.

A page has an element of the class `kg-viewer`. Its `data-inline` names a block of JSON in the page, or its `data-src`
the address of JSON: a `GraphView`. Until the script has started, the element shows what `view.draw_still` draws.
"""

from __future__ import annotations

from pathlib import Path

SCRIPT_FILE, STYLE_FILE = (Path(__file__).with_name(f"viewer.{suffix}") for suffix in ("js", "css"))
