"""What spaCy knows about languages: stop words and abbreviations, read from its files. spaCy itself is not loaded.

Importing spaCy takes half a second and its languages three more; their word lists alone take some milliseconds.
"""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

_CODE = re.compile(r"[a-z]{2,3}")
_FULL_CODE = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]{1,8})*")
_ABBREVIATION = re.compile(r"(?:[^\W\d_]+\.)+")
_MULTILINGUAL = "xx"  # spaCy's name for no language in particular


def primary(code: str | None) -> str | None:
    """Return the language of a code such as "pt-BR", in lower case; None for what is no code."""
    found = _FULL_CODE.fullmatch(code.strip().lower()) if code else None
    return found[1] if found else None


@cache
def languages() -> tuple[str, ...]:
    """Return the codes of the languages that spaCy has data for, sorted."""
    found = (path.name for path in _folder().iterdir() if (path / "__init__.py").is_file())
    return tuple(sorted(code for code in found if _CODE.fullmatch(code) and code != _MULTILINGUAL))


@cache
def stop_words() -> Mapping[str, frozenset[str]]:
    """Return the stop words of each language that has some, in lower case."""
    return {code: words for code in languages() if (words := _stop_words(code))}


@cache
def abbreviations(code: str) -> frozenset[str]:
    """Return what is written with full stops in a language, without the last stop ("e.g", "Dr"); case counts."""
    path = _folder() / code / "tokenizer_exceptions.py"
    if code not in languages() or not path.is_file():
        return frozenset()
    return frozenset(text.removesuffix(".") for text in _strings(path) if _ABBREVIATION.fullmatch(text))


def _folder() -> Path:
    spec = importlib.util.find_spec("spacy")  # found, not imported
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("spaCy is a requirement of this package", name="spacy")
    return Path(spec.origin).parent / "lang"


def _stop_words(code: str) -> frozenset[str]:
    """Return the words of a file that holds nothing but words, without importing the packages around it."""
    path = _folder() / code / "stop_words.py"
    spec = importlib.util.spec_from_file_location(f"_stop_words_{code}", path) if path.is_file() else None
    if spec is None or spec.loader is None:
        return frozenset()
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return frozenset(word.lower() for word in module.STOP_WORDS)


def _strings(path: Path) -> Iterator[str]:
    """Yield the words of all texts in a module that are not its documentation."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    documentation = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield from node.value.split()
