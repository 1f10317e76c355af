"""What each group of rules and each trained model is worth without a key: the counts of keyless.py with one left out.

    python benchmarks/ablation.py answers benchmarks/keyless/second.zip --only questions
    python benchmarks/ablation.py extraction benchmarks/keyless/second.zip --only questions facts
    python benchmarks/ablation.py checks benchmarks/keyless/second.zip --only claims

The first row has everything. Each further row leaves one part out: what it finds is replaced by nothing. Answers and
checks use the graphs that are already loaded; with a part of the extraction left out, every text is loaded into a graph
of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import keyless

from kg_neo4j.retrieve.interface import UNANSWERED

EXTRACTOR = "kg_neo4j_offline.extractor.extractor"
SHORT = "kg_neo4j_offline.short"
MATCHER = "kg_neo4j_offline.extracting.matching.Matcher"
CHECKING = "kg_neo4j.retrieve.checking.support"
Stub = Callable[..., Any]


def always(value: Any) -> Stub:
    return lambda *_, **__: value


EXTRACTION: Mapping[str, Mapping[str, Stub]] = {
    "relate": {f"{EXTRACTOR}.relate": always([])},
    "life events": {f"{EXTRACTOR}.life_events": always([]), f"{EXTRACTOR}.life_ranges": always([])},
    "verb relations": {f"{EXTRACTOR}.verb_relations": always([])},
    "role relations": {f"{EXTRACTOR}.role_relations": always([])},
    "relation model": {f"{EXTRACTOR}.classify": always([])},
    "check": {f"{EXTRACTOR}.check": lambda _, relations: list(relations)},
    "common words": {f"{EXTRACTOR}.drop_common": always(None)},
    "clean names": {"kg_neo4j_offline.extractor.ner.clean_names": lambda _, spans: spans},
    "votes": {f"{EXTRACTOR}.vote": always(None)},
    "coreference": {f"{EXTRACTOR}.unite_drafts": lambda _, drafts, __: drafts},
    "document subject": {f"{EXTRACTOR}.topic_of": always(None)},
    "plurals": {f"{EXTRACTOR}.resolve_plurals": always(None)},
    "pronouns": {f"{EXTRACTOR}.resolve_pronouns": always(None)},
    "unnamed": {"kg_neo4j_offline.extractor.pronouns.unnamed_from": always(None)},
    "told gender": {"kg_neo4j_offline.extractor.pronouns.read_genders": always(None)},
    "roles": {f"{EXTRACTOR}.read_roles": always(None)},
    "derived names": {"kg_neo4j.graph.resolution.derived.aliases": always({})},
}
ANSWERS: Mapping[str, Mapping[str, Stub]] = {
    "comparison": {f"{SHORT}.short_answer.read_comparison": always(None)},
    "facts followed": {f"{SHORT}.short_answer._follow": always(None)},
    "passage patterns": {f"{SHORT}.following.read_relation": always([])},
    "lives": {f"{SHORT}.short_answer.asks_for_life": always(False)},
    "roles": {f"{SHORT}.short_answer.asks_for_role": always(False)},
    "clauses": {f"{SHORT}.short_answer.find_stated": always(None)},
    "equal verbs": {
        f"{SHORT}.stating.says_the_same": lambda verb, forms: verb in forms,
        f"{SHORT}.stating.agents_of": always(frozenset()),
        f"{SHORT}.reading.has_equal": always(False),
        "kg_neo4j_offline.extracting.matching.has_equal": always(False),
    },
    "card": {"kg_neo4j_offline.from_sources._on_one_thing": always(None)},
    "overview": {"kg_neo4j_offline.from_sources.tell_overview": always(None)},
    "may answer": {"kg_neo4j_offline.from_sources.may_answer": always(True)},
    "denies": {f"{SHORT}.reading.denies": always(False)},
    "chain": {"kg_neo4j_offline.extracting.extractive.chain": always(None)},
    "attribution": {f"{MATCHER}._attribution": always(0.0)},
    "namesake": {f"{MATCHER}._is_namesake": always(False)},
    "first names": {f"{MATCHER}._imply_first_names": always(None)},
    "sentences": {"kg_neo4j_offline.from_sources._extractive": lambda *_: UNANSWERED},
}
CHECKS: Mapping[str, Mapping[str, Stub]] = {
    "denied": {f"{CHECKING}.denied": always("")},
    "opposite": {f"{CHECKING}.opposite": always("")},
    "turned round": {f"{CHECKING}.turned_round": always("")},
    "clauses": {"kg_neo4j_offline.extracting.clauses.contradicts": always(False)},
}
PARTS = {"extraction": EXTRACTION, "answers": ANSWERS, "checks": CHECKS}


def main() -> None:
    options = _options()
    parts: Mapping[str, Mapping[str, Stub]] = {"everything": {}, **PARTS[options.what]}
    with keyless.unpacked(options.folder) as folder:
        for part in options.parts or parts:
            counts = without(part, parts[part], options, folder)
            print(f"{part:18}", keyless.line(counts), flush=True)


def without(part: str, stubs: Mapping[str, Stub], options: argparse.Namespace, folder: Path) -> Counter[str]:
    """Return the counts of all texts with the functions of one part replaced."""
    is_loaded = options.what != "extraction" or not stubs
    prefix = "keyless" if is_loaded else f"without-{part.replace(' ', '-')}"
    settings = argparse.Namespace(
        folder=folder, texts=options.texts, only=options.only, prefix=prefix, show=False, json=None, wrap=None
    )
    with contextlib.ExitStack() as stack:
        copies = stack.enter_context(tempfile.TemporaryDirectory())
        for place, stub in stubs.items():
            stack.enter_context(patch(place, stub))
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        return keyless.measure(settings, keyless.read_by_eye(options.folder), Path(copies))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=PARTS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--texts", nargs="*", default=(), help="names of texts; all without it")
    parser.add_argument("--parts", nargs="*", default=(), help="names of parts; all without it")
    parser.add_argument("--only", nargs="+", choices=keyless.PARTS, default=keyless.PARTS, help="what is measured")
    return parser.parse_args()


if __name__ == "__main__":
    main()
