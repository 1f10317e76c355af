"""The fitness test of a real small model ends, counts, and says what the model can do. It prints what a person sees."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path


def test_a_real_small_model(small_model_url: str, tmp_path: Path) -> None:
    given = {"OPENAI_BASE_URL": small_model_url, "OPENAI_API_KEY": "none", "KG_MODEL": "small"}
    asked = [sys.executable, "-m", "kg_neo4j", "doctor", "--model"]
    environment = {**os.environ, **given, "KG_CACHE": str(tmp_path), "KG_MODEL_TIMEOUT_S": "900"}
    ran = subprocess.run(asked, env=environment, capture_output=True, text=True, check=False)
    print(ran.stdout, ran.stderr, sep="\n")  # docs/how-to/test-a-model.md has an example
    assert ran.returncode in (0, 1), ran.stderr
    found = json.loads(next(tmp_path.glob("fitness-*.json")).read_text(encoding="utf-8"))
    assert found["verdict"].startswith(("Fit", "Not fit"))
    assert found["thinking"]["tokens"] == 0
    assert found["constraints"]["llama"] == "works"
    assert found["offers"]["streaming"]
    assert all(0 <= each["accepted"] <= each["read"] and each["found"] <= 25 for each in found["passages"])
    assert found["longest"]["tokens"] > 100
    assert found["window"]["tokens"] > 1_000
