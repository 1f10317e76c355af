"""The small model behind llama.cpp's OpenAI-compatible server, on a free port of loopback."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

CONTEXT = 16_384  # tokens
START_S = 300  # that the model may take to load


@contextlib.contextmanager
def running(folder: Path) -> Iterator[str]:
    """Start the server of the environment in `folder` and yield its base URL; it is stopped at the end."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(folder / "venv/bin/python"), "-m", "llama_cpp.server", "--model", str(folder / "model.gguf")]
    command += ["--n_ctx", str(CONTEXT), "--n_threads", str(os.cpu_count()), "--host", "127.0.0.1", "--port", str(port)]
    url = f"http://127.0.0.1:{port}/v1"
    with (folder / "server.log").open("w") as log, subprocess.Popen(command, stdout=log, stderr=log) as server:
        try:
            _wait(server, url, folder / "server.log")
            yield url
        finally:
            server.terminate()


def _wait(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and server.poll() is None:
        with contextlib.suppress(urllib.error.URLError, ConnectionError):
            urllib.request.urlopen(f"{url}/models", timeout=5).close()
            return
        time.sleep(0.5)
    raise RuntimeError(f"the server did not start:\n{log.read_text()[-3_000:]}")
