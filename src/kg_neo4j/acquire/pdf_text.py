"""PDF to text with PDFium. Runs in the child process of `sandbox`: a crafted file can cost any time and memory.

PDFium gives characters with their places, in the order in which they were drawn; the order of reading is found here.
"""

from __future__ import annotations

import cmath
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import accumulate, chain, groupby, pairwise, repeat, takewhile
from math import inf
from operator import add, sub
from statistics import median
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from kg_neo4j import data_files
from kg_neo4j.acquire.decoding import clean, normalise_text
from kg_neo4j.acquire.interface import ParsedText
from kg_neo4j.errors import UnreadableSource

_DATA = data_files.beside(__file__)
_WORD, _ACCENT, _PAGE_NUMBER, _BROKEN = (
    re.compile(_DATA.text(name)) for name in ("word", "accent", "page_number", "broken")
)
_MARKS = str.maketrans(_DATA.table("marks"))
_SUSPENDED, _COMPOUNDS = _DATA.word_set("suspended"), _DATA.word_set("compounds")
_Box = tuple[float, float, float, float]
_EDGE = 3  # lines at the top and at the bottom of a page that may be its header or footer
_ROWS = 4  # that show two columns


@dataclass(slots=True, eq=False)
class _Piece:
    """Words set close together on one line. In points of the page, which is turned so that the words run right."""

    text: str
    left: float
    base: float
    right: float
    top: float
    angle: float = 0.0  # radians

    def gap(self, other: _Piece) -> float:
        """Return the space between both, below 0 where they overlap; infinite where they are in different rows."""
        height = min(self.top - self.base, other.top - other.base)
        in_row = self.angle == other.angle and abs(self.base - other.base) < 0.6 * height  # so is a superscript
        return max(other.left - self.right, self.left - other.right) if in_row else inf


def read_pdf(data: bytes) -> ParsedText:
    """Return the text of all pages, values of form fields in it, and where each begins; the note names pages without.

    Raises UnreadableSource for what is encrypted, damaged, without pages or without text (a scan).
    """
    try:
        pdf = pypdfium2.PdfDocument(data)
        pdf.init_forms()
        pages, blank = _without_running([_lines(page) for page in pdf])
    except pypdfium2.PdfiumError as error:
        if error.err_code is not None and pdfium.FPDF_LoadMemDocument64(data, len(data), None):
            raise UnreadableSource("a PDF without pages") from error  # PDFium's code is that of a file before it
        if error.err_code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            raise UnreadableSource("encrypted", hint="remove the password first") from error
        raise UnreadableSource(f"damaged PDF: {error}") from error
    if len(blank) == len(pages):
        raise UnreadableSource(f"no text on {len(pages)} pages (a scan?)")
    text, starts = _joined(pages)
    notes = ["the form is in XFA, which is not read"] if pdf.get_formtype() == pdfium.FORMTYPE_XFA_FULL else []
    runs = [[page for _, page in run] for _, run in groupby(enumerate(blank), lambda pair: pair[1] - pair[0])]
    ends = [(f"{run[0] + 1}", f" {'to' if len(run) > 2 else 'and'} {run[-1] + 1}" * (len(run) > 1)) for run in runs]
    if blank:
        noun, verb = ("page", "has") if len(blank) == 1 else ("pages", "have")
        notes.append(f"{noun} {', '.join(map(''.join, ends))} of {len(pages)} {verb} no text (a scan?)")
    return ParsedText(text, pages=starts, left_out="; ".join(notes))


def _turned(box: _Box, angle: float) -> _Box:
    """Return left, bottom, right and top of a box of the page after it was turned by `angle`."""
    if not angle:
        return box
    corners = [complex(*corner) * cmath.rect(1.0, angle) for corner in (box[:2], box[2:])]
    (left, right), (bottom, top) = sorted(each.real for each in corners), sorted(each.imag for each in corners)
    return left, bottom, right, top


