"""What a model is asked about a community, and what becomes of its answers: a report, or one more question. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from kg_neo4j._models import prompts
from kg_neo4j._models.protocols import ChatModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.organise import report_answers
from kg_neo4j.organise.composed_reports import compose
from kg_neo4j.organise.description_merges import Said
from kg_neo4j.organise.report_answers import Draft, fewest_findings, most_findings
from kg_neo4j.organise.report_material import Material, Packed
from kg_neo4j.organise.stored_reports import COMPOSED, MODEL

ROUNDS = 2  # an answer that breaks the rules is asked for once more
INPUT_TOKENS = 8_000  # of members and relationships in one question, at most; less in a smaller window
PROMPT_TOKENS = 900  # prompts/community_report.md with a complaint
ANSWER_TOKENS = 3_000  # room for a report; one of 10 findings in the words that are asked for has 2,000
AMPLE_TOKENS = 8_000  # likewise, in a large window: a model may think before it writes
LARGE_WINDOW = 24_000  # tokens
LEAST_INPUT = 400  # tokens, in the smallest window
WORDS_A_FINDING = 90
WORDS = 150  # of everything else in a report
TINY = 2  # members; a single entity has no community that a model could say something about
NOT_ANSWERED = "the model gave no answer"
DECLINED = "the provider's filter declined to write this report"


@dataclass(frozen=True, slots=True)
class Question:
    """One question about one community."""

    key: str  # id of the answer
    material: Material
    packed: Packed
    round: int
    messages: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Written:
    """What a report says, and how it came about."""

    draft: Draft
    method: str  # "model" or "composed"
    flags: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()  # ids of those it rests on


@dataclass(frozen=True, slots=True)
class Asking:
    """Who is asked, in which graph and about which domain."""

    graph: str
    model: str  # name
    window: int
    domain: str  # empty: none
    max_tokens: int

    @property
    def room(self) -> int:
        """Tokens of a community in one question."""
        return max(LEAST_INPUT, min(INPUT_TOKENS, self.window - PROMPT_TOKENS - self.max_tokens))


def asking(graph: str, model: ChatModel, domain: str) -> Asking:
    """Return how to ask `model`; half of a window too small for a whole report is for the answer."""
    wanted = AMPLE_TOKENS if model.window >= LARGE_WINDOW else ANSWER_TOKENS
    return Asking(graph, model.name, model.window, domain, min(wanted, model.window // 2))


def ask_or_write(material: Material, packed: Packed, said: Mapping[str, Said], asking: Asking) -> Question | Written:
    """Return the report as far as the answers in `said` (by key) give one, or what must be asked first."""
    drafts: list[Draft] = []
    used: list[str] = []
    complaint = ""
    for number in range(ROUNDS):
        question = _question(material, packed, number, complaint, asking)
        if question.key not in said:
            return question
        used.append(question.key)
        answer = said[question.key]
        if answer.finish_reason == "content_filter":
            break
        draft = report_answers.read(answer, material, packed.shown, packed.text)
        drafts.append(draft)
        if not draft.problems:
            break
        complaint = report_answers.complaint(draft.problems)
    if not drafts:
        return composed(material, DECLINED, tuple(used))
    best = drafts[0] if len(drafts) == 1 else report_answers.better(*drafts)
    if not best.is_usable:
        return composed(material, f"the model's answer could not be used: {'; '.join(best.problems)}", tuple(used))
    return Written(_completed(best, material), MODEL, best.problems, tuple(used))


def composed(material: Material, flag: str = "", answers: tuple[str, ...] = ()) -> Written:
    """Return the report that needs no model."""
    return Written(compose(material), COMPOSED, (flag,) if flag else (), answers)


def is_useful(question: Question, said: Said) -> bool:
    """Say whether an answer keeps to the rules."""
    packed = question.packed
    return not report_answers.read(said, question.material, packed.shown, packed.text).problems


def count_tokens(question: Question, tokeniser: Tokeniser) -> int:
    """Return the tokens of a question."""
    return sum(tokeniser.count(message) for message in question.messages)


def _completed(draft: Draft, material: Material) -> Draft:
    """Return a draft within its limits, with a rating."""
    limited = report_answers.within_limits(draft, material)
    if limited.rating is not None and limited.rating_explanation:
        return limited
    counted = compose(material)
    if limited.rating is None:
        return replace(limited, rating=counted.rating, rating_explanation=counted.rating_explanation)
    return replace(limited, rating_explanation="The model gave no reason.")


def _question(material: Material, packed: Packed, number: int, complaint: str, asking: Asking) -> Question:
    least, most = fewest_findings(material), most_findings(material)
    system, user = prompts.load("community_report").render(
        domain=f" The documents are about this field: {asking.domain}." if asking.domain else "",
        findings=_counted(least, most),
        words=str(WORDS + WORDS_A_FINDING * most),
        community=packed.text,
        boundary=hashlib.sha256(packed.text.encode("utf-8", "surrogatepass")).hexdigest()[:12],
        complaint=complaint,
    )
    key = hash_id("report", asking.graph, asking.model, str(number), system, user)
    return Question(key, material, packed, number, (system, user))


def _counted(least: int, most: int) -> str:
    if least == most:
        return f"exactly {most}, because the community is tiny" if most < report_answers.FEWEST else f"exactly {most}"
    tiny = " (the community is tiny: rather few than repetitions)" if least < report_answers.FEWEST else ""
    return f"{least} to {most}{tiny}"
