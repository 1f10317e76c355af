"""The words that say how two names are related: one line a rule, read when the module is loaded. Pure data.

words before the second name | relationship type | types of the first | types of the second | strength | flags

Types: P person, L place, O organisation, X other, * any. Flags: `noun`, the words must follow the first name directly
("X, a member of Y"; "X was the son of Y"); `back`, the relationship points the other way ("X was founded by Y").
"""

from __future__ import annotations

from dataclasses import dataclass

from kg_neo4j.offline.extractor.entities import ORGANIZATION, OTHER, PERSON, PLACE

EVERYTHING = frozenset({PERSON, PLACE, ORGANIZATION, OTHER})
PEOPLE = frozenset({PERSON})
_LETTERS = {"P": PERSON, "L": PLACE, "O": ORGANIZATION, "X": OTHER}
_TABLE = """
born in | BORN_IN | P | L | 9
born at | BORN_IN | P | L | 9
born near | BORN_IN | P | L | 8
born to | SON_OR_DAUGHTER_OF | P | P | 9
died in | DIED_IN | P | L | 9
died at | DIED_IN | P | LO | 9
died near | DIED_IN | P | L | 8
buried in | BURIED_IN | P | LO | 9
buried at | BURIED_IN | P | LO | 9
married | MARRIED_TO | P | P | 9
married to | MARRIED_TO | P | P | 9
wed | MARRIED_TO | P | P | 9
wife of | MARRIED_TO | P | P | 9 | noun
husband of | MARRIED_TO | P | P | 9 | noun
widow of | MARRIED_TO | P | P | 9 | noun
son of | SON_OF | P | P | 10 | noun
daughter of | DAUGHTER_OF | P | P | 10 | noun
child of | SON_OR_DAUGHTER_OF | P | P | 10 | noun
father of | PARENT_OF | P | P | 10 | noun
mother of | PARENT_OF | P | P | 10 | noun
brother of | SIBLING_OF | P | P | 10 | noun
sister of | SIBLING_OF | P | P | 10 | noun
grandson of | GRANDCHILD_OF | P | P | 9 | noun
granddaughter of | GRANDCHILD_OF | P | P | 9 | noun
grandfather of | GRANDPARENT_OF | P | P | 9 | noun
grandmother of | GRANDPARENT_OF | P | P | 9 | noun
nephew of | NEPHEW_OF | P | P | 9 | noun
niece of | NIECE_OF | P | P | 9 | noun
uncle of | UNCLE_OF | P | P | 9 | noun
aunt of | AUNT_OF | P | P | 9 | noun
cousin of | COUSIN_OF | P | P | 9 | noun
father-in-law of | FATHER_IN_LAW_OF | P | P | 9 | noun
friend of | FRIEND_OF | P | P | 8 | noun
rival of | RIVAL_OF | P | P | 8 | noun
pupil of | STUDENT_OF | P | P | 9 | noun
student of | STUDENT_OF | P | P | 9 | noun
disciple of | STUDENT_OF | P | P | 9 | noun
teacher of | TEACHER_OF | P | P | 9 | noun
tutor of | TEACHER_OF | P | P | 9 | noun
tutor to | TEACHER_OF | P | P | 9 | noun
assistant to | ASSISTANT_OF | P | P | 8 | noun
assistant of | ASSISTANT_OF | P | P | 8 | noun
secretary of | SECRETARY_OF | P | PO | 8 | noun
servant of | SERVED | P | P | 8 | noun
successor of | SUCCEEDED | PO | PO | 8 | noun
successor to | SUCCEEDED | PO | PO | 8 | noun
studied at | STUDIED_AT | P | OL | 9
studied in | STUDIED_IN | P | L | 8
studied under | STUDENT_OF | P | P | 9
studied with | STUDENT_OF | P | P | 8
educated at | STUDIED_AT | P | OL | 9
educated in | STUDIED_IN | P | L | 8
enrolled at | STUDIED_AT | P | O | 9
enrolled in | STUDIED_AT | P | O | 8
graduated from | STUDIED_AT | P | O | 9
attended | ATTENDED | P | OX | 8
entered | ENTERED | P | OL | 7
lectured at | TAUGHT_AT | P | O | 8
taught at | TAUGHT_AT | P | O | 9
taught in | TAUGHT_IN | P | L | 8
taught by | TAUGHT | P | P | 9 | back
taught | TAUGHT | P | P | 8
tutored | TAUGHT | P | P | 8
tutored by | TAUGHT | P | P | 9 | back
worked at | WORKED_AT | P | OL | 9
worked for | WORKED_FOR | P | POX | 8
worked in | WORKED_IN | P | LO | 8
worked with | WORKED_WITH | P | P | 8
worked under | WORKED_FOR | P | P | 8
collaborated with | WORKED_WITH | P | PO | 8
employed by | WORKED_FOR | P | PO | 8
employed at | WORKED_AT | P | O | 8
professor at | WORKED_AT | P | O | 9 | noun
professor in | WORKED_IN | P | LO | 8 | noun
lecturer at | WORKED_AT | P | O | 9 | noun
teacher at | WORKED_AT | P | O | 9 | noun
student at | STUDIED_AT | P | O | 9 | noun
student in | STUDIED_IN | P | L | 8 | noun
envoy in | WORKED_IN | P | L | 8 | noun
envoy to | WORKED_IN | P | L | 8 | noun
ambassador to | WORKED_IN | P | L | 8 | noun
ambassador in | WORKED_IN | P | L | 8 | noun
director of | DIRECTED | P | OX | 9 | noun
head of | HEADED | P | OX | 9 | noun
chairman of | HEADED | P | OX | 9 | noun
president of | PRESIDENT_OF | P | OLX | 9 | noun
chancellor of | CHANCELLOR_OF | P | OLX | 9 | noun
minister of | MINISTER_OF | P | PL | 8 | noun
governor of | GOVERNED | P | L | 9 | noun
mayor of | GOVERNED | P | L | 9 | noun
bishop of | BISHOP_OF | P | L | 9 | noun
king of | RULED | P | L | 9 | noun
queen of | RULED | P | L | 9 | noun
emperor of | RULED | P | L | 9 | noun
ruler of | RULED | P | L | 9 | noun
leader of | LED | P | OLX | 9 | noun
keeper of | KEPT | P | LOX | 8 | noun
owner of | OWNED | P | LOX | 8 | noun
member of | MEMBER_OF | P | OX | 9 | noun
fellow of | MEMBER_OF | P | OX | 9 | noun
founder of | FOUNDED | P | OX | 9 | noun
inventor of | INVENTED | P | X | 9 | noun
author of | WROTE | P | X | 9 | noun
citizen of | CITIZEN_OF | P | L | 8 | noun
native of | BORN_IN | P | L | 8 | noun
capital of | CAPITAL_OF | L | L | 9 | noun
part of | PART_OF | LOX | LOX | 8 | noun
city in | LOCATED_IN | L | L | 9 | noun
town in | LOCATED_IN | L | L | 9 | noun
village in | LOCATED_IN | L | L | 9 | noun
estate near | NEAR | LO | L | 8 | noun
town near | NEAR | LO | L | 8 | noun
village near | NEAR | LO | L | 8 | noun
located in | LOCATED_IN | LO | L | 9
belonged to | MEMBER_OF | P | OX | 8
joined | JOINED | P | OXP | 7
elected to | MEMBER_OF | P | O | 8
appointed to | APPOINTED_TO | P | O | 8
owned | OWNED | P | OXL | 8
appointed | APPOINTED | PO | P | 7
went back to | RETURNED_TO | P | LO | 8
came back to | RETURNED_TO | P | LO | 8
lived on | LIVED_IN | P | L | 8
founded | FOUNDED | PO | OXL | 9
founded by | FOUNDED | OXL | PO | 9 | back
founded in | FOUNDED_IN | O | L | 8
established | FOUNDED | PO | OX | 9
established by | FOUNDED | OX | PO | 9 | back
created | CREATED | PO | OX | 8
created by | CREATED | OX | PO | 8 | back
built | BUILT | PO | LOX | 8
built by | BUILT | LOX | PO | 8 | back
led | LED | P | OX | 8
led by | LED | OX | P | 8 | back
discovered | DISCOVERED | P | XL | 9
discovered by | DISCOVERED | XL | P | 9 | back
invented | INVENTED | P | X | 9
invented by | INVENTED | X | P | 9 | back
wrote | WROTE | P | X | 9
written by | WROTE | X | P | 9 | back
published | PUBLISHED | PO | X | 9
published by | PUBLISHED | X | PO | 9 | back
composed | COMPOSED | P | X | 9
composed by | COMPOSED | X | P | 9 | back
painted | PAINTED | P | *  | 9
painted by | PAINTED | X | P | 9 | back
edited | EDITED | P | X | 8
edited by | EDITED | X | P | 8 | back
translated | TRANSLATED | P | X | 8
translated by | TRANSLATED | X | P | 8 | back
won | WON | PO | X | 8
received | RECEIVED | PO | X | 8
was awarded | RECEIVED | P | X | 9
awarded | AWARDED | PO | X | 7
succeeded | SUCCEEDED | PO | PO | 8
succeeded by | SUCCEEDED | PO | PO | 9 | back
influenced | INFLUENCED | P | P | 8
influenced by | INFLUENCED | P | PX | 8 | back
named after | NAMED_AFTER | * | * | 9
dedicated to | DEDICATED_TO | X | P | 8
moved to | MOVED_TO | P | L | 9
returned to | RETURNED_TO | P | L | 8
travelled to | TRAVELLED_TO | P | L | 8
traveled to | TRAVELLED_TO | P | L | 8
went to | WENT_TO | P | LO | 7
came to | CAME_TO | P | LO | 7
came from | CAME_FROM | P | L | 7
sailed to | TRAVELLED_TO | P | L | 8
sailed from | LEFT | P | L | 7
sent to | SENT_TO | P | LO | 7
fled to | FLED_TO | P | L | 8
fled from | LEFT | P | L | 8
emigrated to | MOVED_TO | P | L | 9
migrated to | MOVED_TO | P | L | 9
migrated from | LEFT | P | L | 8
exiled to | SENT_TO | P | L | 8
settled in | LIVED_IN | P | L | 8
lived in | LIVED_IN | P | L | 9
lived at | LIVED_IN | P | LO | 8
lived with | LIVED_WITH | P | P | 8
resided in | LIVED_IN | P | L | 8
stayed in | STAYED_IN | P | L | 7
stayed at | STAYED_IN | P | LO | 7
stayed with | STAYED_WITH | P | P | 7
grew up in | GREW_UP_IN | P | L | 9
grew up at | GREW_UP_IN | P | LO | 9
raised in | GREW_UP_IN | P | L | 8
arrived in | ARRIVED_IN | P | L | 8
arrived at | ARRIVED_IN | P | LO | 8
landed in | ARRIVED_IN | P | L | 8
landed at | ARRIVED_IN | P | L | 8
reached | REACHED | P | L | 8
left | LEFT | P | LO | 7
left for | TRAVELLED_TO | P | L | 8
visited | VISITED | P | PLO | 8
crossed | CROSSED | P | L | 8
climbed | CLIMBED | P | LX | 9
explored | EXPLORED | P | LX | 8
ruled | RULED | P | L | 9
governed | GOVERNED | P | L | 9
conquered | CONQUERED | P | LX | 9
met | MET | P | PX | 8
met with | MET | P | P | 8
meets | MET | P | P | 8
befriended | FRIEND_OF | P | P | 8
loved | LOVED | P | PX | 8
knew | KNEW | P | PX | 7
helped | HELPED | P | PX | 7
followed | FOLLOWED | P | PLX | 6
accompanied | ACCOMPANIED | P | PX | 8
accompanied by | ACCOMPANIED | P | P | 8 | back
travelled with | TRAVELLED_WITH | P | P | 8
traveled with | TRAVELLED_WITH | P | P | 8
sailed with | TRAVELLED_WITH | P | P | 8
invited by | INVITED | P | PO | 7 | back
received by | WELCOMED | P | PO | 7 | back
corresponded with | CORRESPONDED_WITH | P | PO | 8
wrote to | WROTE_TO | P | P | 7
spoke to | SPOKE_TO | P | PX | 6
spoke with | SPOKE_TO | P | P | 6
said to | SPOKE_TO | P | PX | 6
replied to | SPOKE_TO | P | PX | 6
looked at | LOOKED_AT | P | PX | 4
listened to | LISTENED_TO | P | PX | 5
thanked | THANKED | P | PX | 6
told | TOLD | P | PX | 5
asked | ASKED | P | PX | 5
saw | SAW | P | PX | 5
found | FOUND | P | PLX | 5
heard | HEARD | P | PX | 5
killed | KILLED | P | P | 9
killed by | KILLED | P | P | 9 | back
murdered by | KILLED | P | P | 9 | back
defeated | DEFEATED | PO | POX | 9
defeated by | DEFEATED | POX | PO | 9 | back
fought in | FOUGHT_IN | P | XL | 8
fought against | FOUGHT_AGAINST | PO | POXL | 8
fought at | FOUGHT_IN | P | XL | 8
served in | SERVED_IN | P | OXL | 8
served under | SERVED | P | P | 8
presided over | PRESIDED_OVER | P | OX | 8
painted for | WORKED_FOR | P | P | 7
"""