def _lines(page: pypdfium2.PdfPage) -> list[_Piece]:
    """Return the lines of a page in the order of reading."""
    text, box, words = page.get_textpage(), pdfium.FS_RECTF(), []
    handle, box_of = text.raw, pdfium.FPDFText_GetLooseCharBox
    chars = "".join(map(chr, map(pdfium.FPDFText_GetUnicode, repeat(handle), range(text.count_chars()))))
    for found in _WORD.finditer(chars):
        angle, boxes = round(pdfium.FPDFText_GetCharAngle(handle, found.start()), 1), []
        for place in range(*found.span()):
            box_of(handle, place, box)
            boxes.append((box.left, box.bottom, box.right, box.top))
        lefts, bottoms, rights, tops = zip(*boxes, strict=True)
        word = _Piece(found[0], *_turned((min(lefts), min(bottoms), max(rights), max(tops)), angle), angle)
        if not angle and max(map(sub, lefts[1:], rights), default=0) > (gap := 0.2 * (word.top - word.base)):
            spaces = [" " * (left - right > gap) for left, right in zip(lefts[1:], rights, strict=False)]
            word.text = "".join(map(add, found[0], (*spaces, "")))
        word.text = " " * (chars[found.start() - 1] == " ") + _ACCENT.sub(
            lambda each: (each[2] + each[1]).translate(_MARKS), word.text
        ).replace("\x02", "-")
        words.append(word)
    pieces = _merged(words, 1.0)
    fields = _fields(page, pieces)
    return _merged([*chain.from_iterable(_rows(pieces + fields))] if fields else _in_order(pieces), inf)


def _merged(pieces: list[_Piece], limit: float) -> list[_Piece]:
    """Return pieces with those in one that follow each other in a row, at most `limit` times their height apart."""
    merged: list[_Piece] = []
    for piece in pieces:
        gap, height = merged[-1].gap(piece) if merged else inf, piece.top - piece.base
        if gap < inf and -height < gap <= limit * height:
            last = merged[-1]
            last.text += " " * (gap > 0.1 * height and piece.text[0] != " ") + piece.text
            last.left, last.right = min(last.left, piece.left), max(last.right, piece.right)
        else:
            piece.text = piece.text.strip()
            merged.append(piece)
    return merged


def _fields(page: pypdfium2.PdfPage, pieces: list[_Piece]) -> list[_Piece]:
    """Return texts laid over a page, and values of form fields: with their hints where no words are on their left."""
    angle, box, fields = pieces[0].angle if pieces else 0.0, pdfium.FS_RECTF(), []
    for number in range(pdfium.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium.FPDFPage_GetAnnot(page, number)
        pdfium.FPDFAnnot_GetRect(annotation, box)
        left, bottom, right, top = _turned((box.left, box.bottom, box.right, box.top), angle)
        base = max((bottom + top) / 2 - 6, top - 15)  # of one line in the middle, or the first of several
        field = _Piece(_value(page.formenv, annotation), left, base, right, base + 12, angle)
        if field.text and not pdfium.FPDFAnnot_GetFlags(annotation) & pdfium.FPDF_ANNOT_FLAG_HIDDEN:
            hint = _string(pdfium.FPDFAnnot_GetFormFieldAlternateName, page.formenv, annotation)
            if hint and not any(
                each.gap(field) < inf and (each.left < left or field.text[0] == "[") for each in pieces
            ):
                field.text = f"{hint}: {field.text}"
            fields.append(field)
        pdfium.FPDFPage_CloseAnnot(annotation)
    return fields


def _value(form: Any, annotation: Any) -> str:
    """Return what a text laid over a page says, what is written or chosen in a form field, or the state of a box."""
    if pdfium.FPDFAnnot_GetSubtype(annotation) == pdfium.FPDF_ANNOT_FREETEXT:
        return _string(pdfium.FPDFAnnot_GetStringValue, annotation, b"Contents")
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation) if form is not None else -1
    if kind in (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON):
        return "[x]" if pdfium.FPDFAnnot_IsChecked(form, annotation) else "[ ]"
    if kind in (pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX):
        options = range(max(0, pdfium.FPDFAnnot_GetOptionCount(form, annotation)))
        chosen = [each for each in options if pdfium.FPDFAnnot_IsOptionSelected(form, annotation, each)]
        if chosen:
            return ", ".join(_string(pdfium.FPDFAnnot_GetOptionLabel, form, annotation, each) for each in chosen)
    elif kind != pdfium.FPDF_FORMFIELD_TEXTFIELD or pdfium.FPDFAnnot_GetFormFieldFlags(form, annotation) & 1 << 13:
        return ""  # a button, a signature, a password
    return _string(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation)


