"""A graph of which one document is erased, with traces of that document in all places where we keep or write some."""

from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from kg_neo4j import KnowledgeGraph, Settings
from kg_neo4j._models.cache import FILE, AnswerCache
from kg_neo4j._models.protocols import Completion
from kg_neo4j.pipeline.commands.archive import export_archive
from kg_neo4j.pipeline.commands.communities import community_reports
from kg_neo4j.pipeline.commands.resolve import ResolveOptions, resolve
from kg_neo4j.records import Usage

NAMES = (
    "Quorvath Blimstrum Zandelpho Trivoxen Jabberlune Morphaxis Klentwick Ostrivane Fendralox Wyspergal Dravenmoor "
    "Plixhollow Gruntavel Sorbenique Hexalorn Vintrabel Yomplesk Cazidorn Umbreltov Ekspandrel"
).split()
SENTENCES = [
    f"Mara {name} married Jonas Holt of Whitby in {1900 + place}, and the ledger of the mill has {name.lower()}mark."
    for place, name in enumerate(NAMES)
]
SECRET = "\n\n".join(f"{each} The wind was cold that day, and nothing else was noted." for each in SENTENCES)
OTHER = (
    "Jonas Holt was born in Whitby in 1871. Jonas Holt worked for Harbour Mill. Ada Reed founded Harbour Mill in 1841."
)


@dataclass(frozen=True)
class Place:
    """Where a test's files are: sources, ours, and what commands wrote."""

    settings: Settings
    folder: Path

    def load(self, name: str, text: str) -> None:
        (self.folder / "texts").mkdir(exist_ok=True)
        (self.folder / "texts" / name).write_text(text, "utf-8")
        with KnowledgeGraph(self.settings.graph, settings=self.settings) as graph:
            graph.load(self.folder / "texts" / name)

    def export(self, name: str) -> bytes:
        """Return the export, and leave its file behind."""
        with KnowledgeGraph(self.settings.graph, settings=self.settings) as graph:
            graph.export(self.folder / "out" / name)
        return (self.folder / "out" / name).read_bytes()

    def derive(self) -> None:
        community_reports(settings=self.settings)

    def marks(self, *folders: Path) -> set[str]:
        """Return what is left of the marked names in files, also in packed ones and in UTF-16."""
        found = set()
        for path in (each for folder in folders for each in folder.rglob("*") if each.is_file()):
            data = path.read_bytes()
            data += gzip.decompress(data) if data[:2] == b"\x1f\x8b" else b""
            for name in (*NAMES, *map(str.lower, NAMES)):
                if any(name.encode(encoding) in data for encoding in ("utf-8", "utf-16-le", "utf-16-be")):
                    found.add(f"{path.name}: {name}")
        return found

    def begin(self) -> bytes:
        """Make the graph of the document that stays, and return its export."""
        self.load("other.txt", OTHER)
        self.derive()
        links = self.folder / "texts" / "links.csv"
        links.write_text("name_1,type_1,name_2,type_2\nAda Reed,,Jonas Holt,\n")
        resolve(settings=self.settings, options=ResolveOptions(cannot_link=links))
        return self.export("before.jsonl")

    def fill(self) -> None:
        """Leave traces in all places."""
        settings, out = self.settings, self.folder / "out"
        self.load("secret.txt", SECRET)
        self.derive()
        links = self.folder / "texts" / "links.csv"
        links.write_text(f"name_1,type_1,name_2,type_2\nMara {NAMES[0]},,Mara {NAMES[1]},\nAda Reed,,Jonas Holt,\n")
        resolve(settings=settings, options=ResolveOptions(cannot_link=links))
        self.export("all.jsonl")
        export_archive(out / "all.jsonl.gz", settings=settings)
        with KnowledgeGraph(settings.graph, settings=settings) as graph:
            graph.export(out / "all.csv")
            graph.plot(out / "all.html")
            married = next(
                each
                for each in graph.query("MATCH (f:KgFact {graph: $graph, type: 'MARRIED_TO'}) RETURN f.id AS id").id
            )
            graph.corrections.wrong(married, because=SENTENCES[3])
        cache = AnswerCache(settings.cache / FILE)
        for each in (*SENTENCES, "Nothing."):
            cache.put(hashlib.sha256(each.encode()).hexdigest(), Completion(each, "stop", Usage(1, 5, 5)))
        cache.close()
        rows = [
            {"question": "Who?", "right": SENTENCES[4]},
            {"question": f"Who is Mara {NAMES[2]}?"},
            {"question": "Who is Ada?"},
        ]
        for name, text in {
            "questions/main.jsonl": "".join(f"{json.dumps(row)}\n" for row in rows),
            f"uploads/{self.uploads}/secret.txt": SECRET,
            f"uploads/{self.uploads}/other.txt": OTHER,
            f"uploads/{self.uploads}-waiting/1234/secret.txt": SECRET,
            "scans/ab/abcd/1.json": json.dumps({"engine": 1, "lines": [[SENTENCES[5], 0, 0, 1, 1]], "confidence": 1.0}),
            "scans/cd/cdef/1.json": json.dumps({"engine": 1, "lines": [[OTHER, 0, 0, 1, 1]], "confidence": 1.0}),
            "neo4j-5.26/data-before-recovery-1/store": SECRET,
        }.items():
            path = settings.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    @property
    def uploads(self) -> str:
        return hashlib.sha256(self.settings.graph.encode()).hexdigest()[:16]
