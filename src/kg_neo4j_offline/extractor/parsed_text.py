"""From a chunk's text to sentences of words, marks and dates, with offsets.

spaCy's blank English pipeline finds the sentences; everything else is plain rules. What is no running prose (contents,
lists of references, numbers of footnotes) is blanked out first, for its form or for the heading above it; every
character keeps its place.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from string import ascii_uppercase
from typing import Any

from kg_neo4j import data_files
from kg_neo4j.acquire.sentences import wrapped_breaks
from kg_neo4j.errors import UsageError
from kg_neo4j_offline.extractor.dates import DateSpan, find_dates
from kg_neo4j_offline.extractor.lexicon import ABBREVIATED, CALENDAR
from kg_neo4j_offline.networks.trained import ROW_END

_DATA = data_files.beside(__file__)
_NUMBERED = _DATA.word_set("numbered")  # words before a number that belongs to them
_STARTS = "|".join(sorted(word.capitalize() for word in _DATA.word_set("sentence_starts")))
_TOUCHING = re.compile(r"(?P<word>[^\W\d_]{2,}[)\"”’']?)(?P<mark>[.!?,][\"”’')]?)(?P<number>\d{1,3})(?=\s|\Z)")
_APART = re.compile(rf"(?:(?<=[.!?”\"’)])[ \t]+|^[ \t]*)(?P<number>\d{{1,3}})[ \t]+(?=(?:{_STARTS})\b)", re.MULTILINE)
_RUN_IN = re.compile(
    r"^[ \t]*\d{1,3}/\d{1,3}[ \t]+(?:[^\s.]+[ \t]+){0,6}[^\s.]+\.(?=\s)", re.MULTILINE
)  # "19/03 Police."
_LABEL = re.compile(
    r"^[ \t]*(?P<letter>[A-Z])(?:(?P<number>\.\d{1,2}\.?)|[.)])(?=[ \t])", re.MULTILINE
)  # "B. Repairs", "B.2 Fit"
_LEADER = re.compile(r".{0,200}?(?:\.{4,}|(?:\.[ \t]){3,}|…{2,}|_{4,}) ?\.?[ \t]*(?:\d{1,4}|[ivxlc]{1,6})[ \t]*")
_ENTRY = re.compile(r"(?:.*[^\W\d_])[\s,.]+\d{1,3}(?:\.\d{1,3})*\.?\s*")  # ends in a page or section number
_COLUMN = re.compile(r"\s*\S.*\S {3,}(?:\d{1,4}(?:-\d{1,4})?|[ivxlc]{1,6})\s*")  # page numbers below each other
_NUMBER_FIRST = re.compile(r"\s*(?:\d{1,2}(?:\.\d{1,2})*|[IVXLC]{1,6}|Chapter \w+|Appendix \w+)[.):]?\s")
_SECTION_LAST = re.compile(r".*\s\d{1,2}(?:\.\d{1,2})+\.?\s*")
_TABLE_RULE = re.compile(r"[\s|:]*(?:-{2,}[\s|:]+)+-{2,}[\s|:]*")  # below the heads of columns
_HEADING = re.compile(r"\s*(?:[#=*\s]*)(?P<words>[^\W\d_][^.!?;:]{2,40}?)\s*[=*:\s]*")
_HEADED = re.compile(r"\s*(?:#{1,6}\s|={2,}\s)")
_MARKER = re.compile(r"\s*(?:\[\d{1,3}\]|\^|\d{1,3}[.)]?\s|[a-z]\.\s\^|[*•–-]\s)")
_CITED = re.compile(
    r"\bpp?\. ?\d|\bfols?\. ?\d|\bvols?\. ?\d|\b\d vols\b|\bISBN\b|\bdoi[:.]|\b[Oo]p\. ?cit|\b[Ii]bid|\b[Ll]oc\. ?cit|"
    r"\bRetrieved \d|\bet al\.|\beds?\.|\bUniversity Press\b|\bn\. ?[pd]\.|\barXiv\b|\bArchived from\b|https?://"
)
_DATED = re.compile(r"\(\d{4}[a-z]?\)|\b(?:1[5-9]|20)\d\d[a-z]?\s*[.,]?\s*$")
_AUTHOR = re.compile(r"\s*[^\W\d_][\w'’-]+(?: [^\W\d_][\w'’-]+){0,2}, (?:[^\W\d_]\.[ -]?)+[,;(& ]")
_NOTE = re.compile(r"\s*(?:\[?\d{1,3}\]?\s+[^\W\d_]|\^|[\da-z]{1,3}\.\s\^)")
_STOP = re.compile(r"[^\s.][!?.][\"”’')]?\s*$")
_LONGEST = 500  # characters of a source
_LIST_LINES = 3  # lines of a form that are a list
_ENTRY_WORDS = 14  # of an entry of a list
_WRAPPED = 8  # words of a line that is one of several of a paragraph
_LISTS = {heading: kind for kind in ("contents", "references", "notes") for heading in _DATA.lines(kind)}


def blank_lists(text: str) -> str:
    """Return `text` with contents, references and the numbers of footnotes blanked out, of the same length."""
    lines = text.splitlines(keepends=True)
    kept = [line if is_prose else _blank(line) for line, is_prose in zip(lines, _prose(lines), strict=True)]
    read = _without_labels("".join(kept))
    read = _RUN_IN.sub(lambda match: _blank(match[0]), read)
    return _APART.sub(_without_number, _TOUCHING.sub(_without_number, read))


def _without_labels(text: str) -> str:
    """Blank out the letters before the items of a list, where three follow each other: no initials of people."""
    letters = "".join(dict.fromkeys(match["letter"] for match in _LABEL.finditer(text)))
    is_list = any(letters[place : place + 3] in ascii_uppercase for place in range(len(letters) - 2))
    return _LABEL.sub(lambda match: _blank(match[0]) if is_list or match["number"] else match[0], text)


def _blank(line: str) -> str:
    return "".join(char if char.isspace() else " " for char in line)


def _without_number(match: re.Match[str]) -> str:
    if (match.groupdict().get("word") or "").strip("\"”’')").lower() in _NUMBERED:
        return match[0]
    start, end = match.start("number") - match.start(), match.end("number") - match.start()
    return match[0][:start] + " " * (end - start) + match[0][end:]


def _prose(lines: Sequence[str]) -> list[bool]:
    read = [True] * len(lines)
    announced = ""
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        if _TABLE_RULE.fullmatch("".join(lines[number + 1 : number + 2]).rstrip()):
            read[number] = False
            continue
        if (heading := _announces(line)) or _HEADED.match(line):
            announced = heading
            continue
        begins = number == 0 or not lines[number - 1].strip()
        if announced and not (_belongs(announced, line) and not (begins and _is_wrapped(lines, number, announced))):
            announced = ""
        read[number] = not (announced or _is_reference(line) or _LEADER.fullmatch(line.rstrip()))
    for form in (_is_entry, _is_source):
        for first, last in _runs(lines, form):
            read[first:last] = [False] * (last - first)
    return read


def _announces(line: str) -> str:
    """Return what a heading announces: "contents", "references", "notes"; empty for any other line."""
    found = _HEADING.fullmatch(line.rstrip())
    return _LISTS.get(" ".join(found["words"].lower().split()), "") if found else ""


def _belongs(announced: str, line: str) -> bool:
    """Return whether a line below such a heading is of its list."""
    if announced == "notes":
        return bool(_NOTE.match(line) or _is_source(line) or _is_reference(line))
    is_short = len(line.split()) <= _ENTRY_WORDS
    if announced == "contents":
        return is_short and not _STOP.search(line)
    return is_short or bool(_MARKER.match(line) or _is_source(line) or _CITED.search(line))


def _is_wrapped(lines: Sequence[str], number: int, announced: str) -> bool:
    """Return whether a paragraph of running text, its lines wrapped, begins here."""
    line, following = lines[number], "".join(lines[number + 1 : number + 2])
    is_listed = bool(_ENTRY.fullmatch(line.rstrip()) or (announced != "contents" and _MARKER.match(line)))
    return len(line.split()) >= _WRAPPED and bool(following.strip()) and not is_listed and not _is_source(line)


def _is_reference(line: str) -> bool:
    """Return whether a line has the form of a citation: several marks of one, or one behind a number or an author."""
    if len(line) > _LONGEST:
        return False
    marks = len(_CITED.findall(line))
    return marks > 1 or bool(marks and (_MARKER.match(line) or _AUTHOR.match(line)))


def _is_entry(line: str) -> bool:
    """Return whether a line has the form of an entry of contents: numbered, and with a page or section number."""
    if len(line.split()) > _ENTRY_WORDS:
        return False
    if _COLUMN.fullmatch(line):
        return True
    if not _ENTRY.fullmatch(line.rstrip()):
        return False
    return bool(_NUMBER_FIRST.match(line) or _SECTION_LAST.fullmatch(line.rstrip()))


def _is_source(line: str) -> bool:
    """Return whether a line has the form of a source: an author with initials, and a year or a page."""
    return len(line) <= _LONGEST and bool(_AUTHOR.match(line) and (_DATED.search(line) or _CITED.search(line)))


def _runs(lines: Sequence[str], form: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """Yield the (first, last) of at least three lines of a form in a row; empty lines between them do not count."""
    first = last = count = 0
    for number, line in enumerate([*lines, "."]):
        if form(line):
            first, count = (number, 1) if not count else (first, count + 1)
            last = number + 1
        elif line.strip() and count:
            if count >= _LIST_LINES:
                yield first, last
            count = 0


_WORD = r"[^\W\d_]+(?:(?:['’ʿʾʼ`‐–-]|\.(?=[A-Z]\.))[^\W\d_]+)*"
_TOKEN = re.compile(rf"(?P<word>{_WORD})|(?P<number>\d[\d,.]*\w*)|(?P<mark>[^\w\s]|_)")
_POSSESSIVE = re.compile(r"['’]s$")
# Shown as blanks of the same length: citation marks, Markdown links' addresses, emphasis, code fences, lone bars.
_NOISE = re.compile(
    r"\[(?:\d{1,3}|[a-z]|[a-z]{1,4} \d{1,3}|[a-z ]+ needed|[a-z]{2})\]|(?<=\])\([^()\s]+\)|"
    r"[*`|\[\]\u200b]+|(?<!\w)_|_(?!\w)"
)
_ROW = re.compile(r"\n?^[ \t]*(?:\|.*|.*\S[ \t]+\|[ \t]+\S.*)$\n?", re.MULTILINE)  # "Born | 7 November 1867, Warsaw"
_ROW_LABEL = re.compile(r"(?<![^\s|])[A-Z][a-z]+(?: [a-z]+){1,3}(?=[ \t]+\|[ \t]+\S)")  # "Alma mater": no name
_CELL_END = re.compile(r"[ \t]\||\|[ \t]")
_NUMBER_DOT = re.compile(r"(?<=\b[ON][po])\.(?=[ ]?\d)")  # "Op. 10", "No. 2": no sentence ends there
_ESCAPED = re.compile(r"\\n(?=[^\Wa-z_]|\()")  # a line break written out, in tables that were printed by a program
_ITALIC = re.compile(r"(?<![\w*_])([*_])(?=[^\s*_])([^*_\n]{2,80}(?:\n[^*_\n]{1,60})?)(?<=[^\s*_])\1(?![\w*_])")
_PARENTHESIS = re.compile(r"\(([^()]{0,500})\)")
_QUOTED = re.compile(r"“[^”]{0,2000}”|(?<!\w)\"[^\"]{0,2000}\"|(?<!\w)‘[^’]{0,2000}’(?!\w)")
_BULLET = re.compile(r"^\s*(?:[-+•]|\d{1,3}[.)])\s+")
_LOCK = threading.Lock()


@dataclass(slots=True, eq=False)
class TextItem:
    """A word, a punctuation mark, a date, or (after naming) a name. Offsets into the chunk's text."""

    kind: str  # "word", "mark", "date", "name" or "end"
    text: str
    lower: str
    start: int
    end: int
    possessive: bool = False
    line_start: bool = False
    hidden: bool = False  # inside parentheses
    quoted: bool = False  # inside direct speech
    date: DateSpan | None = None
    italic: bool = False
    entity: Any = None  # the entity that a name or a pronoun stands for
    plural: tuple[Any, ...] = ()  # the entities that "they" stands for


