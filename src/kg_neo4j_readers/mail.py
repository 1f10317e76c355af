"""Mail: the heads that people read, then the message; what is attached becomes sources of its own."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from email import policy
from email.message import EmailMessage, Message, MIMEPart
from email.parser import BytesParser
from email.utils import parsedate_to_datetime

from kg_neo4j.acquire.decoding import decode, normalise_text
from kg_neo4j.acquire.html_text import read_html
from kg_neo4j.acquire.interface import ParsedText, ReadOptions, TextBuilder
from kg_neo4j.errors import UnreadableSource

MAX_PARTS = 1_000
_HEADS = ("From", "To", "Cc", "Date")
_MEDIA = ("application", "audio", "image", "video")
_NEEDED = ("from", "to", "subject", "date", "received", "message-id")


def read_mail(data: bytes, options: ReadOptions) -> ParsedText:
    """Return a message as text: its subject is the heading, its attachments are `attached`.

    Of a message in text and HTML the text is read. Raises UnreadableSource for what is no mail, or has more than 1,000
    parts.
    """
    message = BytesParser(_class=EmailMessage, policy=policy.default).parsebytes(data)
    if not any(name in message for name in _NEEDED):
        raise UnreadableSource("no mail: it has no head")
    if sum(1 for _ in message.walk()) > MAX_PARTS:
        raise UnreadableSource(f"more than {MAX_PARTS:,} parts")
    if message.get_content_type() in ("multipart/encrypted", "application/pkcs7-mime"):
        raise UnreadableSource("encrypted")
    builder, subject = TextBuilder(), _head(message, "Subject")
    builder.add_heading(subject or "Mail", 1, "# ")
    builder.add("\n".join(f"{name}: {said}" for name in _HEADS if (said := _head(message, name))))
    for part in _texts(message):
        text = decode(_bytes(part), declared=part.get_content_charset(), encoding=options.encoding)
        is_html = part.get_content_type() == "text/html"
        builder.add(read_html(text.encode(), "utf-8").text if is_html else normalise_text(text))
    date = _head(message, "Date")
    with contextlib.suppress(ValueError):  # then it stays as it was written
        date = parsedate_to_datetime(date).date().isoformat() if date else ""
    author = message["From"].addresses if "From" in message else ()
    authors = ", ".join(each.display_name or each.addr_spec for each in author)
    nameless = sum(1 for part in message.walk() if part.get_content_maintype() in _MEDIA and not part.get_filename())
    left_out = f"{nameless:,} part{'s'[: nameless > 1]} without a name left out" if nameless else ""
    found = builder.build(subject or None)
    return replace(found, author=authors, date=date, left_out=left_out, attached=tuple(_unique(_attachments(message))))


def _head(message: EmailMessage, name: str) -> str:
    return " ".join(normalise_text(str(message.get(name, ""))).split())


def _texts(part: MIMEPart) -> Iterator[MIMEPart]:
    """Yield the parts that are the message: of alternatives the plain text, of related parts the first."""
    kind = part.get_content_type()
    if kind == "multipart/alternative":
        chosen = part.get_body(("plain", "html"))
        yield from (chosen,) if chosen is not None else ()
    elif part.is_multipart() and kind != "message/rfc822":
        for each in part.iter_parts():
            yield from _texts(each)
    elif part.get_content_maintype() == "text" and not part.get_filename():
        yield part


def _attachments(part: MIMEPart) -> Iterator[tuple[str, bytes]]:
    """Yield name and contents of what is attached; a message within the message is a mail of its own."""
    for number, each in enumerate(part.iter_parts() if part.is_multipart() else (), 1):
        name = each.get_filename()
        if each.get_content_type() == "message/rfc822":
            yield _named(name or f"message {number}.eml"), each.get_content().as_bytes()
        elif each.is_multipart():
            yield from _attachments(each)
        elif name and (data := _bytes(each)):
            yield _named(name), data


def _unique(attached: Iterator[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """Yield attachments with names of their own: of two "plan.txt" the second becomes "2 plan.txt"."""
    seen = Counter[str]()
    for name, data in attached:
        seen[name] += 1
        yield (name if seen[name] == 1 else f"{seen[name]} {name}"), data


def _named(name: str) -> str:
    """Return the name of an attachment as that of a file in one folder."""
    return " ".join(re.sub(r"[/\\]", "_", normalise_text(name)).split()).lstrip(".") or "attachment"


def _bytes(part: Message) -> bytes:
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""
