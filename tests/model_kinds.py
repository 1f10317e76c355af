"""Servers of models as people run them: each answers the fitness test as its kind does. Built on `fake_llm`."""

from __future__ import annotations

import csv
import io
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fake_llm import FakeLlm, Reply, Request
from kg_neo4j._models import tokens
from kg_neo4j.extract import schema as schemas
from kg_neo4j.rooms.fitness.probes import FACTS

DOOR = re.compile(r"The number of the \w+ door is (\d+)")
THOUGHT = "The user wants to know this, and I go through it once more. "
NODE = {"node_type": "OBJECT", "sentences": "1"}


def facts_as_rows(count: int, broken: int = 0) -> str:
    """Return the answer with the first facts of the passage; `broken` further rows have too few columns."""
    schema, out = schemas.load("lean"), io.StringIO()
    names = list(dict.fromkeys(name for first, second, *_ in FACTS[:count] for name in (first, second)))
    nodes = csv.DictWriter(out, schema.node_header, restval="", lineterminator="\n")
    nodes.writeheader()
    for number, name in enumerate(names, 1):
        nodes.writerow({**NODE, "node_id": f"n{number}", "name": name})
    out.write("\n")
    rows = csv.DictWriter(out, schema.relationship_header, restval="", lineterminator="\n")
    rows.writeheader()
    for first, second, types, _ in FACTS[:count]:
        ends = {"node_id_1": f"n{names.index(first) + 1}", "node_id_2": f"n{names.index(second) + 1}"}
        rows.writerow({**ends, "relationship_type": types.split()[0], "sentences": "1"})
    return out.getvalue() + "".join(f"1,n{number},SAW\n" for number in range(broken))


@dataclass
class ModelKind(FakeLlm):
    """One kind of server and model. The defaults are those of an honest one that knows the passage."""

    window: int = 100_000  # tokens of a prompt
    at_window: str = "refuse"  # or it cuts the "beginning" or the "end"
    longest: int = 100_000  # tokens of an answer
    facts: int = 24
    broken: int = 0  # rows of the passage that are no rows
    thought: int = 0  # sentences of thoughts before each answer
    switches: Mapping[str, Any] = field(default_factory=dict)  # what ends them
    shows_thought: bool = False  # in tags, instead of the count alone
    empties: bool = False  # a thought leaves the answer empty, as if it were whole
    streams_refused: bool = False
    counts_nothing: bool = False
    takes: str = ""  # the field whose constraint it keeps
    refuses: str = ""  # a field that it does not know, also within others
    header: tuple[str, str] | None = None  # that a gateway asks for
    reads_a_second: float = 0.0  # tokens of a prompt; 0: at once
    dies_after: int = 1_000  # requests

    def reply_to(self, request: Request) -> Reply:
        """Return the answer of this kind; the request is logged."""
        with self._lock:
            self.requests.append(request)
            self._asked.notify_all()
        body = request.body
        if self.calls > self.dies_after:
            return Reply(reset=True)
        if self.header and request.headers.get(self.header[0]) != self.header[1]:
            return self._refuse("a subscription key is missing", 401)
        if body.get("stream") and self.streams_refused:
            return self._refuse("stream: true is not supported by this deployment", 400)
        if self.refuses and f'"{self.refuses}"' in json.dumps(body):
            return self._refuse(f"Unrecognized request argument supplied: {self.refuses}", 400)
        system, user = (str(each["content"]) for each in body["messages"])
        tokeniser = tokens.load()
        read = sum(tokeniser.count(each) + 4 for each in (system, user))
        if read > self.window:
            if self.at_window == "refuse":
                said = f"This model's maximum context length is {self.window} tokens, and the messages have {read}."
                return self._refuse(said, 400, "context_length_exceeded")
            spans, kept = tokeniser.spans(user), self.window - tokeniser.count(system) - 8
            user = user[spans[-kept][0] :] if self.at_window == "beginning" else user[: spans[kept][0]]
            read = self.window
        if self.reads_a_second:
            time.sleep(read / self.reads_a_second)
        return self._answered(request, self._say(system, user, body), read)

    def _refuse(self, message: str, status: int, code: str | None = None) -> Reply:
        return self.json({"error": {"message": message, "type": "invalid_request_error", "code": code}}, status)

    def _say(self, system: str, user: str, body: Mapping[str, Any]) -> str:
        if self.takes and self.takes in body:
            return '{"word": "zorp"}' if self.takes == "response_format" else "quux"
        if "numbers of doors" in system:
            return " ".join(DOOR.findall(user)) or "I see no report."
        if "whole numbers" in user:
            return "\n".join(map(str, range(1, 3_001)))
        if "second shortest" in user:
            return "Cleo Moreau"
        return "Paris" if "capital of France" in user else facts_as_rows(self.facts, self.broken)

    def _answered(self, request: Request, text: str, read: int) -> Reply:
        body, tokeniser = request.body, tokens.load()
        is_off = bool(self.switches) and all(body.get(name) == each for name, each in self.switches.items())
        thought = "" if is_off else THOUGHT * self.thought
        if self.shows_thought and thought:
            text, thought = f"<think>{thought}</think>\n{text}", ""
        if self.empties and thought:
            text = ""
        most = min(self.longest, body.get("max_tokens") or body.get("max_completion_tokens") or self.longest)
        thinking = min(tokeniser.count(thought), most)
        spans, reason = tokeniser.spans(text), "stop"
        if thinking + len(spans) > most:
            text, reason = text[: spans[most - thinking][0]], "length"
        written = thinking + tokeniser.count(text)
        usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
        self.counted.append((read, written))
        self.counts_streams = not self.counts_nothing
        return self._streamed(request, self.json({"choices": [choice], "usage": {} if self.counts_nothing else usage}))
