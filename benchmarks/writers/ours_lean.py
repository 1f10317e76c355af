"""kg-neo4j with the rows of its default schema: a row names its sentence, and has no description."""

from __future__ import annotations

from functools import partial

from writers.frame import serve
from writers.ours import prepare

if __name__ == "__main__":
    serve(partial(prepare, name="lean"))
