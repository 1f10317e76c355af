"""Which language a text is in: by its script, and by the share of each language's stop words. Pure.

A text that leaves doubt has no language (None): a wrong one would cost more than none.
"""

from __future__ import annotations

import ast
import importlib.util
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from itertools import chain
from pathlib import Path

from kg_neo4j import data_files

LEAST_WORDS = 12  # fewer say nothing
LEAST_SHARE = 0.1  # of the words, that are stop words; running text has 0.2 to 0.5, lists of names have none
LEAST_LEAD = 1.3  # times the weight of the second best language
_SAMPLES = 3  # places of a long text that are looked at: beginning, middle, end
_SAMPLE = 8_000  # characters each

_BY_SCRIPT = data_files.beside(__file__).table("scripts")


def detect(text: str) -> str | None:
    """Return the code of the language that `text` is written in, None where that is not clear."""
    sample = text
    if len(text) > _SAMPLES * _SAMPLE:
        starts = ((len(text) - _SAMPLE) * number // (_SAMPLES - 1) for number in range(_SAMPLES))
        sample = "".join(f"{text[start : start + _SAMPLE]}\n" for start in starts)
    script = _script(sample)
    if script is None:
        return None
    if script in _BY_SCRIPT:
        return _BY_SCRIPT[script]
    words = [word for word in map(_bare, unicodedata.normalize("NFC", sample).lower().split()) if word]
    return _by_stop_words(words, script)


def _script(sample: str) -> str | None:
    """Return the script of most letters; None where no script has a clear majority."""
    letters = Counter(_script_of(char) for char in sample if char.isalpha())
    total = letters.total()
    if not total:
        return None
    kana = letters["HIRAGANA"] + letters["KATAKANA"]
    if kana and (kana + letters["CJK"]) * 2 > total:
        return "HIRAGANA" if kana >= 0.1 * (kana + letters["CJK"]) else "CJK"  # a tenth of a Japanese text, at least
    script, count = letters.most_common(1)[0]
    return script if count * 2 > total else None


@cache
def _script_of(char: str) -> str:
    return unicodedata.name(char, "UNKNOWN").split(maxsplit=1)[0].split("-")[0]


def _bare(word: str) -> str:
    """Return a word without the punctuation and digits around it."""
    letters = [char.isalpha() for char in word]
    if not any(letters):
        return ""
    marks = [unicodedata.combining(char) or unicodedata.category(char) == "Mc" for char in word]  # Mc: Indic vowels
    last = max(place for place, kinds in enumerate(zip(letters, marks, strict=True)) if any(kinds))
    return word[letters.index(True) : last + 1]


def _by_stop_words(words: list[str], script: str) -> str | None:
    if len(words) < LEAST_WORDS:
        return None
    weights: defaultdict[str, float] = defaultdict(float)
    shares: Counter[str] = Counter()
    speakers = _speakers(script)
    languages = len(set(chain.from_iterable(speakers.values())))
    for word, count in Counter(words).items():
        found = speakers.get(word, ())
        for code in found:
            weights[code] += count * math.log(1 + languages / len(found))
            shares[code] += count
    ranked = sorted(weights, key=lambda code: (-weights[code], code))
    if not ranked or shares[ranked[0]] < LEAST_SHARE * len(words):
        return None
    has_lead = len(ranked) == 1 or weights[ranked[0]] >= LEAST_LEAD * weights[ranked[1]]
    return ranked[0] if has_lead else None


@cache
def _speakers(script: str) -> Mapping[str, tuple[str, ...]]:
    """Return which languages have a word of this script among their stop words."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for code, words in stop_words().items():
        for word in words:
            if word and _script_of(word[0]) == script:
                found[unicodedata.normalize("NFC", word)].append(code)
    return {word: tuple(codes) for word, codes in found.items()}


# ------------------------------------------------------------------------------------------------- what spaCy knows

# Stop words and abbreviations are read from its files; spaCy itself is not loaded: importing it takes half a second and
# its languages three more, their word lists alone some milliseconds.

_CODE = re.compile(r"[a-z]{2,3}")
_FULL_CODE = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]{1,8})*")
_ABBREVIATION = re.compile(r"(?:[^\W\d_]+\.)+")


def primary(code: str | None) -> str | None:
    """Return the language of a code such as "pt-BR", in lower case; None for what is no code."""
    found = _FULL_CODE.fullmatch(code.strip().lower()) if code else None
    return found[1] if found else None


@cache
def languages() -> tuple[str, ...]:
    """Return the codes of the languages that spaCy has data for, sorted."""
    found = (path.name for path in _folder().iterdir() if (path / "__init__.py").is_file())
    return tuple(sorted(code for code in found if _CODE.fullmatch(code) and code != "xx"))  # that is none in particular


@cache
def stop_words() -> Mapping[str, frozenset[str]]:
    """Return the stop words of each language that has some, in lower case."""
    found: dict[str, frozenset[str]] = {}
    for code in languages():
        path = _folder() / code / "stop_words.py"  # it holds nothing but words; the packages around it are not imported
        spec = importlib.util.spec_from_file_location(f"_stop_words_{code}", path) if path.is_file() else None
        if spec is not None and spec.loader is not None:
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            if words := frozenset(word.lower() for word in module.STOP_WORDS):
                found[code] = words
    return found


@cache
def abbreviations(code: str) -> frozenset[str]:
    """Return what is written with full stops in a language, without the last stop ("e.g", "Dr"); case counts."""
    path = _folder() / code / "tokenizer_exceptions.py"
    if code not in languages() or not path.is_file():
        return frozenset()
    module = ast.parse(path.read_text(encoding="utf-8"))
    documentation = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    texts = (
        node.value
        for node in ast.walk(module)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation
    )
    words = (word for text in texts for word in text.split())
    return frozenset(word.removesuffix(".") for word in words if _ABBREVIATION.fullmatch(word))


def _folder() -> Path:
    spec = importlib.util.find_spec("spacy")  # found, not imported
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("spaCy is a requirement of this package", name="spacy")
    return Path(spec.origin).parent / "lang"
