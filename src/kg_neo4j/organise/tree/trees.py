"""One document's tree, from its chunks to what is published: built, brought up to date, or planned."""

from __future__ import annotations

from collections.abc import Sequence

from kg_neo4j._models.layers import FILTERED, TOO_LONG, UNREADABLE
from kg_neo4j._models.tasks import Request
from kg_neo4j.errors import BudgetReached, ModelError
from kg_neo4j.graph.answers import AnswerSubjects, GraphAnswers
from kg_neo4j.graph.database import Database, Row
from kg_neo4j.graph.lease import Lease
from kg_neo4j.organise.tree.built import BuiltTree, OpenQuestion, PlannedTree, TreeBuilding
from kg_neo4j.organise.tree.mixtures import require_scikit_learn
from kg_neo4j.organise.tree.questions import TreeItem
from kg_neo4j.organise.tree.stored import begin_tree, publish, tree_id
from kg_neo4j.organise.tree.work import TreeWork, summaries_of
from kg_neo4j.organise.tree.writing import Unfinished
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Chunk


def build_tree(
    database: Database, lease: Lease, graph: str, document: Row, how: TreeBuilding, progress: Progress = SILENT
) -> BuiltTree:
    """Bring the tree of a document (id, title) up to date. A repeat gives 0 changes and 0 calls.

    Where the model fails or the budget is used up nothing is published, `unfinished` says why, and the next run goes
    on. Raises UsageError for a tree that was built with other settings, and without scikit-learn; DatabaseError;
    LeaseHeld.
    """
    require_scikit_learn()
    id = begin_tree(database, lease, graph, document["id"], how.choice.name)
    work = TreeWork(_answers(database, graph, id, lease), document, how, progress)
    try:
        draft = work.building().build()
    except Unfinished as stopped:
        return work.report(None, 0, unfinished=str(stopped))
    except (ModelError, BudgetReached) as error:  # of the embedding model
        return work.report(None, 0, unfinished=str(error))
    changes = publish(database, lease, graph, work.stored_tree(), work.publication(draft))
    return work.report(draft, changes)


def plan_tree(
    database: Database, graph: str, document: Row, how: TreeBuilding, unread: Sequence[Chunk] | None = None
) -> PlannedTree:
    """Return what `build_tree` would ask: the same build, with doors that count and without writing.

    A text without an answer is composed of the text's own sentences instead. `unread` are the chunks of a document that
    is not loaded.
    """
    require_scikit_learn()
    id = tree_id(graph, document["id"], how.choice.name)
    work = TreeWork(_answers(database, graph, id, None), document, how, SILENT, unread)
    asked: list[Request] = []
    draft = work.building(asked).build()
    count = how.tokeniser.count
    questions = {
        each.key: OpenQuestion(
            each.kind,
            each.place.level if isinstance(each.place, TreeItem) else 0,
            count(each.system) + count(each.user),
        )
        for each in asked
    }
    return PlannedTree(
        document["id"],
        document["title"],
        len(work.leaves.leaves),
        work.leaves.are_passages,
        summaries_of(draft),
        sum(node.label == "Detail" for node in draft.nodes),
        tuple(questions.values()),
        work.is_simulated,
        work.details_by,
    )


def _answers(database: Database, graph: str, tree_id: str, lease: Lease | None) -> GraphAnswers:
    """Return the store of what is said while a tree is built: beside the tree, before it is used."""
    return GraphAnswers(database, graph, lease, frozenset({FILTERED, TOO_LONG, UNREADABLE}), AnswerSubjects((tree_id,)))
