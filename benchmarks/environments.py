"""One Python environment for each writer that is compared, made once from pinned versions."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

PEERS = Path(__file__).with_name("peers")


def python_of(peer: str, cache: Path) -> Path:
    """Return the interpreter that has `peer` installed; the first call makes its environment, which takes minutes.

    Another list of versions, or another Python, means a new environment.
    """
    versions = PEERS / f"{peer}.txt"
    identity = hashlib.sha256(versions.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = cache / f"{peer}-{identity}"
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    ready = folder / "ready"
    if not ready.exists():
        print(f"making the environment of {peer} in {folder}", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--requirement", versions], check=True)
        ready.touch()
    return python.absolute()
