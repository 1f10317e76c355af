"""What of a text is running prose: contents, lists of references and the numbers of footnotes are blanked out. Pure.

Every character keeps its place. A line is left out for its form (dots that lead to a page number, a citation with its
page), and so are the lines below a heading that announces such a list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from string import ascii_uppercase

from kg_neo4j import data_files

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
    """Return for each line whether it is read."""
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
