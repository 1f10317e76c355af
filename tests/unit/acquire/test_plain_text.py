"""Plain text stays as it is, but for what Project Gutenberg puts around its books; Markdown is what a reader sees."""

from __future__ import annotations

import pytest

from kg_neo4j.acquire import plain_text
from kg_neo4j.acquire.plain_text import read_markdown, read_text
from kg_neo4j.errors import UnreadableSource

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

# The **light** #

Text,
wrapped.

```sh
# no heading

[[ -f x ]] && <b>
```

Keepers &amp; mates {#keepers}
-------

- one
  goes on
  - below
    1. first
    2. second<br>line
- [ ] open
---

4. four
5. five

## Tools

| a | b |
|---|---|
| `x\\|y` | **z** |

    indented   code
"""
READ = """Intro.

# The light

Text,
wrapped.

```sh
# no heading

[[ -f x ]] && <b>
```

## Keepers & mates

- one
  goes on
  - below
    1. first
    2. second
       line
- [ ] open

4. four
5. five

## Tools

a | b
x|y | z

indented   code"""


def test_markdown_keeps_the_marks_of_its_blocks_and_its_headings_are_sections():
    parsed = read_markdown(MARKDOWN)
    assert parsed.text == READ
    assert parsed.title == "The light"
    assert [(s.title, s.level) for s in parsed.sections] == [("The light", 1), ("Keepers & mates", 2), ("Tools", 2)]
    light, keepers, tools = parsed.sections
    assert READ[light.start :].startswith("# The light")
    assert READ[keepers.start :].startswith("## Keepers")
    assert light.end == tools.end == len(READ)
    assert keepers.end == tools.start


DATA = "data:image/svg+xml;base64," + "QUJD" * 400


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("Ada.<!-- Hidden --> Bob. <!-- Hidden\nline --> Carol.", "Ada. Bob. Carol."),
        ("<!-- Hidden\n\nPerson works there. -->\n\nAda.", "Ada."),
        ("[//]: # (Hidden)\n[comment]: <> (Hidden)\n\nAda.", "Ada."),
        ("Ada ~~met Bob~~ <del>or</del> <s>saw</s> Carol.", "Ada Carol."),
        ("<b>Ada</b> met <u>Bob</u>.<br>Then<br/>*he* __left__ `now`.", "Ada met Bob.\nThen\n*he* left now."),
        ("<div>Ada met <b>Bob</b>.</div>\n\n<p>\n\n*Carol*\n\n</p>", "Ada met Bob.\n\n*Carol*"),
        ("<table><tr>\n\n<td>Ada</td><td>Bob</td>\n\n</tr></table>", "Ada | Bob"),
        (
            "[Ada](a.md) met [Bob][b], [Carol], <https://a.org>.\n\n[b]: b.md\n[carol]: c.md",
            "Ada met Bob, Carol, https://a.org.",
        ),
        ("Ada met [[Bob]] and [[people/carol|Carol]].", "Ada met Bob and Carol."),
        ("Ada met ==Bob== if a == b == c.", "Ada met Bob if a == b == c."),
        ("Ada met Bob.[^1] Then.[^note]\n\n[^1]: In 1931.\n[^note]: Carol", "Ada met Bob. Then.\n\nIn 1931.\nCarol"),
        (
            "Ada &amp; Bob, \\*NSYNC, snake_case, 2 * 3 * 4, A&#39;s, x&nbsp;y",
            "Ada & Bob, *NSYNC, snake_case, 2 * 3 * 4, A's, x y",
        ),
        (f"Ada.\n\n![A map]({DATA})\n\nBob.", "Ada.\n\nA map\n\nBob."),
        (f"Ada ![][map] and <img src='{DATA}'> met Bob.\n\n[map]: {DATA}", "Ada and met Bob."),
        (f"Ada: {DATA}", "Ada: data:"),
        ("[![Ada *and* Bob](a.png)](b.html) <img alt='Carol' src=c.png>", "Ada and Bob Carol"),
        ("Use the <script> and the <title> tag.\n\nAda.", "Use the <script> and the <title> tag.\n\nAda."),
        ("<style>p {}</style>\n\nAda <script>x</script>met Bob.", "Ada met Bob."),
        ("> Ada said\n> **no**.", "Ada said\nno."),
    ],
)
def test_markdown_reads_as_a_reader_sees_it(written, text):
    assert read_markdown(written).text == text


def test_markdown_nested_too_deep_is_refused_and_not_cut():
    with pytest.raises(UnreadableSource, match="nested deeper"):
        read_markdown(">" * 300 + " Ada.")
    assert read_markdown(">" * 60 + " Ada.").text == "Ada."


def test_long_markdown_is_read_as_plain_text_and_that_is_said(monkeypatch):
    monkeypatch.setattr(plain_text, "MAX_MARKDOWN", 10)
    parsed = read_markdown("**Ada** met Bob.")
    assert (parsed.text, parsed.left_out) == ("**Ada** met Bob.", "over 10 characters of Markdown: read as plain text")


@pytest.mark.parametrize("front", ['---\ntitle: "My notes"\ndate: 2024\n---', "+++\ntitle = 'My notes'\n+++"])
def test_front_matter_is_left_out_and_gives_the_title(front):
    parsed = read_markdown(f"{front}\n\nText.")
    assert (parsed.title, parsed.text) == ("My notes", "Text.")


@pytest.mark.parametrize(
    ("front", "said"),
    [
        ("---\ntitle: Lamps\nauthor: Ada Cole\ndate: 2024-03-04\n---", ("Lamps", "Ada Cole", "2024-03-04")),
        (
            "---\nTitle: 'It''s: lit' # draft\nauthors: [Ada, \"Day, Bob\"]\ndate: May 2020\n---",
            ("It's: lit", "Ada, Day, Bob", "May 2020"),
        ),
        (
            "---\nauthor:\n- Ada <ada@a.org>\n- Bob # x\ntags:\n- c\ndate: 2024-03-04T10:00:00Z\n...",
            ("Head", "Ada, Bob", "2024-03-04T10:00:00Z"),
        ),
        (
            "---\ntitle: >-\n  Lamps:\n  a life\nauthor:\n  - name: Ada\n    affiliation: A\n  - affiliation: B\n"
            '    name: "Bob \\"B\\" Day"\n---',
            ("Lamps: a life", 'Ada, Bob "B" Day', ""),
        ),
        ("---\nauthor:\n  name: Ada\n  email: a@a.org\nparams:\n  date: 1\ntitle:\n---", ("Head", "Ada", "")),
        (
            '+++\ntitle = "Lamps"\ndate = 2024-03-04\nauthors = ["Ada", "Bob"]\n[params]\nauthor = "X"\n+++',
            ("Lamps", "Ada, Bob", "2024-03-04"),
        ),
        (
            "+++\ncreated = 2024-03-04T10:00:00Z\n[author]\nname = 'Ada'\n+++",
            ("Head", "Ada", "2024-03-04T10:00:00+00:00"),
        ),
    ],
)
def test_front_matter_gives_title_author_and_date(front, said):
    parsed = read_markdown(f"{front}\n\n# Head\n\nText.")
    assert (parsed.title, parsed.author, parsed.date) == said
    assert parsed.text == "# Head\n\nText."


def test_what_is_no_toml_between_its_marks_is_text():
    parsed = read_markdown("+++\na: b\n+++\nText.")
    assert (parsed.text, parsed.title, parsed.author, parsed.date) == ("+++\na: b\n+++\nText.", None, "", "")


def test_rule_at_the_top_is_no_front_matter():
    assert read_markdown("---\nA line.\n\n---\nMore.").text == "A line.\n\nMore."


def test_unclosed_fence_hides_what_follows():
    assert [s.title for s in read_markdown("# A\n\n```\n# B\n").sections] == ["A"]
