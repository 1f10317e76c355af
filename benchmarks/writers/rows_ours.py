"""kg-neo4j: a load of the tables by their map; with `source` also vectors, communities and everything else derived."""

from __future__ import annotations

import resource
import tempfile
from collections.abc import Callable
from pathlib import Path

import table_corpus

from kg_neo4j.pipeline.commands.load import load
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.settings import Settings
from writers.frame import Job, serve


def prepare(job: Job) -> Callable[[], str]:
    """Write the tables, and return the load; reading the files is a part of it."""
    path = table_corpus.write(Path(tempfile.mkdtemp()), job.chunks)
    settings = Settings(neo4j_uri=job.uri, neo4j_username=job.username, neo4j_password=job.password, graph="bench")
    options = LoadOptions(table_map=path, analytics=job.source, vectors=job.source)

    def write() -> str:
        load(settings=settings, options=options)
        return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB"

    return write


if __name__ == "__main__":
    serve(prepare)
