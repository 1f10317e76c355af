"""From the descriptions of one element to the questions that a model is asked, and from its answers to a summary. Pure.

Descriptions that do not fit one question are merged in steps: groups of them, then the results. What is asked next is
a function of the descriptions and of the answers so far, so stored answers replay to the same summary. An answer that
cannot be used (empty, a table, too long, about something else, numbers from nowhere) is asked for once more; what is
too long even then is cut at a sentence, and what is of no use is replaced by the most informative sentences.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg_neo4j._models import prompts
from kg_neo4j._models.answer_text import without_thoughts
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.acquire.sentences import sentences
from kg_neo4j.organise.description_extracts import cut_at_sentence, cut_at_word, extract

RULES_VERSION = 1  # of the steps, the checks and the extracts: raised when the same answers give another summary
SUMMARY_TOKENS = 150  # of a summary, as it is asked for
LONGEST_TOKENS = 200  # of a summary that is taken as it is
SHORTEST = 20  # characters of a summary
STEP_TOKENS = 6_000  # of descriptions in one question, at most; less where the window is smaller
ROUNDS = 2  # an answer that cannot be used is asked for once more
MODEL, EXTRACTIVE = "model", "extractive"
LET_THROUGH = 0.25  # share of an answer's words that must stand in the descriptions

_FENCE = re.compile(r"^\s*```.*$", re.MULTILINE)
_TABLE_LINE = re.compile(r"^\s*(?:(?:node|relationship)_id\b|[\[{|])|^[^,\n]*(?:,[^\s,][^,\n]*|,(?=,|$)){2,}$")
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"(?<!\w)\d{3,}(?!\w)")
_GROUPED = re.compile(r"(?<=\d)[,.\u00a0\u202f ](?=\d{3}\b)")


@dataclass(frozen=True, slots=True)
class Element:
    """An entity or a fact, and all that is said of it: distinct descriptions in the order of evidence."""

    label: str  # "Entity" or "Fact"
    id: str
    name: str
    texts: tuple[str, ...]

    @property
    def digest(self) -> str:
        """What a stored summary is known by: the rules and everything that it is made from."""
        return hash_id("summary", str(RULES_VERSION), self.label, self.name, *self.texts)


@dataclass(frozen=True, slots=True)
class Asking:
    """Who is asked, and how much fits one question."""

    graph: str
    model: str  # name
    window: int  # prompt and answer together, in tokens
    tokeniser: Tokeniser

    @property
    def room(self) -> int:
        """Tokens of descriptions in one question; two of the longest ones fit."""
        prompt = 500  # prompts/describe.md with names
        return max(200, min(STEP_TOKENS, self.window - prompt - 2 * LONGEST_TOKENS))


@dataclass(frozen=True, slots=True)
class Question:
    """One question about one step of an element."""

    key: str  # id of the answer
    element: Element
    texts: tuple[str, ...]
    round: int
    complaint: str = ""  # about the answer of the round before


@dataclass(frozen=True, slots=True)
class Said:
    """An answer, as it was given. `finish_reason` is "content_filter" where the model declined."""

    text: str
    finish_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """What became of an element's descriptions."""

    text: str
    method: str  # "model" or "extractive"
    answers: tuple[str, ...] = ()  # ids of those it rests on


def extractive(element: Element, tokeniser: Tokeniser) -> Summary:
    """Return the summary that needs no model."""
    return Summary(extract(element.texts, tokeniser, SUMMARY_TOKENS, element.name), EXTRACTIVE)


def merge(element: Element, said: Mapping[str, Said], asking: Asking) -> Summary | tuple[Question, ...]:
    """Return the summary, or the questions that must be answered first; `said` maps question keys to answers."""
    half = asking.room // 2
    level = [cut_at_word(text, asking.tokeniser, half) for text in element.texts]
    used: list[str] = []
    while True:
        groups = _groups(level, asking)
        questions: list[Question] = []
        results: list[tuple[str, str]] = []
        for group in groups:
            if len(group) == 1 and len(groups) > 1:
                results.append((group[0], MODEL))  # merged in the next step
                continue
            step = _step(element, group, said, asking, used)
            if isinstance(step, Question):
                questions.append(step)
            else:
                results.append(step)
        if questions:
            return tuple(questions)
        if len(groups) == 1:
            text, method = results[0]
            if method == EXTRACTIVE:
                text = extractive(element, asking.tokeniser).text
            return Summary(text, method, tuple(used))
        level = [text for text, _ in results]


def messages(question: Question, tokeniser: Tokeniser) -> tuple[str, str]:
    """Return the system and the user message. The mark hashes the descriptions, so none can contain its own end."""
    descriptions = "\n".join(f"- {text}" for text in question.texts)
    from_documents = f"{question.element.name}\0{descriptions}".encode("utf-8", "surrogatepass")
    return prompts.load("describe").render(
        subject="relationship" if question.element.label == "Fact" else "thing",
        name=" ".join(question.element.name.split())[:300],
        count=str(len(question.texts)),
        descriptions=descriptions,
        words=str(words(question.texts, tokeniser)),
        boundary=hashlib.sha256(from_documents).hexdigest()[:12],
        complaint=question.complaint,
    )


