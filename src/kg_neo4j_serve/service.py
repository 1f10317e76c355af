"""The one place that answers: API, tools and pages call these methods, and nothing else of theirs reads the graph."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Literal

from kg_neo4j import factory
from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.records import Answer, Citation, Filters
from kg_neo4j_serve import limits, results
from kg_neo4j_serve.connection import Connection
from kg_neo4j_serve.limits import bounded, checked, cursor_at, page, picked, shortened, start_of
from kg_neo4j_serve.refusals import Refused, missing

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Database
    from kg_neo4j.graph.resolution.proposals import Proposal
    from kg_neo4j.retrieve.checking.standing import CitedThing

Mode = Literal["auto", "local", "naive", "global", "tree", "cypher"]
SEARCHED = 50  # entities, and passages, that all pages of a search show: one order for all of them
REPORTS = "reports"
# texts, and outside of them `$graph`: the guards keep that name for themselves, so a query has it as `$Graph`
OWN = re.compile(r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|\$graph\b""", re.DOTALL)
CORRECTIONS = "kg_neo4j.rooms.corrections.deciding"


class Service(Connection):
    """Answers on one graph, over the connection of the server. Its methods may be called by many threads at once."""

    def ask(
        self,
        question: str,
        *,
        mode: Mode = "auto",
        filters: Filters | None = None,
        on_token: Callable[[str], None] | None = None,
    ) -> results.AskResult:
        """Answer a question from the documents, with checked claims and quotes.

        `on_token` gets a model's words as they come, before they are checked.
        """
        from kg_neo4j.retrieve.filters import say
        from kg_neo4j.retrieve.interface import AskOptions

        filters = filters or Filters()
        checked(question, "question")
        _check(filters)
        asking = self.asking()
        answer = asking.answer(question, AskOptions(mode, filters=filters), on_token)
        self.metrics.add({f'questions_total{{found="{answer.found}"}}'.lower(): 1})
        how = f"{answer.routing.mode}: {answer.routing.why}" if answer.routing else answer.mode
        passages = len({each.chunk_id for each in answer.evidence if each.chunk_id})
        what = self._searched(asking.database, how, say(filters), passages)
        return _told(answer, what, factory.model_and_server(self.settings)[0], self.notes)

    def verify(self, text: str, *, filters: Filters | None = None) -> results.VerifyResult:
        """Check the claims of a text against the documents: stated, contradicted or not found. No model is called."""
        from kg_neo4j.pipeline.commands.verify import verify_in
        from kg_neo4j.retrieve.filters import say

        filters = filters or Filters()
        _check(filters)
        asking = self.asking()
        found = verify_in(asking, checked(text, "text", most=limits.MOST_VERIFIED), filters)
        quotes: dict[results.Quote, int] = {}
        rows = []
        for each in found.claims:
            numbers = [quotes.setdefault(_quote(citation), len(quotes) + 1) for citation in each.citations]
            rows.append(results.VerifiedRow(each.claim, each.verdict, each.reason, each.read_as, tuple(numbers)))
        what = self._searched(asking.database, "each claim", say(filters))
        return results.VerifyResult(tuple(rows), tuple(quotes), found.left_out, what, found.notes)

    def search(self, words: str, *, limit: int = limits.ROWS, cursor: str | None = None) -> results.SearchHits:
        """Return entities and passages that fit `words`. No model is called."""
        from kg_neo4j.pipeline.commands.search import search_in

        asking = self.asking()
        skip, limit = start_of(cursor), bounded(limit)
        found = search_in(asking.database, checked(words, "words"), asking.settings, SEARCHED, asking.embedder)
        hits = [results.Hit(h.kind, h.id, h.name, h.type, shortened(h.text), h.evidence) for h in found.hits]
        kinds = [[each for each in hits if each.kind == kind] for kind in ("entity", "passage")]
        shown = [each for kind in kinds for each in kind[skip : skip + limit]]
        is_more = any(len(kind) > skip + limit for kind in kinds)
        what, following = self._searched(asking.database, "names, words and meaning"), cursor_at(skip + limit)
        return results.SearchHits(words, tuple(shown), what, following if is_more else None, found.notes)

    def entity(self, name: str, *, limit: int = limits.ROWS, cursor: str | None = None) -> results.EntityCard:
        """Return an entity by one of its names or its id, with a page of its facts."""
        from kg_neo4j.pipeline.commands.search import show_in

        database, skip, limit = self.database(), start_of(cursor), bounded(limit)
        found = show_in(database, checked(name, "name"), self.graph, skip + limit + 1, 1)
        facts = [
            results.EntityFact(
                *(f.id, f.source, f.type, f.target, f.evidence, shortened(f.quote), f.document, f.chunk_id),
                *(f.in_tables, f.line, f.by_hand),
            )
            for f in found.facts
        ]
        shown, following = page(facts, skip, limit)
        return results.EntityCard(
            **{at: getattr(found, at) for at in ("id", "name", "type", "evidence", "documents", "tables", "degree")},
            aliases=found.aliases[: limits.MOST_ROWS],
            description=shortened(found.description),
            facts=shown,
            near=found.near[:10],
            cursor=following,
        )

    def documents(
        self, words: str = "", *, limit: int = limits.ROWS, cursor: str | None = None
    ) -> results.DocumentList:
        """Return a page of the documents; with `words` those that have them in title or key."""
        database, skip, limit = self.database(), start_of(cursor), bounded(limit)
        wanted = checked(words, "words", may_be_empty=True).strip().lower()
        rows = database.read(queries.get("serve/documents"), graph=self.graph, words=wanted, skip=skip, limit=limit)
        total = rows[0]["total"] if rows else 0
        names = [each.name for each in fields(results.ListedDocument)]
        listed = tuple(results.ListedDocument(**picked(row, *names)) for row in rows)
        return results.DocumentList(listed, total, cursor_at(skip + limit) if total > skip + limit else None)

    def source(
        self, id: str, *, around: int = 1, limit: int | None = None, cursor: str | None = None
    ) -> results.ReadPassages:
        """Return a passage and its neighbours by the id of a chunk, or passages by the id of a document."""
        database, skip, around = self.database(), start_of(cursor), min(max(around, 0), limits.MOST_AROUND)
        wanted = {"id": checked(id, "id"), "before": around, "skip": skip, "limit": bounded(limit or 2 * around + 1)}
        rows = database.read(queries.get("serve/passages"), graph=self.graph, **wanted)
        if not rows:
            said = f"no passage and no document of graph {self.graph!r} has the id {id[:80]!r}"
            raise missing(said, "documents lists ids")
        first, last = rows[0], rows[-1]
        passages = tuple(
            results.ReadPassage(
                **picked(row, "index", "start", "section", "line"),
                chunk_id=row["id"],
                source_text=shortened(row["text"] or ""),
                page=bisect_right(row["pages"], row["start"]) if row["pages"] else None,
            )
            for row in rows
        )
        is_more = last["index"] + 1 < first["total"]
        following = cursor_at(skip + len(rows)) if is_more else None
        return results.ReadPassages(first["document"] or "", first["document_id"], passages, first["total"], following)

    def connect(self, source: str, target: str) -> results.Connections:
        """Return how two entities are connected."""
        from kg_neo4j.retrieve.cypher.questions import PATHS
        from kg_neo4j.retrieve.cypher.telling import read_things

        database, notes = self.database(), list[str]()
        ends = [_named(database, checked(name, "name"), self.graph, notes) for name in (source, target)]
        given = {"x": [ends[0][0]], "y": [ends[1][0]], "limit": PATHS, "only_facts": None}
        rows = database.read(queries.get("questions/connections"), graph=self.graph, **given)
        stating = quotes_of(database, self.graph, read_things(database, self.graph, [row["Ids"] for row in rows]))
        quotes: dict[results.Quote, int] = {}
        paths = []
        for row in rows:
            links = []
            for step, (relation, fact) in enumerate(zip(row["Relationships"], row["Ids"], strict=True)):
                quote = stating.get(fact)  # None: no chunk states it
                number = quotes.setdefault(quote, len(quotes) + 1) if quote else None
                links.append(results.PathLink(row["Nodes"][step], relation, row["Nodes"][step + 1], number))
            paths.append(tuple(links))
        if not paths:
            notes.append(f"no path of at most six steps leads from {ends[0][1]} to {ends[1][1]}")
        what = self._searched(database, "shortest paths")
        return results.Connections(ends[0][1], ends[1][1], tuple(paths), tuple(quotes), what, tuple(notes))

    def schema(self, *, limit: int = 40) -> results.GraphTypes:
        """Return the commonest types of entities and relationships."""
        from kg_neo4j.retrieve.cypher.schema import STRUCTURE, VISIBLE, read_schema

        limit = bounded(limit)
        found = read_schema(self.database(), self.graph)
        types = [results.TypeCount(name, count) for name, count in found.labels.items() if name not in VISIBLE]
        drawn = [
            results.TypeCount(name, count, *found.ends[name])
            for name, count in found.relationships.items()
            if name not in STRUCTURE and name in found.ends
        ]
        left = [max(len(each) - limit, 0) for each in (types, drawn)]
        others = ", ".join([repr(name) for name in self.names() if name != self.graph][: limits.MOST_ROWS])
        rarer = f"{left[0]} rarer types of entities and {left[1]} of relationships are left out" if any(left) else ""
        notes = tuple(filter(None, (rarer, others and f"other graphs of this server: {others}")))
        for each in (types, drawn):
            each.sort(key=lambda one: (-one.count, one.type))
        return results.GraphTypes(self.graph, tuple(types[:limit]), tuple(drawn[:limit]), notes)

    def report(
        self,
        name: str = "",
        values: Mapping[str, str | int | float] | None = None,
        *,
        limit: int = limits.ROWS,
        cursor: str | None = None,
    ) -> results.ReportTable:
        """Return a page of a canned report; without a name the reports that there are."""
        from kg_neo4j.graph import canned_reports
        from kg_neo4j.retrieve.linking import known_names

        database, values, skip, limit = self.database(), values or {}, start_of(cursor), bounded(limit)
        if not name:
            listed = [_described(query) for query in canned_reports.list_reports()]
            first, following = page(listed, skip, limit)
            return results.ReportTable(REPORTS, "Reports", ("Report", "Title", "Parameters"), first, "", following)
        canned_reports.check(checked(name, "name"), values)
        known, notes = known_names(database, self.graph, name, values)
        found = canned_reports.run(database, name, graph=self.graph, parameters=known)
        rows = [tuple(list(cell) if isinstance(cell, tuple) else cell for cell in row) for row in found.rows]
        shown, following = page(rows, skip, limit)
        text = canned_reports.browser_text(name, self.graph, known)
        return results.ReportTable(name, found.title, found.columns, shown, text, following, tuple(notes))

    def query(self, cypher: str, values: Mapping[str, Any] | None = None) -> results.QueryTable:
        """Return at most 100 rows of a Cypher query that reads this graph, `$graph`; `values` are its parameters.

        Raises UsageError where the guards of queries that models write refuse it, Refused where too many others run.
        """
        from kg_neo4j.retrieve.cypher import guard, model, run, schema, tokens

        text = OWN.sub(lambda each: each[1] or "$Graph", checked(cypher, "cypher", most=tokens.LONGEST))
        if not self._opened.queries.acquire(blocking=False):
            raise Refused(f"{limits.QUERIES} queries are running", 429, hint="try again in some seconds")
        try:
            given, database = model.check_parameters(values or {}), self.database()
            known = schema.read_schema(database, self.graph)
            known = replace(known, node_properties={**known.node_properties, "": ("graph",)})
            found = run.run(database, guard.guard(text, {**given, "Graph": self.graph}, known, self.graph))
        except tokens.CypherRefused as refusal:
            raise UsageError(f"the query was refused: {refusal}", hint="schema lists the types of the graph") from None
        finally:
            self._opened.queries.release()
        left = f"{found.cut:,} {'or more ' if found.is_more else ''}further rows were left out: use SKIP and LIMIT"
        return results.QueryTable(self.graph, found.columns, found.rows, (*found.notes, *[left] * bool(found.cut)))

    def communities(self, *, level: int | None = None, limit: int = limits.ROWS) -> results.CommunityList:
        """Return the largest communities, by level."""
        from kg_neo4j.pipeline.commands.communities import communities_in

        found = communities_in(self.database(), self.graph, level, bounded(limit))
        rows = (results.CommunityRow(c.level, c.number, c.size, c.parent, c.title or "", c.members) for c in found)
        return results.CommunityList(tuple(rows))

    def _searched(self, database: Database, mode: str, filters: str = "", passages: int = 0) -> results.Searched:
        documents = database.read(queries.get("serve/count_documents"), graph=self.graph)[0]["documents"]
        return results.Searched(self.graph, documents, mode, filters, passages)

    def graphs(self) -> results.GraphList:
        """Return the graphs that the server answers on, with how many documents they have."""
        return results.GraphList(self.names())

    def sections(self) -> frozenset[str]:
        """Return the sections that have something to show: "communities", "merges" and others."""
        query = queries.get("serve/sections")
        row = self.kept("sections", lambda: dict(self.database().read(query, graph=self.graph)[0]))
        found = {name for name in ("communities", "trees", "decisions", "quarantine") if row[name]}
        if self.budget is not None or self.jobs.listed():
            found.add("runs")
        if self._has_proposals(row["version"]):
            found.add("merges")
        if self.questions.is_file() and self.questions.stat().st_size:
            found.add("questions")
        return frozenset(found)

    @property
    def questions(self) -> Path:
        """The file of the questions whose answers were wrong: JSON lines, as `kg test` reads them."""
        name = re.sub(r"[^a-z0-9_-]+", "_", self.graph)[:80]
        if name != self.graph:  # two graphs never share a file, whatever the file system makes of their names
            name += f"-{hashlib.sha256(self.graph.encode()).hexdigest()[:8]}"
        return self.settings.home / "questions" / f"{name}.jsonl"

    def choices(self) -> dict[str, list[str]]:
        """Return the values that filters may have, by filter; the commonest types, and some titles of documents."""

        def read() -> dict[str, list[str]]:
            database = self.database()
            types = database.read(queries.get("retrieve/types"), graph=self.graph)[: limits.CHOICES]
            [row] = database.read(queries.get("serve/choices"), graph=self.graph, most=limits.CHOICES)
            return {"types": [each["NodeType"] for each in types], **picked(row, "languages", "kinds", "documents")}

        return self.kept("choices", read, limits.CHOICES_S)

    def _has_proposals(self, version: str | None) -> bool:
        """Return whether names are proposed to be one, by the last look. One look for each state of the graph."""
        if self._kept.get("looked") != (0, version):
            self._kept["looked"] = (0, version)
            self.jobs.look(lambda: self._kept.update(proposals=(0, bool(self.proposals()))))
        return bool(self._kept.get("proposals", (0, False))[1])

    def proposals(self) -> Sequence[Proposal]:
        """Return what `kg resolve --dry-run` shows, open questions first; none of a large graph or one of nothing."""
        from kg_neo4j.pipeline.commands.resolve import ResolveOptions, resolve

        if self.is_large() or not self.documents(limit=1).total:
            return ()
        found = resolve(settings=self.settings, options=ResolveOptions(dry_run=True)).proposals
        return sorted(found, key=lambda each: (each.verdict != "ask", -each.score, each.left.key, each.right.key))

    def is_large(self) -> bool:
        """Return whether looking for proposals, and computing communities again, would keep a page waiting."""
        [row] = self.database().read(queries.get("write/count_graph"), graph=self.graph)
        return bool(row["nodes"] > limits.MOST_PROPOSED)

    def load(self, name: str, text: str) -> results.LoadJob:
        """Begin to load a text as the document `name`; the same name again replaces it. `status` says how far it is."""
        return self.load_files([(name, text.encode("utf-8", "replace"))])

    def load_files(self, files: Sequence[tuple[str, bytes]]) -> results.LoadJob:
        """Begin to load files by name and content. Raises Refused where the server only reads."""
        self.require_write()
        return self.jobs.begin(files)

    def corrections(self, *, limit: int = limits.ROWS, cursor: str | None = None) -> results.CorrectionList:
        """Return what people corrected, with what became of its sentences; what was taken back, too."""
        found = resolve_name(f"{CORRECTIONS}:listed")(self.database(), self.graph)
        shown, following = page(list(map(_correction, found)), start_of(cursor), bounded(limit))
        return results.CorrectionList(shown, following)

    def correct(
        self,
        action: Literal["wrong", "add", "edit", "node", "undo"],
        what: list[str],
        *,
        because: str = "",
        values: Mapping[str, str] = {},
        url: str = "",
    ) -> results.CorrectionList:
        """Correct a fact (its id, or two names and the type between them) or an entity, or take a correction back.

        `values` has what is right: "source", "type", "target" or columns of a fact, "name", "type" or columns of an
        entity. Of "add" it has columns, and "source_type" and "target_type" of names that are new.
        """
        self.require_write()
        given = dict(values)
        ends = {name: given.pop(name, None) for name in ("source", "type", "target")} if action == "edit" else {}
        work = resolve_name(f"{CORRECTIONS}:Corrections")(self.settings, budget=self.budget)
        if (most := {"add": 3, "node": 1, "undo": 1}.get(action)) and len(what) != most:
            raise UsageError(f"{action} takes {most} values in what, not {len(what)}")
        if action == "wrong":
            made = work.wrong(*what, because=because)
        elif action == "add":
            new_types = (given.pop("source_type", ""), given.pop("target_type", ""))
            made = work.add(*what, because=because, url=url, values=given, new_types=new_types)
        elif action == "edit":
            made = work.edit(*what, because=because, url=url, values=given, **ends)
        elif action == "node":
            made = work.edit_node(what[0], given, because=because)
        else:
            made = work.undo(what[0])
        return results.CorrectionList(tuple(map(_correction, made.corrections)))

    def cancel(self, id: str) -> results.JobList:
        """Cancel a load; one that runs stops where it can, keeps what is complete, and continues when loaded again."""
        self.require_write()
        return results.JobList((self.jobs.cancel(checked(id, "id")),))

    def status(self, id: str = "") -> results.JobList:
        """Return the load of that id, or all loads of this graph, the newest first."""
        return results.JobList((self.jobs.find(id),) if id else self.jobs.listed())


