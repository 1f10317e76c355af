"""Asks one question of one system and scores the answer; what was asked before is taken from the file.

A plan does the same with doors that count, and adds up what the run would take.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from kg_neo4j._models.tasks import Request
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import UnreadableSource
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.pipeline.commands.ask import Answerer
from kg_neo4j.records import Answer, Filters, Usage
from kg_neo4j.retrieve.checking.citations import quotes_are_in_place
from kg_neo4j.retrieve.checking.claims import plain_text
from kg_neo4j_lab.answers import correctness
from kg_neo4j_lab.answers.by_heart import by_heart
from kg_neo4j_lab.answers.choosing import choose
from kg_neo4j_lab.answers.correctness import ModelJudge, StatementJudge, Statements
from kg_neo4j_lab.answers.questions import AnsweredQuestion
from kg_neo4j_lab.answers.ragas_scores import Ragas
from kg_neo4j_lab.answers.recalling import Recalling, RecordFile
from kg_neo4j_lab.answers.scores import WHOLE, Case, GivenAnswer, GoldenScore, case_row, exact_match, f1, read_case
from kg_neo4j_lab.answers.supposed import ANSWER_TOKENS, priced, usage_of
from kg_neo4j_lab.answers.systems import GLOBAL, NONE, System

ANSWER, CASE = "answer", "case"  # kinds of lines
VERSION = 2  # of how answers are scored: lines that another version saved are not of use
PROMPT_TOKENS = 500  # of a question without its evidence
JUDGED = Usage(1, 900, 80)  # a judgement of the claims of an answer that is not there
GLOBAL_CALLS = 2  # one reads reports, one combines
NO_ANSWER = "no answer but"  # how a note begins that what is shown instead is none
RAGAS_PROMPT, RAGAS_TOKENS = 1_200, 150  # its prompts have examples, its answers reasons


@dataclass(slots=True)
class Asking:
    """Asks and scores over one connection. `taken` counts the answers that the file had."""

    answerer: Answerer
    model: Recalling  # that answers
    judge: StatementJudge
    file: RecordFile | None
    context_tokens: int
    whole_graph: bool
    ragas: Ragas | None  # its scores, too
    score: str = WHOLE  # what is held against golden answers, see `GivenAnswer.scored`
    chooses: bool = False  # a model chooses an option of questions that have some
    taken: int = 0
    _rows: dict[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)

    def given(self, system: System, question: AnsweredQuestion) -> GivenAnswer:
        """Return the answer. Raises what asking raises; UnreadableSource for a file that is not ours."""
        run = self._run(system, question)
        if (known := self._known(run)) is not None:
            self.taken += 1
            return known
        options = system.options(self.filters(question), self.context_tokens)
        with self.model.paid_by(f"{system.name} {question.id}"):
            if system.mode == NONE:
                answer = by_heart(self.answerer.door, question)
            else:
                answer = self.answerer.answer(question.text, options)
            given = given_answer(self.answerer.database, self.answerer.settings.graph, question, answer)
            if self.chooses and question.options:
                chosen, usage = choose(self.answerer.door, question, answer)
                given = replace(given, chosen=chosen, usage=given.usage + usage)
        if self.file:
            self.file.append(ANSWER, {"key": run, "system": system.name, "given": asdict(given)})
        return given

    def case(self, system: System, question: AnsweredQuestion, given: GivenAnswer) -> Case:
        """Return the scores of an answer; several threads may ask for several questions. Raises as `given`."""
        key = self._case_key(system, question)
        if (row := self._saved(CASE).get(key)) is not None:
            try:
                return read_case(row, question, given)
            except (KeyError, TypeError) as error:
                raise UnreadableSource(f"the saved case of question {question.id} is none of ours") from error
        owner = f"judge {system.name} {question.id}"
        with self.judge.model.paid_by(owner) if isinstance(self.judge, ModelJudge) else nullcontext():
            case = self._scored(system, question, given)
        if self.file:
            self.file.append(CASE, {"key": key, **case_row(case)})
        return case

    @property
    def judged_at_once(self) -> int:
        """How many questions may be judged at a time."""
        alone = not isinstance(self.judge, ModelJudge) or self.ragas is not None
        return 1 if alone else self.answerer.settings.model_concurrency

    @property
    def paid(self) -> Usage:
        """What this process paid, for answers and for judging."""
        return self.model.spent + (self.judge.model.spent if isinstance(self.judge, ModelJudge) else Usage())

    def knows(self, system: System, question: AnsweredQuestion) -> tuple[bool, bool]:
        """Return whether the file has the answer, and whether it is judged there."""
        known = self._known(self._run(system, question)) is not None
        return known, known and self._case_key(system, question) in self._saved(CASE)

    def filters(self, question: AnsweredQuestion) -> Filters:
        """Return what a question is kept to: the text that it is about."""
        return Filters() if self.whole_graph or not question.document else Filters(documents=(question.document,))

    def _run(self, system: System, question: AnsweredQuestion) -> str:
        """Return the key of an answer: a hash of all that shapes it but the graph's contents."""
        settings, model = self.answerer.settings, self.answerer.door
        how = repr(system.options(self.filters(question), self.context_tokens))
        models = (model.name, self.answerer.embedder.name, settings.unsupported, str(settings.judge))
        also = ["choose"] if self.chooses and question.options else []
        return hash_id(
            f"answers {VERSION}", settings.graph, *models, *also, system.name, how, question.id, question.text
        )

    def _saved(self, kind: str) -> Mapping[str, Mapping[str, Any]]:
        if kind not in self._rows:
            self._rows[kind] = {row.get("key", ""): row for row in (self.file.rows(kind) if self.file else ())}
        return self._rows[kind]

    def _known(self, run: str) -> GivenAnswer | None:
        row = self._saved(ANSWER).get(run)
        return None if row is None else given_of(row.get("given"))

    def _case_key(self, system: System, question: AnsweredQuestion) -> str:
        judge, also = (self.judge.name, str(self.judge.is_proxy), self.score), ("ragas",) if self.ragas else ()
        embedder = self.answerer.embedder.name
        return hash_id(self._run(system, question), *judge, embedder, *question.held_against, *also)

    def _scored(self, system: System, question: AnsweredQuestion, given: GivenAnswer) -> Case:
        goldens: list[GoldenScore] = []
        judging, said = Usage(), given.scored(self.score)
        for golden in question.held_against:
            similar = correctness.answer_similarity(said, golden, self.answerer.embedder, self.answerer.tokeniser)
            found = correctness.answer_correctness(question.text, said, golden, judge=self.judge, similarity=similar)
            judging += found.judgement.usage
            statements = found.judgement.statements or Statements()
            scores = (similar, found.f1, found.score, statements.right, statements.wrong, statements.missing)
            score = GoldenScore(golden, *scores, found.judgement.problem)
            if self.ragas:
                theirs = self.ragas.score(question.text, said, golden)
                judging += theirs.usage
                problem = "; ".join(filter(None, (score.problem, theirs.problem)))
                score = GoldenScore(golden, *scores, problem, theirs.similarity, theirs.correctness)
            goldens.append(score)
        return Case(system.name, question, given, tuple(goldens), self.judge.name, judging, said)