_END = TextItem("end", "", "", -1, -1)


def item_at(items: Sequence[TextItem], place: int) -> TextItem:
    """Return an item of a sentence; before the first and behind the last stands one of kind "end", without a text."""
    return items[place] if 0 <= place < len(items) else _END


@dataclass(slots=True, eq=False)
class ParsedSentence:
    """A sentence and what it consists of."""

    start: int
    end: int
    paragraph: int
    items: list[TextItem] = field(default_factory=list)


@cache
def pipeline(spacy_model: str | None) -> Any:
    """Return spaCy's blank English pipeline with a sentence splitter, or the installed pipeline of that name.

    Raises UsageError where no such pipeline is installed.
    """
    import spacy
    from spacy.attrs import IS_PUNCT

    if spacy_model is None:
        nlp = spacy.blank("en")
        nlp.add_pipe("sentencizer")
        vocabulary: Any = nlp.vocab
        vocabulary.lex_attr_getters = {IS_PUNCT: vocabulary.lex_attr_getters[IS_PUNCT]}  # asked of a new word
        nlp.max_length = 10_000_000
        return nlp
    try:
        return spacy.load(spacy_model)
    except OSError as error:
        raise UsageError(
            f"spaCy has no pipeline {spacy_model!r} installed", hint=f"python -m spacy download {spacy_model}"
        ) from error


