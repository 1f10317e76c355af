"""What the parser says of a text: which verb has which subject and objects, and what a clause states. Pure.

Names, pronouns and dates are *mentions*. A clause states something unless it denies, supposes, asks, hopes or plans it.
"""

from __future__ import annotations

import enum
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kg_neo4j import data_files
from kg_neo4j.offline.extractor.entities import PERSON
from kg_neo4j.offline.extractor.misread_verbs import read_verbs
from kg_neo4j.offline.extractor.parsed_text import Item, Sentence

if TYPE_CHECKING:
    from spacy.tokens import Doc

_DATA = data_files.beside(__file__)
_NEGATIONS = _DATA.word_set("negations")
_EXCLUSIONS = _DATA.word_set("exclusions")
_MODALS = _DATA.word_set("modals")
_FUTURE = _DATA.word_set("future")
_CONDITIONS = _DATA.word_set("conditions")
_ACHIEVED = _DATA.word_set("achieved")
_DOUBTED = _DATA.word_set("doubted")
_KINDS = _DATA.word_set("kinds")
LIGHT = _DATA.word_set("light")
RELATING = _DATA.word_set("relating")
OF_OBJECT = _DATA.word_set("of_object")
_IRREGULAR = {form: line.split()[0] for line in _DATA.lines("irregular") for form in line.split()[1:]}
IRREGULAR_PAST = {words[0]: words[:2][-1] for words in map(str.split, _DATA.lines("irregular"))}
_RELATIVE = frozenset({"who", "which", "that", "whom"})
_SUBJECTS = frozenset({"nsubj", "nsubj:pass"})
_FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
_INVERTED = frozenset({"had", "were", "should"})  # before their subject: "Had it stood in 2013, ..."
_NAMING = frozenset({"appos", "flat"})
_MODIFIERS = frozenset({"DT", "PRP$", "JJ", "NN", "NNP", "CD"})
_DOUBTFUL = frozenset({"ccomp", "xcomp", "obl", "nmod", "dep"})
_NEEDS_E = re.compile(r"[^aeiou][aeiou][scdr]$|[cuvz]$")  # supersed-, organis-, acquir-, announc-
_AUXILIARIES = frozenset({"aux", "aux:pass", "advmod"})
_CLIMB = 12  # clauses above a verb that are looked at


class Mode(enum.IntEnum):
    """How much a clause says that something is so."""

    DENIED = 0  # negated, supposed, asked, hoped, refused
    LIKELY = 1  # in the future
    STATED = 2


@dataclass(frozen=True, slots=True)
class Mention:
    """A name, a pronoun that stands for one, or a date: the item, and its tokens."""

    item: Item
    sentence: Sentence
    first: int
    last: int  # token, included
    head: int  # the token on which the others hang

    @property
    def entities(self) -> tuple[Any, ...]:
        """Who is meant; "they" means several."""
        return self.item.plural or ((self.item.entity,) if self.item.entity is not None else ())


