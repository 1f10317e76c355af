"""What the parser says of a text: which verb has which subject and objects, and what a clause states. Pure.

A clause states something unless it denies, supposes, asks, hopes or plans it.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence

from kg_neo4j import data_files
from kg_neo4j_offline.extractor.entities import PERSON, PLACE, RelationDraft
from kg_neo4j_offline.extractor.lexicon import ROLE_NOUNS
from kg_neo4j_offline.extractor.tree import AUXILIARIES, FINITE, MODIFIERS, RELATIVE, SUBJECTS, ParsedMention, Tree

_DATA = data_files.beside(__file__)
_NEGATIONS = _DATA.word_set("negations")
_MODALS = _DATA.word_set("modals")
_FUTURE = _DATA.word_set("future")
_CONDITIONS = _DATA.word_set("conditions")
_ACHIEVED = _DATA.word_set("achieved")
_DOUBTED = _DATA.word_set("doubted")
LIGHT = _DATA.word_set("light")
RELATING = _DATA.word_set("relating")
OF_OBJECT = _DATA.word_set("of_object")
_INVERTED = frozenset({"had", "were", "should"})  # before their subject: "Had it stood in 2013, ..."
_DOUBTFUL = frozenset({"ccomp", "xcomp", "obl", "nmod", "dep"})
_CLIMB = 12  # clauses above a verb that are looked at


class Mode(enum.IntEnum):
    """How much a clause says that something is so."""

    DENIED = 0  # negated, supposed, asked, hoped, refused
    LIKELY = 1  # in the future
    STATED = 2


class Grammar(Tree):
    """A parsed text: its verbs, and what its clauses state."""

    def is_clause(self, token: int) -> bool:
        """Tell whether a token says something: a verb, or a noun or adjective with "is"."""
        if self.tags[token].startswith("VB"):
            return self.deps[token] not in ("amod", "compound")
        return self.has_child(token, "cop")

    def verbs(self) -> Iterator[int]:
        """Yield the verbs that are no auxiliaries."""
        for token, tag in enumerate(self.tags):
            if tag == "VBG" and self.words[token + 1 : token + 2] and self.words[token + 1] in ROLE_NOUNS:
                continue  # "managing director"
            is_free = self.deps[token] not in ("aux", "aux:pass", "cop", "amod", "compound")
            if tag.startswith("VB") and token not in self.mentions and (is_free or self._touched(token)):
                yield token

    def _touched(self, token: int) -> bool:
        """Tell whether names are directly before and behind a verb, whatever the parser says: "Ada met Otto"."""
        before, after = self.mentions.get(token - 1), self.mentions.get(token + 1)
        named = all(each is not None and each.item.kind == "name" for each in (before, after))
        return named and before is not None and not before.item.possessive and self.tags[token] in ("VBD", "VBN", "VBZ")

    def _fronted(self, verb: int) -> list[int]:
        """Return "which" or "whom" before a verb's own subject: its object, whatever the parser says."""
        own = [child for child in self.children[verb] if self.deps[child] in SUBJECTS and child < verb]
        is_object = len(own) > 1 and self.words[own[0]] in RELATIVE and own[1] in self.mentions
        return own[:1] if is_object else []

    def is_passive(self, verb: int) -> bool:
        """Return whether a verb is passive, also without an auxiliary: "a firm founded by ..."."""
        kinds = {self.deps[child] for child in self.children[verb]}
        if self._touched(verb) or self._fronted(verb):
            return False
        if "aux:pass" in kinds or ("obj" not in kinds and self._described_by(verb) is not None):
            return True
        if "aux" in kinds or "obj" in kinds or self.tags[verb] not in ("VBN", "VBD"):
            return False
        if self.deps[verb] in ("acl", "advcl") or "nsubj:pass" in kinds:
            return not ("nsubj" in kinds and self.tags[verb] == "VBD")
        is_joined = self.deps[verb] == "conj" and not kinds & SUBJECTS and self.tags[verb] == "VBN"
        return is_joined and self.is_passive(self.heads[verb])

    def subjects(self, verb: int, depth: int = 0) -> list[ParsedMention]:
        """Return the names that are a verb's subject; that of the verb above where it has none of its own."""
        own = [child for child in self.children[verb] if self.deps[child] in SUBJECTS and child < verb]
        if own:
            nearest = own[-1]
            if self.words[nearest] in RELATIVE and nearest not in self.mentions:
                return self._antecedents(verb, nearest)
            found = list(self.listed(nearest, verb))
            joined = found and self.words[found[0].first - 1] == "and"
            before = self.mentions.get(found[0].first - 2) if joined else None
            if before is not None and self.heads[before.head] == before.head:  # "Ada and Otto founded", parsed apart
                found.insert(0, before)
            return found or self._before_apposition(verb)
        if self._touched(verb):
            return [self.mentions[verb - 1]]
        described = self._described_by(verb)
        if described is not None or depth > 3:
            return [] if described is None else [described]
        dep, head = self.deps[verb], self.heads[verb]
        if head == verb:
            return self._before_apposition(verb)
        if dep == "acl":
            return list(self.listed(head))[:1] if self.tags[verb] in ("VBN", "VBG", "VBD") else []
        if dep in ("conj", "parataxis") and self.tags[head].startswith("VB"):
            return self._before_apposition(verb) or self.subjects(head, depth + 1)
        happened = dep == "xcomp" and self.lemma(head) in _ACHIEVED
        if happened or (dep == "advcl" and self.tags[verb] in ("VBN", "VBG") and not self._marks(verb)):
            return self.subjects(head, depth + 1)
        return self._before_apposition(verb)

    def _described_by(self, verb: int) -> ParsedMention | None:
        """Return the thing that a participle behind its comma describes: "The Mule Road (2017), directed by"."""
        before = verb - 2
        if self.tags[verb] != "VBN" and self.words[verb] not in ("starring", "featuring"):
            return None
        if self.words[verb - 1] not in (",", "(") or before < 0 or self.has_child(verb, *AUXILIARIES):
            return None
        if self.words[before] == ")":
            opened = [token for token in range(max(before - 6, 1), before) if self.words[token] == "("]
            before = opened[-1] - 1 if opened else before
        found = self.mentions.get(before)
        is_thing = found is not None and found.item.kind == "name" and found.item.entity.type not in (PERSON, PLACE)
        return found if is_thing else None

    def _before_apposition(self, verb: int) -> list[ParsedMention]:
        """Return the name that opens a sentence where only its apposition stands between it and the verb."""
        sentence = self.sentence_at(verb)
        first = min([verb, *(child for child in self.children[verb] if self.deps[child] in AUXILIARIES)])
        past = self.tags[verb] == "VBN" and any(self.deps[child] in ("obj", "xcomp") for child in self.children[verb])
        if sentence is None or not (self.tags[first] in FINITE or past) or self.words[first - 1] != ",":
            return []
        opening = self.opening(sentence)
        name = next((self.mentions[token] for token in range(opening, first) if token in self.mentions), None)
        if name is None or name.item.kind != "name" or name.item.possessive or name.last + 3 > first:
            return []
        before = set(self.tags[opening : name.first]) <= MODIFIERS | {"NNPS"}
        between = range(name.last + 1, first)
        finite = sum(self.tags[token] in FINITE for token in between)
        relative = sum(self.words[token] in RELATIVE for token in between)
        is_whole = before and self.words[name.last + 1] in (",", "(")
        return [name] if is_whole and finite == relative else []

    def _antecedents(self, verb: int, pronoun: int) -> list[ParsedMention]:
        """Return whom "who" or "which" means: what the clause hangs on, else the name directly before it."""
        before = pronoun - 2 if self.words[pronoun - 1] == "," else pronoun - 1
        if self.deps[verb] == "acl":
            found = list(self.listed(self.heads[verb]))[:1]
        else:
            found = [self.mentions[before]] if before in self.mentions else []
        found = found or [each for each in [self.before_relative(pronoun)] if each is not None]
        who = {"who": True, "whom": True, "which": False}.get(self.words[pronoun])
        is_person = [each for each in found if each.entities and (each.entities[0].type == PERSON) == who]
        return found if who is None else is_person

    def objects(self, verb: int) -> list[int]:
        """Return the heads of a verb's objects; a name soon behind it is one, whatever the parser says."""
        found = [child for child in self.children[verb] if self.deps[child] in ("obj", "iobj")] or self._fronted(verb)
        if not found and self._touched(verb):
            return [verb + 1]
        for child in self.children[verb]:
            mention = self.mentions.get(child)
            if mention is None or self.deps[child] not in _DOUBTFUL or not verb < mention.first <= verb + 4:
                continue
            is_clause = self.has_child(child, "cop", "mark", *SUBJECTS)
            if mention.item.kind == "name" and set(self.tags[verb + 1 : mention.first]) <= MODIFIERS and not is_clause:
                found.append(child)
        return found

    def phrases(self, verb: int) -> Iterator[tuple[str, int]]:
        """Yield the prepositions and heads of a verb's phrases."""
        for child in self.children[verb]:
            if self.deps[child] in ("obl", "nmod", "obj", "appos") and (preposition := self.preposition(child)):
                yield preposition, child

    def preposition(self, token: int) -> str:
        """Return the preposition of a phrase, "" without one or with one of several words."""
        own = [token]  # and what is joined to it: "by minister Joke Lind", "by his wife, Ada"
        for each in own:  # grows
            own += [child for child in self.children[each] if self.deps[child] == "compound" and child < each]
        cases = [case for each in own for case in self.children[each] if self.deps[case] == "case" and case < each]
        words = [self.words[child] for child in cases if self.tags[child] in ("IN", "TO", "RP")]
        return words[0] if len(words) == 1 else ""

    # -- what a clause states

    def mode(self, verb: int) -> Mode:
        """Return how much the clause of a verb, or of a noun with "is", says that it is so."""
        sentence = self.sentence_at(verb)
        if sentence is not None and any(item.text == "?" for item in sentence.items):
            return Mode.DENIED
        found, node = Mode.STATED, verb
        for _ in range(_CLIMB):
            found = min(found, self._own_mode(node))
            above = self._above(node)
            if found is Mode.DENIED or above is None:
                return found
            if above < 0:
                return Mode.DENIED
            node = above
        return found

    def _own_mode(self, node: int) -> Mode:
        """Return what the words of one clause say: negation, modal verb, inversion."""
        found = Mode.STATED
        subject = next((child for child in self.children[node] if self.deps[child] in SUBJECTS), None)
        for child in self.children[node]:
            word, dep = self.words[child], self.deps[child]
            if word in _NEGATIONS and dep != "discourse":
                return Mode.DENIED
            if word in _MODALS and child < node and self.tags[child] == "MD":
                return Mode.DENIED
            if dep in ("mark", "advmod") and word in _CONDITIONS and child < node:
                if word in ("until", "before") and self.tags[node] in FINITE:
                    continue
                return Mode.DENIED
            if word in _INVERTED and subject is not None and child < subject and self._opens(child):
                return Mode.DENIED
            if word in _FUTURE:
                found = Mode.LIKELY
            if dep in (*SUBJECTS, "obj") and self._is_empty(child):
                return Mode.DENIED
        before = self.words[max(0, node - 2) : node]
        return Mode.DENIED if {"not", "never", "n't"} & set(before) else found

    def _is_empty(self, token: int) -> bool:
        """Tell whether a phrase denies its clause: "nobody", "no licence"."""
        return self.words[token] in _NEGATIONS or any(
            self.words[child] in ("no", "neither") and self.deps[child] == "det" for child in self.children[token]
        )

    def _opens(self, token: int) -> bool:
        return token == 0 or not (self.texts[token - 1][:1].isalnum() and self.texts[token].islower())

    def _above(self, node: int) -> int | None:
        """Return the clause on which one depends for its truth: None where on none, -1 where it is not stated there."""
        dep, head = self.deps[node], self.heads[node]
        if head == node:
            return None
        marks = {self.words[child] for child in self._marks(node)}
        infinitive = "to" in marks
        if dep in ("acl", "advcl"):  # a plan to sell; went there to sell; the report that she had dismissed him
            return -1 if infinitive or (dep == "acl" and "that" in marks) else None
        if dep == "xcomp":
            achieved = self.lemma(head) in _ACHIEVED or not infinitive
            return head if achieved and self.lemma(head) not in _DOUBTED else -1
        if dep in ("ccomp", "csubj"):
            return -1 if self.lemma(head) in _DOUBTED else head
        # "would buy and sell": one auxiliary for both
        shares = self.tags[node] in ("VB", "VBN", "VBG") and not self.has_child(node, "aux", "aux:pass", "cop")
        if dep == "conj" and (shares or self.deps[head] in ("ccomp", "xcomp", "acl", "advcl")):
            return head if self.tags[head].startswith("VB") else None
        return None

    def _marks(self, node: int) -> list[int]:
        return [child for child in self.children[node] if self.deps[child] == "mark"]


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
    """Return the relations without those that are denied, each marked as stated or only likely.

    Relations of rules or the model are denied where their clause denies or supposes it. One of the model is only likely
    where the parser's path between its ends lacks the words that it needs, or an end is not named in the sentence.
    """
    kept = []
    for relation in relations:
        mode = _mode_of(grammar, relation)
        if mode is not Mode.DENIED:
            relation.stated = relation.stated and mode is Mode.STATED
            kept.append(relation)
    return kept


