"""What a failed call means: its class by openai_faults.toml, and the error that follows from the class.

Texts from servers are redacted before they are shown.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from kg_neo4j import data_files, errors
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j.errors import (
    BadModelAnswer,
    ContentFiltered,
    ContextTooLong,
    ModelError,
    ModelRefused,
    ModelUnavailable,
    RequestRefused,
)
from kg_neo4j.settings import network_hint, proxies

if TYPE_CHECKING:
    import openai

MAX_WAIT_S = 300.0  # that a server may ask for; limits a minute need 60 s, limits a day hours
MAX_PAUSE_S = 60.0  # between two calls where no server asks for more
FIRST_WAIT_S = 0.5  # doubled for each further call
BAD_ANSWER_CALLS = 2  # an answer that breaks the protocol was paid for: ask once more, not five times

REDIRECTED_TO = "redirected_to"  # the extension of a response that keeps the address of a redirect
TOO_MANY = frozenset({429, 498, 503, 529})  # fewer calls at a time may help
# no server has seen the prompt
UNSENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError", "UnsupportedProtocol"})

# classes of the table that code speaks of
FILTERED, PARAMETER, STREAM_ONLY, NO_SYSTEM, BATCH = "filtered", "parameter", "stream_only", "no_system", "batch"
QUOTA, MODEL, NO_LIST, RATE, REFUSED = "quota", "model", "no_list", "rate", "refused"

_DATA = data_files.beside(__file__)
_ROWS = [tuple(map(str.strip, line.split(" | "))) for line in _DATA.lines("faults") if not line.startswith("#")]
_ERRORS = _DATA.lists("errors")
_NAMES = {name: re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.I) for name, words in _DATA.table("parameters").items()}
_CODES, _REPEATED = _DATA.word_set("codes"), _DATA.word_set("repeated")
_SAYING = ("message", "msg", "detail", "error", "error_message", "status_msg", "title", "reason")  # in a sentence
_MOST_TEXT = 8_000  # characters of an error that are read
_PART = r"(\d+(?:\.\d+)?)\s*(ms|mi(?=lli)|s|m|h|d)[a-z]*(?![a-z])[\s,]*(?:and\s+)?"
_SAID_WAIT = re.compile(rf"(?:again|retry(?:ing)?|wait|available|resets?|back)\b\D{{0,30}}?((?:{_PART})+)", re.I)
_UNITS = {"ms": 0.001, "mi": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}


class Passing(Exception):
    """A fault that can pass: `error` is raised when `calls` were made or the retries are used up."""

    def __init__(self, error: ModelError, *, told_s: float | None = None, calls: int = 1_000) -> None:
        super().__init__(str(error))
        self.error = error
        self.told_s = told_s  # how long the server wants to be left alone
        self.calls = calls


@dataclass(frozen=True, slots=True)
class Fault:
    """What a server says instead of an answer."""

    kind: str  # a class of openai_faults.toml
    said: str  # as it came: not redacted
    names: tuple[str, ...] = ()  # of our parameters that it speaks of, the one that it means first
    told_s: float | None = None  # how long it wants to be left alone


# ------------------------------------------------------------------------------------------------------- the class


def _fits(row: tuple[str, ...], status: str, said: Mapping[str, Sequence[str]]) -> bool:
    """Say whether a row of the table is about this answer."""
    _, statuses, where, pattern, _ = row
    find = partial(re.fullmatch if where == "code" else re.search, pattern, flags=re.IGNORECASE)
    is_status = any(fnmatchcase(status, each) or (each[0] == "!" and status != each[1:]) for each in statuses.split())
    return is_status and any(map(find, said[where]))


def classify(status: int, headers: Mapping[str, str], body: object) -> Fault:
    """Return the class of what a server says with `status`; `body` is its JSON, or its text."""
    found = list(_leaves(body))
    text = " ".join(value for _, value in found)[:_MOST_TEXT]
    params = [value for key, value in found if key in ("param", "loc")]
    said = {"code": [value for key, value in found if key in _CODES], "text": [text], "param": params}
    names = [name for words in (params, [text]) for name, known in _NAMES.items() if any(map(known.search, words))]
    told_s = wait_told_s([*headers.items(), *found], text, datetime.now(UTC))
    rows = (row for row in _ROWS if (names or row[0] != PARAMETER) and _fits(row, str(status), said))
    kind, _, where, *_ = next(rows, (REFUSED, "", ""))
    if kind == QUOTA and where == "text" and status == 429 and told_s:
        kind = RATE  # Gemini says "quota" for a minute, too
    words = next((value for each in _SAYING for key, value in found if key == each and " " in value), text)
    return Fault(kind, words or f"HTTP {status}", tuple(dict.fromkeys(names)), told_s)


def is_filtered(finish_reason: str) -> bool:
    """Return True where a finish reason says that the provider's filter stopped the answer."""
    return any(_fits(row, "finish", {"code": [finish_reason], "text": (), "param": ()}) for row in _ROWS)


