"""A grammar for the two-section CSV of one text, in the form of llama.cpp, which both engines of vLLM take. Pure.

Rows come in the order of their first sentence, as the prompt asks, and so many may begin with one sentence: an answer
that repeats itself comes to the next sentence, and to its end. A row has a name, or a type between two ends. Open types
are one pattern: alternatives before an open last branch allow what that branch allows.
"""

from __future__ import annotations

from kg_neo4j.extract.schema import ColumnKind
from kg_neo4j.rooms.grammar.frame import LONGEST, OPTIONAL, Frame, numbers

FREE_ROWS = 3  # at the beginning of a section: the main things of a text, as in the prompt's example
_FURTHER = '" " (sentence (" " sentence)? | pair)'  # sentences that a row names besides the first one
_WORDS = [r'char ::= [^"\x00-\x1F] | "\"\""']
_WORDS += [
    rf'{name} ::= [^ ,"\x00-\x1F] [^,"\x00-\x1F]{{0,{longest}}} | "\"" char{{1,{longest}}} "\""'
    for name, longest in LONGEST.items()
]


def csv_grammar(frame: Frame) -> str:
    """Return the grammar of all answers on a text: of the first one, and of later rounds, which have both headers."""
    root, rules = [], [*_WORDS, *(_sentences(list(frame.sentences)) if frame.sentences else [])]
    for each in frame.sections:
        name, kinds, rows = each.name, each.kinds, f"{each.name}row{{0,{frame.rows}}}"
        if kinds[0] is ColumnKind.EVIDENCE:
            kinds = kinds[1:]
            begun = [("", FREE_ROWS), *frame.sentences.items()]
            rows = " ".join(f'(begins{place} "," {name}row){{0,{most}}}' for place, most in begun)
        fields = ((kind if kind in LONGEST else f"{name}{kind}") + "?" * (kind in OPTIONAL) for kind in kinds)
        rules += [f"{name} ::= {rows}", f"{name}row ::= " + ' "," '.join(fields) + r' "\n"']
        rules += (f"{name}{kind} ::= {each.forms[kind]}" for kind in dict.fromkeys(kinds) if kind in each.forms)
        root.append(rf'"{",".join(each.header)}\n" {name}')
    return "\n".join(["root ::= " + r' "\n" '.join(root), *rules, ""])


def _sentences(given: list[int]) -> list[str]:
    """Return one rule for each sentence that a row may begin with: it names up to two others, or a range of three."""
    pairs = " | ".join(f'"{each}-{each + 1}"' for each in given[:-1])
    begins = " | ".join(f"begins{each}" for each in given)
    rules = [f"sentence ::= {numbers(given)}", f"pair ::= {pairs or 'sentence'}", f"begins ::= {begins}"]
    for each in given:
        ends = [f'"-{each + 1}" (" " sentence)?', f'"-{each + 2}"'][: given[-1] - each]
        rules.append(f'begins{each} ::= "{each}" ({" | ".join([*ends, _FURTHER])})?')
    return rules