def process(text: str, spacy_model: str | None) -> Any:
    """Return spaCy's Doc of `text`. One thread at a time: spaCy's vocabulary grows while it reads."""
    nlp = pipeline(spacy_model)
    with _LOCK:
        return nlp(text)


@lru_cache(maxsize=8)  # a chunk is masked for its names and again for its sentences
def mask(text: str) -> str:
    r"""Return `text` with citation marks, markup and lists of sources blanked out; all else keeps its place.

    A line break that is written out (`\n`) ends a paragraph, and so does each cell of a table.
    """
    rows = _ROW.sub(_cells, text)
    plain = _NUMBER_DOT.sub(" ", _NOISE.sub(lambda match: " " * len(match[0]), _ESCAPED.sub("\n\n", rows)))
    return blank_lists(plain)


def _cells(row: re.Match[str]) -> str:
    """Return the row of a table, of the same length, with its cells apart and without a label."""
    unlabelled = _ROW_LABEL.sub(lambda label: " " * len(label[0]), row[0], count=1)
    return _CELL_END.sub(ROW_END * 2, unlabelled.replace("\n", ROW_END))


def sentences(text: str, spacy_model: str | None = None) -> list[ParsedSentence]:
    """Return the sentences of `text` with their items, headings left out."""
    masked = mask(text)
    italics = [match.span(2) for match in _ITALIC.finditer(text)]
    dates = find_dates(masked)
    hidden = [match.span() for match in _PARENTHESIS.finditer(masked)]
    quoted = [match.span() for match in _QUOTED.finditer(masked)]
    found = []
    for paragraph, (start, end) in enumerate(_paragraphs(masked)):
        doc = process(masked[start:end], None if spacy_model is None else spacy_model)
        for span in doc.sents:
            first, last = start + span.start_char, start + span.end_char
            sentence = ParsedSentence(first, last, paragraph)
            sentence.items = _items(masked, first, last, dates)
            _mark_spans(sentence.items, hidden, quoted, italics)
            if any(item.kind != "mark" for item in sentence.items):
                found.append(sentence)
    return found


