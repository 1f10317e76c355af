"""The whole flow: load, unload, ask.

    acquire -> extract -> record -> settle -> embed -> analyse          retrieve -> answer

Each call opens the database that the settings mean (NEO4J_URI, else the managed local server, started where needed).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kg_neo4j.pipeline.answering import AskOptions
    from kg_neo4j.pipeline.archiving import ArchiveReport, ImportReport, diff, export_archive, import_graph
    from kg_neo4j.pipeline.asking import ask, embed, report
    from kg_neo4j.pipeline.building import BuildOptions, build
    from kg_neo4j.pipeline.chatting import Chat, ChatReply, chat
    from kg_neo4j.pipeline.copying import copy_graph
    from kg_neo4j.pipeline.diagnosing import Diagnosis, Status, diagnose, status
    from kg_neo4j.pipeline.engines.choice import EngineOptions
    from kg_neo4j.pipeline.extracting import extract, write_manifest
    from kg_neo4j.pipeline.keeping import BackupReport, RecoveryReport, StoredGraph, backup, recover, restore
    from kg_neo4j.pipeline.loading import load
    from kg_neo4j.pipeline.looking import search, show
    from kg_neo4j.pipeline.managing import delete_graph, graphs
    from kg_neo4j.pipeline.narrating import TreeBuildOptions, TreePlan, TreeReport, plan_tree, tree
    from kg_neo4j.pipeline.options import LoadOptions
    from kg_neo4j.pipeline.planning import plan
    from kg_neo4j.pipeline.quarantining import quarantine, retry_quarantine
    from kg_neo4j.pipeline.rebuilding import rebuild
    from kg_neo4j.pipeline.reporting import (
        CommunityReportOptions,
        communities,
        community_reports,
        plan_community_reports,
    )
    from kg_neo4j.pipeline.resolving import ResolveOptions, resolve, undo
    from kg_neo4j.pipeline.testing import AskedAgain, DocumentChange, check_answers
    from kg_neo4j.pipeline.tuning import TuneOptions, plan_tune, tune, tune_aspects, write_schema
    from kg_neo4j.pipeline.unloading import unload
    from kg_neo4j.pipeline.verifying import VerifiedClaim, VerifiedText, verify, verify_text
    from kg_neo4j.retrieve.tree.choice import TreeChoice

__all__ = [
    "ArchiveReport",
    "AskOptions",
    "AskedAgain",
    "BackupReport",
    "BuildOptions",
    "Chat",
    "ChatReply",
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
    "chat",
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
    "ArchiveReport": "kg_neo4j.pipeline.archiving",
    "AskOptions": "kg_neo4j.pipeline.answering",
    "AskedAgain": "kg_neo4j.pipeline.testing",
    "BackupReport": "kg_neo4j.pipeline.keeping",
    "BuildOptions": "kg_neo4j.pipeline.building",
    "Chat": "kg_neo4j.pipeline.chatting",
    "ChatReply": "kg_neo4j.pipeline.chatting",
    "CommunityReportOptions": "kg_neo4j.pipeline.reporting",
    "Diagnosis": "kg_neo4j.pipeline.diagnosing",
    "DocumentChange": "kg_neo4j.pipeline.testing",
    "EngineOptions": "kg_neo4j.pipeline.engines.choice",
    "ImportReport": "kg_neo4j.pipeline.archiving",
    "LoadOptions": "kg_neo4j.pipeline.options",
    "RecoveryReport": "kg_neo4j.pipeline.keeping",
    "ResolveOptions": "kg_neo4j.pipeline.resolving",
    "Status": "kg_neo4j.pipeline.diagnosing",
    "StoredGraph": "kg_neo4j.pipeline.keeping",
    "TreeBuildOptions": "kg_neo4j.pipeline.narrating",
    "TreeChoice": "kg_neo4j.retrieve.tree.choice",
    "TreePlan": "kg_neo4j.pipeline.narrating",
    "TreeReport": "kg_neo4j.pipeline.narrating",
    "TuneOptions": "kg_neo4j.pipeline.tuning",
    "VerifiedClaim": "kg_neo4j.pipeline.verifying",
    "VerifiedText": "kg_neo4j.pipeline.verifying",
    "ask": "kg_neo4j.pipeline.asking",
    "backup": "kg_neo4j.pipeline.keeping",
    "build": "kg_neo4j.pipeline.building",
    "chat": "kg_neo4j.pipeline.chatting",
    "check_answers": "kg_neo4j.pipeline.testing",
    "communities": "kg_neo4j.pipeline.reporting",
    "community_reports": "kg_neo4j.pipeline.reporting",
    "copy_graph": "kg_neo4j.pipeline.copying",
    "delete_graph": "kg_neo4j.pipeline.managing",
    "diagnose": "kg_neo4j.pipeline.diagnosing",
    "diff": "kg_neo4j.pipeline.archiving",
    "embed": "kg_neo4j.pipeline.asking",
    "export_archive": "kg_neo4j.pipeline.archiving",
    "extract": "kg_neo4j.pipeline.extracting",
    "graphs": "kg_neo4j.pipeline.managing",
    "import_graph": "kg_neo4j.pipeline.archiving",
    "load": "kg_neo4j.pipeline.loading",
    "plan": "kg_neo4j.pipeline.planning",
    "plan_community_reports": "kg_neo4j.pipeline.reporting",
    "plan_tree": "kg_neo4j.pipeline.narrating",
    "plan_tune": "kg_neo4j.pipeline.tuning",
    "quarantine": "kg_neo4j.pipeline.quarantining",
    "rebuild": "kg_neo4j.pipeline.rebuilding",
    "recover": "kg_neo4j.pipeline.keeping",
    "report": "kg_neo4j.pipeline.asking",
    "resolve": "kg_neo4j.pipeline.resolving",
    "restore": "kg_neo4j.pipeline.keeping",
    "retry_quarantine": "kg_neo4j.pipeline.quarantining",
    "search": "kg_neo4j.pipeline.looking",
    "show": "kg_neo4j.pipeline.looking",
    "status": "kg_neo4j.pipeline.diagnosing",
    "tree": "kg_neo4j.pipeline.narrating",
    "tune": "kg_neo4j.pipeline.tuning",
    "tune_aspects": "kg_neo4j.pipeline.tuning",
    "undo": "kg_neo4j.pipeline.resolving",
    "unload": "kg_neo4j.pipeline.unloading",
    "verify": "kg_neo4j.pipeline.verifying",
    "verify_text": "kg_neo4j.pipeline.verifying",
    "write_manifest": "kg_neo4j.pipeline.extracting",
    "write_schema": "kg_neo4j.pipeline.tuning",
}


def __getattr__(name: str) -> Any:
    """Import a call or a record when it is first asked for, so that a command pays for what it runs alone."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(_HOMES[name]), name)
    return found
