"""The text of neo4j.conf, and how much memory the server gets.

Pure: no files are read here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

HOST = "127.0.0.1"

# All that plugins may offer; all of it needs Neo4j's internals. Other tools read the schema with these three of APOC:
# neo4j-graphrag and LangChain with apoc.meta.data, LlamaIndex with the other two as well. Much of APOC runs Cypher
# given as text, or reads files and addresses: never allow a pattern of it.
_PROCEDURES = "gds.*,apoc.meta.data,apoc.meta.subGraph,apoc.any.property"

SECURITY = {
    "dbms.security.auth_enabled": "true",
    # LOAD CSV reads files and addresses even from a READ transaction; these three refuse it all
    "dbms.security.allow_csv_import_from_file_urls": "false",
    "server.directories.import": "import",
    "internal.dbms.cypher_ip_blocklist": "0.0.0.0/0,::/0",
    "dbms.security.procedures.allowlist": _PROCEDURES,
    "dbms.security.procedures.unrestricted": _PROCEDURES,
    "dbms.usage_report.enabled": "false",
    "client.allow_telemetry": "false",
    "db.logs.query.enabled": "OFF",
}

# The defaults reserve 256 MB of transaction log for each of the two databases and keep two days of it.
TRANSACTION_LOG = {
    "db.tx_log.preallocate": "false",
    "db.tx_log.rotation.size": "32m",
    "db.tx_log.rotation.retention_policy": "keep_none",
}

# By default a query is planned again where a list among its parameters has another length. Planning a question takes
# seconds, running it some tenths of one (docs/decisions/0048-bulk.md).
PLANNING = {"internal.cypher.use_parameter_size": "false"}

# What only one line of Neo4j knows. The databases are closed before Bolt is: by default it then waits up to twice 5 s,
# although no client can connect. Neo4j 2026 can report to a service of its makers, once somebody calls a procedure.
OF_LINE = {
    "5.26": {"internal.dbms.bolt.netty_server_shutdown_quiet_period": "0"},
    "2026.03": {
        "internal.dbms.bolt.netty_server_shutdown_quiet_period_duration": "0",
        "dbms.fleet_manager.enabled": "false",
    },
}

# For one start after a torn transaction log: recovery keeps what can be read and drops the rest.
RECOVERY = {"internal.dbms.tx_log.fail_on_corrupted_log_files": "false"}


@dataclass(frozen=True, slots=True)
class ServerMemory:
    """What the server may use, in MB."""

    heap_mb: int
    pagecache_mb: int


def memory(machine_mb: int, heap_mb: int | None = None, pagecache_mb: int | None = None) -> ServerMemory:
    """Return the given sizes, and for those not given an eighth of the machine's memory.

    The heap stays between 512 and 2,048 MB, the page cache between 128 and 1,024 MB.
    """
    eighth = machine_mb // 8
    return ServerMemory(
        heap_mb if heap_mb is not None else min(max(eighth, 512), 2048),
        pagecache_mb if pagecache_mb is not None else min(max(eighth, 128), 1024),
    )


def text(line: str, bolt_port: int, http_port: int, pagecache_mb: int, further: Mapping[str, str] | None = None) -> str:
    """Return neo4j.conf for a server that listens on loopback only, at these ports; `further` settings come last."""
    lines = {
        "server.default_listen_address": HOST,
        "server.bolt.enabled": "true",
        "server.bolt.listen_address": f"{HOST}:{bolt_port}",
        "server.bolt.advertised_address": f"{HOST}:{bolt_port}",
        "server.http.enabled": "true",
        "server.http.listen_address": f"{HOST}:{http_port}",
        "server.http.advertised_address": f"{HOST}:{http_port}",
        "server.https.enabled": "false",
        "server.memory.pagecache.size": f"{pagecache_mb}m",
        **SECURITY,
        **TRANSACTION_LOG,
        **PLANNING,
        **OF_LINE[line],
        **(further or {}),
    }
    settings = "\n".join(f"{name}={value}" for name, value in lines.items())
    return f"# Written by kg-neo4j at every start: changes made here are lost.\n{settings}\n"
