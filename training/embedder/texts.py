"""What the embedder learns from: passages and articles without any annotation, none of them of the test."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from training.ner.passages import annotated, unannotated

_SENTENCE_END = re.compile(r"(?<=[.!?]) +(?=[A-Z])")
_LONG, _SHORT = 80, 15  # words of a window of an article


@dataclass(frozen=True)
class Texts:
    """Texts of one kind each, as they are embedded."""

    titles: tuple[str, ...]  # of the passages
    passages: tuple[str, ...]  # title, line break, text
    sentences: tuple[str, ...]  # of the passages
    home: tuple[int, ...]  # the passage of each sentence
    windows: tuple[str, ...]  # of articles and novels

    def first(self, count: int) -> Texts:
        """Return the same with the first passages alone."""
        return replace(self, titles=self.titles[:count], passages=self.passages[:count])


def read(data: Path) -> Texts:
    """Return the passages of Re-DocRED's train part and of the multi-hop sets without test titles, and articles."""
    own = annotated(data, "train")
    passages: dict[str, str] = {}
    for each in (*own, *unannotated(data)):
        passages.setdefault(f"{each.title}\n{each.text}", each.title)
    sentences, home = [], []
    for number, each in enumerate(own):
        for sentence in _SENTENCE_END.split(each.text):
            if len(sentence.split()) > 5:
                sentences.append(sentence)
                home.append(number)
    files = [*sorted((data / "wikipedia").glob("*.txt")), *sorted((data / "narrative").glob("*.txt"))]
    windows = []
    for file in files:
        text = file.read_text(encoding="utf-8-sig")
        windows += [*_windows(text, _LONG), *_windows(text, _SHORT)[::3]]
    return Texts(tuple(passages.values()), tuple(passages), tuple(sentences), tuple(home), tuple(windows))


def _windows(text: str, size: int) -> list[str]:
    """Return runs of whole sentences of at least `size` words."""
    found, words = [], []
    for line in text.splitlines():
        if len(line.split()) > 4:
            for sentence in _SENTENCE_END.split(line.strip()):
                words += sentence.split()
                if len(words) >= size:
                    found.append(" ".join(words))
                    words = []
    return found
