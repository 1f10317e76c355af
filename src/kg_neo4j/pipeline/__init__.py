"""The whole flow: load, unload, ask.

    acquire -> extract -> record -> settle -> embed -> analyse          retrieve -> answer

Each call opens the database that the settings mean (NEO4J_URI, else the managed local server, started where needed).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kg_neo4j.pipeline.commands.archive import (
        ArchiveReport,
        BackupReport,
        ImportReport,
        RecoveryReport,
        StoredGraph,
        backup,
        diff,
        export_archive,
        import_graph,
        recover,
        restore,
    )
    from kg_neo4j.pipeline.commands.ask import ask, embed
    from kg_neo4j.pipeline.commands.build import BuildOptions, build
    from kg_neo4j.pipeline.commands.communities import (
        CommunityReportOptions,
        communities,
        community_reports,
        plan_community_reports,
    )
    from kg_neo4j.pipeline.commands.doctor import Diagnosis, Status, diagnose, status
    from kg_neo4j.pipeline.commands.extract import extract, write_manifest
    from kg_neo4j.pipeline.commands.graphs import delete_graph, graphs
    from kg_neo4j.pipeline.commands.load import load, unload
    from kg_neo4j.pipeline.commands.plan import plan
    from kg_neo4j.pipeline.commands.rebuild import copy_graph, quarantine, rebuild, retry_quarantine
    from kg_neo4j.pipeline.commands.report import report
    from kg_neo4j.pipeline.commands.resolve import ResolveOptions, resolve, undo
    from kg_neo4j.pipeline.commands.search import search, show
    from kg_neo4j.pipeline.commands.tree import TreeBuildOptions, TreePlan, TreeReport, plan_tree, tree
    from kg_neo4j.pipeline.commands.tune import TuneOptions, plan_tune, tune, tune_aspects, write_schema
    from kg_neo4j.pipeline.commands.verify import (
        AskedAgain,
        DocumentChange,
        VerifiedClaim,
        VerifiedText,
        check_answers,
        verify,
        verify_text,
    )
    from kg_neo4j.pipeline.engines.choice import EngineOptions
    from kg_neo4j.pipeline.options import LoadOptions
    from kg_neo4j.retrieve.interface import AskOptions
    from kg_neo4j.retrieve.tree.choice import TreeChoice

__all__ = [
    "ArchiveReport",
    "AskOptions",
    "AskedAgain",
    "BackupReport",
    "BuildOptions",
    "CommunityReportOptions",
    "Diagnosis",
    "DocumentChange",
    "EngineOptions",
    "ImportReport",
    "LoadOptions",
    "RecoveryReport",
    "ResolveOptions",
    "Status",
    "StoredGraph",
    "TreeBuildOptions",
    "TreeChoice",
    "TreePlan",
    "TreeReport",
    "TuneOptions",
    "VerifiedClaim",
    "VerifiedText",
    "ask",
    "backup",
    "build",
    "check_answers",
    "communities",
    "community_reports",
    "copy_graph",
    "delete_graph",
    "diagnose",
    "diff",
    "embed",
    "export_archive",
    "extract",
    "graphs",
    "import_graph",
    "load",
    "plan",
    "plan_community_reports",
    "plan_tree",
    "plan_tune",
    "quarantine",
    "rebuild",
    "recover",
    "report",
    "resolve",
    "restore",
    "retry_quarantine",
    "search",
    "show",
    "status",
    "tree",
    "tune",
    "tune_aspects",
    "undo",
    "unload",
    "verify",
    "verify_text",
    "write_manifest",
    "write_schema",
]

_HOMES = {
    "pipeline.commands.archive": "ArchiveReport BackupReport ImportReport RecoveryReport StoredGraph "
    "backup diff export_archive import_graph recover restore",
    "pipeline.commands.ask": "ask embed",
    "pipeline.commands.build": "BuildOptions build",
    "pipeline.commands.communities": "CommunityReportOptions communities community_reports plan_community_reports",
    "pipeline.commands.doctor": "Diagnosis Status diagnose status",
    "pipeline.commands.extract": "extract write_manifest",
    "pipeline.commands.graphs": "delete_graph graphs",
    "pipeline.commands.load": "load unload",
    "pipeline.commands.plan": "plan",
    "pipeline.commands.rebuild": "copy_graph quarantine rebuild retry_quarantine",
    "pipeline.commands.report": "report",
    "pipeline.commands.resolve": "ResolveOptions resolve undo",
    "pipeline.commands.search": "search show",
    "pipeline.commands.tree": "TreeBuildOptions TreePlan TreeReport plan_tree tree",
    "pipeline.commands.tune": "TuneOptions plan_tune tune tune_aspects write_schema",
    "pipeline.commands.verify": "AskedAgain DocumentChange VerifiedClaim VerifiedText check_answers verify verify_text",
    "pipeline.engines.choice": "EngineOptions",
    "pipeline.options": "LoadOptions",
    "retrieve.interface": "AskOptions",
    "retrieve.tree.choice": "TreeChoice",
}


def __getattr__(name: str) -> Any:
    """Import a call or a record when it is first asked for, so that a command pays for what it runs alone."""
    for home, names in _HOMES.items():
        if name in names.split():
            globals()[name] = found = getattr(import_module(f"kg_neo4j.{home}"), name)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
