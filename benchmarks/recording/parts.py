"""The parts of a recording: which commands are run, in which order, on which texts."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
LONG = 6_000  # characters of a text
TEXTS = {  # name: the file, and where its text begins
    "curie.txt": ("wikipedia/kirito_MarieCurie.txt", ""),
    "chopin.txt": ("wikipedia/kirito_FredericChopin.txt", ""),
    "copernicus.txt": ("wikipedia/kirito_NicolausCopernicus.txt", ""),
    "muhammad.txt": ("wikipedia/QuratulAin20_Muhammad.txt", ""),
    "alice.txt": ("narrative/alice_in_wonderland.txt", ""),
    "lalka.txt": ("narrative_polish/lalka.txt", "W początkach roku 1878"),
}
ARTICLES = [f"texts/{name}" for name in [*TEXTS][:4]]
STORIES = [f"texts/{name}" for name in [*TEXTS][4:]]

ON_ARTICLES = (
    "Who was Marie Curie?",
    "When was Frédéric Chopin born?",
    "Who was the husband of the first woman to win a Nobel Prize?",
    "How are Marie Curie and Frédéric Chopin connected?",
    "What are these documents about?",
    "Was Chopin born before Copernicus?",
    "What happened in 1905?",
    "How many people are there?",
    "Where did the teacher of Chopin live?",
    "Which comet did Zork discover?",
)
ON_STORIES = (
    "What did Alice see before she fell?",
    "Which symbols does the story have?",
    "What is the character of the White Rabbit?",
    "Kim jest Wokulski?",
    "What are the main themes of the stories?",
    "Who met Alice?",
    "What did the lamp say in the harbour of Zork?",
    "Gdzie mieszka Rzecki?",
)
MODES = ("auto", "naive", "local", "global", "tree", "cypher")
ONE, TWO = ("--set", "name=Pierre Curie"), ("--set", "from=Pierre Curie", "--set", "to=Warsaw")
OF_REPORTS = {  # what canned reports need
    **dict.fromkeys(("neighbours", "similar-entities", "similar-neighbourhoods"), ONE),
    **dict.fromkeys(("shortest-path", "shortest-paths"), TWO),
}
VARIED: tuple[tuple[str, int, tuple[str, ...]], ...] = (  # graph, question, options and settings
    *(("articles", number, ("--document", "curie")) for number in (0, 2, 4)),
    *(("articles", number, ("--document", "*c*", "--mode", mode)) for number in (0, 4) for mode in MODES[1:]),
    ("articles", 0, ("--document", "no such document")),
    ("articles", 0, ("--type", "PERSON")),
    ("articles", 4, ("--type", "PLACE", "--mode", "local")),
    ("articles", 0, ("--type", "NO_SUCH_TYPE")),
    ("articles", 6, ("--since", "1800", "--until", "1910")),
    ("articles", 1, ("--since", "1800", "--mode", "local")),
    ("articles", 1, ("--until", "1600", "--mode", "cypher")),
    ("articles", 2, ("--kind", "file", "--language", "en")),
    ("articles", 2, ("--kind", "wikipedia")),
    *(("articles", 2, ("--mode", mode, "--context-tokens", "300")) for mode in MODES[1:]),
    *(("articles", number, ("KG_UNSUPPORTED=drop",)) for number in (0, 1, 2, 5)),
    *(("articles", number, ("KG_JUDGE=true",)) for number in (0, 1, 2, 5)),
    ("articles", 4, ("--mode", "global", "--level", "0")),
    ("articles", 4, ("--mode", "global", "--level", "1")),
    *(("stories", number, ("--mode", "tree", "--top-k", "2")) for number in (0, 1, 4)),
    *(("stories", number, ("--mode", "tree", "--traversal", "top-down")) for number in (0, 1, 4)),
    *(("stories", number, ("--mode", "tree", "--traversal", "bottom-up")) for number in (0, 1)),
    *(("stories", number, ("--mode", "tree", "--tree", "raptor")) for number in (0, 1)),
    *(("stories", 1, ("--mode", "tree", "--aspect", aspect)) for aspect in ("character", "no such aspect")),
    *(("stories", number, ("--language", "pl")) for number in (0, 3, 7)),
    ("stories", 3, ("--language", "de")),
    ("stories", 3, ("--document", "lalka", "--mode", "tree")),
)
CHATS = (
    (
        *(
            "Who was Marie Curie?",
            "When did she die?",
            "And her husband?",
            "/mode naive",
            "What about Chopin?",
            "/show",
        ),
        *(
            "Where was he born?",
            "/mode local",
            "And Copernicus?",
            "What did he write?",
            "/reset",
            "And his wife?",
            "/mode",
        ),
        *(
            "Where?",
            "/mode global",
            "What is all this about?",
            "And why?",
            "/mode cypher",
            "How many people are there?",
        ),
        *("And organizations?", "/mode nothing", "/mode tree", "What does it stand for?", "/help", "/quit"),
    ),
    ("Who is Alice?", "What did she drink?", "/mode tree", "And what does it stand for?", "/mode local", "Who else?"),
)


def write_texts(work: Path) -> None:
    """Write the texts, each cut at a line end, and the questions on them."""
    (work / "texts").mkdir()
    (work / "kg.toml").touch()
    for name, (file, beginning) in TEXTS.items():
        text = (DATA / file).read_text("utf-8-sig")
        text = text[text.index(beginning) :][:LONG]
        (work / "texts" / name).write_text(text[: text.rindex("\n")] + "\n", "utf-8")
    alice = (work / "texts" / "alice.txt").read_text("utf-8")
    (work / "short.txt").write_text(alice[: alice.index("\n", 3_000)] + "\n", "utf-8")
    answers = ("a White Rabbit", "a bottle marked drink me", "by falling down a rabbit-hole", "her sister")
    asked = (
        *("What ran close by Alice?", "What stood on the table?"),
        *("How did Alice come to Wonderland?", "Beside whom did Alice sit?"),
    )
    types = ("detail", "detail", "plot", "character")
    _write_lines(
        work / "story.jsonl",
        (
            {"id": f"n{number}", "document": "short.txt", "type": kind, "question": question, "answer": answer}
            for number, (question, answer, kind) in enumerate(zip(asked, answers, types, strict=True))
        ),
    )
    _write_lines(
        work / "articles.jsonl",
        (
            {"id": f"a{number}", "question": question, "answer": answer, "type": kind, "gold": []}
            for number, (question, answer, kind) in enumerate(
                (
                    ("When was Frédéric Chopin born?", "1 March 1810", "date"),
                    ("Who was the husband of Marie Curie?", "Pierre Curie", "person"),
                    ("Was Chopin born before Copernicus?", "no", "comparison"),
                    ("Which comet did Zork discover?", "none", "person"),
                )
            )
        ),
    )
    _write_multihop(work)
    _write_quality(work)


def _write_multihop(work: Path) -> None:
    """Write six questions and their passages, with further ones between them, and four annotated passages."""
    folder = DATA / "multihop" / "2wiki_dev"
    corpus = [json.loads(line) for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines()]
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()][:6]
    wanted = sorted({number for each in questions for number in each["gold"]} | set(range(0, 600, 30)))
    numbers = {old: new for new, old in enumerate(wanted)}
    by_number = {each["idx"]: each for each in corpus}
    _write_lines(work / "corpus.jsonl", ({**by_number[old], "idx": new} for old, new in numbers.items()))
    _write_lines(
        work / "questions.jsonl", ({**each, "gold": [numbers[old] for old in each["gold"]]} for each in questions)
    )
    gold = json.loads((DATA / "redocred" / "dev_revised.json").read_text("utf-8"))[:5]
    (work / "gold.json").write_text(json.dumps(gold), "utf-8")


def _write_quality(work: Path) -> None:
    """Write one article with two questions in the format of QuALITY."""
    asked = (
        ("Who ran past Alice?", ["a cat", "a white rabbit", "a queen", "a dog"], 2),
        ("Where?", ["x", "y", "by the river", "z"], 3),
    )
    questions = [
        {
            "question": text,
            "question_unique_id": f"1_A_{number}",
            "options": options,
            "writer_label": label,
            "gold_label": label,
            "validation": [{"untimed_annotator_id": "1", "untimed_answer": label, "untimed_eval1_answerability": 1}],
            "speed_validation": [{"speed_annotator_id": "2", "speed_answer": label}],
            "difficult": number,
        }
        for number, (text, options, label) in enumerate(asked)
    ]
    told = dict.fromkeys(("batch_num", "writer_id", "source", "author", "topic", "url", "license"), "1")
    text = (work / "short.txt").read_text("utf-8")
    article = {"article_id": "1", "set_unique_id": "1_A", "title": "Alice", "year": "1865", "article": text}
    _write_lines(work / "quality.dev", [{**told, **article, "questions": questions}])


def _write_lines(path: Path, rows: Any) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


# -------------------------------------------------------------------------------------------------------- the parts


def load(to: Any) -> None:
    """Load the two graphs, again, from stored answers; then everything that is printed of them."""
    for name, texts, options in (
        ("articles", ARTICLES, ("--chunk-tokens", "300")),
        ("stories", STORIES, ("--chunk-tokens", "200", "--gleanings", "2", "--wave", "3")),
    ):
        graph = ("--graph", to.graph(name), "--json")
        to.planned(f"load-{name}", "load", *texts, *options, *graph)
        for listed in ("documents", "quarantine"):
            to.run(f"{listed}-{name}", listed, *graph)
        to.export(name, to.graph(name))
    to.run("load-shown", "load", *ARTICLES, "--chunk-tokens", "300", "--graph", to.graph("articles"))
    of_articles = ("--graph", to.graph("articles"))
    listed = json.loads(to.run("reports", "report", "--format", "json"))
    for each in listed:
        given = OF_REPORTS.get(each["name"], ())
        to.run(f"report-{each['name']}", "report", each["name"], *given, "--format", "csv", *of_articles)
    to.run("rebuild", "rebuild", "--graph", to.graph("articles"), "--json")
    to.export("articles-rebuilt", to.graph("articles"))


def reports(to: Any) -> None:
    """Write community reports."""
    for name in ("articles", "stories"):
        graph = ("--graph", to.graph(name), "--json")
        domain = ("--domain", "auto") if name == "stories" else ()
        to.planned(f"reports-{name}", "communities", "--reports", *domain, *graph)
        listed = json.loads(to.run(f"communities-{name}", "communities", "--limit", "50", *graph))
        for each in listed["communities"][:4]:
            number = str(each["number"])
            to.run(f"report-{name}-{number}", "communities", "--show", number, *graph)
        to.export(f"{name}-with-reports", to.graph(name))


def trees(to: Any) -> None:
    """Build two trees over the stories, and one over an article in more detail."""
    stories, articles = ("--graph", to.graph("stories"), "--json"), ("--graph", to.graph("articles"), "--json")
    to.planned("tree", "tree", *stories)
    to.planned("raptor", "tree", "--name", "raptor", *stories)
    to.planned("details", "tree", "--document", "curie", "--details", "2", "--summary-tokens", "80", *articles)
    to.run("plot", "tree", "--document", "alice", "--plot", "tree.html", *stories)
    to.keep("tree.html", to.work / "tree.html")
    to.run("rebuilt", "tree", "--document", "alice", "--rebuild", *stories)
    to.export("stories-with-trees", to.graph("stories"))
    to.export("articles-with-trees", to.graph("articles"))


def answers(to: Any) -> None:
    """Ask every question in every mode, and some with options."""
    for graph, questions in (("articles", ON_ARTICLES), ("stories", ON_STORIES)):
        for (number, question), mode in itertools.product(enumerate(questions), MODES):
            _ask(to, f"{graph}-{number}-{mode}", graph, question, "--mode", mode, "--json")
    for number, (graph, place, options) in enumerate(VARIED):
        question = (ON_ARTICLES if graph == "articles" else ON_STORIES)[place]
        _ask(to, f"varied-{number:02}", graph, question, *options, "--json")
    for name, options in (("show", ("--show", "--stats")), ("cypher", ("--cypher",)), ("stream", ("--stream",))):
        for number in (0, 3, 4):
            _ask(to, f"shown-{name}-{number}", "articles", ON_ARTICLES[number], *options)


def _ask(to: Any, name: str, graph: str, question: str, *options: str) -> None:
    """Ask with options, and with settings such as KG_JUDGE=true."""
    given = dict(each.split("=") for each in options if each.startswith("KG_"))
    to.run(name, "ask", question, *(each for each in options if each[:3] != "KG_"), "--graph", to.graph(graph), **given)


def chats(to: Any) -> None:
    """Talk with both graphs."""
    for name, lines in zip(("articles", "stories"), CHATS, strict=True):
        typed = "".join(f"{line}\n" for line in lines)
        to.run(f"json-{name}", "chat", "--json", "--graph", to.graph(name), stdin=typed)
        to.run(f"shown-{name}", "chat", "--graph", to.graph(name), stdin=typed)


def resolve(to: Any) -> None:
    """Merge entities, take a run back, and merge with rules of a person."""
    graph = ("--graph", to.graph("merged"), "--json")
    rules = Path("links.csv")
    rules.write_text("name_1,type_1,name_2,type_2\nMecca,,Medina,\nPierre Curie,,Paris,\n", "utf-8")
    to.run("load", "load", "texts/muhammad.txt", "texts/curie.txt", "--chunk-tokens", "300", *graph)
    to.planned("resolve", "resolve", *graph)
    to.run("list", "resolve", "--list", *graph)
    to.export("merged", to.graph("merged"))
    to.run("shown", "resolve", "--dry-run", "--graph", to.graph("merged"))
    to.run("undo", "resolve", "--undo", "1", *graph)
    to.export("undone", to.graph("merged"))
    to.run("must", "resolve", "--must-link", "links.csv", *graph)
    to.run("cannot", "resolve", "--cannot-link", "links.csv", *graph)
    to.export("merged-again", to.graph("merged"))


def upkeep(to: Any) -> None:
    """Change and remove texts; extract to files; read back an archive; ask again for refused rows; propose types."""
    graph, folder = ("--graph", to.graph("kept"), "--json"), Path("kept")
    folder.mkdir(exist_ok=True)
    first, second = (Path(f"texts/{name}").read_text("utf-8")[:4_000] for name in ("copernicus.txt", "chopin.txt"))
    (folder / "first.txt").write_text(first, "utf-8")
    (folder / "second.txt").write_text(second, "utf-8")
    loading = ("load", "kept", "--chunk-tokens", "150", *graph)
    to.run("load", *loading)
    (folder / "first.txt").write_text(first.replace("Copernicus", "Kopernik", 3), "utf-8")
    to.planned("load-changed", *loading)
    (folder / "second.txt").unlink()
    to.run("load-gone", *loading)
    to.twice("load-pruned", *loading, "--prune")
    to.export("kept", to.graph("kept"))
    for again in ("retry", "retry-again") if not to.is_offline else ():
        to.run(again, "quarantine", "--retry", *graph)
    to.export("retried", to.graph("kept"))
    extracting = ("extract", "short.txt", "--to", "extracted", "--chunk-tokens", "200", "--json")
    to.twice("extract", *extracting)
    to.twice("load-extracted", "load", "extracted", "--graph", to.graph("extracted"), "--json")
    to.export("extracted", to.graph("extracted"))
    to.run("archive", "export", "--archive", "kept.jsonl.gz", "--graph", to.graph("kept"), "--json")
    to.run("unload", "unload", "kept", *graph)
    to.export("unloaded", to.graph("kept"))
    to.run("import", "import", "kept.jsonl.gz", "--json")
    to.export("imported", to.graph("kept"))
    to.planned("tune", "tune", "short.txt", "--to", "tuned.toml", "--force", "--json")
    to.keep("tuned.toml", to.work / "tuned.toml")
    to.run("plot", "plot", "graph.svg", "--graph", to.graph("kept"), "--json")


def limits(to: Any) -> None:
    """With a model: budgets that end a command, a small window, a busy server, no cache, several calls at once."""
    text, short = ("texts/copernicus.txt", "--chunk-tokens", "300"), ("--json", "--chunk-tokens", "200")
    loaded = ("load", *text, "--json", "--graph", to.graph("limited"))
    to.run("budget-load", *loaded, "--budget-usd", "0.05")
    to.run("budget-load-plan", *loaded, "--dry-run")
    to.twice("budget-load-on", *loaded, "--budget-usd", "1")
    graph = ("--graph", to.graph("limited"), "--json")
    for name, words, usd in (
        ("reports", ("communities", "--reports"), "0.006"),
        ("tree", ("tree",), "0.004"),
        ("resolve", ("resolve",), "0.001"),
    ):
        to.run(f"budget-{name}", *words, *graph, "--budget-usd", usd)
        to.run(f"budget-{name}-plan", *words, *graph, "--dry-run")
        to.run(f"budget-{name}-on", *words, *graph)
    to.run("budget-tune", "tune", "short.txt", "--to", "tuned.toml", "--force", "--json", "--budget-usd", "0.0001")
    asked = "Who was Copernicus?\nWhen was he born?\nWhere?\n"
    to.run("budget-chat", "chat", *graph, "--budget-usd", "0.012", stdin=asked)
    to.export("limited", to.graph("limited"))
    for name, given in (("cached", {}), ("concurrent", {"KG_MODEL_CONCURRENCY": "4", "KG_ANSWER_CACHE": "false"})):
        to.run(f"load-{name}", "load", *text, "--json", "--graph", to.graph(name), **given)
        to.export(name, to.graph(name))
    to.run("load-uncached", "load", "short.txt", *short, "--graph", to.graph("uncached"), KG_ANSWER_CACHE="false")
    window = {"FAKE_WINDOW": "1850", "KG_ANSWER_CACHE": "false"}
    to.run("load-halved", "load", *text[:2], "900", "--json", "--graph", to.graph("halved"), **window)
    to.export("halved", to.graph("halved"))
    busy = {"FAKE_FLAKY": "1", "KG_ANSWER_CACHE": "false"}
    to.run("load-busy", "load", "short.txt", *short, "--graph", to.graph("busy"), **busy)
    to.run("ask-halved", "ask", "Who was Copernicus?", "--graph", to.graph("limited"), "--json", FAKE_WINDOW="600")
    to.run("load-alone", "load", "short.txt", *short, "--wave", "0", "--gleanings", "0", "--graph", to.graph("alone"))
    described = ("load", "texts/muhammad.txt", *short, "--graph", to.graph("described"))
    to.planned("load-described", *described, KG_SUMMARY_TOKENS="40")
    to.export("described", to.graph("described"))


def studies(to: Any) -> None:
    """Run every study, small."""
    lengths = ("study", "chunk-length", "short.txt", "--tokens", "400", "150", "--prompts", "none", "nd")
    to.planned("chunk-length", *lengths, "--format", "json")
    to.run("chunk-length-shown", *lengths)
    to.twice("aggregation", "study", "aggregation", "short.txt", "--chunk-tokens", "200", "--json")
    to.run("aggregation-shown", "study", "aggregation", *STORIES)
    to.twice("context", "study", "context", "short.txt", "--chunk-tokens", "150", "--json")
    to.run("context-shown", "study", "context", "short.txt", "--chunk-tokens", "150")
    told = ("study", "narrative", "short.txt", "--questions", "story.jsonl", "--to", "study")
    some = ("--systems", "naive,raptor,tree,local,global", "--ablations", "top-k,context,details")
    to.planned("narrative", *told, *some, "--format", "json")
    for file in sorted(Path("study").glob("*.csv")):
        to.keep(file.name, file)
    to.run("narrative-shown", *told, "--systems", "naive,tree", "--ablations", "none")


def scorecards(to: Any) -> None:
    """Print every scorecard, small."""
    extraction = ("eval", "extraction", "--gold", "gold.json", "--limit", "4")
    to.twice("extraction", *extraction, "--json")
    to.run("extraction-shown", *extraction)
    retrieval = ("eval", "retrieval", "--corpus", "corpus.jsonl", "--questions", "questions.jsonl")
    to.twice("retrieval", *retrieval, "--json")
    to.run("retrieval-shown", *retrieval, "--k", "2", "--k", "5")
    to.twice("averaging", "study", "averaging", "corpus.jsonl", *retrieval[-2:], "--format", "json")
    one = ("eval", "answers", "--questions", "questions.jsonl", "--corpus", "corpus.jsonl", "--limit", "4")
    to.twice("answers", *one, "--save", "saved.jsonl", "--json")
    to.keep("saved.jsonl", Path("saved.jsonl"))
    to.run("answers-shown", *one)
    several = ("eval", "answers", "--questions", "quality.dev", "--systems", "naive,raptor,tree,local,global,auto")
    to.planned("systems", *several, "--save", "systems.jsonl", "--cases", "cases.csv", "--json")
    for name in ("systems.jsonl", "cases.csv"):
        to.keep(name, Path(name))
    to.run("systems-shown", *several)
    judged = ("eval", "answers", "--questions", "articles.jsonl", "--systems", "naive,local")
    to.planned("judged", *judged, "--graph", to.graph("articles"), "--judge", "words", "--json")


@dataclass(frozen=True)
class Part:
    """What records a part, and the parts that make its graphs."""

    record: Callable[[Any], None]
    needs: tuple[str, ...] = ()
    worlds: tuple[str, ...] = ("offline", "model")


PARTS = {
    "load": Part(load),
    "reports": Part(reports, ("load",)),
    "trees": Part(trees, ("load",)),
    "answers": Part(answers, ("load", "reports", "trees")),
    "chats": Part(chats, ("load", "reports", "trees")),
    "scorecards": Part(scorecards, ("load",)),
    "resolve": Part(resolve),
    "upkeep": Part(upkeep),
    "limits": Part(limits, worlds=("model",)),
    "studies": Part(studies),
}
NAMES = [f"{world}-{name}" for world in ("offline", "model") for name, part in PARTS.items() if world in part.worlds]


def with_needs(only: Sequence[str]) -> list[str]:
    """Return the parts to record, in order: those in `only` with what they need, or all."""
    wanted = set(only or NAMES)
    for name in only:
        world, _, part = name.partition("-")
        wanted |= {f"{world}-{need}" for need in PARTS[part].needs}
    return [name for name in NAMES if name in wanted]
