"""Where sentences end. Pure: rules for languages that end them with a mark, no model that chunks would depend on."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Abbreviations that a full stop follows within a sentence: English, Polish, German, French.
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof rev st jr sr vs etc e.g i.e cf ca c fl b d no vol pp p ed eds fig gen col capt lt sgt gov sen "
    "rep pres hon mt ft inc ltd co corp dept univ approx jan feb mar apr jun jul aug sep sept oct nov dec a.d b.c u.s "
    "np m.in tzw tj itd itp ul al pl św ks im inż mgr hab ob płk gen kpt r w z.b d.h u.a bzw ggf nr bd hrsg hl "
    "mme mlle m".split()
)
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?:\[[^\]\s]{1,12}\])*+(?=\s)|[。！？]+[」』”’）]*")
_WORD_BEFORE = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]+)*$")
_LOOK_BACK = 24  # characters: longer than any abbreviation


def sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the sentences in `text[start:end]`, without the white space around them."""
    begin = _skip_space(text, start, end)
    for match in _END.finditer(text, start, end):
        following = _skip_space(text, match.end(), end)
        if following < end and begin < match.end() and _ends(text, match, begin, following):
            yield begin, match.end()
            begin = following
    last = end
    while last > begin and text[last - 1].isspace():
        last -= 1
    if last > begin:
        yield begin, last


def _ends(text: str, match: re.Match[str], begin: int, following: int) -> bool:
    """Say whether a sentence ends at `match`, and not an abbreviation or an initial."""
    if match[0][0] in "。！？":
        return True
    if text[following].islower():
        return False
    if match[0] != ".":  # also a footnote mark or a quotation mark after the stop
        return True
    word = _WORD_BEFORE.search(text, max(begin, match.start() - _LOOK_BACK), match.start())
    if word is None:
        return True
    is_initial = len(word[0]) == 1 and word[0].isupper() and word.start() > begin
    return not is_initial and word[0].lower() not in _ABBREVIATIONS


def _skip_space(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start