def _paragraphs(text: str) -> list[tuple[int, int]]:
    """Return the spans of running text: blocks between blank lines, cut at headings, list items and full lines."""
    spans: list[tuple[int, int]] = []
    start = end = -1
    offset = 0
    lines, wraps = text.splitlines(keepends=True), wrapped_breaks(text)
    for number, line in enumerate(lines):
        body = line.rstrip()
        following = lines[number + 1].strip() if number + 1 < len(lines) else ""
        blank = not body.strip()
        is_cell = ROW_END in (line[-1], text[offset - 1 : offset])
        heading = not blank and _is_heading(body.strip(), start < 0 and not is_cell, following)
        heading = heading and offset + len(line) - 1 not in wraps
        if start >= 0 and (blank or heading or is_cell or _BULLET.match(body) or _ends(text, end)):
            spans.append((start, end))
            start = -1
        if not blank and not heading:
            bullet = _BULLET.match(body)
            start = offset + (bullet.end() if bullet else 0) if start < 0 else start
            end = offset + len(body)
        offset += len(line)
    if start >= 0:
        spans.append((start, end))
    return spans


def _ends(text: str, end: int) -> bool:
    """Tell whether a line ends a long one-line paragraph (so the next line begins another)."""
    line_start = text.rfind("\n", 0, end) + 1
    return end - line_start > 200 and text[end - 1] in '.!?”"’)'


