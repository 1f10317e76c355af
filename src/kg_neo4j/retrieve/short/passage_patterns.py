"""The wording by which passages of encyclopaedias state relations. Pure; English.

Each pattern has what it finds in a group `a` (or `b`), and looks at a bounded stretch of text.
"""

from __future__ import annotations

import re

from kg_neo4j.offline.extractor.demonyms import NATIONS

_U = r"[^\W\d_a-zß-öø-ÿ]"  # a letter that is no small one of Latin
_WORD = rf"(?:{_U}[\w’'.\-]*\w|{_U}\.?)"
_INNER = (
    r"(?:of|the|de|da|das|dos|di|du|del|della|la|le|les|von|van|der|den|bin|bint|ibn|al|el|y|zu|zum|af|av|"
    r"e|ten|ter|and the)"
)
NAME = (
    rf"(?:{_WORD}(?:[ -]{_INNER}){{0,2}}[ -])*{_WORD}(?:,? (?:Jr\.|Sr\.)|, \d+(?:st|nd|rd|"
    rf"th) (?:{_WORD} )*(?:of )?{_WORD})?"
)
NAMES = rf"{NAME}(?:, {NAME})*(?:,? and {NAME})?"
MONTHS = tuple("January February March April May June July August September October November December".split())
MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
DATE = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{MONTH},? \d{{3,4}}|{MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{3,4}}|"
    rf"{MONTH},? \d{{4}}|"
    r"\d{3,4})(?:\s?(?:BC|BCE|AD))?"
)
PLACE = rf"(?!{MONTH}\b){NAME}(?:, (?!{MONTH}\b){NAME}){{0,3}}"
_ABOUT = r"(?:c\.? ?|ca\.? ?|circa |about |around |before |after )?"
_ORIGIN = rf"(?:(?:{'|'.join(sorted(NATIONS))})(?:[- ](?:{'|'.join(sorted(NATIONS))}|born))? (?=[a-z]))?"
_ROLE = rf"(?:(?:the |an? )?{_ORIGIN}(?:[\w’'-]+ ){{0,4}}?)"  # "by American country singer "
_NEAR = r"[^.;()]{0,60}?"