def _leaves(value: object, key: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield the texts and numbers of an error with their keys, but not those that repeat the request."""
    if depth > 20:
        return
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from _leaves(each, str(name).lower(), depth + 1) if name not in _REPEATED else ()
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each, key, depth + 1)
    elif isinstance(value, str | int | float):
        yield key, str(value)


# -------------------------------------------------------------------------------------------------------- the error


def from_status(error: openai.APIStatusError, endpoint: Endpoint, model: str) -> Exception:
    """Return what an HTTP status above 299 means: Passing, or the ModelError that stops the call."""
    response, status = error.response, error.status_code
    where = f"{endpoint.address} ({status})"
    if status < 400:
        return _redirected(response, endpoint, where)
    body: object = response.content.decode("utf-8", "replace")
    with contextlib.suppress(ValueError, RecursionError):  # a text, or cut off
        body = json.loads(response.content)
    return from_fault(classify(status, response.headers, body), endpoint, where, model)


def from_body(data: Mapping[str, Any], endpoint: Endpoint) -> Exception:
    """Return what an error object in an answer's place means; its code may be the status that others send."""
    error = data.get("error", data)
    code = error.get("code") if isinstance(error, dict) else None
    fault = classify(code if isinstance(code, int) and 400 <= code < 600 else 200, {}, data)
    if fault.kind == REFUSED:
        return bad_answer(f"an error instead of an answer: {fault.said}", endpoint)
    return from_fault(fault, endpoint, endpoint.address, "")


def from_fault(fault: Fault, endpoint: Endpoint, where: str, model: str) -> Exception:
    """Return the error of a class, as the table "errors" has it: Passing, or the ModelError that stops the call."""
    name, what, hint = _ERRORS[NO_LIST if fault.kind == MODEL and not model else fault.kind]
    message = f"{where}{what.format(model=model)}: {endpoint.redact(fault.said)}"
    is_soon = (fault.told_s or 0) <= MAX_WAIT_S
    if name == "ModelUnavailable" and not is_soon:
        message += f"; it asks to wait {fault.told_s:,.0f} s, and a call waits at most {MAX_WAIT_S:g} s"
    error: ModelError = getattr(errors, name)(message, hint=hint or None)
    if isinstance(error, RequestRefused | ContextTooLong):
        error.fault = fault
    return Passing(error, told_s=fault.told_s) if name == "ModelUnavailable" and is_soon else error


def _redirected(response: Any, endpoint: Endpoint, where: str) -> ModelRefused:
    location = str(response.extensions.get(REDIRECTED_TO, ""))
    with contextlib.suppress(ValueError):  # an address that is none is shown as it came
        location = urljoin(f"{endpoint.address}/", location) if location else "no address"
    return ModelRefused(
        f"{where} redirects to {endpoint.redact(location)}; nothing was sent there",
        hint="set OPENAI_BASE_URL to the address that you trust",
    )


def unreachable(error: Exception, endpoint: Endpoint) -> Passing:
    """Return the fault for a connection that could not be made, broke, or took too long."""
    cause = error.__cause__ or error
    if isinstance(error, TimeoutError) or "Timeout" in type(cause).__name__:
        what, hint = f"did not answer within {endpoint.timeout_s:g} s", "raise KG_MODEL_TIMEOUT_S for a slow model"
    else:
        what = f"cannot be reached: {endpoint.redact(str(cause)) or type(cause).__name__}"
        hint = network_hint(cause, "is the server running, and is OPENAI_BASE_URL right?", proxies())
    return Passing(ModelUnavailable(f"{endpoint.address} {what}", hint=hint))


def bad_answer(detail: str, endpoint: Endpoint) -> Passing:
    """Return the fault for an answer that is not what the protocol promises."""
    return Passing(BadModelAnswer(f"{endpoint.address}: {endpoint.redact(detail)}"), calls=BAD_ANSWER_CALLS)


def is_free(status: int, fault: Exception) -> bool:
    """Return True where a server that answers with this status has certainly not counted any tokens.

    A prompt that a filter refused or that was too long may be charged, and so may a call that timed out at the server
    (Azure's page on costs, "HTTP error response code and billing status").
    """
    if isinstance(fault, ContentFiltered | ContextTooLong):
        return False
    return status in TOO_MANY or (status < 500 and status != 408)


def http_library() -> Any:
    """Return the HTTP library that openai uses; which one depends on openai's version."""
    import openai

    return importlib.import_module(openai.DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0])


