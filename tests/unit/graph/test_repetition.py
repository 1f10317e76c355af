"""Which faults of a transaction are worth another try."""

from __future__ import annotations

import pytest
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConstraintError,
    DriverError,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from kg_neo4j.graph import database
from kg_neo4j.graph.database import TOO_LARGE, Repetition

PASSING = (ServiceUnavailable(), SessionExpired(), TransientError(), IncompleteCommit())
LASTING = (ClientError(), ConstraintError(), AuthError(), DriverError())


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "FIRST_PAUSE_S", 0.0)


def too_large() -> Neo4jError:
    error = TransientError()
    error._neo4j_code = min(TOO_LARGE)
    return error


@pytest.mark.parametrize("error", PASSING, ids=lambda error: type(error).__name__)
def test_what_can_pass_is_tried_again_until_the_time_is_over(error: DriverError | Neo4jError) -> None:
    tries = Repetition(60.0)
    for _ in range(20):
        tries.wait(error)
    with pytest.raises(type(error)):
        Repetition(-1.0).wait(error)


@pytest.mark.parametrize("error", LASTING, ids=lambda error: type(error).__name__)
def test_what_cannot_pass_is_raised_at_once(error: DriverError | Neo4jError) -> None:
    with pytest.raises(type(error)):
        Repetition(60.0).wait(error)


def test_a_constraint_is_waited_for_only_after_an_unclear_commit() -> None:
    tries = Repetition(60.0)
    tries.wait(IncompleteCommit())
    tries.wait(ConstraintError())
    with pytest.raises(ConstraintError):
        Repetition(60.0).wait(ConstraintError())


def test_too_little_memory_is_tried_once_more() -> None:
    assert too_large().code in TOO_LARGE
    tries = Repetition(60.0)
    tries.wait(too_large())
    with pytest.raises(TransientError):
        tries.wait(too_large())
