"""Small files in exactly the formats of QuALITY v1.0.1 and NarrativeQA, made here; the texts are ours."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

TOWER = (
    "The lighthouse at Hald stood empty for nine years. Then Ada Lind came with a brass lamp and a dog called Rusk.\n\n"
    "She told the fishermen that she had come to listen. On the third night of the storm she lit the lamp, and the "
    "schooner Perpetua, which everyone had believed lost, answered with a bell.\n\n"
    "Her brother Tom was aboard. He had taken the harbour money, and he gave it back on the mole, coin by coin."
)
MILL = (
    "Old Bram owned the only mill in Veld, and he ground no corn for those who owed him.\n\n"
    "When the river froze, his daughter Ines opened the sluice by night, and the village had bread in the morning. "
    "Bram found her flour on the doorstep and said nothing; in spring he burned the book of debts."
)
GUTENBERG = (
    "The Project Gutenberg EBook of The Mill, by Nobody\n\nTitle: The Mill\n\n"
    "*** START OF THIS PROJECT GUTENBERG EBOOK THE MILL ***\n\nProduced by Nobody\n\n{text}\n\n"
    "End of the Project Gutenberg EBook of The Mill\n\n*** END OF THIS PROJECT GUTENBERG EBOOK THE MILL ***\n\nLicence."
)
DOCUMENT_COLUMNS = (
    "document_id,set,kind,story_url,story_file_size,wiki_url,wiki_title,story_word_count,story_start,story_end"
)
QUESTION_COLUMNS = "document_id,set,question,answer1,answer2,question_tokenized,answer1_tokenized,answer2_tokenized"


def quality_question(
    text: str, options: Sequence[str], label: object, *, hard: int = 0, number: int = 1
) -> dict[str, Any]:
    """Return a question as a line of QuALITY has it; `label` None leaves the labels out, as the test file does."""
    question: dict[str, Any] = {
        "question": text,
        "question_unique_id": f"10001_AAAA1111_{number}",
        "options": [*options],
    }
    if label is None:
        return question
    votes = [{"untimed_annotator_id": "0012", "untimed_answer": label, "untimed_eval1_answerability": 1}]
    speed = [{"speed_annotator_id": "0034", "speed_answer": label}]
    labels = {"writer_label": label, "gold_label": label, "validation": votes, "speed_validation": speed}
    return {**question, **labels, "difficult": hard}


def quality_line(
    article: str,
    questions: Sequence[Mapping[str, Any]],
    *,
    key: str = "10001",
    writer: str = "AAAA1111",
    **changed: Any,
) -> dict[str, Any]:
    """Return a line of QuALITY."""
    return {
        "article_id": key,
        "set_unique_id": f"{key}_{writer}",
        "batch_num": "23",
        "writer_id": "1029",
        "source": "Gutenberg",
        "title": f"Story {key}",
        "year": "1962",
        "author": "Nobody",
        "topic": "PS; Science fiction",
        "url": f"http://www.gutenberg.org/ebooks/{key}",
        "license": "This eBook is for the use of anyone anywhere.",
        "article": article,
        "questions": [*questions],
        **changed,
    }


def write_lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def two_articles(folder: Path) -> Path:
    """Write a QuALITY file: two articles, the first with two writers, four questions of which two are hard."""
    first = quality_question("What did Ada Lind light?", ["A fire", "The lamp", "A pipe", "Nothing"], 2, number=1)
    second = quality_question(
        "Who was aboard the Perpetua?", ["Tom, her brother", "Rusk", "Bram", "Ada"], 1, hard=1, number=2
    )
    third = quality_question(
        "What did Tom give back?", ["The dog", "A bell", "The harbour money", "The lamp"], 3, number=1
    )
    fourth = quality_question(
        "Who opened the sluice?", ["Bram", "The miller", "The river", "Ines"], 4, hard=1, number=1
    )
    rows = [
        quality_line(TOWER, [first, second]),
        quality_line(TOWER, [{**third, "question_unique_id": "10001_BBBB2222_1"}], writer="BBBB2222"),
        quality_line(
            MILL,
            [{**fourth, "question_unique_id": "10002_AAAA1111_1"}],
            key="10002",
            source="Slate",
            url="http://www.slate.com/id/1",
        ),
    ]
    return write_lines(folder / "QuALITY.v1.0.1.htmlstripped.dev", rows)


def write_table(path: Path, columns: str, rows: Sequence[Sequence[object]]) -> Path:
    """Write a table as csv does."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns.split(","))
        writer.writerows(rows)
    return path


def narrative_set(folder: Path) -> Path:
    """Write a NarrativeQA folder: a book, a script, a text that is not there, and a summary of each."""
    (folder / "tmp").mkdir(parents=True)
    (folder / "third_party" / "wikipedia").mkdir(parents=True)
    book, film, gone = (letter * 40 for letter in "abc")
    (folder / "tmp" / f"{book}.content").write_text("\ufeff" + GUTENBERG.format(text=MILL), encoding="utf-8")
    page = f"<html><head><script>if ( window )</script></head><body><pre>THE TOWER\n\n{TOWER}</pre></body></html>"
    (folder / "tmp" / f"{film}.content").write_text(page, encoding="utf-8")
    wiki, word = "http://en.wikipedia.org/wiki/X", "Produced by Nobody"
    books, films = "http://www.gutenberg.org/ebooks/1.txt.utf-8", "http://www.imsdb.com/scripts/Tower,-The.html"
    documents = [
        (book, "train", "gutenberg", books, 900, wiki, "The Mill", 80, word, "new eBooks ."),
        (film, "valid", "movie", films, 700, wiki, "Tower, The (1931 film)", 90, "THE TOWER", "THE END"),
        (gone, "train", "gutenberg", books, 100, wiki, 'The "Lost" Book', 10, word, "new eBooks ."),
    ]
    questions = [
        (book, "train", "Who opened the sluice?", "Ines", "Bram's daughter", "Who opened", "Ines", "Bram 's daughter"),
        (film, "valid", "What was the dog's name?", "Rusk", "Rusk", "What was", "Rusk", "Rusk"),
        (book, "train", "What did Bram burn?", "The book of debts", "His debts", "What did", "The book", "His debts"),
        (gone, "train", "Who was lost?", "The book", "All", "Who was", "The book", "All"),
    ]
    summaries = [
        (name, split, said, said)
        for name, split, said in ((book, "train", "Ines opens a sluice."), (film, "valid", "A keeper lights a lamp."))
    ]
    write_table(folder / "documents.csv", DOCUMENT_COLUMNS, documents)
    write_table(folder / "qaps.csv", QUESTION_COLUMNS, questions)
    write_table(
        folder / "third_party" / "wikipedia" / "summaries.csv", "document_id,set,summary,summary_tokenized", summaries
    )
    return folder
