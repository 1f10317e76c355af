"""PDF to text with PDFium. Runs in the child process of `sandbox`: a crafted file can cost any time and memory."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, groupby, pairwise
from statistics import median

import pypdfium2
import pypdfium2.raw as pdfium

from kg_neo4j import data_files
from kg_neo4j.acquire.decoding import clean, normalise_text
from kg_neo4j.acquire.interface import NeedsMore, ParsedText, ReadOptions
from kg_neo4j.errors import UnreadableSource
from kg_neo4j_readers.pdf import scans
from kg_neo4j_readers.pdf.footnotes import without_notes
from kg_neo4j_readers.pdf.page import lines_from, lines_of
from kg_neo4j_readers.pdf.pieces import Piece
from kg_neo4j_readers.pdf.running import PageLines, without_running

_DATA = data_files.beside(__file__)
_BROKEN = re.compile(_DATA.text("broken"))
_ENDS = '.!?:)"\u201d'  # of a paragraph before a heading
_LARGER = 1.1  # letters of a heading
_SUSPENDED, _COMPOUNDS = _DATA.word_set("suspended"), _DATA.word_set("compounds")


def read_pdf(data: bytes, options: ReadOptions) -> ParsedText:
    """Return the text of all pages, values of form fields in it, and where each begins; the note names pages without.

    Raises UnreadableSource for what is encrypted, damaged, without pages or without text (a scan). With the extra `ocr`
    it raises NeedsMore where a page is without text: `read_scanned` reads it.
    """
    return _read(data, options, None)


def read_scanned(data: bytes, options: ReadOptions) -> ParsedText:
    """Return the text of all pages as `read_pdf`, those without text read from their picture."""
    return _read(data, options, scans.Scanner(data, options.home))


def _read(data: bytes, options: ReadOptions, scanner: scans.Scanner | None) -> ParsedText:
    password = options.password and options.password.encode()
    try:
        pdf = pypdfium2.PdfDocument(data, options.password)
        pdf.init_forms()
        lines = [lines_of(page) for page in pdf]
    except pypdfium2.PdfiumError as error:
        if error.err_code is not None and pdfium.FPDF_LoadMemDocument64(data, len(data), password):
            raise UnreadableSource("a PDF without pages") from error  # PDFium's code is that of a file before it
        if error.err_code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            if options.password:
                raise UnreadableSource("encrypted with another password") from error
            raise UnreadableSource("encrypted", hint="give its password with --password") from error
        raise UnreadableSource(f"damaged PDF: {error}") from error
    pages = without_running(lines)
    missing = "" if scans.is_installed() else scans.MISSING
    blank = [number for number, page in enumerate(pages) if not page.body]
    if scanner and blank:
        if password and pdfium.FPDF_GetSecurityHandlerRevision(pdf) >= 0:
            scanner.home = None  # what is encrypted is not kept in plain
        for number in blank:  # or with a page number alone
            lines[number] = lines_from(pdf[number], scanner.pieces(pdf[number], number)) or lines[number]
        pages = without_running(lines)
        blank = [number for number, page in enumerate(pages) if not page.body]
        scanner.read = {number: sure for number, sure in scanner.read.items() if number not in blank}
    if not scanner and not missing and any(scans.has_ink(pdf[number]) for number in blank):
        raise NeedsMore(f"{__name__}:{read_scanned.__name__}", scans.SECONDS, scans.MEMORY_BYTES)
    if len(blank) == len(pages):
        raise UnreadableSource(f"no text on {len(pages)} pages (a scan?)", hint=missing)
    texts = _texts_of(pages)
    notes = ["the form is in XFA, which is not read"] if pdf.get_formtype() == pdfium.FORMTYPE_XFA_FULL else []
    if scanner:
        scanner.keep_pictures(pdf, "".join(texts))
        notes += _said_of(scanner, len(pages))
        blank = [number for number in blank if number not in scanner.late]
    if blank:
        verb = "has" if len(blank) == 1 else "have"
        notes.append(f"{_runs(blank)} of {len(pages)} {verb} no text (a scan?{missing and f': {missing}'})")
    starts = tuple(accumulate(map(len, texts[:-1]), initial=0))
    return ParsedText("".join(texts), pages=starts, left_out="; ".join(notes))


def _said_of(scanner: scans.Scanner, pages: int) -> list[str]:
    """Return what the user should know of pages that were read from pictures."""
    unsure = [number for number, sure in scanner.read.items() if sure < scans.SURE]
    notes = []
    if scanner.read:
        verb = "was" if len(scanner.read) == 1 else "were"
        notes.append(f"{_runs([*scanner.read])} of {pages} {verb} read from a picture")
    if unsure:
        least = min(scanner.read[number] for number in unsure)
        notes.append(f"{_runs(unsure)}: many words may be wrong (confidence {least:.2f}; good pages have {scans.SURE})")
    if scanner.late:
        notes.append(f"no time was left for {_runs(scanner.late)}: load again to go on")
    return notes


def _runs(pages: list[int]) -> str:
    """Return the numbers of pages, from 0, as a reader writes them: "pages 3 to 5, 7"."""
    runs = [[page + 1 for _, page in run] for _, run in groupby(enumerate(pages), lambda pair: pair[1] - pair[0])]
    noun = "page" if len(pages) == 1 else "pages"
    return f"{noun} " + ", ".join(
        f"{run[0]}" + f" {'to' if len(run) > 2 else 'and'} {run[-1]}" * (len(run) > 1) for run in runs
    )


def _texts_of(pages: Sequence[PageLines]) -> list[str]:
    """Return the text of each page, with what parts it from the next."""
    parted = [without_notes(page.body) for page in pages]
    texts = _texts([body for body, _ in parted])
    ends = [not text or text.endswith("\n\n") for text in texts]  # of a paragraph
    ends[-1] = True
    return [
        _with_asides(
            text,
            _texts([page.edge])[0],
            _texts([notes])[0],
            goes_on=number > 0 and not ends[number - 1],
            is_cut=not ends[number],
        )
        for number, (text, page, (_, notes)) in enumerate(zip(texts, pages, parted, strict=True))
    ]


def _with_asides(text: str, edge: str, notes: str, *, goes_on: bool, is_cut: bool) -> str:
    """Return the text of a page with its header or footer at its beginning and footnotes at its end.

    They are between paragraphs: where one `goes_on` from the page before after it, where one `is_cut` before it.
    """
    whole = text.rstrip("\n")
    blocks = whole.split("\n\n") if whole else []
    blocks.insert(1 if goes_on and len(blocks) > is_cut else 0, edge)
    blocks.insert(len(blocks) - is_cut, notes)
    return "\n\n".join(filter(None, blocks)) + text[len(whole) :]


def _texts(pages: Sequence[list[Piece]]) -> list[str]:
    """Return the text of each page, with what parts it from the next: an empty line between paragraphs."""
    flat = "\n".join(line.text for page in pages for line in page)
    known = Counter(re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", _BROKEN.sub(" ", flat).casefold()))
    texts = [""] * len(pages)
    last, before = 0, None
    for number, page in enumerate(pages):
        steps = [above.base - below.base for above, below in pairwise(page) if above.base > below.base]
        full = 0.8 * max((line.right for line in page), default=0.0)
        for line in page:
            if before is not None:
                is_apart = before.is_table or line.is_table or _is_heading(before, line)
                is_apart = is_apart or (before.text[-1] in _ENDS and _is_heading(line, before))
                hyphen = None if is_apart else _hyphen(before.text, line.text, known)
                is_next = (
                    last == number
                    and not is_apart
                    and 0 < before.base - line.base < 1.35 * min(median(steps), 3 * (line.top - line.base))
                )
                is_cut = (
                    not is_apart
                    and before.text[-1] not in ".!?:;"
                    and (line.text[0].islower() or before.right > full > 0 == is_next)
                )
                if hyphen is None:
                    texts[max(last, number - 1)] += "\n" if is_next or is_cut else "\n\n"
                else:
                    texts[last] = texts[last][:-1] + hyphen
            texts[number] += clean(normalise_text(line.text))
            last, before = number, line
    return texts


def _is_heading(line: Piece, other: Piece) -> bool:
    """Return whether a line is of larger letters than the one next to it, and neither goes on in the other."""
    is_open = line.text[0].islower() or other.text[0].islower() or line.text[-1] in ".,;-"
    return not is_open and line.longest[1] > _LARGER * other.longest[1] > 0


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