class Grammar:
    """A parsed text with its mentions, as lists by the number of the token."""

    def __init__(self, doc: Doc, sentences: Sequence[Sentence]) -> None:
        self.words = [token.lower_ for token in doc]
        self.texts = [token.text for token in doc]
        self.lemmas = [token.lemma_ for token in doc]
        self.tags = [token.tag_ for token in doc]
        self.deps = [token.dep_ for token in doc]
        self.heads = [token.head.i for token in doc]
        self.starts = [token.idx for token in doc]
        self._vocabulary = doc.vocab
        for sentence in sentences:
            tokens = self._tokens(sentence.start, sentence.end)
            for item in sentence.items:
                if item.kind == "name" and not item.possessive:
                    read_verbs(self.tags, self.deps, self.heads, tokens, self._tokens(item.start, item.end))
        self.children: list[list[int]] = [[] for _ in self.words]
        for child, head in enumerate(self.heads):
            if head != child:
                self.children[head].append(child)
        self.mentions: dict[int, Mention] = {}  # by every token of theirs
        self.owners: dict[int, Mention] = {}  # "Anna's", "his"
        self._sentence_starts = [sentence.start for sentence in sentences]
        self._sentences = sentences
        for sentence in sentences:
            for item in sentence.items:
                self._mention(sentence, item)
        self._read_it()

    def _mention(self, sentence: Sentence, item: Item) -> None:
        is_pronoun = item.kind == "word" and (item.entity is not None or item.plural)
        if not (item.kind == "name" or is_pronoun or (item.date is not None and item.date.year is not None)):
            return
        inside = self._tokens(item.start, item.end)
        first, last = inside.start, inside.stop - 1
        if item.kind == "name" and self._is_plural_owner(last):
            item = replace(item, possessive=True)
        outer = [token for token in inside if self.heads[token] not in inside or self.heads[token] == token]
        head = min(outer, key=lambda token: (_PREFERRED.get(self.deps[token], 9), -token)) if outer else last
        mention = Mention(item, sentence, first, last, head)
        is_owner = item.possessive or self.deps[head] == "nmod:poss" or (is_pronoun and item.lower == "his")
        for token in inside:
            if is_owner:
                self.owners.setdefault(token, mention)
            if not (is_owner and is_pronoun):
                self.mentions.setdefault(token, mention)

    def _read_it(self) -> None:
        """Let "it" mean what the sentence before, or the clause before, speaks of: a named thing, in one paragraph."""
        focus, paragraph = None, -1
        for sentence in self._sentences:
            if sentence.paragraph != paragraph:
                focus, paragraph = None, sentence.paragraph
            tokens = self._tokens(sentence.start, sentence.end)
            subject = next((token for token in tokens if self.deps[token] in _SUBJECTS), None)
            own = self._thing(subject) if subject is not None else None
            for item in sentence.items:
                token = self.token_at(item.start)
                if item.lower != "it" or token in self.mentions or self._is_empty_it(token):
                    continue
                is_after = own is not None and subject is not None and subject < token
                meant = own if is_after and self.deps[token] != "obj" else focus
                if meant is not None:
                    named = replace(item, entity=meant)
                    self.mentions[token] = Mention(named, sentence, token, token, token)
            if own is not None:
                focus = own
            elif subject is not None and subject not in self.mentions and self.words[subject] != "it":
                focus = None  # something without a name

    def _thing(self, token: int) -> Any:
        """Return the entity that a token names, if it is no person."""
        mention = self.mentions.get(token)
        if mention is None or mention.item.kind != "name" or mention.item.possessive:
            return None
        return mention.item.entity if mention.item.entity.type != PERSON else None

    def _is_empty_it(self, token: int) -> bool:
        """Tell whether "it" stands for a clause, or for nothing: "it is said that"."""
        clauses = {self.deps[child] for child in self.children[self.heads[token]]}
        return self.deps[token] not in (*_SUBJECTS, "obj") or bool(clauses & {"ccomp", "csubj", "xcomp"})

    def _is_plural_owner(self, last: int) -> bool:
        """Tell whether a name that ends here owns what follows: "the League of Nations' committee"."""
        after = self.texts[last + 1 : last + 3]
        return self.words[last].endswith("s") and after[:1] in (["'"], ["’"]) and after[-1].isalpha()

    def _tokens(self, start: int, end: int) -> range:
        """Return the tokens of a stretch of the text."""
        return range(self.token_at(start), self.token_at(max(end - 1, start)) + 1)

    def token_at(self, place: int) -> int:
        """Return the token at or before a place in the text."""
        return max(bisect_right(self.starts, place) - 1, 0)

    def sentence_at(self, token: int) -> Sentence | None:
        """Return the sentence that holds a token; None for headings."""
        place = self.starts[token]
        number = bisect_right(self._sentence_starts, place) - 1
        found = self._sentences[number] if number >= 0 else None
        return found if found is not None and place < found.end else None

    # -- words

    def lemma(self, token: int) -> str:
        """Return the base form of a verb, in lower case: irregular forms by table, what the model made else."""
        word = self.words[token]
        if word in _IRREGULAR and not (word == "found" and self.tags[token] == "VB"):
            return _IRREGULAR[word]
        base = self.lemmas[token].lower()
        for ending, cut in (("ies", 3), ("ied", 3), ("ing", 3), ("ed", 2), ("es", 2), ("s", 1)):
            if word.endswith(ending) and len(word) > cut + 2:
                stem = word[:-cut]
                forms = {"ies": [stem + "y"], "ied": [stem + "y"]}.get(ending, [base, stem, stem + "e", stem[:-1]])
                if ending == "s":
                    return stem
                unknown = stem + "e" if ending in ("ed", "ing") and _NEEDS_E.search(stem) else base
                return next((form for form in forms if self.is_word(form)), unknown)
        return base

    def is_word(self, word: str) -> bool:
        """Return whether the pipeline's table of words has a verb's base form."""
        strings = self._vocabulary.strings
        return word in strings and self._vocabulary.vectors.find(key=strings[word]) >= 0

    # -- mentions

    def named_by(self, token: int, depth: int = 0) -> Mention | None:
        """Return the name that a phrase means, given by its head: the name itself, or its apposition."""
        mention = self.mentions.get(token)
        if mention is not None:
            return None if mention.item.possessive else mention
        if depth > 2:
            return None
        if self.words[token] in _RELATIVE:
            return self._before_relative(token)
        following = [child for child in self.children[token] if child > token and self.deps[child] in _NAMING]
        for child in following:
            found = self.named_by(child, depth + 1)
            if found is not None and found.item.kind == "name":
                return found
        if self.words[token] in _KINDS:
            for child in self.children[token]:
                found = self.mentions.get(child)
                if found is not None and self.deps[child] in ("compound", "amod") and not found.item.possessive:
                    return found
        return None

    def _before_relative(self, pronoun: int) -> Mention | None:
        """Return the name that "which" or "whom" means, also across its apposition: "Lind & Co, a firm which"."""
        before = pronoun - 2 if self.words[pronoun - 1] == "," else pronoun - 1
        if before == pronoun - 1 and before not in self.mentions:
            while before > 0 and self.tags[before] in _MODIFIERS and before not in self.mentions:
                before -= 1
            before -= self.words[before] == ","
        found = self.mentions.get(before)
        if found is None or found.item.kind != "name" or self.words[found.first - 1] == "of":
            return None
        who = {"whom": True, "which": False}.get(self.words[pronoun])
        return found if who == (found.item.entity.type == PERSON) else None

    def listed(self, token: int) -> Iterator[Mention]:
        """Yield the names that a phrase means: that of its head, and those joined to it by "and"."""
        waiting, seen = [token], set[int]()
        while waiting:
            here = waiting.pop(0)
            if here in seen or self.is_excluded(here):
                continue
            own = self.named_by(here)
            if own is not None and here not in range(own.first, own.last + 1):
                seen.update(range(own.first, own.last + 1))
            inside = range(own.first, own.last + 1) if own is not None and here in self.mentions else (here,)
            seen.update(inside)
            if own is not None:
                yield own
            joined = (child for each in inside for child in self.children[each] if self.deps[child] == "conj")
            waiting += [child for child in joined if child not in seen and not self._begins_clause(child)]

    def is_excluded(self, token: int) -> bool:
        """Tell whether a phrase is left out of what its clause states: "not by Perrin", "unlike Caldève"."""
        mention = self.mentions.get(token)
        inside = range(mention.first, mention.last + 1) if mention is not None else (token,)
        before = self.words[max(0, min(inside) - 3) : min(inside)]
        if "not" in before and before[-1] not in (",", "only"):
            return True
        return any(self.words[child] in _EXCLUSIONS for each in inside for child in self.children[each])

    def is_divided(self, one: Mention, other: Mention) -> bool:
        """Tell whether a semicolon stands between two names."""
        first, last = sorted((one, other), key=lambda mention: mention.first)
        return ";" in self.words[first.last : last.first]

    def _begins_clause(self, token: int) -> bool:
        """Tell whether a name after "and" is rather the subject of what follows: "..., and Adeleke completed it"."""
        mention = self.mentions.get(token)
        after = (mention.last if mention is not None else token) + 1
        if self.tags[token].startswith("VB"):
            return True
        return after < len(self.words) and self.tags[after] in _FINITE

    def entities_at(self, token: int) -> tuple[Any, ...]:
        """Return who is named at a token."""
        mention = self.mentions.get(token)
        return mention.entities if mention is not None else ()

    def path(self, one: int, other: int) -> list[int]:
        """Return the tokens between two in the tree, both included, from one to the other; none for two trees."""
        up = self._upward(one)
        places = {token: place for place, token in enumerate(up)}
        down: list[int] = []
        for token in self._upward(other):
            if token in places:
                return up[: places[token] + 1] + down[::-1]
            down.append(token)
        return []

    def _upward(self, token: int) -> list[int]:
        chain = [token]
        while self.heads[chain[-1]] != chain[-1]:
            chain.append(self.heads[chain[-1]])
        return chain

    # -- clauses

    def is_clause(self, token: int) -> bool:
        """Tell whether a token says something: a verb, or a noun or adjective with "is"."""
        if self.tags[token].startswith("VB"):
            return self.deps[token] not in ("amod", "compound")
        return any(self.deps[child] == "cop" for child in self.children[token])

    def verbs(self) -> Iterator[int]:
        """Yield the verbs that are no auxiliaries."""
        for token, tag in enumerate(self.tags):
            is_free = self.deps[token] not in ("aux", "aux:pass", "cop", "amod", "compound")
            if tag.startswith("VB") and token not in self.mentions and (is_free or self._touched(token)):
                yield token

    def _touched(self, token: int) -> bool:
        """Tell whether names are directly before and behind a verb, whatever the parser says: "Ada met Otto"."""
        before, after = self.mentions.get(token - 1), self.mentions.get(token + 1)
        named = all(each is not None and each.item.kind == "name" for each in (before, after))
        return named and before is not None and not before.item.possessive and self.tags[token] in ("VBD", "VBN", "VBZ")

    def is_passive(self, verb: int) -> bool:
        """Tell whether a verb stands in the passive, also without an auxiliary: "a firm founded by ..."."""
        kinds = {self.deps[child] for child in self.children[verb]}
        if self._touched(verb):
            return False
        if "aux:pass" in kinds:
            return True
        if "aux" in kinds or "obj" in kinds or self.tags[verb] not in ("VBN", "VBD"):
            return False
        if self.deps[verb] in ("acl", "advcl") or "nsubj:pass" in kinds:
            return not ("nsubj" in kinds and self.tags[verb] == "VBD")
        if self.deps[verb] == "conj" and not kinds & _SUBJECTS:
            return self.tags[verb] == "VBN" and self.is_passive(self.heads[verb])
        return False

    def subjects(self, verb: int, depth: int = 0) -> list[Mention]:
        """Return the names that are a verb's subject; that of the verb above where it has none of its own."""
        own = [child for child in self.children[verb] if self.deps[child] in _SUBJECTS and child < verb]
        if own:
            nearest = own[-1]
            if self.words[nearest] in _RELATIVE and nearest not in self.mentions:
                return self._antecedents(verb, nearest)
            return list(self.listed(nearest)) or self._before_apposition(verb)
        if self._touched(verb):
            return [self.mentions[verb - 1]]
        dep, head = self.deps[verb], self.heads[verb]
        if depth > 3 or head == verb:
            return [] if depth > 3 else self._before_apposition(verb)
        if dep == "acl":
            return list(self.listed(head))[:1] if self.tags[verb] in ("VBN", "VBG", "VBD") else []
        if dep in ("conj", "parataxis") and self.tags[head].startswith("VB"):
            return self.subjects(head, depth + 1)
        if dep == "xcomp" and self.lemma(head) in _ACHIEVED:
            return self.subjects(head, depth + 1)
        if dep == "advcl" and self.tags[verb] in ("VBN", "VBG") and not self._marks(verb):
            return self.subjects(head, depth + 1)
        return []

    def _before_apposition(self, verb: int) -> list[Mention]:
        """Return the name that opens a sentence where only its apposition stands between it and the verb."""
        sentence = self.sentence_at(verb)
        first = min([verb, *(child for child in self.children[verb] if self.deps[child] in _AUXILIARIES)])
        if sentence is None or self.tags[first] not in _FINITE or self.words[first - 1] != ",":
            return []
        opening = self.token_at(sentence.start)
        name = next((self.mentions[token] for token in range(opening, first) if token in self.mentions), None)
        if name is None or name.item.kind != "name" or name.item.possessive or name.last + 3 > first:
            return []
        before = set(self.tags[opening : name.first]) <= _MODIFIERS | {"NNPS"}
        between = range(name.last + 1, first)
        is_clause = any(self.tags[token] in _FINITE or self.words[token] in _RELATIVE for token in between)
        return [name] if before and self.words[name.last + 1] in (",", "(") and not is_clause else []

    def _antecedents(self, verb: int, pronoun: int) -> list[Mention]:
        """Return whom "who" or "which" means: what the clause hangs on, else the name directly before it."""
        if self.deps[verb] == "acl":
            found = list(self.listed(self.heads[verb]))[:1]
        else:
            before = pronoun - 2 if self.words[pronoun - 1] == "," else pronoun - 1
            mention = self.mentions.get(before)
            found = [mention] if mention is not None else []
        who = {"who": True, "whom": True, "which": False}.get(self.words[pronoun])
        is_person = [each for each in found if each.entities and (each.entities[0].type == PERSON) == who]
        return found if who is None else is_person

    def objects(self, verb: int) -> list[int]:
        """Return the heads of a verb's objects; a name soon behind it is one, whatever the parser says."""
        found = [child for child in self.children[verb] if self.deps[child] in ("obj", "iobj")]
        if not found and self._touched(verb):
            return [verb + 1]
        for child in self.children[verb]:
            mention = self.mentions.get(child)
            if mention is None or self.deps[child] not in _DOUBTFUL or not verb < mention.first <= verb + 4:
                continue
            between = self.tags[verb + 1 : mention.first]
            is_clause = any(self.deps[each] in ("cop", "mark", *_SUBJECTS) for each in self.children[child])
            if mention.item.kind == "name" and set(between) <= _MODIFIERS and not is_clause:
                found.append(child)
        return found

    def phrases(self, verb: int) -> Iterator[tuple[str, int]]:
        """Yield the prepositions and heads of a verb's phrases."""
        for child in self.children[verb]:
            if self.deps[child] in ("obl", "nmod", "obj"):
                preposition = self.preposition(child)
                if preposition:
                    yield preposition, child

    def preposition(self, token: int) -> str:
        """Return the preposition of a phrase, "" without one or with one of several words."""
        own = [token, *(child for child in self.children[token] if self.deps[child] == "compound")]  # "by his wife, Ada"
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
            here = self._own_mode(node)
            if here is Mode.DENIED:
                return here
            found = min(found, here)
            above = self._above(node)
            if above is None:
                return found
            if above < 0:
                return Mode.DENIED
            node = above
        return found

    def _own_mode(self, node: int) -> Mode:
        """Return what the words of one clause say: negation, modal verb, inversion."""
        found = Mode.STATED
        subject = next((child for child in self.children[node] if self.deps[child] in _SUBJECTS), None)
        for child in self.children[node]:
            word = self.words[child]
            if word in _NEGATIONS and self.deps[child] != "discourse":
                return Mode.DENIED
            if word in _MODALS and child < node and self.tags[child] == "MD":
                return Mode.DENIED
            if self.deps[child] in ("mark", "advmod") and word in _CONDITIONS and child < node:
                if word in ("until", "before") and self.tags[node] in _FINITE:
                    continue
                return Mode.DENIED
            if word in _INVERTED and subject is not None and child < subject and self._opens(child):
                return Mode.DENIED
            if word in _FUTURE:
                found = Mode.LIKELY
            if self.deps[child] in (*_SUBJECTS, "obj") and self._is_empty(child):
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
        infinitive = any(self.words[child] == "to" for child in self._marks(node))
        if dep in ("acl", "advcl"):  # a plan to sell; went there to sell; the report that she had dismissed him
            told = dep == "acl" and any(self.words[child] == "that" for child in self._marks(node))
            return -1 if infinitive or told else None
        if dep == "xcomp":
            achieved = self.lemma(head) in _ACHIEVED or not infinitive
            return head if achieved and self.lemma(head) not in _DOUBTED else -1
        if dep in ("ccomp", "csubj"):
            return -1 if self.lemma(head) in _DOUBTED else head
        shares = self.tags[node] in (
            "VB",
            "VBN",
            "VBG",
        )  # "would buy and sell": one auxiliary for both
        own = any(self.deps[child] in ("aux", "aux:pass", "cop") for child in self.children[node])
        if dep == "conj" and ((shares and not own) or self.deps[head] in ("ccomp", "xcomp", "acl", "advcl")):
            return head if self.tags[head].startswith("VB") else None
        return None

    def _marks(self, node: int) -> list[int]:
        return [child for child in self.children[node] if self.deps[child] == "mark"]


_PREFERRED = {"nsubj": 0, "nsubj:pass": 0, "obj": 1, "iobj": 1, "obl": 2, "appos": 3, "nmod": 4, "conj": 5, "ROOT": 6}
