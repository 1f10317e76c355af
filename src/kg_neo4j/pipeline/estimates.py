"""What rests on answers that are not there yet: questions about chunks, summaries of entities, community reports.

Measured on answers that the graph has, assumed where it has none.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kg_neo4j._models.prices import Price
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.extract.context import KNOWN_CHARACTERS, NO_CONTEXT, UNDER_WAY, ChunkTask
from kg_neo4j.extract.interface import FollowUp
from kg_neo4j.extract.llm_extractor import LlmExtractor
from kg_neo4j.extract.reading import GLEAN, REPAIR, WHOLE
from kg_neo4j.extract.schema import Schema
from kg_neo4j.graph.documents import AnswerFigures
from kg_neo4j.records import Chunk, Document, Usage

DESCRIBE = "describe"  # the step that makes summaries
MESSAGE_TOKENS = 4  # that a chat server adds to each of the two messages
BEFORE_TOKENS = 100  # of the end of the chunk before
KNOWN_TOKENS = KNOWN_CHARACTERS // 4  # of the names so far, once a wave is finished
GLEANED = 0.3  # tokens that a round of gleaning brings, for one of the first answer: a large model over six chunks
SHOWN_ROW = 18.0  # characters of a row as a further question shows it: its ids, types and names
DESCRIPTION = 15.0  # tokens of a description, where a schema asks for one of each node
REPAIRS = 0.05  # chunks of which rows have to be repaired, where nothing is measured
REPAIR_OUTPUT = 80  # tokens: two rows
LATENCY_S = 1.0  # of a call, before the first token
TOKENS_A_SECOND = 60.0  # of output
SUMMARY_PROMPT = 330  # tokens of prompts/describe.md
SUMMARY_OUTPUT = 120  # tokens of a summary
MOST_TOKENS = 6_000  # of descriptions in one question
REMEMBERED = 200_000  # names; beyond it those that one chunk had are forgotten
CHARACTERS_A_TOKEN = 4.5
# Tokens (o200k) that a large model writes for a word and for a name of a text, and how many characters a row of the
# worked example has in the schema that was measured (docs/decisions/0064).
WRITTEN = {"sentences": (1.48, 20.4, 32), "words": (3.2, 44.9, 122), "none": (3.2, 44.9, 122)}
REPORTS_A_NAME = 0.45  # community reports for a name that `names_in` finds, triples of GPT-3.5 on 30 to 150 passages
REPORT_PROMPT, REPORT_OUTPUT = 1_000, 750  # tokens of such a question and of its answer

# A name within a sentence: the word before it ends in a letter or a comma, so that it is no beginning.
_CAPITAL = "[A-Z\u00c0-\u00d6\u00d8-\u00de\u0100-\u017f\u0391-\u03a9\u0410-\u042f]"
_JOINT = "(?:(?:of|ibn|bint|de|di|von|van|der|the) )*"
_NAME = re.compile(rf"(?<=[\w,;(] )(?=[^\W_a-z]){_CAPITAL}[\w'’-]+(?: {_JOINT}{_CAPITAL}[\w'’-]+)*")


@dataclass(frozen=True, slots=True)
class Figures:
    """What the answers of a model under one schema are like."""

    output: float  # tokens of the first answer, for a token of text
    shown: float  # tokens of its rows as a further question shows them, for a token of the first answer
    gleanings: float  # rounds of gleaning, for a chunk
    gleaned: float  # tokens of such a round's answer, for one of the first answer
    repairs: float  # other further questions, for a chunk
    repair_output: float = REPAIR_OUTPUT  # tokens of such an answer
    a_word: float = 0.0  # more tokens of the first answer, for a word of the text
    a_name: float = 0.0  # and for each of its names
    description: float = 0.0  # tokens of the description of a node
    factor: float = 1.0  # tokens that the server counts of a prompt, for one of ours
    answers: int = 0  # these figures were measured on; 0: they are assumed

    def in_words(self) -> tuple[str, ...]:
        """Say what an estimate by these figures rests on."""
        rounds = f"{self.gleanings:.2g} rounds of gleaning and {self.repairs:.2g} other further questions a chunk"
        written = f"{self.output:.2g} tokens of output for a token of text"
        if self.a_word:
            written = (
                f"{self.a_word:.2g} tokens of output for a word of text and {self.a_name:.2g} for each of its names"
            )
        output = f"{written}, {self.gleaned:.0%} more in a round of gleaning"
        source = (
            f"measured on {self.answers} answers of this model that the graph has"
            if self.answers
            else "assumed, as a large model reads such texts; measured once this model has answered for this graph"
        )
        pace = f"{LATENCY_S:g} s and 1 s for {TOKENS_A_SECOND:g} tokens of output a call: assumed"
        return (f"{output}: {source}", rounds, pace)


@dataclass(frozen=True, slots=True)
class Fixed:
    """Tokens of the prompts themselves."""

    whole: int  # the first question, without text and context
    glean: int  # what a further question adds, without rows
    repair: int

    @classmethod
    def of(cls, extractor: LlmExtractor, tokeniser: Tokeniser) -> Fixed:
        """Render the prompts with nothing in them, and count."""
        task = ChunkTask(Document("", "", "", "", "", "", "", ""), Chunk("", "", "", 0, "", 0, 0, 0), (), NO_CONTEXT)
        empty = {step: tokeniser.count(extractor.further_message(FollowUp(step, (), ()))) for step in (GLEAN, REPAIR)}
        return cls(prompt_tokens(extractor.messages(task, ""), tokeniser), empty[GLEAN], empty[REPAIR])


def prompt_tokens(messages: tuple[str, str], tokeniser: Tokeniser) -> int:
    """Return the tokens of a system and a user message together."""
    return sum(tokeniser.count(message) + MESSAGE_TOKENS for message in messages)


def assumed(schema: Schema, gleanings: int) -> Figures:
    """Return figures for a model of which nothing is known: as much as a large model writes of such texts (WRITTEN)."""
    rows = [len(line) for line in schema.example_answer.splitlines() if line and line not in schema.headers]
    row = sum(rows) / len(rows)
    a_word, a_name, longer = *WRITTEN[schema.evidence][:2], row / WRITTEN[schema.evidence][2]
    figures = Figures(0.0, min(1.0, SHOWN_ROW / row), float(gleanings), GLEANED, REPAIRS)
    said = 0.0 if schema.quotes else DESCRIPTION
    return replace(figures, a_word=longer * a_word, a_name=longer * a_name, description=said)


def measured(answers: Sequence[AnswerFigures], assumption: Figures, fixed: Fixed, wave: int) -> Figures:
    """Return the figures of stored answers; where they are silent, those of `assumption`."""
    steps: dict[str, list[AnswerFigures]] = defaultdict(list)
    for answer in answers:
        steps[answer.step].append(answer)
    whole = {answer.chunk_id: answer for answer in steps[WHOLE]}
    if not whole:
        return assumption
    text = sum(answer.text_tokens for answer in whole.values())
    output = sum(answer.output_tokens for answer in whole.values())
    expected = sum(fixed.whole + each.text_tokens + context_tokens(each.place, wave) for each in whole.values())
    read = sum(answer.input_tokens for answer in whole.values())
    others = [answer for step in steps if step not in (WHOLE, GLEAN) for answer in steps[step]]
    gleaned = [each for each in steps[GLEAN] if each.chunk_id in whole and assumption.gleanings]
    figures = replace(
        assumption,
        output=output / max(text, 1),
        a_word=0.0,
        a_name=0.0,
        repairs=len(others) / len(whole),
        repair_output=sum(answer.output_tokens for answer in others) / len(others) if others else REPAIR_OUTPUT,
        factor=read / expected,
        answers=len(answers),
    )
    if not gleaned:
        return figures
    firsts = sum(whole[each.chunk_id].output_tokens for each in gleaned)
    brought = sum(each.output_tokens for each in gleaned) / max(firsts, 1)
    return replace(figures, gleanings=min(figures.gleanings, len(gleaned) / len(whole)), gleaned=brought)


def context_tokens(place: int, wave: int) -> int:
    """Return the tokens that are carried over to the chunk at `place` of a document."""
    return BEFORE_TOKENS + (KNOWN_TOKENS if place >= UNDER_WAY * wave else 0) if wave and place else 0


class Estimate:
    """Adds up what asking takes, step by step, and how long the answers take."""

    def __init__(self, figures: Figures, fixed: Fixed) -> None:
        self._figures = figures
        self._fixed = fixed
        self._steps: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])  # calls, input, output

    def ask(self, prompt: float, text: int, words: int = 0, names: int = 0, *, first: bool, calls: int = 1) -> float:
        """Add the questions about a chunk of `text` tokens; return the seconds until all are answered.

        `prompt` are our tokens of the first question, asked in `calls` parts; `first` is False where it is answered.
        """
        figures, fixed = self._figures, self._fixed
        written = figures.output * text + figures.a_word * words + figures.a_name * names
        read = prompt * figures.factor
        shown = written * figures.shown
        again = (calls - 1) * fixed.whole * figures.factor
        seconds = self._add(WHOLE, calls, (read + again) / calls, written / calls) if first else 0.0
        glean = read + fixed.glean * figures.factor + shown
        seconds += self._add(GLEAN, figures.gleanings, glean, written * figures.gleaned)
        repair = read + fixed.repair * figures.factor + shown / 2
        return seconds + self._add(REPAIR, figures.repairs, repair, figures.repair_output)

    def _add(self, step: str, calls: float, read: float, written: float) -> float:
        sums = self._steps[step]
        for place, value in enumerate((calls, calls * read, calls * written)):
            sums[place] += value
        return calls * (LATENCY_S + written / TOKENS_A_SECOND)

    def describe(self, calls: int, read: float, written: float) -> float:
        """Add the summaries of entities with many descriptions and return the seconds of the calls."""
        if calls:
            self._steps[DESCRIBE] = [float(calls), read * self._figures.factor, written]
        return calls * LATENCY_S + written / TOKENS_A_SECOND

    def usages(self, price: Price | None) -> dict[str, Usage]:
        """Return the sums of the steps that take place at all, rounded to whole calls and tokens."""
        return {
            step: Usage(round(calls), round(read), round(written), price.usd(read, written) if price else None)
            for step, (calls, read, written) in self._steps.items()
            if round(calls)
        }


@dataclass(slots=True)
class SummaryEstimate:
    """Counts in how many chunks each name stands. Names are known by their capital: other scripts count nothing."""

    bound_tokens: int  # of the descriptions of one entity; 0: nothing is summarised
    description_tokens: float  # of one description
    stored: Mapping[str, int] = field(default_factory=dict)  # descriptions that the graph has, by name
    _chunks: Counter[str] = field(default_factory=Counter)

    def add(self, chunk: Chunk) -> None:
        """Count the names of one chunk."""
        self._chunks.update(names_in(chunk.text))
        if len(self._chunks) > REMEMBERED:
            self._chunks = Counter({name: count for name, count in self._chunks.items() if count > 1})

    def sums(self) -> tuple[int, float, float]:
        """Return the calls, and their tokens of input and output."""
        if not self.bound_tokens or not self.description_tokens:
            return 0, 0.0, 0.0
        counts = (count + self.stored.get(name, 0) for name, count in self._chunks.items())
        totals = [count * self.description_tokens for count in counts if count > 1]
        over = [min(total, MOST_TOKENS) for total in totals if total > self.bound_tokens]
        return len(over), sum(over) + SUMMARY_PROMPT * len(over), float(SUMMARY_OUTPUT * len(over))


def words_in(chunk: Chunk) -> int:
    """Return the number of words; where a script has no spaces, one for three tokens."""
    return max(len(re.findall(r"\w+", chunk.text)), chunk.token_count // 3)


def names_in(text: str) -> set[str]:
    """Return the names of a text, as far as capitals show them."""
    return set(_NAME.findall(text))


def waiting_s(wave_s: Mapping[int, Sequence[float]], concurrency: int) -> float:
    """Return how long one document takes; `wave_s` are the seconds of each chunk's calls, by wave.

    As many waves as may be under way are asked together, and the next ones when the slowest of them is answered.
    """
    together: dict[int, list[float]] = defaultdict(list)
    for wave, seconds in wave_s.items():
        together[wave // UNDER_WAY] += seconds
    return sum(max(*chunks, sum(chunks) / concurrency) for chunks in together.values())
