"""What a failed call means: try again, or say what is wrong. Texts from servers are redacted before they are shown."""

from __future__ import annotations

import contextlib
import importlib
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j.errors import BadModelAnswer, ContentFiltered, ContextTooLong, ModelError, ModelRefused, ModelUnavailable
from kg_neo4j.settings import network_hint, proxies

if TYPE_CHECKING:
    import openai

MAX_WAIT_S = 60.0  # between two calls, whatever a server asks for
FIRST_WAIT_S = 0.5  # doubled for each further call
BAD_ANSWER_CALLS = 2  # an answer that breaks the protocol was paid for: ask once more, not five times

REDIRECTED_TO = "redirected_to"  # the extension of a response that keeps the address of a redirect
TOO_MANY = frozenset({429, 503, 529})  # fewer calls at a time may help
# no server has seen the prompt
UNSENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError", "UnsupportedProtocol"})

_CAN_PASS = frozenset({408, 409, 425, 429})
_NEVER_PASSES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_TOO_LONG = re.compile(
    r"context.?(?:length|window|size)|maximum context|too many tokens|prompt is too long|input is too long",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content.?filter|content.?policy|content management policy|ResponsibleAIPolicy", re.IGNORECASE)
_ADAPTABLE = frozenset({"max_tokens", "max_completion_tokens", "temperature"})


class Passing(Exception):
    """A fault that can pass: `error` is raised when `calls` were made or the retries are used up."""

    def __init__(self, error: ModelError, *, told_s: float | None = None, calls: int = 1_000) -> None:
        super().__init__(str(error))
        self.error = error
        self.told_s = told_s  # what Retry-After says
        self.calls = calls


class UnsupportedParameter(ModelRefused):
    """The server refuses one optional parameter of the request; without it, or renamed, it may answer."""

    def __init__(self, message: str, *, parameter: str, renamed: str | None) -> None:
        super().__init__(message)
        self.parameter = parameter
        self.renamed = renamed


def http_library() -> Any:
    """Return the HTTP library that openai uses; which one depends on openai's version."""
    import openai

    return importlib.import_module(openai.DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0])


def unreachable(error: Exception, endpoint: Endpoint) -> Passing:
    """Return the fault for a connection that could not be made, broke, or took too long."""
    cause = error.__cause__ or error
    if isinstance(error, TimeoutError) or "Timeout" in type(cause).__name__:
        what, hint = f"did not answer within {endpoint.timeout_s:g} s", "raise KG_MODEL_TIMEOUT_S for a slow model"
    else:
        what = f"cannot be reached: {endpoint.redact(str(cause)) or type(cause).__name__}"
        hint = network_hint(cause, "is the server running, and is OPENAI_BASE_URL right?", proxies())
    return Passing(ModelUnavailable(f"{endpoint.address} {what}", hint=hint))


def is_free(status: int, fault: Exception) -> bool:
    """Return True where a server that answers with this status has certainly not counted any tokens.

    A prompt that a filter refused or that was too long may be charged, and so may a call that timed out at the server
    (Azure's page on costs, "HTTP error response code and billing status").
    """
    if isinstance(fault, ContentFiltered | ContextTooLong):
        return False
    return status in TOO_MANY or (status < 500 and status != 408)


def bad_answer(detail: str, endpoint: Endpoint) -> Passing:
    """Return the fault for an answer that is not what the protocol promises."""
    return Passing(BadModelAnswer(f"{endpoint.address}: {endpoint.redact(detail)}"), calls=BAD_ANSWER_CALLS)


def from_status(error: openai.APIStatusError, endpoint: Endpoint, model: str) -> Exception:
    """Return what an HTTP status above 299 means: Passing, or the ModelError that stops the call."""
    body: Mapping[str, Any] = error.body if isinstance(error.body, dict) else {}
    said = endpoint.redact(str(body.get("message") or error.message))
    status = error.status_code
    where = f"{endpoint.address} ({status})"
    if status < 400:
        return _redirected(error, endpoint, where)
    codes = {str(body.get("code")), str(body.get("type"))}
    if status in _CAN_PASS or status >= 500:
        if status == 429 and codes & _NEVER_PASSES:
            return ModelRefused(f"{where}: {said}", hint="the account has no credit left, or its limit is reached")
        told_s = retry_after_s(error.response.headers, datetime.now(UTC))
        hint = "the server is busy or broken; what is done is stored, run the same command again later"
        return Passing(ModelUnavailable(f"{where}: {said}", hint=hint), told_s=told_s)
    if status in (401, 403):
        return ModelRefused(f"{where} refused the key: {said}", hint="check OPENAI_API_KEY and OPENAI_BASE_URL")
    if status == 404 and not model:
        hint = "does OPENAI_BASE_URL end in /v1? A server without such a list can be used all the same"
        return ModelRefused(f"{where} has no list of models: {said}", hint=hint)
    if status == 404:
        hint = "check KG_MODEL, KG_EMBEDDING_MODEL and OPENAI_BASE_URL"
        return ModelRefused(f"{where} has no model {model!r}: {said}", hint=hint)
    return meaning(body, said, where) or ModelRefused(f"{where} refused the request: {said}")


def _redirected(error: openai.APIStatusError, endpoint: Endpoint, where: str) -> ModelRefused:
    location = str(error.response.extensions.get(REDIRECTED_TO, ""))
    with contextlib.suppress(ValueError):  # an address that is none is shown as it came
        location = urljoin(f"{endpoint.address}/", location) if location else "no address"
    return ModelRefused(
        f"{where} redirects to {endpoint.redact(location)}; nothing was sent there",
        hint="set OPENAI_BASE_URL to the address that you trust",
    )


def meaning(body: Mapping[str, Any], said: str, where: str) -> ModelError | None:
    """Return what an error object says about the request itself; None where it is something else."""
    text = f"{body.get('code')} {body.get('type')} {said}"
    if _TOO_LONG.search(text) and body.get("param") not in _ADAPTABLE:
        return ContextTooLong(
            f"{where}: the prompt is too long: {said}", hint="make chunks shorter, or set KG_MODEL_WINDOW"
        )
    if _FILTERED.search(f"{text} {body.get('innererror')}"):
        return ContentFiltered(f"{where}: the provider's filter refused this text: {said}")
    if (parameter := str(body.get("param"))) in _ADAPTABLE:
        renamed = "max_completion_tokens" if parameter == "max_tokens" and "max_completion_tokens" in said else None
        return UnsupportedParameter(f"{where}: {said}", parameter=parameter, renamed=renamed)
    return None


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return how many seconds a server asks to wait, at most 60; None where it says nothing that can be meant."""
    value = headers.get("retry-after", "").strip()[:60]
    try:
        seconds = float(value)
    except ValueError:
        try:
            when = parsedate_to_datetime(value)
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
        seconds = (when.replace(tzinfo=when.tzinfo or UTC) - now).total_seconds()
    return min(seconds, MAX_WAIT_S) if math.isfinite(seconds) and seconds >= 0 else None


def wait_s(call: int, told_s: float | None, jitter: float) -> float:
    """Return the pause after the `call`th call (from 1): the server's, else 0.5 s doubled each time; plus jitter.

    `jitter` is between 0 and 1: up to half as long again, so that many callers do not come back at once.
    """
    wait = min(FIRST_WAIT_S * 2 ** (call - 1), MAX_WAIT_S) if told_s is None else told_s
    return wait + jitter * max(0.5 * min(wait, 10.0), 0.1)