# --------------------------------------------------------------------------------------------------------- the wait


def wait_told_s(pairs: Iterable[tuple[str, str]], text: str, now: datetime) -> float | None:
    """Return how many seconds a server asks to wait; None where it says nothing that can be meant.

    `pairs` are its headers and the fields of its error: Retry-After (RFC 9110), retry-after-ms (Azure), retryDelay
    (google.rpc.RetryInfo). After these count the words of `text`, then x-ratelimit-reset-* (OpenAI, Groq, OpenRouter)
    of what is used up, else of what is back soon.
    """
    fields = {key.lower().replace("_", "-"): value for key, value in pairs}
    seconds = {name: told for name, value in fields.items() if (told := _seconds(value, now)) is not None and told >= 0}
    asked = [(name, s) for name, s in seconds.items() if re.search("retry-?(after|delay)", name)]
    waits = [s / 1000 if name.endswith("ms") else s for name, s in asked]
    if not waits and (said := _SAID_WAIT.search(text)):
        waits = [_sum(said[1])]
    resets = [(name, s) for name, s in seconds.items() if "ratelimit" in name and "reset" in name]
    used_up = [s for name, s in resets if fields.get(name.replace("reset", "remaining"), "").strip() == "0"]
    return max(waits or used_up or [s for _, s in resets if s <= MAX_WAIT_S], default=None)


def _seconds(value: str, now: datetime) -> float | None:
    """Return the seconds that a header means: a number, a duration, a date, or a time since 1970 in s or ms."""
    seconds = duration_s(value)
    if seconds is not None:
        return seconds if seconds < 1e9 else (seconds if seconds < 1e11 else seconds / 1000) - now.timestamp()
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        with contextlib.suppress(ValueError, TypeError, IndexError, OverflowError):
            when = read(value.strip()[:60])
            return (when.replace(tzinfo=when.tzinfo or UTC) - now).total_seconds()
    return None


def duration_s(text: str) -> float | None:
    """Return what "6m0s", "20ms", "1.5s" or "12" mean in seconds; None for anything else."""
    text = text.strip()[:30]
    if re.fullmatch(r"\d{1,13}(?:\.\d{1,9})?", text):
        return float(text)
    return _sum(text) if re.fullmatch(f"(?:{_PART})+", text) else None


def _sum(text: str) -> float:
    return sum(float(number) * _UNITS[unit.lower()] for number, unit in re.findall(_PART, text, re.I))


def wait_s(call: int, told_s: float | None, jitter: float) -> float:
    """Return the pause after the `call`th call (from 1): the server's, else 0.5 s doubled each time; plus jitter.

    `jitter` is between 0 and 1: up to half as long again, so that many callers do not come back at once.
    """
    wait = min(FIRST_WAIT_S * 2 ** (call - 1), MAX_PAUSE_S) if told_s is None else told_s
    return wait + jitter * max(0.5 * min(wait, 10.0), 0.1)
