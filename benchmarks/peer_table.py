"""What do four knowledge-graph builders make of the same six documents, with the same model?

    python benchmarks/peer_table.py                          with a key: OPENAI_API_KEY, KG_MODEL, OPENAI_BASE_URL
    python benchmarks/peer_table.py --recorded tests/data/recorded/peers.answers.jsonl      without one

kg-neo4j, neo4j-graphrag, LightRAG and Microsoft GraphRAG (without reports on communities) load six documents and answer
the 20 questions of tests/data/peers. Each comes from its package, in an environment of its own, with its own chunks,
prompts and defaults (asking/). All ask one model through a door that counts tokens in o200k. Vectors come from the
built-in embedder of kg-neo4j, for all of them: they cost no tokens. Neo4j is the product's own.

The same model judges, and does not see whose rows or answers it reads: which of the listed facts the rows of a graph
state (names, types, values and descriptions; no quotes, no chunks), and which answers are right. The lists were written
by reading the documents, before anything was loaded. A false fact is one that a careless reader would write down.

"CPU" is the time of the product's process, its children included, without Neo4j, the model and the vectors. "text
behind a relationship" is the median length of the shortest text that a relationship points at, in characters.

What was said is kept: --out FOLDER has each product's rows and answers, and `answers.jsonl`, which --recorded reads. A
second run with the same folder repeats nothing. The order of what some products show differs from run to run, so that
in a replay a prompt that was not recorded gets what was said to the same task: a question, or rows to judge. A product
that cannot be installed or fails is named with its error.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

import bpe_openai  # noqa: E402 - after the path is set
import environments  # noqa: E402
import server  # noqa: E402
from asking.frame import PATIENCE_S, Job  # noqa: E402

from kg_neo4j.factory import built_in_embedder  # noqa: E402
from kg_neo4j.progress import SILENT  # noqa: E402
from kg_neo4j.settings import Settings  # noqa: E402

DATA = HERE.parent / "tests" / "data" / "peers"
DOCUMENTS = {  # name: file, and how many of its characters; None: all
    "across": ("examples/across_chunks.md", None),
    "harbour": ("tests/data/recorded/harbour.md", None),
    "humboldt": ("examples/alexander_von_humboldt.md", 5_741),
    "lamp": ("examples/the_lamp_at_skarnes.md", None),
    "minutes": ("tests/data/peers/minutes.md", None),
    "orlen": ("examples/the_bell_of_orlen.md", 4_632),
}
JUDGE = "judge"
PRODUCTS = {  # name: title, module, environment
    "ours": ("kg-neo4j", "ours", None),
    "neo4j-graphrag": ("neo4j-graphrag", "neo4j_graphrag", "neo4j-graphrag-openai"),
    "lightrag": ("LightRAG", "lightrag_files", "lightrag"),
    "graphrag": ("Microsoft GraphRAG, no reports", "graphrag", "graphrag"),
    "graphrag-whole": ("the same, use_lcc: false", "graphrag_whole", "graphrag"),
}
ENCODINGS = "*/[Ll]ib/**/litellm/litellm_core_utils/tokenizers"
FACTS = """Here are the rows of a knowledge graph that was made from one document, and a list of numbered facts.
Which of the facts do the rows state? A fact is stated if one row, or a few rows together, say it in their names, types,
values or descriptions. Names may be written in another form. Add no knowledge of your own, and guess nothing: a row
that only links the same two things without saying how they are linked does not state the fact.

Rows
{rows}

Facts
{facts}

Answer with the numbers of the stated facts in one line, separated by spaces; "none" if there are none."""
ANSWERS = """Here are questions on documents, each with the right answer and the answer of a reader. Which answers of
the reader are right? An answer is right if it says what the right answer says and nothing that contradicts it; more
words do no harm. Of a list all parts have to be there. Where the right answer is "not stated", an answer is right if
it says that the documents do not say it.

{answers}

