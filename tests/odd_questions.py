"""Odd questions: empty, long, in the syntax of Lucene or Cypher, in other scripts, with characters that are none."""

from __future__ import annotations

import random

LONG = 1_000_000
SCRIPTS = (
    "東京はどこですか",
    "من هي عائشة؟",
    "Кто такой Пушкин?",
    "Ποιος ήταν ο Σωκράτης;",
    "מי היה דוד?",
    "कौन थे गांधी?",
    "ใครคือรัชกาลที่ 5",
    "누가 세종대왕이었나?",
    "ვინ იყო რუსთაველი?",
    "Kim była Żółć?",
    "ከማን ነው?",
    "谁是孔子？",
    "ព្រះរាជា",
)
LUCENE = (
    'AND ( [ ~ " * OR NOT \\ /x/ a:b {1 TO 2} ^3 && ||',
    "id:* OR graph:*",
    "NOT",
    '+-&&||!(){}[]^"~*?:\\/',
    "*:*",
    '"',
    "a~99",
    "name:[* TO *]",
    "/.*.*.*/",
    "((((((((((",
    "Ada^1e999",
    "Ada~-1",
    "\\",
    "TO",
    "_exists_:id",
    "a OR",
    "Ada AND NOT",
)
CYPHER = (
    "'; MATCH (n) DETACH DELETE n //",
    "MATCH (n) RETURN n",
    "} RETURN 1 UNION CALL db.labels() YIELD label //",
    "$graph",
    "`Entity`",
    "\\u0060",
    "CALL dbms.shutdown()",
    "{{question}} {{fence}}",
    "LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l",
    "Who was Ada' OR 1=1 --",
    "MATCH (a)-[*]-(b) RETURN *",
    "How are Ada and ` connected?",
    "What happened in 99999999999?",
)
SIGNS = (
    "😀🔥",
    "👩‍👩‍👧‍👦",
    "🏳️‍🌈 Babbage?",
    "\u202eegabbaB",
    "\u2066Ada\u2069",
    "A\u0301\u0327" * 40,
    "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘",
    "\ufeffWho?",
    "\u200bAda\u200b",
    "ﬁﬂ",
    "Ⅷ ½ ²",
    "Ａｄａ",
    "a\u0000b",
    "\x1b[31mAda\x1b[0m",
    "Ada\r\n\tBabbage",
    "…",
    "¿Quién?",
    "-",
    "''",
)
EMPTY = ("", " ", "\n\t ", "\x00\x01", "\u200b\u200b", "\ud800", "\udfff\ud800", "\x7f", "\u202e", "\u2028")
SENTENCES = (
    "Who was Ada Lovelace?",
    "When did Charles Babbage die?",
    "What are the main themes?",
    "How are Ada and Babbage connected?",
    "Where did he live?",
    "And his wife?",
    "Was the engine ever built?",
    "How many people are there?",
    "What happened in 1833?",
)


def odd_questions(number: int, seed: int) -> list[str]:
    """Return `number` questions, the fixed ones first; the same ones for the same seed."""
    chance = random.Random(seed)
    fixed = [
        *SCRIPTS,
        *LUCENE,
        *CYPHER,
        *SIGNS,
        *EMPTY,
        "x" * LONG,
        "Babbage " * (LONG // 8),
        "(" * LONG,
        "\ud83d" * LONG,
    ]
    return [*fixed, *(_made(chance) for _ in range(number - len(fixed)))][:number]


def _made(chance: random.Random) -> str:
    way = chance.randrange(6)
    if way == 0:  # any code points, surrogates among them
        return "".join(chr(chance.randrange(0x110000)) for _ in range(chance.randint(1, 60)))
    if way == 1:  # those of one block
        start = chance.randrange(0, 0x30000, 0x80)
        return "".join(chr(start + chance.randrange(0x80)) for _ in range(chance.randint(1, 60)))
    if way == 2:  # a question with something foreign in it
        words = chance.choice(SENTENCES).split()
        words.insert(chance.randint(0, len(words)), chance.choice((*LUCENE, *CYPHER, *SIGNS, *EMPTY)))
        return " ".join(words)
    if way == 3:  # letters of a question, shuffled or doubled
        letters = list(chance.choice(SENTENCES) * chance.choice((1, 1, 30)))
        chance.shuffle(letters)
        return "".join(letters)
    if way == 4:  # only signs
        return "".join(chance.choices("()[]{}\"'~*?:\\/+-&|!^$`;,.<>=@#% \t", k=chance.randint(1, 80)))
    pieces = chance.choices((*SCRIPTS, *LUCENE, *CYPHER, *SIGNS, *SENTENCES), k=chance.randint(2, 6))
    return chance.choice(("", " ", "\n")).join(pieces)