def _string(get: Any, *of: Any) -> str:
    """Return what a function of PDFium puts into a buffer, UTF-16 that ends with a null, on one line."""
    size = get(*of, None, 0)
    buffer = (pdfium.FPDF_WCHAR * (size // 2))()
    get(*of, buffer, size)
    return " ".join(bytes(buffer).decode("utf-16-le", "replace").rstrip("\0").split())


def _in_order(pieces: list[_Piece]) -> list[_Piece]:
    """Return the pieces of a page as they were drawn, which writers do by paragraph, column and cell.

    But columns of prose that were drawn row by row come one after the other, a table drawn by columns comes row by row.
    """
    rows = _rows(pieces)
    inner = Counter(round(piece.left / 4) for row in rows for piece in row[1:])
    start = min((4 * each - 4 for each, count in inner.items() if count >= _ROWS), default=None)
    if start is None:
        return pieces
    places, found = {piece: place for place, piece in enumerate(pieces)}, list(pieces)
    for whole, band in groupby(rows, lambda row: any(each.left < start < each.right - 4 for each in row)):
        parted = list(band)
        both = sum(row[0].left < start <= row[-1].left for row in parted)
        if whole or both < _ROWS:
            continue
        slots = sorted(places[piece] for piece in chain.from_iterable(parted))
        drawn = [pieces[slot] for slot in slots]
        sides = [piece for piece in drawn if piece.left < start], [piece for piece in drawn if piece.left >= start]
        changes = sum((one.left < start) != (other.left < start) for one, other in pairwise(drawn))
        is_prose = all(median(len(piece.text) for piece in side) >= 20 for side in sides)  # characters
        if is_prose and changes >= both and 5 * sum(piece.text[0].islower() for piece in drawn) >= len(drawn):
            drawn = [*chain.from_iterable(_rows(sides[0])), *_in_order(sides[1])]
        elif not is_prose and changes <= 2 and 2 * both > min(map(len, sides)):
            drawn = [*chain.from_iterable(parted)]
        for slot, piece in zip(slots, drawn, strict=True):
            found[slot] = piece
    return found


def _rows(pieces: list[_Piece]) -> list[list[_Piece]]:
    """Return the rows of a page from its top, the pieces of each from the left."""
    rows: list[list[_Piece]] = []
    for piece in sorted(pieces, key=lambda each: (each.angle, -each.base)):
        if not rows or piece.gap(rows[-1][0]) == inf:
            rows.append([])
        rows[-1].append(piece)
    return [sorted(row, key=lambda piece: piece.left) for row in rows]


def _without_running(pages: list[list[_Piece]]) -> tuple[list[list[_Piece]], list[int]]:
    """Return the lines of pages without headers and footers that came on a page before, and the pages without text.

    Such a line is at the edge of the next page too, or of three pages, at the same height; it ends no sentence. Page
    numbers are left out everywhere. A page is never left without its text.
    """
    edges = [sorted(page, key=lambda line: -line.base) for page in pages]
    on: defaultdict[tuple[int, str], set[int]] = defaultdict(set)
    for number, page in enumerate(edges):
        for line in page[:_EDGE] + page[-_EDGE:]:
            on[_key(line, number)].add(number)
    found, seen = [], set[tuple[int, str]]()
    for number, (page, edge) in enumerate(zip(pages, edges, strict=True)):
        out, first = set[_Piece](), list[_Piece]()  # a footer stands before its page, not within a sentence
        for side in (edge[:_EDGE], edge[: -_EDGE - 1 : -1]):
            for line in takewhile(lambda line: _is_running(line, on[_key(line, number)], number), side):  # noqa: B023
                if _PAGE_NUMBER.fullmatch(line.text) or _key(line, number) in seen:
                    out.add(line)
                elif side[0] is edge[-1]:
                    first.append(line)
                seen.add(_key(line, number))
        body = first + [line for line in page if line not in out and line not in first]
        found.append(body if _has_text(body) else page if _has_text(page) else [])
    return found, [number for number, page in enumerate(found) if not page]


def _is_running(line: _Piece, pages: set[int], number: int) -> bool:
    near = {number - 2, number + 2} if len(pages) > 2 else set[int]()
    return line.text[-1] not in ".!?" and not pages.isdisjoint({number - 1, number + 1} | near)


def _has_text(page: list[_Piece]) -> bool:
    """Return whether the lines of a page are more than a page number."""
    return bool(page) and not (len(page) == 1 and _PAGE_NUMBER.fullmatch(page[0].text))


def _key(line: _Piece, page: int) -> tuple[int, str]:
    """Return what is equal for a line on two pages: its height and its words, a number at its end less the page's."""
    words = line.text.split()
    for place in (0, -1):
        if len(words) > 2 and words[place].isdecimal() and int(words[place][:9]) < page + 100:  # else it is no page's
            words[place] = f"#{int(words[place]) - page}"
    return (0, "") if _PAGE_NUMBER.fullmatch(line.text) else (round(line.base / 6), " ".join(words))


def _joined(pages: list[list[_Piece]]) -> tuple[str, tuple[int, ...]]:
    """Return the text of pages, an empty line between paragraphs, and where each page begins."""
    flat = "\n".join(line.text for page in pages for line in page)
    known = Counter(re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", _BROKEN.sub(" ", flat).casefold()))
    texts = [""] * len(pages)
    last, before = 0, None
    for number, page in enumerate(pages):
        steps = [above.base - below.base for above, below in pairwise(page) if above.base > below.base]
        full = 0.8 * max((line.right for line in page), default=0.0)
        for line in page:
            if before is not None:
                hyphen = _hyphen(before.text, line.text, known)
                is_next = last == number and 0 < before.base - line.base < 1.35 * min(
                    median(steps), 3 * (line.top - line.base)
                )
                is_cut = before.text[-1] not in ".!?:;" and (
                    line.text[0].islower() or before.right > full > 0 == is_next
                )
                if hyphen is None:
                    texts[max(last, number - 1)] += "\n" if is_next or is_cut else "\n\n"
                else:
                    texts[last] = texts[last][:-1] + hyphen
            texts[number] += clean(normalise_text(line.text))
            last, before = number, line
    return "".join(texts), tuple(accumulate(map(len, texts[:-1]), initial=0))


def _hyphen(before: str, after: str, known: Counter[str]) -> str | None:
    """Return what becomes of a hyphen at the end of a line, None where its word does not go on in the next line.

    It stays where the text has the word with it elsewhere, or both parts as words, and in compounds such as well-known.
    """
    found = _BROKEN.search(f"{before[-80:]}\n{after[:80]}")
    if found is None or found["right"].casefold() in _SUSPENDED:
        return None
    left, right = found["left"].casefold(), found["right"].casefold()
    if not (left + right).isalpha() or found["sign"] or not (found["right"].islower() or found["left"].isupper()):
        return "-"  # in a number, an address or a name
    if known[left + right] or known[f"{left}-{right}"]:
        return "" if known[left + right] > known[f"{left}-{right}"] else "-"
    return "-" if left in _COMPOUNDS or (known[left] and known[right]) else ""
