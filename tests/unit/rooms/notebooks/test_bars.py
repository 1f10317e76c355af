"""Progress in one line: in a notebook it replaces itself, elsewhere it is silent unless it is asked for."""

from __future__ import annotations

import pytest
from ipykernel.inprocess import BlockingInProcessKernelClient, InProcessKernelManager
from IPython.core.interactiveshell import InteractiveShell

from kg_neo4j.progress import SILENT, Silent, chosen
from kg_neo4j.rooms.notebooks.bars import LineProgress

CELL = """
from kg_neo4j.progress import chosen
bar = chosen(None)
bar.start("extract", 3)
bar._at = 0.0
bar.advance("extract", 2)
bar.count("documents", 4)
bar.start("embed <b>")
bar.finish("extract")
bar.finish("embed <b>")
"""


def test_a_program_hears_nothing_unless_it_asks(capsys: pytest.CaptureFixture[str]) -> None:
    assert chosen(None) is chosen(False) is SILENT
    own = Silent()
    assert chosen(own) is own
    bar = chosen(True)
    assert isinstance(bar, LineProgress)
    bar.start("extract", 3)
    bar.finish("extract")
    said = capsys.readouterr()
    assert (said.out, "extract 0 of 3" in said.err) == ("", True)
    bar.note("one file was skipped")
    assert "one file was skipped\n" in capsys.readouterr().err


def test_a_notebook_shows_a_line_that_replaces_itself() -> None:
    messages = run_cell(CELL)
    shown = [each["content"]["data"]["text/html"] for each in messages if "display_data" in each["msg_type"]]
    assert shown[0] == '<progress value="0" max="3"></progress> extract 0 of 3'
    assert '<progress value="2" max="3"></progress> extract 2 of 3' in shown
    assert "embed &lt;b&gt; 0, 4 documents" in shown
    assert shown[-1] == ""
    assert [each["msg_type"] for each in messages].count("display_data") == 1
    places = {each["content"]["transient"]["display_id"] for each in messages if "display_data" in each["msg_type"]}
    assert len(places) == 1
    assert chosen(None) is SILENT  # the kernel has ended


def run_cell(code: str) -> list[dict[str, object]]:
    """Return what a kernel of IPython sends when it runs a cell."""
    manager = InProcessKernelManager()
    manager.start_kernel()
    client: BlockingInProcessKernelClient = manager.client()
    client.start_channels()
    try:
        client.execute(code)
        messages = []
        while client.iopub_channel.msg_ready():
            messages.append(client.iopub_channel.get_msg())
    finally:
        client.stop_channels()
        manager.shutdown_kernel()
        InteractiveShell.clear_instance()
    errors = [each["content"] for each in messages if each["msg_type"] == "error"]
    assert errors == []
    return messages