def given_of(row: Any) -> GivenAnswer:
    """Return an answer as it was saved. Raises UnreadableSource where it is none."""
    try:
        known = {each.name: row[each.name] for each in fields(GivenAnswer) if each.name in row}
        return GivenAnswer(**{**known, "usage": Usage(**row["usage"]), "notes": tuple(row["notes"])})
    except (KeyError, TypeError) as error:
        raise UnreadableSource("a saved answer is none of ours", hint="give --save another file") from error


def given_answer(database: Database, graph: str, question: AnsweredQuestion, answer: Answer) -> GivenAnswer:
    """Return an answer with its scores; its citations are looked up in the graph, not taken on trust."""
    found = answer.found and not any(note.startswith(NO_ANSWER) for note in answer.notes)
    said = (answer.short or plain_text(answer.answer)) if found else ""
    ids = sorted({each.chunk_id for each in answer.citations})
    rows = database.read(queries.get("retrieve/cited_chunks"), graph=graph, ids=ids)
    texts = {row["id"]: row["text"] for row in rows}
    cited = [claim for claim in answer.claims if claim.citations]
    return GivenAnswer(
        id=question.id,
        type=question.type,
        said=said,
        short=answer.short,
        exact=exact_match(said, question.answers) if said else 0.0,
        f1=f1(said, question.answers) if said else 0.0,
        found=found,
        cited_claims=len(cited),
        supported=sum(claim.support == "supported" for claim in cited),
        citations=len(answer.citations),
        valid=sum(quotes_are_in_place([each], texts) for each in answer.citations),
        usage=answer.usage,
        seconds=answer.seconds,
        text=answer.answer,
        notes=answer.notes,
        context_tokens=sum(each.token_count for each in answer.evidence),
    )


@dataclass(slots=True)
class Counting:
    """Asks and judges as a run does, and counts the questions."""

    asked: list[Request] = field(default_factory=list)
    judged: list[Request] = field(default_factory=list)
    _unbuilt: set[str] = field(default_factory=set)  # what was estimated: the same question is asked once

    def answer(self, run: Asking, system: System, question: AnsweredQuestion, *, is_built: bool) -> Usage:
        """Return what an answer takes, and count what judging it does."""
        before = len(self.asked)
        known, is_judged = run.knows(system, question)
        if known or is_built:
            said = run.given(system, question).scored(run.score)
            usage = usage_of(self.asked[before:], run.answerer.tokeniser, run.answerer.settings)
            said = said or (f"{system.name}: {question.text}" if usage.calls else "")
        else:
            said, usage = self._estimated(run, system, question)
        if not is_judged and not run.judge.is_proxy:
            for golden in question.held_against:
                correctness.answer_correctness(question.text, said, golden, judge=run.judge, similarity=0.0)
        return usage

    def judging(self, run: Asking) -> Usage:
        """Return what judging takes."""
        if run.judge.is_proxy:
            return Usage()
        settings = correctness.settings_of_judge(run.answerer.settings)
        ours = usage_of(self.judged, run.answerer.tokeniser, settings)
        if not run.ragas:
            return ours
        return ours + priced(Usage(ours.calls, ours.calls * RAGAS_PROMPT, ours.calls * RAGAS_TOKENS), settings)

    def _estimated(self, run: Asking, system: System, question: AnsweredQuestion) -> tuple[str, Usage]:
        """Return an answer that stands for the one of a system that is not built, and about what it takes."""
        options = system.options(run.filters(question), run.context_tokens)
        said = f"{run.answerer.settings.graph} {options}"
        if (key := f"{said} {question.text}") in self._unbuilt:
            return said, Usage(usd=0.0)
        self._unbuilt.add(key)
        calls = (GLOBAL_CALLS if system.name == GLOBAL else 1) + (run.chooses and bool(question.options))
        usage = Usage(calls, calls * ((options.max_context_tokens or 0) + PROMPT_TOKENS), calls * ANSWER_TOKENS)
        judged = JUDGED if run.answerer.settings.judge and system.name != GLOBAL else Usage()
        return said, priced(run.answerer.door.planned(usage + judged), run.answerer.settings)