def _is_heading(line: str, first: bool, following: str) -> bool:
    if line.startswith(("#", "==")) or set(line) <= set("=-*_~ "):
        return True
    words = line.split()
    if line.isupper() and len(words) <= 10:
        return True
    if not first or len(words) > 9 or len(line) > 60 or line[-1] in ".?!;,…":
        return False
    return not following or following[0].isupper() or following[0] in "“\"'‘"


def _items(text: str, start: int, end: int, dates: list[DateSpan]) -> list[TextItem]:
    items: list[TextItem] = []
    waiting = [date for date in dates if start <= date.start < end]
    position = start
    while position < end:
        if waiting and waiting[0].start <= position:
            date = waiting.pop(0)
            items.append(TextItem("date", date.text, date.text.lower(), date.start, date.end, date=date))
            position = max(position, date.end)
            continue
        match = _TOKEN.search(text, position, end)
        if match is None or (waiting and match.start() >= waiting[0].start):
            if not waiting:
                break
            position = waiting[0].start
            continue
        item = _item(text, match)
        item.line_start = text[max(start, position - 1) : item.start].count("\n") > 0
        items.append(item)
        position = max(match.end(), item.end)
    return items


def _item(text: str, match: re.Match[str]) -> TextItem:
    if match["mark"]:
        return TextItem("mark", match[0], match[0], match.start(), match.end())
    if match["number"]:
        return TextItem("word", match[0], match[0], match.start(), match.end())
    word, end = match[0], match.end()
    possessive = bool(_POSSESSIVE.search(word))
    if possessive:
        word, end = word[:-2], end - 2
    dotted = text[end : end + 1] == "." and not possessive
    initial = len(word) == 1 and word.isupper() and word != "I"
    if dotted and (initial or "." in word or (word.lower() in ABBREVIATED and word[0].isupper())):
        word, end = word + ".", end + 1
    lower = word.lower().rstrip(".").replace("’", "'")
    return TextItem("word", word, lower, match.start(), end, possessive=possessive)


def _mark_spans(
    items: list[TextItem], hidden: list[tuple[int, int]], quoted: list[tuple[int, int]], italics: list[tuple[int, int]]
) -> None:
    if not items:
        return
    first, last = items[0].start, items[-1].end
    for spans, name in ((hidden, "hidden"), (quoted, "quoted"), (italics, "italic")):
        near = [span for span in spans if span[1] > first and span[0] < last]
        for start, end in near:
            for item in items:
                if start <= item.start and item.end <= end:
                    setattr(item, name, True)


def is_capitalised(item: TextItem) -> bool:
    """Tell whether a word may belong to a name: it begins with a capital, or with an article before one (al-Tabari)."""
    if item.kind != "word" or item.lower in CALENDAR:
        return False
    text = item.text
    if text[0].isupper():
        return not (len(text.rstrip(".")) > 5 and text.isupper())
    return bool(re.match(r"(?:a[a-z]{1,2}-|[dl]['’]|Mc)[A-ZĀ-Ž]", text))