def _correction(each: Any) -> results.CorrectionRow:
    names = [field.name for field in fields(results.CorrectionRow)]
    return results.CorrectionRow(**{name: getattr(each, name) for name in names})


def _check(filters: Filters) -> None:
    for values in (filters.documents, filters.languages, filters.kinds, filters.types):
        if len(values) > limits.MOST_ROWS:
            raise UsageError(f"a filter may name {limits.MOST_ROWS} values, not {len(values)}")


def _told(answer: Answer, what: results.Searched, model: str, notes: tuple[str, ...]) -> results.AskResult:
    return results.AskResult(
        question=answer.question,
        found=answer.found,
        answer=shortened(answer.answer),
        short=answer.short,
        claims=tuple(
            results.CheckedClaim(each.text, each.support, each.citations, each.reason, each.judged_by)
            for each in answer.claims
        ),
        quotes=tuple(map(_quote, answer.citations)),
        path=tuple(results.PathLink(step.source, step.relation, step.target, step.citation) for step in answer.path),
        passages=tuple(
            replace(_quote(each.citation), section=each.section, before=each.before, after=each.after)
            for each in answer.passages
        ),
        searched=what,
        cypher=without_header(answer.query.cypher).strip() if answer.query else "",
        model=model if answer.usage.calls else "",
        usd=answer.usage.usd if answer.usage.calls else 0.0,
        seconds=round(answer.seconds, 3),
        notes=(*notes, *answer.limits, *answer.notes),
    )