def _mode_of(grammar: Grammar, relation: RelationDraft) -> Mode:
    first, last = grammar.token_at(relation.start), grammar.token_at(max(relation.end - 1, relation.start))
    ends = [grammar.mentions[token].head if token in grammar.mentions else token for token in (first, last)]
    path = grammar.path(*ends)
    modes = [grammar.mode(token) for token in path if grammar.is_clause(token)]
    if Mode.DENIED in modes or any(grammar.is_excluded(end) for end in ends):
        return Mode.DENIED
    if relation.type in _BELONGING and _is_dealt_with(grammar, relation):
        return Mode.LIKELY
    if relation.classified:
        named = {entity for token in (first, last) for entity in grammar.entities_at(token)}
        both_named = not named or bool(named & {relation.source, relation.target})
        is_whole = ends[0] != ends[1] and both_named
        if not (is_whole and _has_words(grammar, relation, path, range(first, last + 1))):
            return Mode.LIKELY
    return min(modes, default=Mode.STATED)


def _is_dealt_with(grammar: Grammar, relation: RelationDraft) -> bool:
    """Tell whether "in" says where something is done to a thing, not where it is: "sells the boat in Norway"."""
    thing = grammar.mentions.get(grammar.token_at(relation.start))
    if thing is None or relation.source.type == PLACE or relation.target.type != PLACE:
        return False
    return grammar.deps[thing.head] in ("obj", "iobj") and grammar.words[thing.last + 1] in ("in", "at")


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
