"""How many functions of kg_neo4j run for one chunk and for one question: what someone who follows them has to read.

    python benchmarks/functions_seen.py

It starts a Neo4j of its own and a scripted model, runs `kg load` on a text of one chunk and `kg ask --mode local`, each
in a new process, and counts the functions and methods that were called, in all threads. Lambdas, comprehensions and
methods that `dataclass` makes do not count.
"""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import FrameType

import kg_neo4j

CHECKOUT = Path(__file__).resolve().parents[1]
SOURCE = str(Path(kg_neo4j.__file__).parent)
TEXT, CHARACTERS = CHECKOUT / "examples" / "alexander_von_humboldt.md", 1_800
QUESTION = "Where was Alexander von Humboldt born?"


def main() -> None:
    sys.path.insert(0, str(CHECKOUT / "tests"))
    from fake_llm import FakeLlm
    from kg_neo4j import Settings
    from kg_neo4j.local_server import local_neo4j

    with tempfile.TemporaryDirectory(prefix="kg-functions-") as folder, FakeLlm() as llm:
        managed = Settings(home=Path(folder), neo4j_uri=None, db_bolt_port=0, db_http_port=0, db_heap_mb=1024)
        with local_neo4j(managed) as local:
            server = local.start()
        text = Path(folder) / "one.md"
        text.write_text(TEXT.read_text("utf-8")[:CHARACTERS], "utf-8")
        database = {"NEO4J_URI": server.uri, "NEO4J_USERNAME": server.username, "NEO4J_PASSWORD": server.password}
        model = {"OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "none", "KG_MODEL": "scripted"}
        environment = {**os.environ, **database, **model, "KG_HOME": folder, "KG_CACHE": f"{folder}/cache"}
        try:
            for arguments in (["load", str(text), "--no-analytics"], ["ask", QUESTION, "--mode", "local"]):
                command = [sys.executable, __file__, *arguments]
                done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
                print(f"kg {arguments[0]}: {done.stdout.splitlines()[-1]}")
        finally:
            local.stop(force=True)


def traced(arguments: list[str]) -> None:
    """Run a command in this process, and print what it called."""
    from kg_neo4j._cli import app

    seen: set[tuple[str, str, int]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(SOURCE) and code.co_flags & inspect.CO_NEWLOCALS:
            seen.add((code.co_filename, code.co_qualname, code.co_firstlineno))

    sys.argv = ["kg", *arguments]
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        app.main()
    except SystemExit as ended:
        if ended.code:
            raise
    finally:
        sys.setprofile(None)
    functions = {(file, name) for file, name, _ in seen if not name.rpartition(".")[2].startswith("<")}
    print(f"{len(functions)} functions in {len({file for file, _ in functions})} files")


if __name__ == "__main__":
    traced(sys.argv[1:]) if sys.argv[1:] else main()
