"""One HTML page with its script, its style and its data inside it, which loads nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import escape

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def compose(title: str, body: str, data: object, data_id: str, style: str, script: str, body_class: str = "") -> str:
    """Return a page. `title` is escaped here, `body` is markup, and `data` becomes a block of JSON with an id.

    The page's own policy allows that one script and that one style, by their hashes, and nothing else.
    """
    style, script = f"\n{style}", f"\n{script}"
    policy = (
        f"default-src 'none'; script-src {_source(script)}; style-src {_source(style)}; base-uri 'none';"
        " form-action 'none'"
    )
    named = f' class="{body_class}"' if body_class else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{clean(title)}</title>\n<style>{style}</style>\n</head>\n<body{named}>\n{body}\n"
        f'<script type="application/json" id="{data_id}">{as_data(data)}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def as_data(value: object) -> str:
    """Return JSON in ASCII that can be within a script element: nothing in it ends the element or begins a comment."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def clean(text: str) -> str:
    """Return a text as XML may hold it: escaped, and without characters that no XML file has."""
    return escape(whole(text))


def whole(text: str) -> str:
    """Return a text without characters that no file of a picture can hold."""
    return _NO_XML.sub("\ufffd", text)


def _source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"
