"""The GDS client, made to speak through our one door to Neo4j. Imported only where it is used: it costs 0.8 s of CPU.

Through the door, faults of the server become our errors at once (the client by itself asks ten minutes long for a
server that has gone), nothing of GDS can write to the store, and the client's process-wide warning filters stay unset.
"""

from __future__ import annotations

from typing import Any

from graphdatascience import GraphDataScience
from graphdatascience.query_runner.neo4j_query_runner import Neo4jQueryRunner
from graphdatascience.versions import ServerVersion
from pandas import DataFrame

from kg_neo4j.graph.database import Database
from kg_neo4j.graph.queries import Query


def client(database: Database) -> GraphDataScience:
    """Return a GDS client over `database`, without progress bars. Raises GdsMissing where GDS does not answer."""
    return GraphDataScience(_Runner(database), arrow=False, show_progress=False)


class _Runner(Neo4jQueryRunner):
    """Runs what the client asks for in READ transactions of our database."""

    def __init__(self, database: Database) -> None:
        super().__init__(database.driver, "bolt", database=database.address.database, show_progress=False)
        self._door = database

    def run_cypher(
        self, query: str, query_type: Any, params: dict[str, Any] | None = None, *_: Any, **__: Any
    ) -> DataFrame:
        """Return the rows of `query`; where it runs and how often it is tried is the database's business."""
        asked = Query("gds", "GDS", "what the GDS client asks", "read", (), (), "none", "graphdatascience", query)
        return DataFrame(self._door.read(asked, **(params or {})))

    run_retryable_cypher = run_cypher

    def server_version(self) -> ServerVersion:
        """Return the version of GDS."""
        return ServerVersion.from_string(self._door.gds_version())
