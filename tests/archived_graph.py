"""A graph with everything that kg-neo4j writes: gleaned chunks, merged descriptions, decisions, reports and a tree.

A scripted model behind HTTP is paid for all of it; `repeat` runs the same commands again, which must ask it nothing.
"""

from __future__ import annotations

import re
from pathlib import Path

import fake_llm
import report_writer
import tree_runs
from fake_llm import FakeLlm
from kg_neo4j import LoadOptions, Settings, TreeBuildOptions, load, tree
from kg_neo4j.pipeline.commands.communities import community_reports
from kg_neo4j.pipeline.commands.resolve import ResolveOptions, resolve, undo
from kg_neo4j.records import LoadReport

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
OPTIONS = LoadOptions(chunk_tokens=150)
TREE = TreeBuildOptions(documents=("lamp.md",), summary_tokens=60)
EMBEDDING = "scripted-embedding"
LINKS = """\
name_1,type_1,name_2,type_2
Humboldt,ENTITY_NAME,Alexander von Humboldt,PERSON
Darwin,ENTITY_NAME,Charles Darwin,PERSON
"""

_SHOWN = re.compile(r"^=+ begin (\w+) =+\n(.*?)\n=+ end \1 =+$", re.DOTALL | re.MULTILINE)


def say(prompt: str, user: str) -> str:
    """Return what the scripted model says to any of the prompts."""
    if report_writer.is_report_prompt(prompt):
        return report_writer.write_report(prompt, user)
    if tree_runs.kind_of(prompt) != "other":
        return tree_runs.say(prompt, user)
    if "You merge several descriptions" in prompt:
        shown = _SHOWN.search(user)
        assert shown
        return "\n".join(re.findall(r"[^.\n]{20,} \[\d+\]\.", shown[2])[:2])
    return fake_llm.answer(prompt, user)


def online(settings: Settings, llm: FakeLlm, graph: str) -> Settings:
    """Return settings that mean the scripted model, for chat and vectors, and no answers of former runs."""
    llm.rules = say
    changed = {
        "graph": graph,
        "openai_base_url": llm.url,
        "openai_api_key": "canary-key-8b2e",
        "model": "scripted",
        "embedding_model": EMBEDDING,
        "model_retries": 0,
        "summary_tokens": 120,
        "answer_cache": False,
    }
    return Settings(**{**settings.model_dump(), **changed})


def write_texts(folder: Path) -> Path:
    """Write the documents into `folder`, which is made, and return it."""
    folder.mkdir()
    for name, example in (("humboldt.md", "alexander_von_humboldt"), ("lamp.md", "the_lamp_at_skarnes")):
        (folder / name).write_text((EXAMPLES / f"{example}.md").read_text("utf-8"), "utf-8")
    return folder


def build(settings: Settings, folder: Path) -> None:
    """Load, resolve and take one decision back, write the reports, build a tree."""
    load([str(folder)], settings=settings, options=OPTIONS)
    links = folder.with_suffix(".csv")
    links.write_text(LINKS, "utf-8")
    resolved = resolve(settings=settings, options=ResolveOptions(must_link=links))
    assert len(resolved.decisions) > 1, "one stays, one is taken back"
    undo(resolved.decisions[0].decision.id, settings=settings)
    repeat(settings, folder)


def repeat(settings: Settings, folder: Path) -> LoadReport:
    """Load, write reports and build the tree again."""
    report = load([str(folder)], settings=settings, options=OPTIONS)
    assert not report.failed_chunks
    assert not community_reports(settings=settings).unfinished
    assert not tree(settings=settings, options=TREE).unfinished
    return report
