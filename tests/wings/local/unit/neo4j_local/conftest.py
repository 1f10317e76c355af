"""Fixtures: small jars, a Maven repository on loopback that can misbehave, and a progress that remembers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from jar_repository import Recorder, Repository, content, small_lock
from neo4j_local.jars import JarsLock


@pytest.fixture
def progress() -> Recorder:
    return Recorder()


@pytest.fixture
def lock() -> JarsLock:
    return small_lock(8)


@pytest.fixture
def repository(lock: JarsLock) -> Iterator[Repository]:
    contents = {jar.file_name: content(number) for number, jar in enumerate(lock.jars)}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            file = self.path.rsplit("/", 1)[-1]
            if file not in contents:  # checksums beside the jars: we have our own
                self.send_error(404)
                return
            served.requests[file] += 1
            body, act = contents[file], served.next_act(file)
            if act.isdigit():
                self.send_response(int(act))
                self.send_header("Retry-After", "0")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            if act == "tamper":
                body = body[:-1] + b"!"
            self.send_response(200)
            if act != "short":  # a short body without a length looks complete
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if act in {"cut", "short"} else body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = Repository(f"http://127.0.0.1:{server.server_port}/maven")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield served
    server.shutdown()
    thread.join()
    server.server_close()
