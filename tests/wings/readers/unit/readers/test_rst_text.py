"""reStructuredText is what a reader sees: no word is lost, no mark is left, and no other file is opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from kg_neo4j.acquire import files
from kg_neo4j.acquire.interface import PLAIN, ParsedText
from kg_neo4j.acquire.sandbox import Sandbox
from kg_neo4j.errors import UnreadableSource
from kg_neo4j.records import Document
from kg_neo4j_readers import rst_text

READER = "kg_neo4j_readers.rst_text:read_rst"


def read(text: str) -> ParsedText:
    return rst_text.read_rst(text.encode(), PLAIN)


GUIDE = """.. _top:

=============
The **light**
=============

Written in the
`old book <https://a.org>`_, see Keepers_ [1]_.

.. [1] Page 7.

Keepers
-------

- one
  goes on

  - below

3. three
#. four

lens : glass
  Bends light.

| first line
| second line

::

    # no heading
      two  spaces

.. code-block:: sh
   :linenos:
   :caption: To light it

   [[ -f x ]] && <b>

>>> 1 + 1
2

Tools
-----

==== =====
a    b
==== =====
x|y  **z**
==== =====
"""
READ = """# The light

Written in the old book, see Keepers.

Page 7.

## Keepers

- one goes on
  - below

3. three
4. four

lens : glass

Bends light.

first line
second line

```
# no heading
  two  spaces
```

To light it

```sh
[[ -f x ]] && <b>
```

```
>>> 1 + 1
2
```

## Tools

a | b
x|y | z"""
PROPOSAL = """Number: 12
Title: Of
       lamps
Author: Ada Cole <ada@a.org>,
        Bob Day <bob@b.org>
Status: *Draft*
Created: 05-Jul-2001

Why
===

