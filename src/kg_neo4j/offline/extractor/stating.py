"""Which relations a sentence states of these two entities, in the words of the parser's path between them. Pure.

A relation that rules or the model read is dropped where its clause denies or supposes it. It is only likely where the
path lacks the words of its own that such a relation needs, or where an end is not named in the sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kg_neo4j import data_files
from kg_neo4j.offline.extractor.entities import PLACE, RelationDraft
from kg_neo4j.offline.extractor.grammar import Grammar, Mode

_DATA = data_files.beside(__file__)
_BELONGING = _DATA.word_set("belonging")
_BELONGING_VERBS = _DATA.word_set("belonging_verbs")
_APART = _DATA.words("apart")
_FAR = tuple(word for word in _APART if len(word) > 3)  # beginnings: "west" of "western", but not "to" of "town"
_PERSONAL = _DATA.word_set("personal")
_ORIGINS = _DATA.word_set("origins")
_BESIDE = _DATA.word_set("beside")
_WORDS = {kind: tuple(words.split()) for kind, words in _DATA.table("words").items()}
_PLAIN = frozenset({",", "(", "the", "in"})  # between two names that are "A, B", "A in B", "A (B"
_BREAKS = frozenset({"—", ";", ":"})
_LONGEST = 6  # words on the path of a relation that needs none of its own


def check(grammar: Grammar, relations: Iterable[RelationDraft]) -> list[RelationDraft]:
    """Return the relations without those that are denied, each marked as stated or only likely."""
    kept = []
    for relation in relations:
        mode = _mode(grammar, relation)
        if mode is not Mode.DENIED:
            relation.stated = relation.stated and mode is Mode.STATED
            kept.append(relation)
    return kept


def _mode(grammar: Grammar, relation: RelationDraft) -> Mode:
    first, last = grammar.token_at(relation.start), grammar.token_at(max(relation.end - 1, relation.start))
    ends = [grammar.mentions[token].head if token in grammar.mentions else token for token in (first, last)]
    path = grammar.path(*ends)
    clauses = [token for token in path if grammar.is_clause(token)]
    modes = [grammar.mode(token) for token in clauses]
    if Mode.DENIED in modes or any(grammar.is_excluded(end) for end in ends):
        return Mode.DENIED
    if relation.type in _BELONGING and _is_dealt_with(grammar, relation):
        return Mode.LIKELY
    if not relation.classified:
        return min(modes, default=Mode.STATED)
    is_whole = ends[0] != ends[1] and _both_named(grammar, relation, first, last)
    has_words = is_whole and _has_words(grammar, relation, path, range(first, last + 1))
    return min([*modes, Mode.STATED if has_words else Mode.LIKELY])


def _is_dealt_with(grammar: Grammar, relation: RelationDraft) -> bool:
    """Tell whether "in" says where something is done to a thing, not where it is: "sells the boat in Norway"."""
    if relation.source.type == PLACE or relation.target.type != PLACE:
        return False
    thing = grammar.mentions.get(grammar.token_at(relation.start))
    if thing is None or grammar.deps[thing.head] not in ("obj", "iobj"):
        return False
    return grammar.words[thing.last + 1] in ("in", "at")


def _both_named(grammar: Grammar, relation: RelationDraft, first: int, last: int) -> bool:
    """Tell whether both ends of the words that are quoted are the two entities."""
    named = {id(entity) for token in (first, last) for entity in grammar.entities_at(token)}
    return not named or bool(named & {id(relation.source), id(relation.target)})


def _has_words(grammar: Grammar, relation: RelationDraft, path: Sequence[int], between: range) -> bool:
    """Tell whether the path between two names, or the words beside it, say a relation of its type."""
    kind = relation.type
    in_order = any(entity is relation.source for entity in grammar.entities_at(between[0]))
    inner = [grammar.words[token] for token in between if token not in grammar.mentions]
    verbs = [token for token in path if grammar.tags[token].startswith("VB")]
    if kind in _BELONGING:
        if any(grammar.deps[token] == "conj" for token in path) or _BREAKS & set(inner):
            return False
        if set(inner) <= _PLAIN and "," not in inner[1:] and kind not in _PERSONAL:
            return in_order
        if kind in _PERSONAL and in_order and _defines(grammar, relation, between):
            return True
        words = [grammar.words[token] for token in path[1:-1]]
        cases = {grammar.preposition(token) for token in path if grammar.heads[token] in path} - {""}
        if kind in _PERSONAL and not cases <= _ORIGINS:
            return False
        if not path or any(word in _APART or word.startswith(_FAR) for word in words):
            return False
        return all(grammar.lemma(token) in _BELONGING_VERBS for token in verbs)
    cues = _WORDS.get(kind)
    if cues is None:
        return 0 < len(path) <= _LONGEST and len(verbs) <= 1
    if kind in _BESIDE and not verbs and len(inner) <= 3 and inner[:1] == ["("]:
        return True
    near = {*path[1:-1], *(child for token in path[1:-1] for child in grammar.children[token])}
    near |= {token for token in between if len(between) <= 8}
    return any(grammar.words[token].startswith(cues) for token in near if token not in grammar.mentions)


def _defines(grammar: Grammar, relation: RelationDraft, between: range) -> bool:
    """Tell whether a sentence begins by saying what somebody is: "Ada Brandt (...) was a Polish painter"."""
    before = grammar.words[max(between[-1] - 2, 0) : between[-1]]
    opens = grammar.starts[between[0]] == relation.sentence.start
    return opens and before[:1] in (["is"], ["was"]) and before[1:] in (["a"], ["an"], ["the"])