def words(texts: Sequence[str], tokeniser: Tokeniser) -> int:
    """Return how many words of the descriptions' own language a summary may have: models count words, not tokens."""
    sample = " ".join(texts)[:4_000]
    return max(20, SUMMARY_TOKENS * len(sample.split()) // max(tokeniser.count(sample), 1) // 5 * 5)


def clean(text: str) -> str:
    """Return what was said as one paragraph, without thoughts and fences."""
    return " ".join(_FENCE.sub("", without_thoughts(text)).split()).strip()


def problem(said: Said, texts: Sequence[str], tokeniser: Tokeniser) -> str:
    """Say why an answer cannot be taken as it is, in words for the model; empty where it can."""
    text = clean(said.text)
    if not text:
        return "it was empty"
    if said.finish_reason == "length":
        return "it was cut off"
    if _is_table(said.text):
        return "it was a table or CSV"
    if len(text) < SHORTEST:
        return "it said next to nothing"
    if not _is_about(text, texts):
        return "it did not say what the descriptions say, in their language"
    if strange := _strange_numbers(text, texts):
        return f"no description has the number {sorted(strange)[0]}"
    if tokeniser.count(text) > LONGEST_TOKENS:
        return f"it had {len(text.split())} words"
    return ""


def salvage(said: Said, texts: Sequence[str], tokeniser: Tokeniser) -> str:
    """Return what can be kept of an answer with a problem: whole sentences that fit and bring no number; or nothing."""
    text = clean(said.text)
    if said.finish_reason == "content_filter" or _is_table(said.text) or not _is_about(text, texts):
        return ""
    found = [text[start:end] for start, end in sentences(text, 0, len(text))]
    if said.finish_reason == "length":
        found = found[:-1]
    kept = " ".join(sentence for sentence in found if not _strange_numbers(sentence, texts))
    cut = cut_at_sentence(kept, tokeniser, LONGEST_TOKENS)
    return cut if len(cut) >= SHORTEST else ""


def _step(
    element: Element, texts: tuple[str, ...], said: Mapping[str, Said], asking: Asking, used: list[str]
) -> Question | tuple[str, str]:
    """Return a question, or the text of one step and how it was made; ids of answers are added to `used`."""
    complaint = ""
    last = Said("")
    for number in range(ROUNDS):
        key = _key(element, texts, asking, number)
        if key not in said:
            return Question(key, element, texts, number, complaint)
        used.append(key)
        last = said[key]
        why = problem(last, texts, asking.tokeniser)
        if not why:
            return clean(last.text), MODEL
        if last.finish_reason == "content_filter":
            break
        complaint = f"\n\nYour last answer could not be used: {why}. Keep to the rules."
    kept = salvage(last, texts, asking.tokeniser)
    if kept:
        return kept, MODEL
    return extract(texts, asking.tokeniser, SUMMARY_TOKENS, element.name), EXTRACTIVE


def _key(element: Element, texts: Sequence[str], asking: Asking, number: int) -> str:
    asked = hash_id(element.label, element.name, *texts)
    prompt = prompts.load("describe").hash
    return hash_id("description", asking.graph, asked, prompt, asking.model, str(number))


def _groups(level: Sequence[str], asking: Asking) -> list[tuple[str, ...]]:
    """Put texts together, in order, as far as they fit one question."""
    groups: list[tuple[str, ...]] = []
    group: list[str] = []
    filled = 0
    for text in level:
        tokens = asking.tokeniser.count(text) + 3  # its mark and its line end
        if len(group) > 1 and filled + tokens > asking.room:
            groups.append(tuple(group))
            group, filled = [], 0
        group.append(text)
        filled += tokens
    return [*groups, tuple(group)]


def _is_table(text: str) -> bool:
    said = _GROUPED.sub("", without_thoughts(text))
    lines = [line for line in said.splitlines() if line.strip() and not _FENCE.match(line)]
    tabular = sum(bool(_TABLE_LINE.match(line)) for line in lines)
    return tabular > 0 and tabular * 2 >= len(lines)


def _is_about(text: str, texts: Sequence[str]) -> bool:
    """Say whether enough of the words of `text` stand in the descriptions, endings aside."""
    mine = _stems(text)
    theirs = set().union(*(_stems(each) for each in texts))
    return not mine or len(mine & theirs) >= LET_THROUGH * len(mine)


def _stems(text: str) -> set[str]:
    """Return the beginnings of words; single characters of scripts that put no space between words."""
    stems: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        if word[-1] >= "\u2e80":
            stems.update(word)
        elif len(word) > 4:
            stems.add(word[:5])
    return stems


def _strange_numbers(text: str, texts: Sequence[str]) -> set[str]:
    """Return the numbers of three or more digits that no description has."""
    found = set(_NUMBER.findall(_GROUPED.sub("", text)))
    return found - set(_NUMBER.findall(_GROUPED.sub("", " ".join(texts)))) if found else found
