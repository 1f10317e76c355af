"""Statements compared by their words, without a model: a proxy, labelled as one wherever its figures are shown. Pure.

A statement is a sentence. Two agree where one of them has the words of the other, with its names, numbers and denials,
as the check of claims holds a claim against what it cites; what the question says counts as said.
"""

from __future__ import annotations

from dataclasses import dataclass

from kg_neo4j.eval.answers.judgement import Judgement, Statements
from kg_neo4j.eval.answers.scores import normalise
from kg_neo4j.retrieve.checking.support import Passage, supports
from kg_neo4j.retrieve.sentences import readable, split_sentences

NAME = "words"


@dataclass(frozen=True, slots=True)
class WordJudge:
    """A StatementJudge that asks nobody."""

    @property
    def name(self) -> str:
        """Stored beside its judgements."""
        return NAME

    @property
    def is_proxy(self) -> bool:
        """It compares words."""
        return True

    def judge(self, question: str, answer: str, golden: str) -> Judgement:
        """Compare the sentences of two texts."""
        said, wanted = _statements(answer), _statements(golden)
        made = {each for each in said if any(_agree(question, each, other) for other in wanted)}
        met = {each for each in wanted if any(_agree(question, other, each) for other in said)}
        return Judgement(
            Statements(
                right=tuple(each for each in said if each in made),
                wrong=tuple(each for each in said if each not in made),
                missing=tuple(each for each in wanted if each not in met),
            )
        )


def _statements(text: str) -> list[str]:
    found = [readable(each.text).strip() for each in split_sentences(text)]
    return list(dict.fromkeys(each for each in found if each)) or [text.strip()]


def _agree(question: str, said: str, wanted: str) -> bool:
    if normalise(said) == normalise(wanted):
        return True
    return any(supports(one, [Passage(other, question)]).supported for one, other in ((said, wanted), (wanted, said)))
