"""Plain text and Markdown stay as they are written, but for what Project Gutenberg puts around its books."""

from __future__ import annotations

import pytest

from kg_neo4j.acquire.plain_text import read_markdown, read_text

BOOK = """The Project Gutenberg eBook of The Keeper

This eBook is for the use of anyone anywhere.

Title: The Keeper
    of the Lamp

Author: A. Writer

*** START OF THE PROJECT GUTENBERG EBOOK THE KEEPER
OF THE LAMP ***

Produced by Somebody and
somebody else

CHAPTER I

The lamp was lit. *** It burned.

*** END OF THE PROJECT GUTENBERG EBOOK THE KEEPER ***

Updated editions will replace the previous one."""


def test_gutenberg_header_and_licence_are_stripped():
    parsed = read_text(BOOK)
    assert parsed.text == "CHAPTER I\n\nThe lamp was lit. *** It burned."
    assert parsed.title == "The Keeper of the Lamp"
    number = len(BOOK) - len(parsed.text)
    assert parsed.left_out == f"the Project Gutenberg header and licence were left out ({number} characters)"


@pytest.mark.parametrize(
    "start",
    [
        "***START OF THE PROJECT GUTENBERG EBOOK X***",
        "*** START OF THIS PROJECT GUTENBERG EBOOK X ***",
        "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*",
    ],
)
def test_older_gutenberg_marks_are_known(start):
    text = f"Header\n{start}\nThe book.\nEnd of the Project Gutenberg EBook of X\nlicence"
    assert read_text(text).text == "The book."


def test_text_that_only_mentions_gutenberg_is_whole():
    text = "We read it at Project Gutenberg.\n\nEnd of Project Gutenberg's story.\n\nMore."
    assert (read_text(text).text, read_text(text).left_out) == (text, "")


def test_real_gutenberg_book_begins_and_ends_with_itself(shared_data):
    raw = (shared_data / "narrative" / "a_christmas_carol_gutenberg.txt").read_bytes()
    parsed = read_text(raw.decode("utf-8-sig").replace("\r\n", "\n"))
    assert parsed.title == "A Christmas Carol"
    assert parsed.text.lstrip().startswith("A CHRISTMAS CAROL")
    assert "gutenberg.org" not in parsed.text.lower()


MARKDOWN = """Intro.

# The light #

Text.

```
# no heading
```

Keepers
-------

- one
---

## Tools

| a | b |
|---|---|
"""


def test_markdown_headings_become_sections_and_the_text_stays():
    parsed = read_markdown(MARKDOWN)
    assert parsed.text == MARKDOWN
    assert parsed.title == "The light"
    assert [(s.title, s.level) for s in parsed.sections] == [("The light", 1), ("Keepers", 2), ("Tools", 2)]
    light, keepers, tools = parsed.sections
    assert MARKDOWN[light.start :].startswith("# The light")
    assert MARKDOWN[keepers.start :].startswith("Keepers\n---")
    assert light.end == tools.end == len(MARKDOWN)
    assert keepers.end == tools.start


def test_front_matter_is_left_out_and_gives_the_title():
    parsed = read_markdown('---\ntitle: "My notes"\ndate: 2024\n---\n\nText.')
    assert (parsed.title, parsed.text) == ("My notes", "Text.")


def test_rule_at_the_top_is_no_front_matter():
    text = "---\nA line.\n---\nMore."
    assert read_markdown(text).text == text


def test_unclosed_fence_hides_what_follows():
    assert [s.title for s in read_markdown("# A\n\n```\n# B\n").sections] == ["A"]