Lamps.
"""


def test_headings_lists_code_and_tables_have_the_marks_of_markdown():
    parsed = read(GUIDE)
    assert parsed.text == READ
    assert (parsed.title, parsed.author, parsed.date, parsed.left_out) == ("The light", "", "", "")
    assert [(s.title, s.level) for s in parsed.sections] == [("The light", 1), ("Keepers", 2), ("Tools", 2)]
    assert READ[parsed.sections[2].start :].startswith("## Tools")


def test_the_fields_of_a_head_are_lines_and_give_title_author_and_date():
    parsed = read(PROPOSAL)
    assert (parsed.title, parsed.author, parsed.date) == ("Of lamps", "Ada Cole, Bob Day", "05-Jul-2001")
    assert parsed.text.split("\n\n") == [
        "Number: 12",
        "Title: Of lamps",
        "Author: Ada Cole <ada@a.org>, Bob Day <bob@b.org>",
        "Status: *Draft*",
        "Created: 05-Jul-2001",
        "# Why",
        "Lamps.",
    ]


def test_fields_below_the_title_are_a_head_and_later_ones_are_none():
    parsed = read("Lamps\n=====\n\n:Authors: - Ada\n          - Bob\n:Date: 2024-05-06\n\nText.\n\n:Author: Carol\n")
    assert (parsed.title, parsed.author, parsed.date) == ("Lamps", "Ada, Bob", "2024-05-06")
    assert parsed.text == "# Lamps\n\nAuthors:\n\n- Ada\n- Bob\n\nDate: 2024-05-06\n\nText.\n\nAuthor: Carol"
    assert read("Text.\n\n:Author: Carol\n").author == ""


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (":pep:`8`, :rfc:`2119`, :pep:`the style <8#intro>`", "PEP 8, RFC 2119, the style"),
        (":ref:`the page <place>`, :py:class:`~lamp.Keeper`, :file:`{N}.rst`", "the page, lamp.Keeper, {N}.rst"),
        ("*a* **b** ``c  d`` `e` H\\ :sub:`2`\\ O :math:`β^2`", "*a* b c d e H2O β^2"),
        ("lost_ `lost link`_ |lost| *open `back [A9]_", "lost lost link lost *open `back [A9]"),
        ("https://a.org ada@a.org `https://a.org <https://a.org>`_", "https://a.org ada@a.org https://a.org"),
        ("|x| |today|\n\n.. |x| replace:: Ada *C*\n.. |today| date::", "Ada *C* today"),
        (".. Hidden\n\n..\n  Hidden\n\nAda.\n\n.. _a: b.org", "Ada."),
        (".. image:: a.png\n\n.. figure:: b.png\n   :alt: A map\n\n   Its caption.", "A map\n\nIts caption."),
        (".. note:: Mind\n   the gap.", "Note\n\nMind the gap."),
        (".. versionadded:: 3.8\n   The :pep:`8` thing.\n\nAda.", "3.8 The PEP 8 thing.\n\nAda."),
        (".. py:function:: lit(*names)\n   :noindex:\n\n   Lights.\n\n   - one", "lit(*names)\n\nLights.\n\n- one"),
        (".. tabs::\n\n   .. tab:: One\n\n      Ada.", "One\n\nAda."),
        (".. note:: Ada\n   :colour: red\n\n   met Bob.", "Ada\nmet Bob."),
        ("==== ===\na    b\n==== ===\nCarol Bob\n==== ===", "a b\nCarol Bob"),
        ("A\n=\n\nB\n-\n\nC\n=\n\nD\n~\n\nAda.", "# A\n\n## B\n\n# C\n\nD\n\nAda."),
        (".. contents::\n.. sectnum::\n\nA\n=\n\nAda.", "# A\n\nAda."),
        ("| one lost_\n|   two lost_\n| [1]_ three", "one lost\ntwo lost\n[1] three"),
        ("  ==== ===\n       Min\n  ==== ===\n       1\n  ==== ===\n\n     Ada.", " | Min\n | 1\n\nAda."),
        (".. math:: a^2\n\nAda.", "a^2\n\nAda."),
        ("Ada.\n\n====\n\nBob.", "Ada.\n\nBob."),
    ],
)
def test_no_word_is_lost_and_no_mark_is_left(written, text):
    parsed = read(written)
    assert (parsed.text, parsed.left_out) == (text, "")


def test_no_other_file_is_read_and_no_html_passes(tmp_path):
    (tmp_path / "secret.txt").write_text("canary", "utf-8")
    path = tmp_path / "a.rst"
    secret = tmp_path / "secret.txt"
    path.write_text(
        f".. include:: {secret}\n\n.. literalinclude:: {secret}\n\n.. csv-table::\n   :file: {secret}\n\n"
        f".. image:: {secret}\n   :loading: embed\n\n.. raw:: html\n   :file: {secret}\n\n"
        ".. raw:: html\n\n   <script>canary</script>\n\n.. role:: raw-html(raw)\n   :format: html\n\n"
        ":raw-html:`<b>` :raw:`<i>`\n\n<u>Ada.</u>\n",
        "utf-8",
    )
    (document,) = files.read([str(path)], graph="g")
    assert isinstance(document, Document)
    assert document.text == "<b> <i>\n\n<u>Ada.</u>"
    assert document.left_out == "left out: include, literalinclude, raw"


def test_settings_of_the_folder_are_not_read(tmp_path, monkeypatch):
    (tmp_path / "docutils.conf").write_text(
        "[general]\nfile_insertion_enabled: yes\nstrip_elements_with_classes: note\n"
    )
    monkeypatch.chdir(tmp_path)
    assert read(".. note:: Ada.").text == "Note\n\nAda."


def test_a_file_does_not_change_how_the_next_one_is_read():
    before = read(":ref:`Ada <a>` `Bob`\n\n.. shout:: Carol").text
    read(".. role:: ref(strong)\n.. default-role:: literal\n\n.. |shout| replace:: x\n\n:ref:`a` `b`")
    assert read(":ref:`Ada <a>` `Bob`\n\n.. shout:: Carol").text == before == "Ada Bob\n\nCarol"


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"{'  ' * depth}- a\n\n" for depth in range(1_400)),
        "".join(f"{' ' * depth}a\n\n" for depth in range(1_990)),
        "".join(f"{'   ' * depth}.. note::\n\n" for depth in range(1_140)),
        "* " * 1_000_000,
    ],
)
def test_two_megabytes_of_nested_blocks_are_refused_in_time(text):
    assert 1_900_000 < len(text) <= rst_text.MAX_CHARACTERS
    with Sandbox() as box, pytest.raises(UnreadableSource, match="nested too deeply"):
        box.parse(READER, text.encode())


def test_inline_markup_that_takes_too_long_is_stopped():
    with Sandbox(seconds=3.0) as box, pytest.raises(UnreadableSource, match="longer than 3 s"):
        box.parse(READER, b"`a " * 600_000)


def test_a_long_file_is_read_as_plain_text_and_that_is_said(monkeypatch):
    monkeypatch.setattr(rst_text, "MAX_CHARACTERS", 10)
    parsed = read("**Ada** met Bob.")
    told = "over 10 characters of reStructuredText: read as plain text"
    assert (parsed.text, parsed.left_out) == ("**Ada** met Bob.", told)


@pytest.mark.parametrize("suffix", [".rst", ".rest", ".RST"])
def test_files_are_known_by_their_suffix(tmp_path, suffix):
    path = Path(tmp_path / f"a{suffix}")
    path.write_bytes(PROPOSAL.replace("Ada", "Łucja").encode())
    (document,) = files.read([str(tmp_path)], graph="g")
    assert isinstance(document, Document)
    assert (document.title, document.author, document.date) == ("Of lamps", "Łucja Cole, Bob Day", "05-Jul-2001")
    assert document.sections[0].title == "Why"
