"""The graph as an object: what it loads it also finds, shows, and gives to pandas, networkx and other tools."""

from __future__ import annotations

import asyncio
import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import pandas
import pytest

from kg_neo4j import AsyncKnowledgeGraph, KnowledgeGraph
from kg_neo4j.errors import DatabaseError, UsageError
from kg_neo4j.langchain import KnowledgeGraphRetriever
from kg_neo4j.pipeline.commands.graphs import delete_graph, graphs
from kg_neo4j.pipeline.commands.load import unload
from kg_neo4j.settings import Settings
from kg_runner import Kg
from made_files import pdf

TEXT = (
    "Ada Lovelace was born in London on 10 December 1815. She was a mathematician. Ada Lovelace met Charles Babbage in "
    "1833. Charles Babbage designed the Analytical Engine. Ada Lovelace married William King in 1835.\n\n"
    "William King was born in 1805. Mary Somerville was a friend of Ada Lovelace and taught her mathematics in London."
)


@pytest.fixture(scope="module")
def notes(shared: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    source = tmp_path_factory.mktemp("notes") / "ada.txt"
    source.write_text(TEXT, "utf-8")
    with KnowledgeGraph(shared.graph, settings=shared) as found:
        report = found.load(source)
        assert report.nodes > 3
        assert found.load(source).changes == 0
        yield found


def test_a_question_has_an_answer_with_quotes(notes: KnowledgeGraph) -> None:
    answer = notes.ask("Whom did Ada Lovelace marry?")
    assert "William King" in answer.answer
    assert all(each.quote in TEXT for each in answer.citations)


def test_a_graph_says_what_it_holds_and_what_changed(notes: KnowledgeGraph, tmp_path: Path) -> None:
    assert notes.status().graph == notes.name
    assert notes.status().entities == len(notes.to_pandas().entities)
    before = tmp_path / "before.jsonl"
    notes.export(before)
    assert notes.diff(before) == ()
    text = before.read_text("utf-8")
    before.write_text(text.replace('"Mary Somerville"', '"Mary Summerville"'), "utf-8")
    changes = {(each.change, each.name) for each in notes.diff(before) if each.kind == "entity"}
    assert changes == {("added", "Mary Somerville (PERSON)"), ("removed", "Mary Summerville (PERSON)")}
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"question": "Whom did Ada Lovelace marry?"}\n', "utf-8")
    notes.check_answers(questions, save=True)
    assert [each.change for each in notes.check_answers(questions)] == ["same"]


def test_words_find_entities_and_passages(notes: KnowledgeGraph) -> None:
    found = notes.search("charles babbage")
    assert found.hits[0].name == "Charles Babbage"
    assert any(each.kind == "passage" and "Analytical Engine" in each.text for each in found.hits)
    assert len([each for each in notes.search("lovelace", limit=1).hits if each.kind == "entity"]) == 1
    assert not [each for each in notes.search("*").hits if each.kind == "entity"]
    with pytest.raises(UsageError, match="no words"):
        notes.search("  ")


def test_an_entity_is_shown_with_facts_and_their_words(notes: KnowledgeGraph) -> None:
    ada = notes.entity("Lovelace")
    assert (ada.name, ada.type) == ("Ada Lovelace", "PERSON")
    assert ada.documents == 1
    assert ada.degree >= len(ada.facts) > 1
    assert all(each.quote in TEXT for each in ada.facts)
    assert [each.evidence for each in ada.facts] == sorted((each.evidence for each in ada.facts), reverse=True)
    assert ada.passages
    with pytest.raises(UsageError, match="Charles Babbage"):
        notes.entity("Charles Babage")


