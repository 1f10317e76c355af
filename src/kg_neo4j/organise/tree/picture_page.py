"""A tree as one HTML page: a node that is clicked shows its text and its sources. Nothing is loaded from a network.

Texts are data in it, never markup: they stand in a block of JSON in which no "<" is left, and the script puts them into
the page as text. The page's own policy allows that one script and nothing else. Where its address ends with "#12", the
node at place 12 is chosen.
"""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from pathlib import Path

from kg_neo4j.organise.tree.picture_svg import TreePicture, clean, label, markup, whole

_STYLE, _SCRIPT = ("\n" + Path(__file__).with_suffix(suffix).read_text(encoding="utf-8") for suffix in (".css", ".js"))


def draw(picture: TreePicture) -> str:
    """Return the page."""
    nodes = [
        {
            "kind": node.kind,
            "label": label(node),
            "text": whole(node.text),
            "method": node.method,
            "flags": list(node.flags),
            "parts": list(node.parts),
        }
        for node in picture.nodes
    ]
    digest = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        f"<title>{clean(picture.title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<main>\n{markup(picture, has_titles=False)}\n</main>\n<aside></aside>\n"
        f'<script type="application/json" id="nodes">{as_data(nodes)}</script>\n'
        f"<script>{_SCRIPT}</script>\n</body>\n</html>\n"
    )


def as_data(value: object) -> str:
    """Return JSON that can stand within a script element: nothing in it ends the element or begins a comment."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
