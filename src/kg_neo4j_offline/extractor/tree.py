"""The parser's tree of a text: its tokens, and the names, pronouns and dates at them. Pure.

Names, pronouns and dates are *mentions*; a phrase means the name in it, or beside it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kg_neo4j import data_files
from kg_neo4j.words import BASES, IRREGULAR
from kg_neo4j_offline.extractor.entities import PERSON, PLACE
from kg_neo4j_offline.extractor.lexicon import PLACE_NOUNS, ROLE_NOUNS
from kg_neo4j_offline.extractor.parsed_text import ParsedSentence, TextItem
from kg_neo4j_offline.extractor.relation_patterns import KIN
from kg_neo4j_offline.networks import columns

if TYPE_CHECKING:
    from spacy.tokens import Doc

_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
_PHRASE = _NOUNS | {"DT", "PRP$", "JJ", "JJR", "JJS", "CD"}


def read_verbs(tags: list[str], deps: list[str], heads: list[int], sentence: range, name: range) -> None:
    """Make a name before a finite verb its subject, or the plural behind it its verb, where a sentence has no other."""
    verb = name.stop
    for token in name if verb < sentence.stop and tags[verb] in FINITE else ():
        deps[token] = "nsubj" if deps[token] == "compound" and heads[token] == verb else deps[token]
    if verb + 1 >= sentence.stop or tags[verb] != "NNS" or FINITE & set(tags[sentence.start : sentence.stop]):
        return
    end = next((token for token in range(verb + 1, sentence.stop) if tags[token] not in _PHRASE), sentence.stop)
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


_DATA = data_files.beside(__file__)
_EXCLUSIONS = _DATA.word_set("exclusions")
_KINDS = _DATA.word_set("kinds")
WORKS = _DATA.table("works")  # noun -> what its maker does
_APPOSED = ROLE_NOUNS | KIN.keys() | WORKS.keys() | _KINDS
_BESIDE = frozenset({"DT", "JJ", "NN", "NNP", "``", "''"})
_PAUSES = frozenset({",", "—", "–", "("})
IRREGULAR_PAST = {base: forms[:2][-1] for base, forms in IRREGULAR.items()}
IRREGULAR_PARTICIPLE = {base: forms[:3][-1] for base, forms in IRREGULAR.items()}
RELATIVE = frozenset({"who", "which", "that", "whom"})
SUBJECTS = frozenset({"nsubj", "nsubj:pass"})
FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
MODIFIERS = frozenset({"DT", "PRP$", "JJ", "NN", "NNP", "CD"})
AUXILIARIES = frozenset({"aux", "aux:pass", "advmod"})
_NAMING = frozenset({"appos", "flat"})
_NEEDS_E = re.compile(r"[^aeiou][aeiou][scdr]$|[cuvz]$")  # supersed-, organis-, acquir-, announc-


@dataclass(frozen=True, slots=True)
class ParsedMention:
    """A name, a pronoun that stands for one, or a date: the item, and its tokens."""

    item: TextItem
    sentence: ParsedSentence
    first: int
    last: int  # token, included
    head: int  # the token on which the others hang

    @property
    def entities(self) -> tuple[Any, ...]:
        """Who is meant; "they" means several."""
        return self.item.plural or ((self.item.entity,) if self.item.entity is not None else ())


class Tree:
    """A parsed text with its mentions, as lists by the number of the token."""

    def __init__(self, doc: Doc, sentences: Sequence[ParsedSentence]) -> None:
        self.words = columns.strings(doc, "LOWER")
        self.texts = columns.strings(doc, "ORTH")
        self.lemmas = columns.strings(doc, "LEMMA")
        self.tags = columns.strings(doc, "TAG")
        self.deps = columns.strings(doc, "DEP")
        self.heads = columns.heads(doc).tolist()
        self.starts = columns.numbers(doc, "IDX").tolist()
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
        self.mentions: dict[int, ParsedMention] = {}  # by every token of theirs
        self.owners: dict[int, ParsedMention] = {}  # "Anna's", "his"
        self._sentence_starts = [sentence.start for sentence in sentences]
        self._sentences = sentences
        for sentence in sentences:
            for item in sentence.items:
                self._mention(sentence, item)
        self._read_it()

    def _mention(self, sentence: ParsedSentence, item: TextItem) -> None:
        is_pronoun = item.kind == "word" and (item.entity is not None or item.plural)
        if not (item.kind == "name" or is_pronoun or (item.date is not None and item.date.year is not None)):
            return
        inside = self._tokens(item.start, item.end)
        first, last = inside.start, inside.stop - 1
        after = self.texts[last + 1 : last + 3]
        if (
            item.kind == "name"
            and self.words[last].endswith("s")
            and after[:1] in (["'"], ["’"])
            and after[-1].isalpha()
        ):
            item = replace(item, possessive=True)  # "the League of Nations' committee"
        outer = [token for token in inside if self.heads[token] not in inside or self.heads[token] == token]
        head = min(outer, key=lambda token: (_PREFERRED.get(self.deps[token], 9), -token)) if outer else last
        mention = ParsedMention(item, sentence, first, last, head)
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
            subject = next((token for token in tokens if self.deps[token] in SUBJECTS), None)
            own = self._thing(subject) if subject is not None else None
            for item in sentence.items:
                token = self.token_at(item.start)
                owns = item.lower == "its"
                if not owns and (item.lower != "it" or token in self.mentions or self._is_empty_it(token)):
                    continue
                is_after = own is not None and subject is not None and subject < token
                meant = own if is_after and self.deps[token] != "obj" else focus
                if meant is not None:
                    read = ParsedMention(replace(item, entity=meant), sentence, token, token, token)
                    (self.owners if owns else self.mentions).setdefault(token, read)
            if own is not None:
                focus = own
            elif subject is not None and subject not in self.mentions and self.words[subject] != "it":
                focus = None  # something without a name

    def _thing(self, token: int) -> Any:
        mention = self.mentions.get(token)
        if mention is None or mention.item.kind != "name" or mention.item.possessive:
            return None
        return mention.item.entity if mention.item.entity.type != PERSON else None

    def _is_empty_it(self, token: int) -> bool:
        """Tell whether "it" stands for a clause, or for nothing: "it is said that"."""
        clauses = {self.deps[child] for child in self.children[self.heads[token]]}
        return self.deps[token] not in (*SUBJECTS, "obj") or bool(clauses & {"ccomp", "csubj", "xcomp"})

    def _tokens(self, start: int, end: int) -> range:
        return range(self.token_at(start), self.token_at(max(end - 1, start)) + 1)

    def token_at(self, place: int) -> int:
        """Return the token at or before a place in the text."""
        return max(bisect_right(self.starts, place) - 1, 0)

    def sentence_at(self, token: int) -> ParsedSentence | None:
        """Return the sentence that holds a token; None for headings."""
        place = self.starts[token]
        number = bisect_right(self._sentence_starts, place) - 1
        found = self._sentences[number] if number >= 0 else None
        return found if found is not None and place < found.end else None

    def has_child(self, token: int, *kinds: str) -> bool:
        """Return whether a token of some dependency hangs on this one."""
        return any(self.deps[child] in kinds for child in self.children[token])

    # -- words

    def lemma(self, token: int) -> str:
        """Return the base form of a verb, in lower case: irregular forms by table, what the model made else."""
        word = self.words[token]
        if word in BASES and not (word == "found" and self.tags[token] == "VB"):
            return BASES[word]
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

    def named_by(self, token: int, depth: int = 0) -> ParsedMention | None:
        """Return the name that a phrase means, given by its head: the name itself, or its apposition."""
        mention = self.mentions.get(token)
        if mention is not None:
            return None if mention.item.possessive else mention
        if depth > 2:
            return None
        if self.words[token] in RELATIVE:
            return self.before_relative(token)
        beside = self._apposed(token)
        if beside is not None:
            return beside
        following = [child for child in self.children[token] if child > token and self.deps[child] in _NAMING]
        for child in following:
            found = self.named_by(child, depth + 1)
            if found is not None and found.item.kind == "name":
                return found
        return self._of_kind(token)

    def _of_kind(self, token: int) -> ParsedMention | None:
        """Return the name that a noun for a kind of thing stands beside: "the city of Bergen", "the Ossian library"."""
        if self.words[token] in PLACE_NOUNS:  # "the city of Bergen"
            within = [child for child in self.children[token] if child in self.mentions and child > token]
            names = [self.mentions[child] for child in within if self.words[self._start(child) - 1] == "of"]
            if names and names[0].item.kind == "name" and not names[0].item.possessive:
                return names[0]
        if self.words[token] in _KINDS:
            for child in self.children[token]:
                found = self.mentions.get(child)
                if found is None or self.deps[child] not in ("compound", "amod") or found.item.possessive:
                    continue
                if found.last + 1 == token or found.item.date is not None or found.item.entity.type != PLACE:
                    return found  # "the London grammar school" is not London
        return None

    def _start(self, token: int) -> int:
        mention = self.mentions.get(token)
        return mention.first if mention is not None else token

    def opening(self, sentence: ParsedSentence) -> int:
        """Return the first token of what a sentence says, behind the place and day that open a report."""
        tokens = self._tokens(sentence.start, sentence.end)
        dash = next((token for token in tokens[:14] if self.words[token] in ("—", "–")), tokens.start - 1)
        is_said = any(self.tags[token] in FINITE for token in range(tokens.start, dash + 1))
        return tokens.start if is_said else dash + 1

    def _apposed(self, noun: int) -> ParsedMention | None:
        """Return the name between commas behind a noun for a person or a work: "his wife, the weaver Inga Moar,"."""
        word, after = self.words[noun], self.words[noun + 1 : noun + 2]
        if word not in _APPOSED or self.tags[noun] != "NN" or after not in ([","], ["named"], ["called"]):
            return None
        token = noun + 1 + (after == [","])
        while token < min(noun + 7, len(self.words)) and token not in self.mentions:
            if self.tags[token] not in _BESIDE and self.words[token] not in ("named", "called"):
                return None
            token += 1
        found = self.mentions.get(token)
        if found is None or found.item.kind != "name" or found.item.possessive:
            return None
        behind = self.texts[found.last + 1 : found.last + 2]
        ends = not behind or not (behind[0][0].isalnum() and self.tags[found.last + 1] not in ("IN", "TO"))
        ends = ends or after != [","]
        listed = after == [","] == behind and self.words[found.last + 2 : found.last + 3] == ["and"]
        is_person = word in ROLE_NOUNS or word in KIN
        return found if ends and not listed and (is_person or found.item.entity.type != PERSON) else None

    def before_relative(self, pronoun: int) -> ParsedMention | None:
        """Return the name that "which" or "whom" means, also across its apposition: "Lind & Co, a firm which"."""
        before = pronoun - 2 if self.words[pronoun - 1] in _PAUSES else pronoun - 1
        if self.tags[before] == "CD" and self.words[before - 1] == ",":
            before -= 2  # "Otto Lind, 61, who"
        if before == pronoun - 1 and before not in self.mentions:
            while before > 0 and self.tags[before] in MODIFIERS and before not in self.mentions:
                before -= 1
            before -= self.words[before] == ","
        found = self.mentions.get(before)
        if found is None or found.item.kind != "name" or self.words[found.first - 1] == "of":
            return None
        who = {"who": True, "whom": True, "which": False}.get(self.words[pronoun])
        return found if self.words[pronoun] == "whose" or who == (found.item.entity.type == PERSON) else None

    def listed(self, token: int, verb: int | None = None) -> Iterator[ParsedMention]:
        """Yield the names that a phrase means: that of its head, and those joined to it by "and".

        Where it is the subject of a verb, the last of them may stand before that.
        """
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
            waiting += [child for child in joined if child not in seen and not self._begins_clause(child, verb)]

    def is_excluded(self, token: int) -> bool:
        """Tell whether a phrase is left out of what its clause states: "not by Perrin", "unlike Caldève"."""
        mention = self.mentions.get(token)
        inside = range(mention.first, mention.last + 1) if mention is not None else (token,)
        before = self.words[max(0, min(inside) - 3) : min(inside)]
        if "not" in before and before[-1] not in (",", "only"):
            return True
        return any(self.words[child] in _EXCLUSIONS for each in inside for child in self.children[each])

    def is_divided(self, one: ParsedMention, other: ParsedMention) -> bool:
        """Tell whether a semicolon stands between two names."""
        first, last = sorted((one, other), key=lambda mention: mention.first)
        return ";" in self.words[first.last : last.first]

    def _begins_clause(self, token: int, verb: int | None) -> bool:
        """Tell whether a name after "and" is rather the subject of what follows: "..., and Adeleke completed it"."""
        mention = self.mentions.get(token)
        after = (mention.last if mention is not None else token) + 1
        if self.tags[token].startswith("VB"):
            return True
        if after >= len(self.words) or self.tags[after] not in FINITE:
            return False
        return verb is None or verb not in (after, self.heads[after])

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


_PREFERRED = {"nsubj": 0, "nsubj:pass": 0, "obj": 1, "iobj": 1, "obl": 2, "appos": 3, "nmod": 4, "conj": 5, "ROOT": 6}
