"""How many entities will need a summary: names that so many chunks have that their descriptions outgrow the bound."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from kg_neo4j.records import Chunk

PROMPT_TOKENS = 330  # of prompts/describe.md
OUTPUT_TOKENS = 120  # of a summary
MOST_TOKENS = 6_000  # of descriptions in one question
REMEMBERED = 200_000  # names; beyond it those that one chunk had are forgotten
CHARACTERS_A_TOKEN = 4.5

# A name within a sentence: the word before it ends in a letter or a comma, so that it is no beginning.
_CAPITAL = "[A-Z\u00c0-\u00d6\u00d8-\u00de\u0100-\u017f\u0391-\u03a9\u0410-\u042f]"
_JOINT = "(?:(?:of|ibn|bint|de|di|von|van|der|the) )*"
_NAME = re.compile(rf"(?<=[\w,;(] )(?=[^\W_a-z]){_CAPITAL}[\w'’-]+(?: {_JOINT}{_CAPITAL}[\w'’-]+)*")


@dataclass(slots=True)
class SummaryEstimate:
    """Counts in how many chunks each name stands. Names are known by their capital: other scripts count nothing."""

    bound_tokens: int  # of the descriptions of one entity; 0: nothing is summarised
    description_tokens: float  # of one description
    stored: Mapping[str, int] = field(default_factory=dict)  # descriptions that the graph has, by name
    _chunks: Counter[str] = field(default_factory=Counter)

    def add(self, chunk: Chunk) -> None:
        """Count the names of one chunk."""
        self._chunks.update(set(_NAME.findall(chunk.text)))
        if len(self._chunks) > REMEMBERED:
            self._chunks = Counter({name: count for name, count in self._chunks.items() if count > 1})

    def sums(self) -> tuple[int, float, float]:
        """Return the calls, and their tokens of input and output."""
        if not self.bound_tokens or not self.description_tokens:
            return 0, 0.0, 0.0
        counts = (count + self.stored.get(name, 0) for name, count in self._chunks.items())
        totals = [count * self.description_tokens for count in counts if count > 1]
        over = [min(total, MOST_TOKENS) for total in totals if total > self.bound_tokens]
        return len(over), sum(over) + PROMPT_TOKENS * len(over), float(OUTPUT_TOKENS * len(over))