def test_a_query_reads_and_never_writes(notes: KnowledgeGraph) -> None:
    names = notes.query("MATCH (e:PERSON {graph: $graph}) RETURN e.name AS name ORDER BY name")
    assert {"Ada Lovelace", "Charles Babbage"} <= set(names["name"])
    path = notes.query(
        "MATCH p = (a:PERSON {graph: $graph})-[r]->(:Entity) RETURN a, r, p, date('2026-01-02') AS d LIMIT 1"
    )
    assert "PERSON" in path.loc[0, "a"]["labels"]
    assert path.loc[0, "r"]["type"]
    assert len(path.loc[0, "p"]["nodes"]) == 2
    assert path.loc[0, "d"].isoformat() == "2026-01-02"
    assert notes.query("RETURN $x + 1 AS y", x=4).loc[0, "y"] == 5
    with pytest.raises(DatabaseError):
        notes.query("CREATE (:Person {name: 'Nobody'})")
    with pytest.raises(DatabaseError):
        notes.query("MATCH (")


def test_the_graph_in_pandas_and_networkx_is_the_same(notes: KnowledgeGraph) -> None:
    frames, graph = notes.to_pandas(), notes.to_networkx()
    size = notes.query("MATCH (e:Entity {graph: $graph}) RETURN count(e) AS n").loc[0, "n"]
    assert len(frames.entities) == graph.number_of_nodes() == size
    assert len(frames.relationships) == graph.number_of_edges() > 0
    assert {"Charles Babbage", "Ada Lovelace"} <= {*graph.nodes}
    assert max(graph.degree, key=lambda each: each[1])[0] == "Ada Lovelace"
    assert {data["type"] for _, _, data in graph.edges(data=True)} == set(frames.relationships["type"])


def test_a_network_can_be_written_as_graphml(notes: KnowledgeGraph, tmp_path: Path) -> None:
    graph = notes.to_networkx()
    nx.write_graphml(graph, tmp_path / "notes.graphml")
    again = nx.read_graphml(tmp_path / "notes.graphml", force_multigraph=True)
    assert {*again.nodes} == {*graph.nodes}
    assert {each["quote"] for *_, each in again.edges(data=True)} == {
        each["quote"] for *_, each in graph.edges(data=True)
    }


def test_relationships_have_names_and_the_words_that_state_them(notes: KnowledgeGraph) -> None:
    nodes, edges = notes.to_pandas()
    assert list(nodes.columns)[:2] == ["name", "type"]
    assert list(edges.columns)[:5] == ["source", "type", "target", "quote", "document"]
    assert all(quote in TEXT for quote in edges["quote"])
    assert {*edges["document"]} == {*notes.documents()["document"]}
    met = notes.relationships(type="met", entity="Lovelace")
    assert ("Ada Lovelace", "Charles Babbage") in zip(met["source"], met["target"], strict=True)
    assert "1833" in {*met["start_date"]}
    assert {*met["source_id"]} <= {*nodes["id"]}
    assert len(notes.relationships(entity="Charles Babbage")) < len(notes.relationships()) == len(edges)
    assert {*notes.entities(type="person")["type"]} == {"PERSON"}
    for refused in (notes.entities, notes.relationships):
        with pytest.raises(UsageError, match="nothing has the type 'PERSN'") as error:
            refused(type="PERSN")
        assert error.value.hint
    with pytest.raises(UsageError, match="Charles Babbage"):
        notes.relationships(entity="Charles Babage")


def test_words_beyond_the_basic_plane_do_not_move_the_quotes(shared: Settings) -> None:
    with KnowledgeGraph(f"{shared.graph}-astral", settings=shared) as kg:
        kg.load_text("😀😀😀 Notes.\r\n\r\nAda Lovelace met Charles Babbage in 1833.", name="memo")
        assert "Ada Lovelace met Charles Babbage in 1833." in {*kg.relationships()["quote"]}
        assert [each.document for each in kg.ask("Whom did Ada Lovelace meet?").sources][:1] == ["memo"]
        assert kg.load_text("Ada Lovelace met Mary Somerville in 1834.", name="memo").documents == 1
        assert "Charles Babbage" not in {*kg.entities()["name"]}
        assert kg.delete().deleted > 0
        assert kg.name not in {*kg.graphs()["graph"]}