_RAW: dict[str, tuple[str, ...]] = {
    "director": (
        rf"\bdirected\b[^.;()]{{0,60}}?\bby {_ROLE}(?P<a>{NAMES})",
        rf"\b(?:film|movie|drama|comedy|documentary|short|western|"
        rf"thriller)s?\b[^.;()]{{0,30}}?\bby (?:director )?(?P<a>{NAMES})",
        rf"\bdirectors? (?P<a>{NAMES})",
        rf"(?P<a>{NAME})['’]s? (?:\d{{4}} )?(?:[a-z]+ ){{0,2}}(?:film|movie)\b",
    ),
    "composer": (
        rf"\b(?:composed|written|co-written|music|score|songwriters?|"
        rf"lyrics)\b[^.;()]{{0,40}}?\bby {_ROLE}(?P<a>{NAMES})",
        rf"\bcomposers? (?P<a>{NAME})",
    ),
    "performer": (
        rf"\b(?:song|single|album|recorded|performed|sung|released|EP|ballad|hit|track|mixtape|"
        rf"sings?)\b[^.;()]{{0,50}}?\bby "
        rf"{_ROLE}(?P<a>{NAME})",
        rf"\b(?:singer|rapper|band|group|musician) (?P<a>{NAME})",
    ),
    "author": (
        rf"\b(?:novel|book|written|story|play|poem|authored|memoir|novella|series|work|"
        rf"collection)\b[^.;()]{{0,50}}?\bby {_ROLE}"
        rf"(?P<a>{NAMES})",
        rf"\b(?:author|writer|novelist) (?P<a>{NAME})",
    ),
    "screenwriter": (rf"\b(?:written|screenplay|script)\b[^.;()]{{0,40}}?\bby {_ROLE}(?P<a>{NAMES})",),
    "producer": (rf"\bproduced\b[^.;()]{{0,40}}?\bby {_ROLE}(?P<a>{NAMES})",),
    "creator": (rf"\bcreated\b[^.;()]{{0,40}}?\bby {_ROLE}(?P<a>{NAMES})",),
    "founder": (rf"\b(?:founded|established|started|created|formed)\b[^.;()]{{0,40}}?\bby {_ROLE}(?P<a>{NAMES})",),
    "inventor": (rf"\b(?:invented|discovered)\b[^.;()]{{0,40}}?\bby {_ROLE}(?P<a>{NAMES})",),
    "developer": (rf"\bdeveloped\b[^.;()]{{0,40}}?\bby {_ROLE}(?P<a>{NAMES})",),
    "publisher": (rf"\bpublished\b[^.;()]{{0,40}}?\bby {_ROLE}(?P<a>{NAMES})",),
    "owner": (rf"\bowned\b[^.;()]{{0,40}}?\bby {_ROLE}(?P<a>{NAMES})",),
    "father": (
        rf"\b(?:son|daughter|child|heir|children)\b,? (?:and heir,? )?(?:born )?(?:of|to) {_ROLE}(?P<a>{NAME})",
        rf"\b(?:[Hh]is|[Hh]er|whose) father,? (?:was |is )?{_ROLE}(?P<a>{NAME})",
        rf"\bborn to {_ROLE}(?P<a>{NAME})",
        rf"\b(?:[Hh]is|[Hh]er) parents,? (?:were |are )?{_ROLE}(?P<a>{NAME})",
        rf"\bfather (?P<a>{NAME})",
    ),
    "mother": (
        rf"\b(?:[Hh]is|[Hh]er|whose) mother,? (?:was |is )?{_ROLE}(?P<a>{NAME})",
        rf"\b(?:son|daughter|child|heir|children)\b,? (?:and heir,? )?(?:born )?(?:of|"
        rf"to) [^.;]{{0,90}}?\b(?:and|by|with) "
        rf"(?:of )?(?:his |her )?(?:first |second |third )?(?:wife|spouse|queen|consort)?,? ?{_ROLE}(?P<a>{NAME})",
        rf"\bborn to [^.;]{{0,60}}? and {_ROLE}(?P<a>{NAME})",
        rf"\b(?:son|daughter|child)\b,? (?:of|to) {_ROLE}(?P<a>{NAME})",
    ),
    "spouse": (
        rf"\b(?:married|wed|remarried|marries)\b(?: to)? {_ROLE}(?P<a>{NAME})",
        rf"\b(?:wife|husband|widow|widower|consort|spouse|partner) of {_ROLE}(?P<a>{NAME})",
        rf"\b(?:[Hh]is|[Hh]er)(?: \w+)? (?:wife|husband|spouse|partner),? (?:was |is )?{_ROLE}(?P<a>{NAME})",
        rf"\b(?:wife|husband),? (?:the )?{_ROLE}(?P<a>{NAME})",
        rf"\bmarriage to {_ROLE}(?P<a>{NAME})",
    ),
    "child": (
        rf"\b(?:father|mother|parent) of {_ROLE}(?P<a>{NAMES})",
        rf"\b(?:[Hh]is|[Hh]er|[Tt]heir) (?:\w+ ){{0,2}}(?:son|daughter|child|children),? (?:was |"
        rf"is )?{_ROLE}(?P<a>{NAME})",
        rf"\b(?:sons?|daughters?|children),? {_ROLE}(?P<a>{NAME})",
    ),
    "sibling": (
        rf"\b(?:brother|sister|sibling|half-brother|half-sister) of {_ROLE}(?P<a>{NAME})",
        rf"\b(?:[Hh]is|[Hh]er)(?: \w+)? (?:brother|sister|sibling|half-brother|half-sister),? (?:was |"
        rf"is )?{_ROLE}(?P<a>{NAME})",
    ),
    "born on": (
        rf"\(\s*(?:[^()]{{0,120}}?\b)?(?:born|b\.|née [^();,]+?,|nee [^();,]+?,)\s?{_NEAR}(?P<a>{_ABOUT}{DATE})",
        rf"\((?:[^()]{{0,120}}?[;,:] ?|\s*)(?P<a>{_ABOUT}{DATE})(?:[^()–—]{{0,60}}?)\s?(?:[–—]|"
        rf"-)\s?[^()]{{0,80}}?\d{{3,4}}",
        rf"\bborn\b{_NEAR}\b(?:on|in)? ?(?P<a>{_ABOUT}{DATE})",
    ),
    "died on": (
        rf"\([^()]{{0,160}}?\d{{3,4}}[^()]{{0,60}}?(?:[–—]|\s-\s?|\b(?:d\.|"
        rf"died))\s?[^()\d]{{0,40}}?(?P<a>{_ABOUT}{DATE})[^()]{{0,60}}\)",
        rf"\(\s*(?:died|d\.)\s?{_NEAR}(?P<a>{_ABOUT}{DATE})",
        rf"\b(?:died|death|killed|murdered|executed|assassinated|passed away)\b{_NEAR}\b(?:on|in) (?P<a>{DATE})",
    ),
    "born in": (
        rf"\bborn\b[^.;()]{{0,60}}?\b(?:in|at|near) (?P<a>{PLACE})",
        rf"\((?:[^()]{{0,40}}?\bborn )?(?:on )?{_ABOUT}{DATE},? (?:in )?(?P<a>{PLACE})",
        rf"\bnative of (?P<a>{PLACE})",
        rf"\bbirthplace (?:is|was) (?P<a>{PLACE})",
    ),
    "died in": (
        rf"\b(?:died|killed|murdered|executed|assassinated|passed away)\b[^.;()]{{0,80}}?\b(?:in|at|"
        rf"near) (?P<a>{PLACE})",
        rf"\([^()]{{0,120}}?(?:[–—]|-)\s?{_ABOUT}{DATE},? (?:in )?(?P<a>{PLACE})",
        rf"\bdeath (?:in|at) (?P<a>{PLACE})",
    ),
    "buried in": (rf"\b(?:buried|interred|entombed)\b[^.;()]{{0,60}}?\b(?:in|at) (?:the )?(?P<a>{PLACE})",),
    "cause of death": (
        r"\b(?:died|death)\b[^.;()]{0,40}?\b(?:of|from|due to|caused by|by) (?:an? |"
        r"the )?(?P<a>[a-z][a-z -]{2,40}?)(?=[.,;]| in | at | on | when)",
        r"\b(?P<a>suicide|heart attack|stroke|cancer|assassination|plague|pneumonia|tuberculosis)\b",
    ),
    "school": (
        rf"\b(?:studied|educated|graduated|degree|attended|enrolled|graduate|alumnus|education|PhD|"
        rf"doctorate)\b[^.;()]{{0,70}}?"
        rf"\b(?:at|from|of|in|attended|entered) (?:the )?(?P<a>{NAME}(?:, {_WORD})?)",
        rf"\battended (?:the )?(?P<a>{NAME})",
    ),
    "employer": (
        rf"\b(?:work(?:s|ed|ing)|professor|taught|teaches|lecturer|employed)\b[^.;()]{{0,60}}?\b(?:at|for|"
        rf"of) (?:the )?(?P<a>{NAME})",
    ),
    "award": (
        rf"\b(?:won|wins|received|receives|awarded|recipient of|winner of|honou?red with)\b[^.;()]{{0,40}}?"
        rf"(?P<a>(?:{_WORD}(?: (?:of|the|for|in))* )*(?:Award|Prize|Medal|Order|Oscar|Emmy|Grammy|Medal|Trophy|"
        rf"Bear|Palme)\w*"
        rf"(?: (?:of|for|in) (?:the )?{NAME})?)",
    ),
    "record label": (rf"\b(?:label|signed to|released (?:by|on))\b[^.;()]{{0,30}}?(?P<a>{NAME}(?: Records)?)",),
    "team": (rf"\b(?:plays?|played|playing)\b[^.;()]{{0,50}}?\b(?:for|with) (?:the )?(?P<a>{NAME})",),
    "party": (rf"\b(?:member of|of|for|belongs to) (?:the )?(?P<a>{NAME} Party)\b",),
    "capital": (rf"\bcapital\b[^.;()]{{0,40}}?\b(?:is|was|,) (?P<a>{NAME})",),
    "headquarters": (rf"\b(?:headquartered|based|headquarters)\b[^.;()]{{0,40}}?\bin (?P<a>{PLACE})",),
    "location": (
        rf"\b(?:located|situated|lies|village|town|city|district|county|commune|municipality|area|river|lake|"
        rf"station|airport|"
        rf"university|school|community|township|mountain|museum|region|suburb)\b[^.;()]{{0,60}}?\b(?:in|of|at|"
        rf"near) (?:the )?"
        rf"(?P<a>{PLACE})",
    ),
    "made on": (
        r"\b(?:is|was|are|were) (?:an? |the )?(?:[\w’'-]+ ){0,3}?(?P<a>\d{4})\b(?!s)",
        rf"\b(?:released|published|premiered|aired|broadcast|founded|established|formed|opened|created|started|"
        rf"launched|"
        rf"incorporated|began|debuted|issued|built|completed|organi[sz]ed)\b[^.;()]{{0,60}}?\b(?:on|in|since|"
        rf"of)? ?(?P<a>{DATE})",
        r"\((?:[^()]{0,30}?)(?P<a>\d{4})(?:[^()]{0,30}?)\)",
        r"\b(?P<a>(?:1[5-9]|20)\d{2})\b",
    ),
    "language": (rf"\b(?:in|language is|written in|speaks?) (?P<a>{_WORD})\b(?= language|[.,])",),
}  # fmt: skip
PATTERNS = {name: tuple(re.compile(raw) for raw in raws) for name, raws in _RAW.items()}
"""By relation, the strongest pattern first."""

INVERSE = {
    "father": "child",
    "mother": "child",
    "child": "father",
    "son": "father",
    "daughter": "father",
    "spouse": "spouse",
    "sibling": "sibling",
}
"""Which relation another passage states of its own subject: the one who is "father of X" is the father of X."""
