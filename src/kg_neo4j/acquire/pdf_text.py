"""PDF to text with pypdf. Runs in the child process of `sandbox`: a crafted file can cost any time and memory."""

from __future__ import annotations

import io
import logging
import warnings

from kg_neo4j.acquire.decoding import clean, normalise_text
from kg_neo4j.acquire.interface import ParsedText, TextBuilder
from kg_neo4j.errors import UnreadableSource


def read_pdf(data: bytes) -> ParsedText:
    """Return the text of all pages, an empty line between them, and where each page begins.

    Raises UnreadableSource for what is encrypted, damaged, without pages or without text (a scan).
    """
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # this process has nobody to tell
    builder = TextBuilder()
    try:
        with warnings.catch_warnings(action="ignore"):
            reader = PdfReader(io.BytesIO(data))
            if reader.is_encrypted and not reader.decrypt(""):
                raise UnreadableSource("encrypted", hint="remove the password first")
            if not reader.pages:
                raise UnreadableSource("a PDF without pages")
            for page in reader.pages:
                builder.add_page(clean(normalise_text(page.extract_text())))
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise UnreadableSource(f"damaged PDF: {error}") from error  # pypdf lets all of these escape on bad files
    except ImportError as error:  # AES without the cryptography package
        raise UnreadableSource("encrypted", hint="remove the password first") from error
    parsed = builder.build()
    if not parsed.text.strip():
        raise UnreadableSource(f"no text on {len(parsed.pages)} pages (a scan?)")
    return parsed
