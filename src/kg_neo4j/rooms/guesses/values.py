"""Values that a shell completes: words of the help, names of reports, and what a running database has.

No server is started, and nothing is printed: what is printed would be in the line that a person types.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from threading import Thread
from typing import Any

QUICK_S = 1.0  # that a database may take
_SPECIAL = re.compile(r"(?=[^\w,./:@%+=~-])")  # before what bash would read as more than a letter
QUERIES = {"graphs": "write/graphs", "documents": "write/document_titles", "types": "reports/nodes_by_type"}


def complete(kind: str, given: Mapping[str, Any], begun: str) -> list[str]:
    """Return the values of a kind that begin as what is typed: graphs, documents, types, reports, or words of `kind`.

    `given` are the options so far, of which `graph` counts. Nothing where no database answers within QUICK_S seconds.
    """
    values: list[str] = []
    if kind in QUERIES:
        with contextlib.suppress(Exception):  # settings that are wrong: no values
            values = _stored(QUERIES[kind], given.get("graph"))
    elif kind == "reports":
        from kg_neo4j.graph.canned_reports import list_reports, outside_name

        values += map(outside_name, list_reports())
    else:
        values += kind.split()
    fitting = [each for each in values if each.startswith(begun)]
    if os.environ.get("_KG_COMPLETE") != "complete_bash" or " " in begun:
        return fitting
    return [_SPECIAL.sub(r"\\", each) for each in fitting]


def _stored(query: str, graph: str | None) -> list[str]:
    """Return the first column of a query on the database that runs."""
    from kg_neo4j.graph import queries
    from kg_neo4j.graph.database import Database, DatabaseAddress
    from kg_neo4j.local_server import local_neo4j
    from kg_neo4j.settings import Settings

    settings = Settings()
    user, password = settings.neo4j_username, settings.neo4j_password
    uri, secret = settings.neo4j_uri, password.get_secret_value() if password else ""
    if not uri:
        with local_neo4j(settings) as local:
            status = local.status()
        if not (uri := status.uri):
            return []
        user, secret = status.username, Path(status.password_file).read_text("utf-8").strip()
    rows: list[Any] = []
    found = queries.get(query)
    values = {"graph": graph or settings.graph} if any(each.name == "graph" for each in found.params) else {}

    def read() -> None:
        with (
            contextlib.suppress(Exception),  # a database that is down or busy: no values
            Database(DatabaseAddress(uri, user, secret, settings.neo4j_database)) as database,
        ):
            rows.extend(database.read(found, **values))

    import neo4j  # noqa: F401  # before the clock starts

    reading = Thread(target=read, daemon=True)
    reading.start()
    reading.join(QUICK_S)
    return [str(row[found.columns[0].name]) for row in rows]
