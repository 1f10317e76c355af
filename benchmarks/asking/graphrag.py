"""Microsoft GraphRAG: its default chunks, prompts and one gleaning, no reports on communities; then local search."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from graphrag.api import build_index, local_search
from graphrag.cli.initialize import initialize_project_at
from graphrag.config.load_config import load_config

from asking import frame
from asking.frame import Job, Said

WORKFLOWS = (
    "load_input_documents create_base_text_units create_final_documents extract_graph finalize_graph "
    "create_communities create_final_text_units generate_text_embeddings"
).split()
NO_REPORTS = "id human_readable_id community level title summary full_content rank".split()
OTHER: dict[str, dict[str, object]] = {}  # settings that are not the defaults, by section
LEVEL, FORM = 2, "Multiple Paragraphs"  # the defaults of `graphrag query`


def run(job: Job, said: Said) -> None:
    """Load and ask."""
    root = Path(job.folder)
    initialize_project_at(root, force=True, model=frame.MODEL, embedding_model=frame.EMBEDDING_MODEL)
    file = root / "settings.yaml"
    settings = yaml.safe_load(file.read_text(encoding="utf-8"))
    for each in (*settings["completion_models"].values(), *settings["embedding_models"].values()):
        each |= {"api_base": job.base_url, "api_key": "none", "call_args": {"timeout": frame.PATIENCE_S}}
    settings["workflows"] = WORKFLOWS
    for section, values in OTHER.items():
        settings[section] |= values
    settings["embed_text"]["names"] = ["entity_description", "text_unit_text"]
    settings["vector_store"]["vector_size"] = frame.DIMENSION
    file.write_text(yaml.safe_dump(settings), encoding="utf-8")
    (root / "input").mkdir(exist_ok=True)
    for name, path in job.documents:
        (root / "input" / f"{name}.txt").write_text(Path(path).read_text(encoding="utf-8"), encoding="utf-8")
    asyncio.run(_run(job, said, root))


async def _run(job: Job, said: Said, root: Path) -> None:
    config = load_config(root)
    for each in await build_index(config):
        if each.error is not None:
            raise each.error
    said.loaded_cpu = frame.cpu_seconds()
    tables = {
        name: pd.read_parquet(root / "output" / f"{name}.parquet")
        for name in ("documents", "text_units", "entities", "relationships", "communities")
    }
    titles = dict(zip(tables["documents"]["id"], tables["documents"]["title"], strict=True))
    units = {each.id: (titles[each.document_id], len(each.text)) for each in tables["text_units"].itertuples()}
    for each in tables["entities"].to_dict("records"):
        said.add((each["title"], each["type"], each["description"]), *_origin(units, each))
    for each in tables["relationships"].to_dict("records"):
        said.add((each["source"], each["target"], each["description"]), *_origin(units, each), kind="")
    frames = {name: tables[name] for name in ("entities", "communities", "text_units", "relationships")}
    reports = pd.DataFrame(columns=NO_REPORTS)
    asked = (
        local_search(
            config,
            community_reports=reports,
            covariates=None,
            community_level=LEVEL,
            response_type=FORM,
            query=question,
            **frames,
        )
        for question in job.questions
    )
    said.answers += [str(answer) for answer, _ in await asyncio.gather(*asked)]


def _origin(units: dict[str, tuple[str, int]], row: dict[Hashable, Any]) -> tuple[list[str], int]:
    """Return the titles of the documents of a row, and the length of its shortest text."""
    places = [units[unit] for unit in row["text_unit_ids"]]
    return [title for title, _ in places], min(length for _, length in places)


if __name__ == "__main__":
    frame.serve(run)
