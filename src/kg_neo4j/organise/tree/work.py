"""One tree in the making: what is stored of it, what it is made from, who is asked, and what comes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from kg_neo4j._models.door import EXTRACTIVE, MODEL, Door
from kg_neo4j._models.embedding import Vectors
from kg_neo4j._models.tasks import Request
from kg_neo4j.errors import SchemaConflict, UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.answers import GraphAnswers
from kg_neo4j.graph.database import Row, present
from kg_neo4j.organise.tree import structure
from kg_neo4j.organise.tree.authors import Author, Summarised, is_stored, model_author, own_author
from kg_neo4j.organise.tree.building import CLUSTER_TOKENS, TreeBuild, TreeDraft, TreeMaterial
from kg_neo4j.organise.tree.built import BuiltTree, TreeBuilding
from kg_neo4j.organise.tree.embedded import TreeVectors
from kg_neo4j.organise.tree.interface import Summariser
from kg_neo4j.organise.tree.leaves import LeafSource, Leaves, fingerprint, leaves_of
from kg_neo4j.organise.tree.namers import TreeNamer
from kg_neo4j.organise.tree.questions import DETAIL, Subject
from kg_neo4j.organise.tree.stored import Publication, StoredTree, read_tree, tree_id
from kg_neo4j.organise.tree.structure import TreeStructure
from kg_neo4j.organise.tree.upkeep import TreeSettings, clustered_here, read_settings, settings_json, settled
from kg_neo4j.organise.tree.writing import Text, Writing, read_silent, silent_json
from kg_neo4j.organise.tree.written import LEAST_CONTEXT, answer_tokens
from kg_neo4j.progress import Progress
from kg_neo4j.records import Chunk

PROMPT_TOKENS = 1_000  # of a question without its text


class TreeWork:
    """One tree: what is stored, what it is made from, and what comes out."""

    def __init__(
        self,
        answers: GraphAnswers,
        document: Row,
        how: TreeBuilding,
        progress: Progress,
        unread: Sequence[Chunk] | None = None,
    ) -> None:
        """`unread` are the chunks of a text that is not loaded, for a plan."""
        self._database, self._graph, self._document = answers.database, answers.graph, document
        self._how, self._answers, self._progress = how, answers, progress
        self._id = tree_id(answers.graph, document["id"], how.choice.name)
        self._what = f"the tree {how.choice.name!r} of {document['title']!r}"
        self._stored = self._read_tree()
        self._shape = self._stored_shape()
        known = self._known_settings()
        embedder = f"{how.embedder.name}/{how.embedder.dimension}"
        self._settings = settled(
            how.choice,
            known,
            embedder,
            how.tokeniser.name,
            rebuild=how.rebuild,
            what=self._what,
        )
        self.notes: list[str] = []
        self._drop_shape(known)
        if self._shape is None:
            self._settings = clustered_here(self._settings)
        rows = [] if unread else self._read_chunks()
        self._chunks = [
            LeafSource(*(row[name] for name in ("id", "text", "token_count", "start", "end"))) for row in rows
        ]
        self._chunks += [
            LeafSource(each.id, each.text, each.token_count, each.start, each.end) for each in unread or ()
        ]
        self._stored_chunks = rows
        options = self._settings.options
        self.leaves: Leaves = leaves_of(self._id, self._chunks, how.tokeniser, options)
        self.is_simulated = False
        self._writing: Writing | None = None

    def _read_tree(self) -> StoredTree | None:
        return read_tree(self._database, self._graph, self._id)

    def _read_chunks(self) -> list[Row]:
        query = queries.get("tree/chunks")
        return self._database.read(query, graph=self._graph, document_id=self._document["id"])

    def _stored_shape(self) -> TreeStructure | None:
        return structure.read(self._stored.fit) if self._stored and self._stored.fit else None

    def _known_settings(self) -> TreeSettings | None:
        if self._stored is None or self._stored.settings is None or self._shape is None:
            return None
        return read_settings(self._stored.settings, self._how.choice.name, self._shape.aspect_set)

    def _drop_shape(self, known: TreeSettings | None) -> None:
        """Forget a stored shape that does not hold any more."""
        if self._shape is None or known is None:
            return
        if self._how.rebuild:
            self._shape = None
        elif known.embedder != self._settings.embedder:
            self.notes.append(f"rebuilt: vectors are of {self._settings.embedder}, no longer of {known.embedder}")
            self._shape = None
        elif len(self._shape.aspect_set) > 1 and not self._shape.naming and self._how.aspect_door.outdoes(EXTRACTIVE):
            self.notes.append(f"rebuilt: cues found its aspects, now {self._how.aspect_door.name} names them")
            self._shape = None
        if self._shape is None:
            self._check_writer()

    def _check_writer(self) -> None:
        """Refuse to rebuild without a model what one was paid for."""
        nodes = self._stored.nodes.values() if self._stored else ()
        paid = sum(node.properties.get("method") == MODEL for node in nodes)
        if paid and not self._how.door.outdoes(EXTRACTIVE):
            raise UsageError(
                f"{self._what} has {paid} texts that a model wrote, and no model is configured to rebuild it",
                hint="set OPENAI_API_KEY or OPENAI_BASE_URL; --name NAME builds another tree",
            )

    def building(self, asked: list[Request] | None = None) -> TreeBuild:
        """Return the build, ready to run; of a plan, which asks no model and puts the questions into `asked`."""
        how, options = self._how, self._settings.options
        room = _room(min(how.door.window, how.aspect_door.window), options.summary_tokens)
        embedding = self._embedding(is_plan=asked is not None)
        vectors = self._leaf_vectors(embedding)
        material = TreeMaterial(
            self._id,
            self._document["id"],
            self.leaves,
            vectors,
            self._settings.aspects,
            options,
            min(CLUSTER_TOKENS, room),
            room,
        )
        self._writing = self._writer(asked)
        return TreeBuild(material, self._namer(asked), self._writing, embedding, self._shape)

    def _opened(self, door: Door, asked: list[Request] | None) -> Door:
        """Return a door to the same model that reads and stores the answers of this tree, or of a plan."""
        stored = door.storing(self._answers)
        return stored if asked is None else stored.counting(asked)

    def _subject(self, door: Door) -> Subject:
        return Subject(self._graph, self._id, door.name, door.window, self._how.tokeniser)

    def _embedding(self, *, is_plan: bool) -> TreeVectors:
        """Return what embeds texts; a plan embeds with the built-in model where the other one is paid for."""
        how = self._how
        self.is_simulated = how.keeps_vectors and is_plan
        model = how.plan_embedder if self.is_simulated else how.embedder
        where = (self._database, self._graph, self._id)
        return TreeVectors(*where, model, how.tokeniser, self._answers.lease, how.keeps_vectors)

    def _leaf_vectors(self, embedding: TreeVectors) -> Vectors:
        texts = [leaf.text for leaf in self.leaves.leaves]
        if self.is_simulated:
            where = (self._database, self._graph, self._id)
            stored = TreeVectors(*where, self._how.embedder, self._how.tokeniser, None).stored(
                [leaf.id for leaf in self.leaves.leaves], texts
            )
            return embedding.of_texts(texts) if stored is None else stored
        if self.leaves.are_passages:
            return embedding.of_texts(texts)
        return embedding.of_chunks(self._stored_chunks) if self._stored_chunks else embedding.of_texts(texts)

    def _namer(self, asked: list[Request] | None) -> TreeNamer:
        door = self._opened(self._how.aspect_door, asked)
        texts = tuple(leaf.text for leaf in self.leaves.leaves)
        return TreeNamer(door, self._subject(door), tuple(self._settings.aspects), texts, self._progress)

    def _writer(self, asked: list[Request] | None) -> Writing:
        how, most, aspects = self._how, self._settings.options.summary_tokens, self._settings.aspects
        standing = {} if how.rebuild or self._stored is None else self._stored.nodes
        door = self._opened(how.door, asked)
        model = model_author(door, self._subject(door), aspects, most)
        authors = dict.fromkeys((*(each.name for each in aspects), DETAIL), model)
        authors |= {each.name: self._summariser(each, most, asked) for each in how.own}
        silent = {} if how.rebuild else self._silent()
        return Writing(authors, model, how.tokeniser, most, standing, silent, self._progress)

    def _silent(self) -> Mapping[str, Text]:
        """Return the notes on aspects that the stored tree does not have, because there was nothing to say."""
        return read_silent(self._stored.properties.get("silent", "{}")) if self._stored else {}

    def _summariser(self, summariser: Summariser, most: int, asked: list[Request] | None) -> Author:
        by = Summarised(summariser, most)
        door = Door(by, self._how.concurrency, stand_in=self._how.door.stand_in)
        return own_author(by, self._opened(door, asked) if is_stored(summariser) else door, self._subject(door))

    @property
    def details_by(self) -> str:
        """What the notes of this tree are on."""
        return self._settings.options.details_by

    def stored_tree(self) -> StoredTree:
        """Return the tree as it is stored at this moment: it was begun."""
        found = self._read_tree()
        if found is None:
            raise SchemaConflict(
                f"the tree of {self._document['title']!r} was deleted while it was built", hint="run the command again"
            )
        return found

    def publication(self, draft: TreeDraft) -> Publication:
        """Return the tree as it is to be stored."""
        ids = [leaf.id for leaf in self.leaves.leaves]
        naming_answers = draft.naming_answers
        if naming_answers is None:
            gone = {key for text in self._silent().values() for key in text.answers}
            naming_answers = tuple(key for key in (self._stored.answers if self._stored else ()) if key not in gone)
        silent = {key: text for key, text in draft.silent.items() if text.answers or text.method != EXTRACTIVE}
        fit = self._stored.fit if self._shape is not None and self._stored else None
        properties = present(
            {
                "fingerprint": fingerprint([(each.id, each.start, each.end) for each in self._chunks]),
                "levels": draft.levels,
                "absent": list(draft.absent),
                "flags": list(draft.structure.flags),
                "naming": draft.structure.naming,
                "silent": silent_json(silent) if silent else None,
            }
        )
        return Publication(
            draft.nodes,
            [] if self.leaves.are_passages else ids,
            ids if self.leaves.are_passages else [],
            fit or structure.write(draft.structure),
            settings_json(self._settings),
            (*naming_answers, *sorted({key for text in silent.values() for key in text.answers})),
            properties,
        )

    def report(self, draft: TreeDraft | None, changes: int, *, unfinished: str = "") -> BuiltTree:
        """Return what was done."""
        texts = [node.properties for node in draft.nodes if node.label != "Passage"] if draft else []
        new = draft.structure.new_leaves(self.leaves.leaves) if draft else 0
        return BuiltTree(
            self._id,
            self._document["id"],
            self._document["title"],
            len(self.leaves.leaves),
            self.leaves.are_passages,
            new,
            summaries_of(draft) if draft else {},
            sum(node.label == "Detail" for node in draft.nodes) if draft else 0,
            Counter(text["method"] for text in texts),
            draft.absent if draft else (),
            sum("flags" in text for text in texts),
            self._writing.written if self._writing and draft else 0,
            changes,
            self._answers.usage,
            tuple(self.notes),
            unfinished,
            self._settings.options.clustering,
        )


def _room(window: int, summary_tokens: int) -> int:
    """Return the tokens of text that a question has room for."""
    return max(LEAST_CONTEXT, window - PROMPT_TOKENS - answer_tokens(summary_tokens, window))


def summaries_of(draft: TreeDraft) -> Mapping[tuple[int, str], int]:
    """Return how many summaries a draft has, by level and aspect."""
    found = Counter(
        (node.properties["level"], node.properties["aspect"]) for node in draft.nodes if node.label == "Summary"
    )
    return dict(sorted(found.items()))
