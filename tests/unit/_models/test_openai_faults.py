"""What servers say instead of an answer, in the words of each, and how long they ask to wait: test plan row 23."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from kg_neo4j._models import openai_faults
from kg_neo4j._models.openai_faults import Fault, classify, is_filtered, wait_s, wait_told_s

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def said(message: str, **more: Any) -> dict[str, Any]:
    """Return an error object as most servers write it."""
    return {"error": {"message": message, **more}}


FILTERED: list[tuple[int, Any]] = [
    (400, said("Content Exists Risk", code="invalid_request_error")),
    (400, said("no", code="content_filter")),
    (400, said("no", innererror={"code": "ResponsibleAIPolicyViolation"})),
    (400, said("Output blocked by content filtering policy", type="invalid_request_error")),
    (400, said("Input data may contain inappropriate content.", code="data_inspection_failed")),
    (400, {"code": "DataInspectionFailed", "message": "no", "request_id": "1"}),
    (403, said("it requires moderation. Your input was flagged", metadata={"flagged_input": "a text"})),
    (403, {"code": "no permission", "error": "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_X"}),
    (400, said("your prompt was flagged as potentially violating our usage policy", code="invalid_prompt")),
    (400, said("rejected because it was considered high risk", type="content_filter")),
    (400, said("no", code="InputTextSensitiveContentDetected")),
    (451, said("blocked", type="censorship_blocked")),
    (451, "for legal reasons"),
    (422, {"detail": "Prompt rejected by guardrail"}),
    (400, said("no", code="1301")),
    (500, said("content_policy_violation: your request was rejected by our safety system")),
    (200, {"base_resp": {"status_code": 1026, "status_msg": "input new_sensitive"}, "choices": None}),
    (200, {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}),
]
TOO_LONG: list[tuple[int, Any]] = [
    (400, said("too long", code="context_length_exceeded")),
    (400, said("This model's maximum context length is 8192 tokens, and your messages have 9000.")),
    (400, said("Your input exceeds the context window of this model.")),
    (400, said("prompt is too long: 9000 tokens > 8192 maximum")),
    (400, [said("The input token count (9000) exceeds the maximum number of tokens allowed (8192).", code=400)]),
    (413, said("Request too large on tokens per minute (TPM): Limit 6, Requested 9", code="rate_limit_exceeded")),
    (429, said("Request too large on tokens per min (TPM): Limit 6, Requested 9", code="rate_limit_exceeded")),
    (400, said("This model's maximum prompt length is 8192 but the request contains 9000 tokens.")),
    (400, {"message": "Prompt contains 9000 tokens, too large for model with 8192 maximum context length"}),
    (400, {"message": "too many tokens: the total in the prompt cannot exceed 4081 - received 9000."}),
    (400, said("Range of input length should be [1, 30720]", code="invalid_parameter_error")),
    (422, {"error": "`inputs` must have less than 4095 tokens. Given: 9000", "error_type": "validation"}),
    (422, {"error": "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9000 `inputs` tokens and 100"}),
    (400, said("the request exceeds the available context size", type="exceed_context_size_error")),
    (500, said("input is too large to process. increase the physical batch size")),
    (400, {"error": "The number of tokens to keep from the initial prompt is greater than the context length"}),
    (400, said("The input (9000 tokens) is longer than the model's context length (8192 tokens).")),
    (400, {"message": "Input is too long for requested model."}),
    (400, {"error": "prompt exceeds maximum context length"}),
    (400, said("prompt token count of 9000 exceeds the limit of 8192", code="model_max_prompt_tokens_exceeded")),
    (413, "<html><title>413 Request Entity Too Large</title></html>"),
]
PARAMETERS: list[tuple[int, Any, str]] = [
    (400, said("`temperature` is deprecated for this model."), "temperature"),
    (400, said("Only the default (1) value is supported.", param="temperature"), "temperature"),
    (400, said("invalid temperature: only 1 is allowed for this model"), "temperature"),
    (422, {"error": "`temperature` must be strictly positive"}, "temperature"),
    (400, said("does not support parameters: ['temperature'], for model=m."), "temperature"),
    (500, said("temperature is not supported by this backend"), "temperature"),
    (400, said("Use 'max_completion_tokens' instead.", param="max_tokens"), "max_tokens"),
    (400, said("max_tokens is too large: 100000. This model supports at most 4096 completion tokens."), "max_tokens"),
    (400, said("max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens"), "max_tokens"),
    (400, said("Range of max_tokens should be [1, 8192]"), "max_tokens"),
    (400, said("Unrecognized request argument supplied: stream_options"), "stream_options"),
    (422, {"detail": [{"loc": ["body", "stream_options"], "msg": "no extra fields", "input": {}}]}, "stream_options"),
    (400, said("must be verified", param="stream", code="unsupported_value"), "stream"),
    (501, said("Streaming is not supported for this model"), "stream"),
]
OTHERS: list[tuple[int, Any, str]] = [
    (401, said("content_filter"), "key"),
    (403, said("no"), "key"),
    (400, [said("API key not valid. Please pass a valid API key.", status="INVALID_ARGUMENT")], "key"),
    (400, {"error": "Incorrect API key provided: xa***"}, "key"),
    (400, said("No connected db.", type="no_db_connection", code="400"), "key"),
    (402, said("Insufficient Balance"), "quota"),
    (429, said("You exceeded your current quota", code="insufficient_quota"), "quota"),
    (429, said("You exceeded your current quota, check your billing details."), "quota"),
    (400, said("Your credit balance is too low to access the API."), "quota"),
    (400, said("Access denied", code="Arrearage"), "quota"),
    (404, {"error": "model 'm' not found, try pulling it first"}, "model"),
    (400, said("Model Not Exist"), "model"),
    (400, said("The model `m` has been decommissioned"), "model"),
    (429, said("exceeded your current quota. Please retry in 11s.", status="RESOURCE_EXHAUSTED"), "rate"),
    (429, said("Rate limit reached (TPM): Limit 30000, Used 29000, Requested 2000. Try again in 2s."), "rate"),
    (429, said("This request would exceed your organization's rate limit of 40,000 input tokens"), "rate"),
    (429, said("Requests have exceeded token rate limit of your tier. Please retry after 6 seconds."), "rate"),
    (429, "", "rate"),
    (529, said("Overloaded", type="overloaded_error"), "rate"),
    (400, said("Too many requests, please wait", code="ThrottlingException"), "rate"),
    (503, said("Loading model"), "passing"),
    (502, "<html>bad gateway</html>", "passing"),
    (400, said("batch size is invalid, it should not be larger than 10.: input.contents"), "batch"),
    (422, {"error": "batch size 128 > maximum allowed batch size 32"}, "batch"),
    (400, said("at most 100 requests can be in one batch"), "batch"),
    (400, {"message": "total number of texts must be at most 96 but is 128"}, "batch"),
    (400, said("'input': array too long. Expected an array with maximum length 2048"), "batch"),
    (400, said("Too many inputs. The max number of inputs is 16."), "batch"),
    (400, said("This model only support stream mode, please enable the stream parameter"), "stream_only"),
    (400, said("enable_thinking must be set to false for non-streaming calls"), "stream_only"),
    (400, said("Non-streaming requests are not supported for this model."), "stream_only"),
    (422, {"detail": "Stream must be set to true"}, "stream_only"),
    (400, said("System role not supported"), "no_system"),
    (
        422,
        {"detail": [{"loc": ["body", "messages", 0, "role"], "msg": "Input should be 'user' or 'assistant'"}]},
        "no_system",
    ),
    (400, said("temperature is not a valid field"), "parameter"),
    (500, said("Only user and assistant roles are supported!"), "no_system"),
    (400, said("Developer instruction is not enabled for models/m"), "no_system"),
    (400, said("'messages[0].role' does not support 'system' with this model.", param="messages[0].role"), "no_system"),
    (400, said('messages: Unexpected role "system"'), "no_system"),
    (400, said("Conversation roles must alternate user/assistant/user/assistant/..."), "no_system"),
    (400, said("no such thing"), "refused"),
    (
        422,
        {"detail": [{"loc": ["body", "x"], "msg": "a strange field", "input": "temperature is not supported"}]},
        "refused",
    ),
    (418, "", "refused"),
]


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        *((*each, "filtered") for each in FILTERED),
        *((*each, "too_long") for each in TOO_LONG),
        *((status, body, "parameter") for status, body, _ in PARAMETERS),
        *OTHERS,
    ],
)
def test_each_server_is_understood_in_its_own_words(status: int, body: Any, kind: str) -> None:
    assert classify(status, {}, body).kind == kind


@pytest.mark.parametrize(("status", "body", "name"), PARAMETERS)
def test_the_parameter_that_is_refused_comes_first(status: int, body: Any, name: str) -> None:
    assert classify(status, {}, body).names[0] == name


@pytest.mark.parametrize("reason", ["content_filter", "SAFETY", "content_filter: PROHIBITED_CONTENT", "RECITATION"])
def test_a_finish_reason_of_a_filter_is_one(reason: str) -> None:
    assert is_filtered(reason)


@pytest.mark.parametrize("reason", ["stop", "length", "MAX_TOKENS", "end_turn", "eos_token", "tool_calls", "runaway"])
def test_another_finish_reason_is_none_of_a_filter(reason: str) -> None:
    assert not is_filtered(reason)


def test_a_deep_error_and_a_long_one_are_read_in_time() -> None:
    body: Any = "content_filter"
    for _ in range(500):
        body = {"error": [body]}
    assert classify(400, {}, body).kind == "refused"
    assert classify(400, {}, "x" * 60_000).kind == "refused"


def test_each_row_has_a_class_with_an_error_and_a_source() -> None:
    for kind, statuses, where, _pattern, source in openai_faults._ROWS:
        assert (kind in openai_faults._ERRORS, bool(statuses), where in ("code", "text", "param")) == (True, True, True)
        assert len(source) > 2


# -- waits


def wait(headers: dict[str, str] | None = None, body: Any = "") -> float | None:
    found = list(openai_faults._leaves(body))
    return wait_told_s([*(headers or {}).items(), *found], " ".join(value for _, value in found), NOW)


@pytest.mark.parametrize(("seconds", "expected"), [(30, 30.0), (3600, 3600.0), (0, 0.0), (-30, None)])
def test_dates_count_from_now(seconds: int, expected: float | None) -> None:
    value = format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)
    assert wait({"retry-after": value}) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("12", 12.0),
        ("1.5", 1.5),
        ("99999999", 99_999_999.0),
        ("-1", None),
        ("inf", None),
        ("nan", None),
        ("", None),
        ("x" * 99, None),
        ("Wed, 99 Nov 2026 12:00:30 GMT", None),
        ("20 Nov 2026 12:00:30", 30.0),
        ("2026-11-20T12:00:30Z", 30.0),
        ("1m3.5s", 63.5),
    ],
)
def test_seconds_are_read_and_nonsense_is_ignored(value: str, expected: float | None) -> None:
    assert wait({"retry-after": value}) == expected


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        ({"Retry-After-Ms": "1500"}, "", 1.5),
        ({"x-ratelimit-reset-requests": "12s"}, "", 12.0),
        ({"x-ratelimit-reset-tokens": "1m0s", "x-ratelimit-reset-requests": "2h"}, "", 60.0),
        (
            {
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-requests": "9s",
                "x-ratelimit-remaining-tokens": "7",
                "x-ratelimit-reset-tokens": "50s",
            },
            "",
            9.0,
        ),
        ({"X-RateLimit-Reset": str(int(NOW.timestamp()) + 20)}, "", 20.0),
        ({"X-RateLimit-Reset": str(int(NOW.timestamp() * 1000) + 2500)}, "", 2.5),
        ({"anthropic-ratelimit-requests-reset": "2026-11-20T12:00:07Z"}, "", 7.0),
        ({}, {"error": {"details": [{"retryDelay": "11.8s"}]}}, 11.8),
        ({}, {"retry_after": 7}, 7.0),
        ({}, {"error": {"metadata": {"headers": {"X-RateLimit-Reset": str(int(NOW.timestamp()) + 3)}}}}, 3.0),
        ({}, "Limit 3, Used 3, Requested 1. Please try again in 12s.", 12.0),
        ({}, "try again in 1m3.5s", 63.5),
        ({}, "Please try again in 850ms.", 0.85),
        ({}, "Please wait 20 seconds", 20.0),
        ({}, "Please retry after 6 seconds.", 6.0),
        ({}, "retry in 2 minutes and 3 seconds", 123.0),
        ({}, "Try again in 6 hours", 21_600.0),
        ({}, "20 requests per 60 seconds are too many, try again later", None),
        ({"retry-after": "5"}, "try again in 12s", 5.0),
    ],
)
def test_a_wait_is_read_wherever_it_is_said(headers: dict[str, str], body: Any, expected: float | None) -> None:
    found = wait(headers, body)
    assert found == (None if expected is None else pytest.approx(expected, abs=0.01))


def test_untold_waits_double_up_to_a_minute() -> None:
    assert [wait_s(call, None, 0.0) for call in (1, 2, 3, 4, 20)] == [0.5, 1.0, 2.0, 4.0, 60.0]


@pytest.mark.parametrize("told", [0.0, 7.0, 60.0])
def test_jitter_only_lengthens_and_stays_small(told: float) -> None:
    assert wait_s(1, told, 0.0) == told
    assert told < wait_s(1, told, 1.0) <= told + 5.0


def test_what_was_sent_and_what_was_generated_is_no_word_of_the_server() -> None:
    body = {"message": "a strange one", "failed_generation": "content_filter", "input": "the prompt is too long"}
    assert classify(400, {}, {"error": body}) == Fault("refused", "a strange one")