def test_tables_of_what_there_is(notes: KnowledgeGraph) -> None:
    assert notes.name in {*notes.graphs()["graph"]}
    assert {"person", "place"} <= {each.lower() for each in notes.types()["type"]}
    assert {"source", "relationship", "target", "count"} <= {*notes.schema().columns}
    assert {"chunks", "entities", "facts", "source"} <= {*notes.documents().columns}
    assert list(notes.report()["name"]) == list(notes.reports()["name"])
    assert len(notes.report("neighbours", name="Ada Lovelace")) > 0
    with pytest.raises(UsageError, match="no report 'most-conected'") as refused:
        notes.report("most-conected")
    assert refused.value.__notes__ == ["try: did you mean most-connected?"]


def test_the_graph_its_entities_and_answers_print(notes: KnowledgeGraph, kg: Kg) -> None:
    assert str(notes).startswith(f"{notes!r}: 1 documents, ")
    assert f">{len(notes.entities()):,}</td>" in notes._repr_html_()
    assert notes["Lovelace"] == notes.show("Lovelace") == notes.entity("Lovelace")
    assert [each.source for each in notes["Lovelace"]] == [each.source for each in notes["Lovelace"].facts]
    assert "Ada Lovelace" in str(notes["Lovelace"])
    answer = notes.ask("Whom did Ada Lovelace marry?")
    printed = kg("ask", "Whom did Ada Lovelace marry?", "--graph", notes.name)[1]
    assert answer.sources
    assert all(f"[{number}] {each.titled}" in str(answer) for number, each in enumerate(answer.sources, 1))
    assert printed.splitlines()[0].partition(" (")[0] in str(answer)
    assert all(each.quote in TEXT for each in pandas.DataFrame(answer.sources).itertuples())
    lost = notes.ask("Who invented the telephone?")
    assert not lost
    assert lost.text
    assert len(notes.search("lovelace", limit=2)) == len([*notes.search("lovelace", limit=2)]) > 0
    for each in (
        notes.status(),
        notes.communities(),
        notes.search("ada"),
        notes.to_pandas(),
        answer,
        notes["Lovelace"],
    ):
        assert str(each)
        assert each._repr_html_().startswith("<")
    with pytest.raises(UsageError, match="Ada Lovelace"):
        notes.show("Ada Lovlace")


def test_a_picture_is_shown_below_the_cell(notes: KnowledgeGraph) -> None:
    for drawn in (notes.show(), notes.plot(colour_by="community")):
        assert drawn.path is None
        assert drawn._repr_html_().startswith('<iframe srcdoc="&lt;!doctype html&gt;')
        assert "Ada Lovelace" in drawn._repr_html_()
        assert len(str(drawn)) < 1_000