Answer with the numbers of the right answers in one line, separated by spaces; "none" if there are none."""


@dataclass
class Door:
    """Answers requests of products: chat by the model or by what was recorded, vectors by the built-in embedder."""

    options: argparse.Namespace
    recorded: dict[str, str]
    questions: Sequence[str]
    tasks: dict[tuple[str, str], str]  # product, or judge, and task: what was said
    calls: Counter[str] = field(default_factory=Counter)
    tokens_in: Counter[str] = field(default_factory=Counter)
    tokens_out: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.encoding = bpe_openai.get_encoding("o200k_base")
        self.embedder = built_in_embedder(Settings())

    def chat(self, who: str, body: dict[str, Any], task: str = "") -> str:
        """Return what the model says to a request, and count it. Raises urllib's errors, and KeyError in a replay.

        `task` tells what is asked for, where the prompt does not have one of the questions.
        """
        asked = [_text(each["content"]) for each in body["messages"]]
        key = hashlib.sha256(json.dumps([who, asked]).encode()).hexdigest()[:32]
        task = task or next((f"question {at}" for at, each in enumerate(self.questions, 1) if each in asked[-1]), "")
        said = self.recorded.get(key)
        if said is None:
            if self.options.recorded:
                said = self.tasks.get((who, task))
                if said is None:
                    raise KeyError(f"no answer is recorded for {who}: {asked[-1][:200]}")
            else:
                said = self._ask({name: value for name, value in body.items() if not name.startswith("stream")})
        with self.lock:
            if key not in self.recorded:
                self.recorded[key] = said
                line = {"product": who, "asked": key, "answer": said} | ({"task": task} if task else {})
                with (self.options.out / "answers.jsonl").open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line, ensure_ascii=False) + "\n")
            self.calls[who] += 1
            self.tokens_in[who] += sum(len(self.encoding.encode(each)) for each in asked)
            self.tokens_out[who] += len(self.encoding.encode(said))
        return said

    def _ask(self, body: dict[str, Any]) -> str:
        body["model"] = self.options.model
        address = f"{self.options.base_url.rstrip('/')}/chat/completions"
        headers = {"content-type": "application/json", "authorization": f"Bearer {self.options.key}"}
        request = urllib.request.Request(address, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return str(json.load(answer)["choices"][0]["message"]["content"] or "")

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text."""
        with self.lock:
            found = self.embedder.embed([text or " " for text in texts])
        return [[float(value) for value in each] for each in found]


def _text(content: object) -> str:
    return content if isinstance(content, str) else json.dumps(content, sort_keys=True)