def without_header(cypher: str) -> str:
    """Return a query without the header of its file."""
    return "\n".join(line for line in cypher.splitlines() if not line.startswith("//"))


def _quote(at: Citation) -> results.Quote:
    where = (at.document, at.chunk_id, at.start, at.end, at.page, at.line)
    return results.Quote(shortened(at.quote), *where, correction=at.correction)


def quotes_of(database: Database, graph: str, things: Mapping[str, CitedThing]) -> dict[str, results.Quote]:
    """Return the first words that state or mention each thing, by its id."""
    from kg_neo4j.retrieve.checking.standing import paged

    first = [thing.places[0] for thing in things.values()]
    cited = [Citation(p.chunk.id, p.chunk.document, p.start, p.end, p.chunk.text[p.start : p.end]) for p in first]
    return dict(zip(things, map(_quote, paged(database, graph, cited)), strict=True))


def _named(database: Database, name: str, graph: str, notes: list[str]) -> tuple[str, str]:
    from kg_neo4j.pipeline.commands.search import show_in

    found = show_in(database, name, graph, 1, 1)
    if found.near:
        notes.append(f"{name!r} was taken to mean {found.name}; it may also be {', '.join(found.near[:3])}")
    return found.id, found.name


def _described(query: queries.Query) -> tuple[str, str, str]:
    from kg_neo4j.graph import canned_reports

    given = (
        f"{each.name}{'' if each.default is None else f'={each.default}'}"
        for each in query.params
        if each.name != "graph"
    )
    return canned_reports.outside_name(query), query.title, ", ".join(given)
