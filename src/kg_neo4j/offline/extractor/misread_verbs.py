"""Verbs that the parser reads as plural nouns behind a name that it does not know: "Warden stores its keys". Pure."""

from __future__ import annotations

_FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
_PHRASE = _NOUNS | {"DT", "PRP$", "JJ", "JJR", "JJS", "CD"}


def read_verbs(tags: list[str], deps: list[str], heads: list[int], sentence: range, name: range) -> None:
    """Make the plural behind a name its verb, with the phrase behind that as object, where a sentence has no other."""
    verb = name.stop
    if verb + 1 >= sentence.stop or tags[verb] != "NNS" or _FINITE & set(tags[sentence.start : sentence.stop]):
        return
    end = verb + 1
    while end < sentence.stop and tags[end] in _PHRASE:
        end += 1
    phrase = range(verb + 1, end)
    last = next((token for token in reversed(phrase) if tags[token] in _NOUNS), None)
    begins = tags[verb + 1] in ("DT", "PRP$", "NNP", "NNPS") or (tags[verb + 1] == "NNS" and tags[end] in ("IN", "TO"))
    if last is None or not begins:
        return
    tags[verb] = "VBZ"
    _attach(deps, heads, verb, verb, "ROOT")
    _attach(deps, heads, name.stop - 1, verb, "nsubj")
    _attach(deps, heads, last, verb, "obj")
    for token in phrase:
        if token != last and heads[token] not in phrase:
            _attach(deps, heads, token, last, "compound")


def _attach(deps: list[str], heads: list[int], token: int, head: int, dep: str) -> None:
    heads[token], deps[token] = head, dep