@contextmanager
def listening(door: Door) -> Iterator[str]:
    """Serve the door on the loopback address and yield the address, to which the name of a product is added."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_POST(self) -> None:  # the name that the library wants
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            who = self.path.split("/")[1]
            if self.path.endswith("/embeddings"):
                texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
                rows = [
                    {"object": "embedding", "index": at, "embedding": each}
                    for at, each in enumerate(door.vectors(texts))
                ]
                self._send(
                    {
                        "object": "list",
                        "data": rows,
                        "model": "embedding",
                        "usage": {"prompt_tokens": 1, "total_tokens": 1},
                    }
                )
                return
            try:
                said = door.chat(who, body)
            except urllib.error.HTTPError as error:
                self._send(json.loads(error.read() or b"{}"), error.code)
                return
            except KeyError as error:
                self._send({"error": {"message": str(error)}}, 400)
                return
            base = {"id": "chat", "created": 0, "model": "model"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            usage |= {"prompt_tokens": sum(len(_text(each["content"])) // 4 for each in body["messages"])}
            usage |= {"completion_tokens": len(said) // 4}
            message = {"role": "assistant", "content": said}
            if not body.get("stream"):
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                self._send({**base, "object": "chat.completion", "choices": [choice], "usage": usage})
                return
            parts = [
                {"index": 0, "delta": message, "finish_reason": None},
                {"index": 0, "delta": {}, "finish_reason": "stop"},
            ]
            lines = [{**base, "object": "chat.completion.chunk", "choices": [part]} for part in parts]
            lines[-1]["usage"] = usage
            data = "".join(f"data: {json.dumps(each)}\n\n" for each in lines) + "data: [DONE]\n\n"
            self._write(data.encode(), "text/event-stream", 200)

        def _send(self, body: object, code: int = 200) -> None:
            self._write(json.dumps(body).encode(), "application/json", code)

        def _write(self, data: bytes, kind: str, code: int) -> None:
            self.send_response(code)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()


def main(arguments: Sequence[str] | None = None) -> None:
    """Load, ask, judge, and print the table."""
    options = _options(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    lines: list[dict[str, Any]] = []
    for file in (options.out / "answers.jsonl", *([options.recorded] if options.recorded else [])):
        lines += _lines(file) if file.exists() else []
    documents = _documents(options.out.absolute() / "documents")
    questions = _lines(DATA / "questions.jsonl")
    door = Door(
        options,
        {each["asked"]: each["answer"] for each in lines},
        [each["question"] for each in questions],
        {(each["product"], each["task"]): each["answer"] for each in lines if "task" in each},
    )
    missing: dict[str, str] = {}
    found: dict[str, dict[str, Any]] = {}
    with listening(door) as address:
        for name in options.only:
            kept = options.out / f"{name}.json"
            if not kept.exists():
                asked = tuple(each["question"] for each in questions)
                said = _run(name, documents, asked, f"{address}/{name}/v1", options)
                if isinstance(said, str):
                    missing[PRODUCTS[name][0]] = said
                    continue
                counts = {"calls": door.calls[name], "in": door.tokens_in[name], "out": door.tokens_out[name]}
                kept.write_text(json.dumps({**said, **counts}), encoding="utf-8")
            found[name] = json.loads(kept.read_text(encoding="utf-8"))
        judged = {name: _judge(door, name, said, questions) for name, said in found.items()}
    print(_table(found, judged))
    for title, why in missing.items():
        print(f"\n{title}: {why}")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=PRODUCTS, default=list(PRODUCTS), help="which products (all)")
    parser.add_argument("--recorded", type=Path, help="answers of a model, instead of a model")
    parser.add_argument("--model", default=os.environ.get("KG_MODEL", "gpt-4o-mini"), help="(KG_MODEL, or gpt-4o-mini)")
    parser.add_argument("--out", type=Path, default=HERE.parent / "out" / "peers", help="where what was said is kept")
    parser.add_argument("--cache", type=Path, default=HERE.parent / "out" / "bench", help="where environments are kept")
    options = parser.parse_args(arguments)
    options.key = os.environ.get("OPENAI_API_KEY", "none")
    options.base_url = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
    options.cache.mkdir(parents=True, exist_ok=True)
    return options


def _documents(folder: Path) -> tuple[tuple[str, str], ...]:
    """Write the documents into a folder; return the name and the path of each."""
    folder.mkdir(exist_ok=True)
    for name, (file, characters) in DOCUMENTS.items():
        text = (HERE.parent / file).read_text(encoding="utf-8")[:characters]
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return tuple((name, str(folder / f"{name}.md")) for name in DOCUMENTS)


def _run(
    name: str,
    documents: tuple[tuple[str, str], ...],
    questions: tuple[str, ...],
    address: str,
    options: argparse.Namespace,
) -> dict[str, Any] | str:
    """Let a product load and answer in a process of its own; return what it says, or its last line of error."""
    _, module, peer = PRODUCTS[name]
    try:
        python = environments.python_of(peer, options.cache) if peer else Path(sys.executable)
    except subprocess.CalledProcessError as error:
        return f"could not be installed: {error}"
    encodings = sorted(options.cache.absolute().glob(ENCODINGS))
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith(("KG_", "NEO4J_", "OPENAI_"))},
        "PYTHONPATH": os.pathsep.join(map(str, [HERE] if peer else [HERE, HERE.parent / "src"])),
        "TIKTOKEN_CACHE_DIR": str(encodings[0]) if encodings else os.environ.get("TIKTOKEN_CACHE_DIR", ""),
        "OPENAI_API_KEY": "none",
    }
    with (
        tempfile.TemporaryDirectory(prefix="store-", dir=options.cache) as folder,
        server.running(options.cache, SILENT) as database,
    ):
        job = Job(database.uri, server.USERNAME, database.password, address, documents, questions, folder)
        done = subprocess.run(
            [python, "-m", f"asking.{module}"],
            input=json.dumps(asdict(job)) + "\n",
            capture_output=True,
            text=True,
            env=environment,
            cwd=folder,
            check=False,
        )
    (options.out / f"{name}.log").write_text(done.stderr, encoding="utf-8")
    if done.returncode or not done.stdout:
        return "failed: " + (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return dict(json.loads(done.stdout))


def _judge(door: Door, name: str, said: dict[str, Any], questions: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return how many true and false facts the rows of a graph state, and which answers are right."""
    stated: Counter[bool] = Counter()
    listed = _lines(DATA / "facts.jsonl")
    for document in sorted({each["document"] for each in listed}):
        rows = sorted(each["words"] for each in said["rows"] if document in each["documents"])
        facts = [each for each in listed if each["document"] == document]
        shown = "\n".join(f"{at}. {each['fact']}" for at, each in enumerate(_mixed(facts), 1))
        numbers = _numbers(door, FACTS.format(rows="\n".join(rows), facts=shown), f"{name}, {document}")
        stated.update(each["true"] for at, each in enumerate(_mixed(facts), 1) if at in numbers)
    answers = "\n\n".join(
        f"{at}. Question: {each['question']}\nRight answer: {each['answer']}\nAnswer of the reader: {answer.strip()}"
        for at, (each, answer) in enumerate(zip(questions, said["answers"], strict=True), 1)
    )
    right = _numbers(door, ANSWERS.format(answers=answers), f"{name}, answers")
    return {"true": stated[True], "false": stated[False], "right": len(right & set(range(1, len(questions) + 1)))}


