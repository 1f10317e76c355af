"""Records as people read them: an answer as `kg ask` prints it, tables in notebooks, and no markup of documents."""

from __future__ import annotations

from dataclasses import replace

import pandas
import pytest

from kg_neo4j.display import Listed
from kg_neo4j.pipeline.commands.search import SearchHit, SearchResult, ShownEntity, ShownFact
from kg_neo4j.records import Answer, Citation, Claim, LoadReport, Passage, RowCounts, SkippedSource, Usage

CELL = '<td style="text-align:left">'
CITED = Citation("c1", "ada.pdf", 0, 30, "Ada Lovelace met\nCharles Babbage.", page=3)
ANSWER = Answer(
    "Whom?", "local", "She met Charles Babbage. [1]", True, (CITED,), (), Usage(), 0.1, limits=("old data",)
)
FACT = ShownFact("Ada", "MET", "Charles", 2, "Ada met Charles.", "ada.txt", "f1")
ADA = ShownEntity("e1", "Ada", "PERSON", ("Lovelace",), "", 4, 1, 0, 1, (FACT,), (), ())
REPORT = LoadReport(
    documents=1_234,
    rows=RowCounts(20, 18, 2),
    skipped=(SkippedSource("a.bin", "binary"),),
    rejections={"bad_type": 2},
    graph="notes",
    nodes=3,
    relationships=2,
    communities=0,
    changes=0,
)


def test_an_answer_reads_as_the_command_prints_it() -> None:
    said = str(ANSWER).splitlines()
    assert said == [
        "She met Charles Babbage. [1]",
        "  [1] ada.pdf, page 3: “Ada Lovelace met Charles Babbage.”",
        "note: old data",
    ]


def test_a_claim_without_support_is_marked() -> None:
    claims = (Claim("She met him.", (1,), "supported"), Claim("She was <b>tall</b>.", (), "uncited"))
    doubtful = replace(ANSWER, claims=claims)
    assert "  ! uncited: She was <b>tall</b>." in str(doubtful).splitlines()
    assert "<mark>uncited: She was &lt;b&gt;tall&lt;/b&gt;.</mark>" in doubtful._repr_html_()
    assert "She met him" not in str(doubtful).replace("She met Charles", "")


def test_without_an_answer_the_passages_are_shown() -> None:
    passage = Passage(Citation("c2", "notes", 5, 20, "He built it."), "", "", "")
    lost = replace(ANSWER, answer="No answer found.", found=False, citations=(), passages=(passage,), limits=())
    assert str(lost) == "No answer found. The passages that fit best:\n  [1] notes: “He built it.”"
    assert "He built it." in lost._repr_html_()
    assert str(replace(lost, passages=())) == "No answer found."


def test_reports_are_lines_and_tables_without_what_is_as_by_default() -> None:
    said = str(REPORT).splitlines()
    assert "documents      1,234" in said
    assert "rows           read 20, accepted 18, rejected 2" in said
    assert "rejections     bad type 2" in said
    assert "  a.bin: binary" in said
    assert "changes        0" in said  # it has no default: nothing changed is news
    assert not [line for line in said if line.startswith(("failed", "usage", "few rows"))]
    assert f"<th>documents</th>{CELL}1,234</td>" in REPORT._repr_html_()
    assert f"{CELL}a.bin</td>{CELL}binary</td>" in REPORT._repr_html_()


def test_an_entity_shows_its_facts_with_their_words() -> None:
    assert "  Ada MET Charles: “Ada met Charles.” (ada.txt)" in str(ADA).splitlines()
    assert f"{CELL}MET</td>" in ADA._repr_html_()
    assert "f1" not in ADA._repr_html_() + str(ADA)


def test_several_records_are_one_line_each_and_one_table() -> None:
    hits = SearchResult("ada", (SearchHit("passage", "ada.txt", "", "Ada met Charles.", 0, 0.5, "c1"),))
    assert str(Listed(hits.hits)) == "ada.txt: Ada met Charles."
    assert Listed(hits.hits)._repr_html_().count("<tr>") == 2
    assert "ada.txt: Ada met Charles." in str(hits)


@pytest.mark.parametrize("words", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "<b>x</b>&"])
def test_words_of_documents_are_never_markup(words: str) -> None:
    hit = SearchHit("passage", words, words, words, 0, 0.5, "c1")
    cited = Citation("c1", words, 0, 3, words, correction=words)
    fact = replace(FACT, source=words, type=words, quote=words, document=words)
    records = [
        *(
            replace(ANSWER, answer=words, citations=(cited,), limits=(words,), claims=(Claim(words, (), words),)),
            hit,
            cited,
        ),
        *(
            SearchResult(words, (hit,), (words,)),
            replace(ADA, name=words, aliases=(words,), facts=(fact,)),
            Listed([fact]),
        ),
        replace(REPORT, rejections={words: 1}, skipped=(SkippedSource(words, words),), notes=(words,)),
    ]
    for each in records:
        assert words not in each._repr_html_()
        assert "onerror=alert(1)>" not in each._repr_html_()


def test_a_terminal_obeys_no_words_of_documents() -> None:
    assert "\x1b" not in str(replace(ANSWER, answer="\x1b[31mred", citations=(replace(CITED, quote="\x1b]0;x"),)))


def test_sources_and_facts_become_tables_of_pandas() -> None:
    frame = pandas.DataFrame(ANSWER.sources)
    assert frame.loc[0, ["document", "page"]].tolist() == ["ada.pdf", 3]
    assert list(pandas.DataFrame(ADA.facts)["target"]) == ["Charles"]
