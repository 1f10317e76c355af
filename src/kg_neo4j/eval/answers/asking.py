"""Asks one question of one system and scores the answer; what was asked before is taken from the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import UnreadableSource
from kg_neo4j.eval.answers.cases import Case, GoldenScore, case_row, read_case
from kg_neo4j.eval.answers.correctness import answer_correctness, answer_similarity
from kg_neo4j.eval.answers.judgement import StatementJudge
from kg_neo4j.eval.answers.model_judge import ModelJudge
from kg_neo4j.eval.answers.questions import AnsweredQuestion
from kg_neo4j.eval.answers.ragas_scores import Ragas
from kg_neo4j.eval.answers.recalling import Recalling
from kg_neo4j.eval.answers.record_file import RecordFile
from kg_neo4j.eval.answers.scores import GivenAnswer, exact_match, f1
from kg_neo4j.eval.answers.systems import System
from kg_neo4j.records import Answer, Filters, Usage

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Database
    from kg_neo4j.pipeline.commands.ask import Answerer

ANSWER, CASE = "answer", "case"  # kinds of lines
VERSION = 1  # of how answers are scored: lines that another version saved are not of use


@dataclass(slots=True)
class Asking:
    """Asks and scores over one connection. `taken` counts the answers that the file had."""

    answerer: Answerer
    judge: StatementJudge
    file: RecordFile | None
    context_tokens: int
    whole_graph: bool = False
    ragas: Ragas | None = None  # its scores, too
    model: Recalling | None = None  # that answers
    taken: int = 0
    _rows: dict[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)

    def given(self, system: System, question: AnsweredQuestion) -> GivenAnswer:
        """Return the answer. Raises what asking raises; UnreadableSource for a file that is not ours."""
        run = self._run(system, question)
        if (known := self._known(run)) is not None:
            self.taken += 1
            return known
        options = system.options(self.filters(question), self.context_tokens)
        with self._paid_by(self.model, f"{system.name} {question.id}"):
            answer = self.answerer.answer(question.text, options)
        given = given_answer(self.answerer.database, self.answerer.settings.graph, question, answer)
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
        with self._paid_by(self.judge, f"judge {system.name} {question.id}"):
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
        asked = (self.model, self.judge.model if isinstance(self.judge, ModelJudge) else None)
        return sum((each.spent for each in asked if each is not None), Usage())

    @property
    def _also(self) -> tuple[str, ...]:
        return ("ragas",) if self.ragas else ()

    def knows(self, system: System, question: AnsweredQuestion) -> tuple[GivenAnswer | None, bool]:
        """Return the answer that the file has, and whether it is judged there."""
        known = self._known(self._run(system, question))
        return known, known is not None and self._case_key(system, question) in self._saved(CASE)

    def filters(self, question: AnsweredQuestion) -> Filters:
        """Return what a question is kept to: the text that it is about."""
        if self.whole_graph or not question.document:
            return Filters()
        return Filters(documents=(question.document,))

    def _run(self, system: System, question: AnsweredQuestion) -> str:
        """Return the key of an answer: a hash of all that shapes it but the graph's contents."""
        settings, model = self.answerer.settings, self.answerer.door
        how = repr(system.options(self.filters(question), self.context_tokens))
        models = (model.name if model else "", self.answerer.embedder.name, settings.unsupported, str(settings.judge))
        return hash_id(f"answers {VERSION}", settings.graph, *models, system.name, how, question.id, question.text)

    def _saved(self, kind: str) -> Mapping[str, Mapping[str, Any]]:
        if kind not in self._rows:
            self._rows[kind] = {row.get("key", ""): row for row in (self.file.rows(kind) if self.file else ())}
        return self._rows[kind]

    def _known(self, run: str) -> GivenAnswer | None:
        if (row := self._saved(ANSWER).get(run)) is None:
            return None
        try:
            return given_of(row["given"])
        except (KeyError, TypeError) as error:
            raise UnreadableSource("a saved answer is none of ours", hint="give --save another file") from error

    def _case_key(self, system: System, question: AnsweredQuestion) -> str:
        embedder, judge = self.answerer.embedder.name, (self.judge.name, str(self.judge.is_proxy))
        return hash_id(self._run(system, question), *judge, embedder, *question.held_against, *self._also)

    def _scored(self, system: System, question: AnsweredQuestion, given: GivenAnswer) -> Case:
        goldens: list[GoldenScore] = []
        judging = Usage()
        for golden in question.held_against:
            similar = answer_similarity(given.said, golden, self.answerer.embedder, self.answerer.tokeniser)
            found = answer_correctness(question.text, given.said, golden, judge=self.judge, similarity=similar)
            judging += found.judgement.usage
            theirs = self.ragas.score(question.text, given.said, golden) if self.ragas else None
            judging += theirs.usage if theirs else Usage()
            sorted_ = found.judgement.statements
            goldens.append(
                GoldenScore(
                    golden,
                    similar,
                    found.f1,
                    found.score,
                    *((sorted_.right, sorted_.wrong, sorted_.missing) if sorted_ else ((), (), ())),
                    problem="; ".join(
                        each for each in (found.judgement.problem, theirs.problem if theirs else "") if each
                    ),
                    ragas_similarity=theirs.similarity if theirs else None,
                    ragas_correctness=theirs.correctness if theirs else None,
                )
            )
        return Case(system.name, question, given, tuple(goldens), self.judge.name, judging)

    def _paid_by(self, who: object, owner: str) -> Any:
        from contextlib import nullcontext

        told = who.model if isinstance(who, ModelJudge) else who
        return told.paid_by(owner) if isinstance(told, Recalling) else nullcontext()


def given_of(row: Mapping[str, Any]) -> GivenAnswer:
    """Return an answer as it was saved. Raises KeyError and TypeError where it is none."""
    known = {each.name: row[each.name] for each in fields(GivenAnswer) if each.name in row}
    return GivenAnswer(**{**known, "usage": Usage(**row["usage"]), "notes": tuple(row["notes"])})


def given_answer(database: Database, graph: str, question: AnsweredQuestion, answer: Answer) -> GivenAnswer:
    """Return an answer with its scores; its citations are looked up in the graph, not taken on trust."""
    from kg_neo4j.graph import queries
    from kg_neo4j.retrieve.checking.citations import quotes_are_in_place
    from kg_neo4j.retrieve.checking.claims import plain_text

    said = (answer.short or plain_text(answer.answer)) if answer.found else ""
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
        found=answer.found,
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