@dataclass(frozen=True, slots=True)
class Trigger:
    """One rule of the table."""

    words: tuple[str, ...]
    type: str
    sources: frozenset[str]
    targets: frozenset[str]
    strength: int
    likely: str | None  # what a second name of unknown type probably is
    noun: bool = False
    back: bool = False


def _types(letters: str) -> frozenset[str]:
    return EVERYTHING if letters == "*" else frozenset(_LETTERS[letter] for letter in letters)


def _read(line: str) -> Trigger:
    words, kind, sources, targets, strength, *flags = (part.strip() for part in line.split("|"))
    return Trigger(
        words=tuple(words.split()),
        type=kind,
        sources=_types(sources),
        targets=_types(targets),
        strength=int(strength),
        likely=_LETTERS[targets[0]] if (len(targets) == 1 and targets != "*") or targets[0] == "L" else None,
        noun="noun" in flags,
        back="back" in flags,
    )


TRIGGERS: dict[tuple[str, ...], Trigger] = {
    trigger.words: trigger for trigger in map(_read, _TABLE.strip().splitlines())
}
LONGEST = max(map(len, TRIGGERS))
VERBS = frozenset(words[0] for words, trigger in TRIGGERS.items() if not trigger.noun)

# "his X Name", "Anna's X Name": the relationship from the owner's side. `back`: from Name to the owner.
KIN: dict[str, tuple[str, bool, str]] = {  # noun -> type, back, gender of Name
    "father": ("PARENT_OF", True, "m"),
    "mother": ("PARENT_OF", True, "f"),
    "parents": ("PARENT_OF", True, ""),
    "stepfather": ("STEPPARENT_OF", True, "m"),
    "stepmother": ("STEPPARENT_OF", True, "f"),
    "son": ("SON_OF", True, "m"),
    "sons": ("SON_OF", True, "m"),
    "daughter": ("DAUGHTER_OF", True, "f"),
    "daughters": ("DAUGHTER_OF", True, "f"),
    "brother": ("SIBLING_OF", False, "m"),
    "brothers": ("SIBLING_OF", False, "m"),
    "sister": ("SIBLING_OF", False, "f"),
    "sisters": ("SIBLING_OF", False, "f"),
    "husband": ("MARRIED_TO", False, "m"),
    "wife": ("MARRIED_TO", False, "f"),
    "widow": ("MARRIED_TO", False, "f"),
    "grandfather": ("GRANDPARENT_OF", True, "m"),
    "grandmother": ("GRANDPARENT_OF", True, "f"),
    "grandson": ("GRANDCHILD_OF", True, "m"),
    "granddaughter": ("GRANDCHILD_OF", True, "f"),
    "uncle": ("UNCLE_OF", True, "m"),
    "aunt": ("AUNT_OF", True, "f"),
    "nephew": ("NEPHEW_OF", True, "m"),
    "niece": ("NIECE_OF", True, "f"),
    "cousin": ("COUSIN_OF", False, ""),
    "friend": ("FRIEND_OF", False, ""),
    "friends": ("FRIEND_OF", False, ""),
    "colleague": ("WORKED_WITH", False, ""),
    "companion": ("TRAVELLED_WITH", False, ""),
    "partner": ("PARTNER_OF", False, ""),
    "teacher": ("TEACHER_OF", True, ""),
    "tutor": ("TEACHER_OF", True, ""),
    "mentor": ("TEACHER_OF", True, ""),
    "pupil": ("STUDENT_OF", True, ""),
    "student": ("STUDENT_OF", True, ""),
    "assistant": ("ASSISTANT_OF", True, ""),
    "servant": ("SERVED", True, ""),
    "secretary": ("ASSISTANT_OF", True, ""),
    "rival": ("RIVAL_OF", False, ""),
    "successor": ("SUCCEEDED", True, ""),
    "predecessor": ("SUCCEEDED", False, ""),
}
