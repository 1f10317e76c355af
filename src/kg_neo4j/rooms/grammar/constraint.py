"""What an extractor sends with its questions so that the server holds the answer to the schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kg_neo4j.extract.schema import Schema
from kg_neo4j.rooms.grammar.frame import frame
from kg_neo4j.rooms.grammar.grammars import csv_grammar
from kg_neo4j.rooms.grammar.json_rows import as_csv, json_schema

ARRAYS = """

Write the rows in JSON instead of CSV, each as an array of strings in the order of its columns, without header rows:
{%s}. An empty field is ""."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """The way of one kind of server. Pickles."""

    server: str  # of KG_CONSTRAIN, not "none"
    schema: Schema

    @property
    def asks(self) -> str:
        """What every question ends with; empty where rows are CSV."""
        rows = ", ".join(f'"{each.name}": [["...", "..."]]' for each in frame(self.schema, "").sections)
        return "" if self.server in ("vllm", "llama") else ARRAYS % rows

    def fields(self, shown: str) -> Mapping[str, Any]:
        """Return the fields of the request's body for a text as the model sees it.

        vLLM: "Structured Outputs", from 0.12 on. llama.cpp: grammars/README.md. Ollama takes a JSON schema alone.
        """
        given = frame(self.schema, shown)
        if not self.asks:
            grammar = {"grammar": csv_grammar(given)}
            return {"structured_outputs": grammar} if self.server == "vllm" else grammar
        rows = {"name": "rows", "strict": True, "schema": json_schema(given, typed=self.server == "ollama")}
        return {"response_format": {"type": "json_schema", "json_schema": rows}}

    def csv(self, text: str) -> str:
        """Return an answer as the CSV that is stored, checked and shown."""
        return as_csv(text, self.schema) if self.asks else text
