"""JSON on a standard output that cannot encode every character."""

from __future__ import annotations

import io
import json
import sys

import pytest

from kg_neo4j._cli.terminal import print_json


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1", "cp1252"])
@pytest.mark.parametrize("text", ["żółw", "\U0001f600", "a\udcff", "\ud83d", "é\x00\x85", "plain"])
def test_any_text_is_printed_as_json(monkeypatch: pytest.MonkeyPatch, encoding: str, text: str) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", out)
    print_json({"said": text})
    out.flush()
    written = out.buffer.getvalue()  # type: ignore[attr-defined]
    assert json.loads(written.decode(encoding)) == {"said": text}
