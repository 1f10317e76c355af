"""Whether cited words support a claim, judged by the words themselves. Pure.

An overlap that is strict where overlaps go wrong: every number, date and name of the claim has to stand in the cited
words (a name also in the document's title or among what the graph calls the same entity), what is denied in one has to
be denied in the other, no word stands against its opposite, and who did it to whom is not turned round. Measured on
tests/data/claims.json (docs/decisions/0022-answers.md).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kg_neo4j.retrieve.checking.polarity import denied, opposite, turned_round
from kg_neo4j.retrieve.checking.statement import Statement, number_of, read
from kg_neo4j.retrieve.sentences import split_sentences
from kg_neo4j.words import MONTHS, family, fold, same_word, split_words

COVERAGE = 0.55  # share of the claim's content words that the cited words must have; set on half of the pairs
WINDOW = 3  # sentences beside each other that may support a claim together
LIFESPAN = re.compile(r"^\W*(?:\([^)]*\)\W*)*\([^()]*\d{3,4}[^()]*[–—-][^()]*\d{3,4}[^()]*\)")
_BIRTH, _DEATH = family("born"), family("die")


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """What a claim cites: some text, the title it stands under, and the names that one thing goes by."""

    text: str
    title: str = ""
    names: tuple[tuple[str, ...], ...] = ()  # a name of an entity with its aliases
    around: str = ""  # the whole passage that `text` is taken from: pronouns stand for names in it


@dataclass(frozen=True, slots=True)
class Support:
    """Whether passages support a claim; where not, `reason` says what is missing."""

    supported: bool
    reason: str = ""


def supports(claim: str, passages: Sequence[CitedPassage]) -> Support:
    """Return whether `passages` together support `claim`."""
    said = read(claim)
    if not said.content and not said.numbers:
        return Support(False, "it says nothing that can be checked")
    places = [best_window(claim, passage.text) for passage in passages]
    best = [passage.text[start:end] for passage, (start, end) in zip(passages, places, strict=True)]
    windows = [read(text) for text in best if text]
    if not windows:
        return Support(False, "it cites no words")
    first, titles = said.order[0], _folded(passage.title for passage in passages)
    if first in said.content & titles.union(*(each.names for each in windows)) and first not in said.names:
        said = replace(said, names=(first, *said.names))  # the cited text writes the claim's first word as a name
    known = _known_names(windows, passages)
    missing = [name for name in said.names if not any(has_word(each, name) for each in windows)]
    missing = [said.written[name] for name in missing if not _is_known(name, known)]
    known |= words_of_lives(*(passage.text for passage in passages))
    content = said.content or frozenset(said.names)
    there = sum(any(has_word(each, word) for each in windows) or _is_known(word, known) for word in content)
    found = there / len(content) if content else 1.0
    reason = (
        _numbers(said, windows, best)
        or (f"the cited text does not name {', '.join(missing)}" if missing else "")
        or (f"only {found:.0%} of its words are in the cited text" if found < COVERAGE else "")
        or denied(said, windows)
        or opposite(said, windows)
        or turned_round(said, windows)
    )
    return Support(not reason, reason)


def best_window(claim: str, text: str) -> tuple[int, int]:
    """Return where in `text` the run of sentences stands that has most of `claim`; the shortest of equal ones."""
    said = read(claim)
    wanted, numbers = sorted(said.content), sorted(said.numbers)
    sentences = split_sentences(text)
    gains = []  # what each sentence has of each content word and number of the claim
    for sentence in sentences:
        told = read(sentence.text)
        words = [1.0 if has_word(told, word) else 0.0 for word in wanted]
        gains.append([0.0, *words, *(2.0 if number in told.numbers else 0.0 for number in numbers)])
    best, best_score = (0, 0), -1.0
    for size, first in itertools.product(range(1, WINDOW + 1), range(len(sentences))):
        if first + size > len(sentences):
            continue
        score = sum(max(each) for each in zip(*gains[first : first + size], strict=True)) - 0.2 * size
        if score > best_score:
            best, best_score = (sentences[first].start, sentences[first + size - 1].end), score
    return best


def has_word(statement: Statement, word: str) -> bool:
    """Return whether a statement has a folded word, in any of its forms."""
    if word in statement.words or family(word) & statement.words:
        return True
    return any(same_word(word, other) for other in statement.words)


def words_of_lives(*texts: str) -> frozenset[str]:
    """Return the words of birth and death where a bracket, such as "(1769 – 1859)", says both."""
    has_both = any(LIFESPAN.match(bracket) for text in texts for bracket in re.findall(r"\([^()]*\)", text))
    return _BIRTH | _DEATH if has_both else frozenset()


def _known_names(windows: Sequence[Statement], passages: Sequence[CitedPassage]) -> frozenset[str]:
    """Return the words of titles, and of all names of what the windows name by one of them."""
    words = set(_folded(passage.title for passage in passages))
    here = frozenset().union(*(each.words for each in windows)) | words
    for passage in passages:
        # a pronoun stands for a name that was said earlier in the passage
        words |= set(read(passage.around or passage.text).names)
        for group in passage.names:
            if any(_folded([name]) <= here for name in group if name.strip()):
                words |= _folded(group)
    return frozenset(words)


def _folded(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(fold(word) for text in texts for word in split_words(text))


def _is_known(word: str, known: frozenset[str]) -> bool:
    return word in known or any(same_word(word, other) for other in known if len(other) > 3)


def _numbers(said: Statement, windows: Sequence[Statement], texts: Sequence[str]) -> str:
    there = frozenset().union(*(each.numbers for each in windows))
    missing = sorted(said.numbers - there)
    if missing:
        return f"the cited text does not say {', '.join(missing)}"
    for date in _dates(said.order):
        if not any(_agrees(date, other) for each in windows for other in _dates(each.order, bare=True)):
            return "the cited text gives another date"
    return _lifespan(said, texts)


def _agrees(date: tuple[int | None, int, int | None], other: tuple[int | None, int, int | None]) -> bool:
    return all(mine is None or theirs is None or mine == theirs for mine, theirs in zip(date, other, strict=True))


def _dates(order: Sequence[str], *, bare: bool = False) -> list[tuple[int | None, int, int | None]]:
    """Return the dates with a month in them: (day, month, year), None for what is not said beside the month.

    With `bare` also months without anything beside them.
    """
    found = []
    order = [word for word in order if word != "of"]
    for index, word in enumerate(order):
        month = MONTHS.get(word)
        before = number_of(order[index - 1]) if index else None
        after = number_of(order[index + 1]) if index + 1 < len(order) else None
        later = number_of(order[index + 2]) if index + 2 < len(order) else None
        if month is None or not (before or after or bare):
            continue
        day = next((int(each) for each in (before, after) if each and _is_day(each)), None)
        years = (each for each in (after, later) if each and not _is_day(each))
        year = next((int(each) for each in years if each.isdigit() and len(each) < 10), None)
        found.append((day, month, year))
    return found


def _is_day(number: str) -> bool:
    return number.isdigit() and len(number) < 3 and 1 <= int(number) <= 31


def _lifespan(said: Statement, texts: Sequence[str]) -> str:
    """Return what is wrong where "Name (1769 – 1859)" has the year, but as the other end of the life."""
    birth, death = bool(said.words & _BIRTH), bool(said.words & _DEATH)
    years = {number for number in said.numbers if len(number) in (3, 4)}
    if birth == death or not years:
        return ""
    for text in texts:
        for match in re.finditer(r"\([^()]*\)", text):
            if LIFESPAN.match(match[0]):
                born, _, died = (part.strip() for part in re.split(r"([–—-])", match[0], maxsplit=1))
                other, own = (died, born) if birth else (born, died)
                outside = text[: match.start()] + text[match.end() :]
                is_other = any(year in other and year not in own for year in years)
                if is_other and not said.numbers & read(outside).numbers:
                    return "the cited text gives that year for the other end of the life"
    return ""