def test_lists_generators_and_frames_are_loaded(shared: Settings, tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.md").write_text(f"Ada Lovelace met {name.upper()}nna Weber in 1833.", "utf-8")
    frame = pandas.DataFrame({"person": ["Ada Lovelace"], "born": [1815], "city": ["London"]})
    with KnowledgeGraph(f"{shared.graph}-many", settings=shared, progress=True) as kg:
        report = kg.load([tmp_path / "a.md"], (each for each in [str(tmp_path / "b.md")]), progress=False)
        assert report.documents == 2
        assert "documents" in str(report)
        assert kg.load(tmp_path.glob("*.md")).documents == 3
        assert kg.load(frame, map=kg.map(frame)).documents == 1
        (tmp_path / "two.pdf").write_bytes(pdf(["The Difference Engine was never finished.", "It was made of brass."]))
        kg.load(tmp_path / "two.pdf")
        found = KnowledgeGraphRetriever(kg, k=1).invoke("Difference Engine")
        assert (found[0].metadata["page"], found[0].metadata["source"][-7:]) == (1, "two.pdf")
        lived = kg.relationships(entity="London")
        assert list(lived["source"]) == ["Ada Lovelace"]
        kg.delete()


def test_coroutines_give_what_the_methods_give(notes: KnowledgeGraph, shared: Settings) -> None:
    async def work() -> tuple[str, ...]:
        async with AsyncKnowledgeGraph(notes.name, settings=shared) as kg:
            asked = [kg.ask("Whom did Ada Lovelace marry?"), kg.search("babbage"), kg.search("king"), kg["Lovelace"]]
            answer, first, second, ada = await asyncio.gather(*asked)
            return answer.text, first.hits[0].name, second.words, ada.name

    text, *others = asyncio.run(work())
    assert "William King" in text
    assert others == ["Charles Babbage", "king", "Ada Lovelace"]


def test_langchain_retrieves_passages(notes: KnowledgeGraph) -> None:
    retriever = KnowledgeGraphRetriever(notes, k=2)
    found = retriever.invoke("Who designed the Analytical Engine?")
    assert 0 < len(found) <= 2
    assert "Analytical Engine" in found[0].page_content
    metadata = found[0].metadata
    assert metadata["source"].endswith("ada.txt")
    assert metadata["title"] in {*notes.documents()["document"]}
    assert (metadata["page"], metadata["score"] > 0, len(metadata["chunk_id"])) == (None, True, 32)
    again = asyncio.run(KnowledgeGraphRetriever(graph=notes).ainvoke("Who designed the Analytical Engine?"))
    assert again[0] == found[0]


def test_reports_and_communities_are_those_of_the_command_line(notes: KnowledgeGraph) -> None:
    assert notes.report("most-connected", limit=2)["Node"].size == 2
    assert all(each.size > 1 for each in notes.communities())


def test_a_notebook_shows_names_as_text(shared: Settings) -> None:
    with KnowledgeGraph("<b>", settings=shared) as other:
        assert "<b>" not in other._repr_html_()
        assert "&lt;b&gt;" in other._repr_html_()


def test_exports_by_suffix(notes: KnowledgeGraph, tmp_path: Path) -> None:
    frames = notes.to_pandas()
    assert notes.export(tmp_path / "g.graphml") == notes.export(tmp_path / "g.csv") == sum(map(len, frames))
    read = nx.read_graphml(tmp_path / "g.graphml", force_multigraph=True)
    assert sorted(name for _, name in read.nodes(data="name")) == sorted(frames.entities["name"])
    assert read.number_of_edges() == len(frames.relationships)
    assert ElementTree.parse(tmp_path / "g.graphml").getroot().tag.endswith("graphml")
    assert {each["quote"] for *_, each in read.edges(data=True)} == {*frames.relationships["quote"]}
    edges = pandas.read_csv(tmp_path / "g-relationships.csv")
    assert list(edges.columns) == list(frames.relationships.columns)
    assert {*edges["quote"]} == {*frames.relationships["quote"]}
    with pytest.raises(UsageError, match=r"no format has the suffix '\.xls'"):
        notes.export(tmp_path / "g.xls")
    with (tmp_path / "g-nodes.csv").open(newline="", encoding="utf-8") as file:
        assert {row["name"] for row in csv.DictReader(file)} == set(frames.entities["name"])


def test_the_commands_print_what_is_found(notes: KnowledgeGraph, kg: Kg, tmp_path: Path) -> None:
    code, said, _ = kg("search", "babbage", "--graph", notes.name)
    assert code == 0
    assert "Charles Babbage" in said
    code, said, _ = kg("show", "Ada Lovelace", "--graph", notes.name, "--json")
    assert code == 0
    assert json.loads(said)["facts"][0]["quote"] in TEXT
    code, said, _ = kg("graphs", "list", "--json")
    assert notes.name in [each["graph"] for each in json.loads(said)]
    assert kg("ask", "Who invented the telephone?", "--graph", notes.name, "--exit-status")[0] == 6
    assert kg("ask", "Whom did Ada Lovelace marry?", "--graph", notes.name, "--exit-status")[0] == 0
    assert json.loads(kg("report", "most-connected", "--graph", notes.name, "--json")[1])
    code, _, error = kg("export", str(tmp_path / "x.xls"), "--graph", notes.name)
    assert code == 2
    assert "x.jsonl" in error


def test_a_graph_is_deleted_by_its_name_alone(notes: KnowledgeGraph, shared: Settings, kg: Kg, tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text(TEXT, "utf-8")
    other = f"{notes.name}-gone"
    with KnowledgeGraph(other, settings=shared) as gone:
        gone.load(tmp_path / "b.txt")
    assert kg("graphs", "delete", "nothing-called-so", "--yes")[0] == 2
    assert kg("graphs", "delete", other, "--yes")[0] == 0
    names = [each.graph for each in graphs(settings=shared)]
    assert other not in names
    assert notes.name in names


def test_two_moments_of_a_graph_differ_in_what_changed(shared: Settings, kg: Kg, tmp_path: Path) -> None:
    name, text = f"{shared.graph}-moments", tmp_path / "notes" / "a.txt"
    text.parent.mkdir()
    text.write_text(TEXT, "utf-8")
    (text.parent / "b.txt").write_text("Marie Curie was born in Warsaw in 1867. She was a physicist.", "utf-8")
    before, after = str(tmp_path / "before.jsonl"), str(tmp_path / "after.jsonl.gz")
    with KnowledgeGraph(name, settings=shared) as graph:
        graph.load(text.parent)
        graph.export(before)
        assert kg("diff", before, "--graph", name) == (0, "no difference\n", "")
        text.write_text(TEXT.replace("met Charles Babbage", "met Mary Somerville"), "utf-8")
        graph.load(text.parent)
    assert kg("export", after, "--archive", "--graph", name)[0] == 0
    now, files = (json.loads(kg("diff", *each, "--graph", name, "--json")[1]) for each in ((before,), (before, after)))
    assert now == files
    found = {(each["change"], each["kind"], each["name"]): each for each in now}
    changed = [key[2] for key in found if key[:2] == ("changed", "document")]
    assert [Path(key).name for key in changed] == ["a.txt"]
    assert found["changed", "document", changed[0]]["fields"] == ["text"]
    met = found["removed", "fact", "Ada Lovelace MET Charles Babbage"]
    assert [Path(each["document"]).name for each in met["evidence_removed"]] == ["a.txt"]
    assert "Charles Babbage" in met["evidence_removed"][0]["quote"]
    assert ("added", "fact", "Ada Lovelace MET Mary Somerville") in found
    assert not [key for key in found if "Marie Curie" in key[2]]
    code, said, _ = kg("diff", before, "--graph", name)
    assert code == 1
    assert "- fact Ada Lovelace MET Charles Babbage" in said
    assert kg("diff", before, name) == (code, said, "")  # two words, of which one is a graph
    assert kg("diff", name, name) == (0, "no difference\n", "")
    assert kg("diff", before, before)[0] == 0
    code, _, err = kg("diff", name, f"{name}-none")
    assert code == 2
    assert f"{name}-none" in err
    delete_graph(settings=shared.model_copy(update={"graph": name}))


def test_an_expected_answer_is_right_or_wrong(shared: Settings, kg: Kg, tmp_path: Path) -> None:
    name, file = f"{shared.graph}-expected", tmp_path / "questions.jsonl"
    (tmp_path / "a.txt").write_text(TEXT, "utf-8")
    (tmp_path / "b.txt").write_text("Marie Curie was born in Warsaw in 1867. She was a physicist.", "utf-8")
    born = {"question": "Where was Marie Curie born?"}
    rows = [{**born, "answer": each} for each in ("warsaw", "War", "Warsaw  in\n1867", "Lisbon")]
    file.write_text("".join(json.dumps(each) + "\n" for each in [*rows, born]), "utf-8")
    with KnowledgeGraph(name, settings=shared) as graph:
        graph.load(tmp_path)
        assert [each.change for each in graph.check_answers(file)][:2] == ["right", "wrong"]
        code, said, _ = kg("test", str(file), "--graph", name)
        assert code == 1
        assert "! Where was Marie Curie born?\n    expected: Lisbon\n    + " in said
        assert "wrong: 2, changed: 0, new: 1" in said
        file.write_text(json.dumps(rows[0]) + "\n", "utf-8")
        assert kg("test", str(file), "--graph", name)[:2] == (
            0,
            "questions: 1, right: 1, wrong: 0, changed: 0, new: 0\n",
        )
        assert kg("test", str(file), "--graph", name, "--quiet") == (0, "", "")
        assert kg("test", str(file), "--graph", name, "--save")[0] == 0
        assert json.loads(file.read_text("utf-8"))["answer"] == "warsaw"
        code, said, _ = kg("unload", str(tmp_path / "b.txt"), "--graph", name)
        assert code == 0
        assert re.match(
            r"removed 1 document, 1 chunk, \d+ entit\w+, \d+ relationships?; left: 1 document, 1 chunk, ", said
        )
    delete_graph(settings=shared.model_copy(update={"graph": name}))


def test_saved_questions_tell_which_document_changed_an_answer(shared: Settings, kg: Kg, tmp_path: Path) -> None:
    name, text = f"{shared.graph}-questions", tmp_path / "notes" / "a.txt"
    text.parent.mkdir()
    text.write_text(TEXT, "utf-8")
    (text.parent / "b.txt").write_text("Marie Curie was born in Warsaw in 1867. She was a physicist.", "utf-8")
    questions = ["Where was Marie Curie born?", "Whom did Ada Lovelace marry?", "Who invented the telephone?"]
    file = tmp_path / "questions.jsonl"
    rows = [json.dumps({"question": each, "id": n}) + "\n" for n, each in enumerate(questions)]
    file.write_text("".join(rows), "utf-8")
    with KnowledgeGraph(name, settings=shared) as graph:
        graph.load(text.parent)
        assert kg("test", str(file), "--graph", name)[1].startswith("questions: 3, changed: 0, new: 3\n--save")
        assert "saved" not in file.read_text("utf-8")
        assert kg("test", str(file), "--graph", name, "--save")[0] == 0
        saved = file.read_bytes()
        assert kg("test", str(file), "--graph", name)[:2] == (0, "questions: 3, changed: 0, new: 0\n")
        text.write_text(TEXT.replace("married William King in 1835", "married John Crosse in 1835"), "utf-8")
        graph.load(text.parent)
    code, said, _ = kg("test", str(file), "--graph", name)
    assert code == 1
    assert "~ Whom did Ada Lovelace marry?" in said
    assert "a.txt: text changed" in said
    assert file.read_bytes() == saved
    code, said, _ = kg("test", str(file), "--graph", name, "--json")
    found = json.loads(said)
    assert [each["change"] for each in found] == ["same", "changed", "same"]
    assert [each["found"] for each in found] == [True, True, False]
    assert ("William King" in found[1]["before"], "John Crosse" in found[1]["after"]) == (True, True)
    assert [each["change"] for each in found[1]["documents"]] == ["text changed"]
    unload(str(text), settings=shared.model_copy(update={"graph": name}))
    gone = json.loads(kg("test", str(file), "--graph", name, "--save", "--json")[1])[1]
    assert (gone["change"], gone["found"]) == ("changed", False)
    assert [each["change"] for each in gone["documents"]] == ["removed"]
    assert [json.loads(line)["id"] for line in file.read_text("utf-8").splitlines()] == [0, 1, 2]
    assert kg("test", str(file), "--graph", name)[0] == 0
    assert kg("test", str(tmp_path / "none.jsonl"), "--graph", name)[0] == 1
    delete_graph(settings=shared.model_copy(update={"graph": name}))
