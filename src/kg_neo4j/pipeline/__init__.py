"""The whole flow: load, unload, ask.

    acquire -> extract -> record -> settle -> embed -> analyse          retrieve -> answer

Each call opens the database that the settings mean (NEO4J_URI, else the managed local server, started where needed).
"""

from __future__ import annotations

from kg_neo4j.pipeline.answering import AskOptions
from kg_neo4j.pipeline.archiving import ArchiveReport, ImportReport, export_archive, import_graph
from kg_neo4j.pipeline.asking import ask
from kg_neo4j.pipeline.chatting import Chat, ChatReply, chat
from kg_neo4j.pipeline.exchanging import extract
from kg_neo4j.pipeline.keeping import BackupReport, RecoveryReport, StoredGraph, backup, recover, restore
from kg_neo4j.pipeline.loading import load
from kg_neo4j.pipeline.narrating import TreeBuildOptions, TreePlan, TreeReport, plan_tree, tree
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.pipeline.planning import plan
from kg_neo4j.pipeline.quarantining import quarantine, retry_quarantine
from kg_neo4j.pipeline.rebuilding import rebuild
from kg_neo4j.pipeline.reporting import CommunityReportOptions, communities, community_reports, plan_community_reports
from kg_neo4j.pipeline.resolving import ResolveOptions, resolve, undo
from kg_neo4j.pipeline.tuning import TuneOptions, plan_tune, tune, write_schema
from kg_neo4j.pipeline.unloading import unload
from kg_neo4j.retrieve.tree.choice import TreeChoice

__all__ = [
    "ArchiveReport",
    "AskOptions",
    "BackupReport",
    "Chat",
    "ChatReply",
    "CommunityReportOptions",
    "ImportReport",
    "LoadOptions",
    "RecoveryReport",
    "ResolveOptions",
    "StoredGraph",
    "TreeBuildOptions",
    "TreeChoice",
    "TreePlan",
    "TreeReport",
    "TuneOptions",
    "ask",
    "backup",
    "chat",
    "communities",
    "community_reports",
    "export_archive",
    "extract",
    "import_graph",
    "load",
    "plan",
    "plan_community_reports",
    "plan_tree",
    "plan_tune",
    "quarantine",
    "rebuild",
    "recover",
    "resolve",
    "restore",
    "retry_quarantine",
    "tree",
    "tune",
    "undo",
    "unload",
    "write_schema",
]