def _mixed(facts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return facts in an order that does not tell true from false."""
    return sorted(facts, key=lambda each: hashlib.sha256(each["fact"].encode()).hexdigest())


def _numbers(door: Door, prompt: str, task: str) -> set[int]:
    said = door.chat(JUDGE, {"messages": [{"role": "user", "content": prompt}], "temperature": 0}, task)
    return set(map(int, re.findall(r"\d+", said)))


def _table(found: dict[str, dict[str, Any]], judged: dict[str, dict[str, Any]]) -> str:
    facts, questions = _lines(DATA / "facts.jsonl"), _lines(DATA / "questions.jsonl")
    true = sum(each["true"] for each in facts)
    rows = {
        "": [PRODUCTS[name][0] for name in found],
        f"true facts of {true}": [judged[name]["true"] for name in found],
        f"false facts of {len(facts) - true}": [judged[name]["false"] for name in found],
        f"right answers of {len(questions)}": [judged[name]["right"] for name in found],
        "calls": [said["calls"] for said in found.values()],
        "tokens in": [said["in"] for said in found.values()],
        "tokens out": [said["out"] for said in found.values()],
        "CPU, load": [f"{said['loaded_cpu']:.1f} s" for said in found.values()],
        "CPU, questions": [f"{said['cpu'] - said['loaded_cpu']:.1f} s" for said in found.values()],
        "nodes": [len(said["rows"]) - len(_relationships(said)) for said in found.values()],
        "relationships": [len(_relationships(said)) for said in found.values()],
        "types of relationships": [
            len({each["type"] for each in _relationships(said)} - {""}) or "none" for said in found.values()
        ],
        "text behind a relationship": [
            f"{statistics.median(each['evidence'] for each in _relationships(said)):.0f}" for said in found.values()
        ],
    }
    lines = ["| " + " | ".join([title, *map(str, values)]) + " |" for title, values in rows.items()]
    return "\n".join([lines[0], "|---" * (len(found) + 1) + "|", *lines[1:]])


def _relationships(said: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in said["rows"] if each["is_relationship"]]


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]


if __name__ == "__main__":
    main()
