"""What the scripted model says: each answer depends on the words of its request alone, and some answers are bad.

A request is told by its prompt's words. Which answers are bad is decided by a hash of the request, so a question that
is asked again with a complaint may be answered well, or badly once more.
"""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import json
import re
from collections.abc import Callable, Iterable

_HEADER = re.compile(r"^(?:node_id|relationship_id)(?:,[a-z_0-9]+)+$", re.MULTILINE)
_BLOCK = re.compile(r"^=+ begin (\w+) =+\n(.*?)\n=+ end \1 =+$", re.DOTALL | re.MULTILINE)
_NAME = re.compile(r"\b[A-ZÀ-ÞŁŚŻ][\w'’-]+(?: (?:of|ibn|bint|de|von|van) [A-ZÀ-Þ][\w'’-]+| [A-ZÀ-ÞŁŚŻ][\w'’-]+)*")
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_WORD = re.compile(r"\w{3,}")
_YEAR = re.compile(r"\b1[0-9]{3}\b")
_PASSAGE = re.compile(r"^\[(C\d+)\].*\n", re.MULTILINE)
_REPORT = re.compile(r"^Report (R\d+): (.*)$", re.MULTILINE)
_STOP = frozenset(
    """The This That These Those He She It They His Her Its Their In On At By For With After As And But When While
    From During Also However Although There Then To Of An A If Not Or So Who What W Na Nie Po Do Co Jak Ale
    Pan""".split()
)
_TYPES = ("PERSON", "PERSON", "PLACE", "ORGANIZATION", "EVENT")
_BAD_REPORTS = ("No report.", '{"title": "", "summary": 3}', '{"title": "Cut", "summary": "off')


def hashed(*parts: str) -> int:
    """Return a number that depends on the texts alone."""
    return int.from_bytes(hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()[:4], "big")


def kind_of(prompt: str, user: str) -> str:
    """Return the name of what a request asks for; "other" where no prompt is recognised."""
    return next((name for words, name, _ in _KINDS if words in user), None) or next(
        (name for words, name, _ in _KINDS if words in prompt), "other"
    )


def say(prompt: str, user: str) -> str:
    """Return the answer to a request: `prompt` is all of its messages, `user` the last one."""
    kind = kind_of(prompt, user)
    return next((answer(prompt, user) for _, name, answer in _KINDS if name == kind), "I cannot say.")


# ------------------------------------------------------------------------------------------------------- extraction


def extract(prompt: str, user: str) -> str:
    """Return rows for a text, with every tenth left out and some bad ones."""
    text = _block(user)
    if hashed(text) % 19 == 0:
        return "I am sorry, there is nothing to write down."
    return _rows(prompt, text, skip=lambda name: hashed(name, "left out") % 6 == 0, spoil=True)


def glean(prompt: str, user: str) -> str:
    """Return the rows that `extract` left out; for one text in three none."""
    text = _block(prompt)
    shown = user.partition("Relationships (id")[0]
    if hashed(user) % 3 == 0:
        return "\n\n".join(_headers(prompt)) + "\n"
    return _rows(prompt, text, skip=lambda name: f",{name}\n" in shown, spoil=hashed(user) % 2 == 0, first=500)


def repair(prompt: str, user: str) -> str:
    """Return rejected rows once more: their evidence and their number of fields are right, a missing end is added."""
    header, other = (each.split(",") for each in _headers(prompt))
    nodes, relationships = [], []
    shown = user.partition("below each stands why.")[2]
    for row, _, why in re.findall(r"^(\S.*)\n  -> ([a-z ]+): (.*)$", shown, re.MULTILINE):
        fields = next(csv.reader([row]), [])
        if hashed(row) % 4 == 0 or not fields:
            continue
        if row.startswith("n"):
            nodes.append([*fields, *header][: len(header)])
        else:
            relationships.append([*fields, *[""] * len(other)][: len(other)])
            nodes += [[end, "PLACE", f"Place {end}", *[""] * (len(header) - 3)] for end in re.findall(r"x\d+", why)]
    return _csv(header, nodes) + "\n" + _csv(other, relationships)


def go_on(prompt: str, user: str) -> str:
    """Return the rows that a truncated answer lacks."""
    shown = user.partition("Relationships (id")[0]
    return _rows(prompt, _block(prompt), skip=lambda name: f",{name}\n" in shown, spoil=False, first=700)


def _rows(prompt: str, text: str, *, skip: Callable[[str], bool], spoil: bool, first: int = 1) -> str:
    headers = [header.split(",") for header in _headers(prompt)]
    nodes: dict[str, dict[str, str]] = {}
    relationships: list[dict[str, str]] = []
    for sentence in (found[0].strip() for found in _SENTENCE.finditer(text)):
        names = [name for name in dict.fromkeys(_NAME.findall(sentence)) if name not in _STOP and not skip(name)][:4]
        years, shown = _YEAR.findall(sentence), " ".join(sentence.split()[:12])
        for name in names:
            role = "known" if hashed(name) % 2 else ""
            kind = _TYPES[hashed(name) % len(_TYPES)]
            row = {"node_id": f"n{first + len(nodes)}", "node_type": kind, "name": name, "role": role}
            nodes.setdefault(name, {**row, "description": sentence, "evidence": shown})
        for one, two in itertools.pairwise(names):
            ends = {"node_id_1": nodes[one]["node_id"], "node_id_2": nodes[two]["node_id"]}
            kind = ("MET", "RELATED_TO", "LIVED_IN")[hashed(one, two) % 3]
            row = {"relationship_id": f"r{first + len(relationships)}", "relationship_type": kind, "strength": "5"}
            more = {"start_date": years[0] if years else "", "description": sentence, "evidence": shown}
            relationships.append({**row, **ends, **more})
    made = [
        [[row.get(each, "") for each in header] for row in rows]
        for header, rows in zip(headers, (nodes.values(), relationships), strict=False)
    ]
    if spoil:
        made = [[_spoiled(row, number) for number, row in enumerate(rows)] for rows in made]
    return "\n".join(_csv(header, rows) for header, rows in zip(headers, made, strict=False))


def _spoiled(row: list[str], number: int) -> list[str]:
    """Return a row, or what is wrong with every eighth: a field too few, an unknown end, other evidence, no name."""
    match hashed(*row) % 32:
        case 0:
            return row[:-1]
        case 1:
            return [f"x{number}" if place == 3 else field for place, field in enumerate(row)]
        case 2:
            return [*row[:-1], "words that no text has"]
        case 3:
            return ["" if place == 2 else field for place, field in enumerate(row)]
    return row


def _headers(prompt: str) -> list[str]:
    return _HEADER.findall(prompt)[:2]


def _csv(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header, *rows])
    return out.getvalue()


# ------------------------------------------------------------------------------- descriptions, reports, trees, types


def describe(_prompt: str, user: str) -> str:
    """Return the first sentences of the descriptions; a table for one request in five."""
    if hashed(user) % 5 == 0:
        return "name,description\nx,y"
    return " ".join(_sentences(_block(user))[:2])


def report(prompt: str, user: str) -> str:
    """Return a community report with as many findings as it should have; a bad one for one request in five."""
    chance = hashed(user)
    if chance % 5 == 0:
        return _BAD_REPORTS[chance // 5 % len(_BAD_REPORTS)]
    entities, _, links = _block(user).partition("\n\nRelationships\n")
    rows = dict(re.findall(r"^(\d+)\. (.*)$", entities, re.MULTILINE)) or {"1": "nothing"}
    link = next(iter(re.findall(r"^(\d+)\. ", links, re.MULTILINE)), "")
    counted = re.search(r"3\. findings: (?:exactly )?(\d+)", prompt)
    findings = []
    for place in range(int(counted[1]) if counted else 3):
        number = list(rows)[place % len(rows)]
        data = f"Entities ({number}{', 9999' if chance % 7 == 0 else ''})" + (
            f"; Relationships ({link})" if link else ""
        )
        said = rows[number].split(":")[0]
        findings.append({"summary": f"Finding {place} on {said}.", "explanation": f"It is {said} [Data: {data}]."})
    names = " and ".join(row.split(" (")[0] for row in list(rows.values())[:2])
    made = {"title": f"On {names}", "summary": f"{names} belong together.", "rating": chance % 100 / 10}
    text = json.dumps({**made, "rating_explanation": "They are often named.", "findings": findings})
    return f"```json\n{text}\n```" if chance % 3 == 0 else text


def aspects(prompt: str, user: str) -> str:
    """Return some of the aspects on the list; no name of the list for one request in six."""
    names = re.findall(
        r"^(?:- )?([a-z][a-z -]+):", prompt.partition("The aspects")[2].partition("Rules")[0], re.MULTILINE
    )
    chosen = [name for name in names if hashed(user, name) % 2 == 0]
    return "beauty\ntruth" if hashed(user) % 6 == 0 else "\n".join(chosen or names[:1])


def summary(_prompt: str, user: str) -> str:
    """Return every third sentence of the passages up to 60 words; nothing for one request in nine."""
    chance = hashed(user)
    words = " ".join(_sentences(_block(user))[chance % 3 :: 3]).split()
    return "" if chance % 9 == 0 else " ".join(words[: 400 if chance % 7 == 0 else 60])


def detail(_prompt: str, user: str) -> str:
    """Return the names of a passage, and its first words."""
    text = _block(user)
    return "; ".join([*dict.fromkeys(_NAME.findall(text))][:8]) + f": {' '.join(text.split()[: 8 + hashed(user) % 8])}"


def tune(_prompt: str, user: str) -> str:
    """Return types; for one request in three too few of them."""
    types = ["PERSON", "PLACE", "ORGANIZATION", "EVENT"]
    made = {"entity_types": types, "relationship_types": ["MET", "LIVED_IN", "RELATED_TO"]}
    return json.dumps({"entity_types": ["PERSON"]} if hashed(user) % 3 == 0 else made)


def domain(_prompt: str, user: str) -> str:
    """Return a domain."""
    return ("Lives of scientists", "Biography")[hashed(user) % 2]


def pairs(_prompt: str, user: str) -> str:
    """Return a verdict on each pair of entities; a bad row for one in six."""
    verdicts = ["pair,same,reason"]
    for number, said in re.findall(r"^pair (\d+)\n(.*(?:\n.+)*)", _block(user), re.MULTILINE):
        chance = hashed(said)
        same = ("yes", "no", "unsure", "yes", "no", "perhaps")[chance % 6]
        verdicts.append(f'{number},{same},"because of {chance % 9}, as the words say"')
    return "\n".join(verdicts)


# ---------------------------------------------------------------------------------------------------------- answers


def answer(_prompt: str, user: str) -> str:
    """Return two cited sentences of the evidence and a short answer; now and then a wrong mark, or nothing found."""
    passages, _, question = user.rpartition("Question:")
    wanted = {word[:5] for word in _WORD.findall(question.casefold())}
    places, chance = list(_PASSAGE.finditer(passages)), hashed(user)
    ends = [place.start() for place in places[1:]] + [len(passages)]
    scored: list[tuple[int, str, str]] = []
    for place, end in zip(places, ends, strict=True):
        for sentence in _sentences(passages[place.end() : end].split("\n\nEntities:")[0]):
            score = len(wanted & {word[:5] for word in _WORD.findall(sentence.casefold())})
            scored.append((-score, sentence.rstrip(".!?"), place[1]))
    best = sorted(scored, key=lambda each: each[0])[:2]
    if not best or chance % 8 == 0:
        return "NOT IN THE GRAPH"
    said = [f"{sentence} [{mark}]." for _, sentence, mark in best]
    if chance % 5 == 0:
        said.append(f"Nobody knew it before {1500 + chance % 400} [{best[0][2]}].")
    if chance % 7 == 0:
        said.append("It was never written down [C99].")
    short = next(iter(_NAME.findall(best[0][1])), "-")
    return " ".join(said) + ("" if chance % 6 == 0 else f"\nShort answer: {short}")


def judge(_prompt: str, user: str) -> str:
    """Return a verdict on each claim, one left out for one request in four."""
    claims = re.findall(r"^Claim (\d+): (.*)$", user, re.MULTILINE)
    made = [
        {
            "claim": int(number),
            "verdict": ("beside", "supported", "unsupported")[hashed(said) % 3],
            "reason": "" if hashed(said) % 3 == 1 else "It says less.",
        }
        for number, said in claims[1 if hashed(user) % 4 == 0 else 0 :]
    ]
    return json.dumps({"claims": made})


def follow_up(_prompt: str, user: str) -> str:
    """Return the last question with a name of the conversation; two lines for one request in six."""
    history, _, asked = user.rpartition("Last question: ")
    names = [name for name in _NAME.findall(history) if name not in _STOP]
    made = re.sub(r"\b(?:he|she|it|they|him|her|there)\b", names[0] if names else "it", asked.strip())
    return f"{made}\nor not?" if hashed(user) % 6 == 0 else made


def write_query(_prompt: str, user: str) -> str:
    """Return a query that counts or lists; for some requests one that is refused, or none."""
    chance = hashed(user)
    near = "MATCH (a:Entity)-[r]-(b:Entity) WHERE toLower(a.name) CONTAINS toLower($name)"
    listed = f"{near} RETURN DISTINCT b.name AS name ORDER BY name LIMIT 5"
    name = next((each for each in _NAME.findall(user.rpartition("Question: ")[2]) if each not in _STOP), "a")
    query, given = (
        ("MATCH (a:PERSON) RETURN count(a) AS people", {}),
        (listed, {"name": name}),
        ("MATCH (a:Entity) SET a.name = 'x' RETURN a.name AS name", {}),
        ("", {}),
        ("MATCH (a:NoSuchLabel) RETURN a.name AS name", {}),
    )[chance % 5]
    return json.dumps({"cypher": query, "parameters": given})


def tell_rows(_prompt: str, user: str) -> str:
    """Return the first row as a sentence."""
    rows = re.findall(r"^\[(R\d+)\] (.*)$", user, re.MULTILINE)
    return f"The graph says {rows[0][1]} [{rows[0][0]}]." if rows and hashed(user) % 5 else "NOT IN THE GRAPH"


def partial(_prompt: str, user: str) -> str:
    """Return a score and a sentence for each report; no JSON for one request in five."""
    if hashed(user) % 5 == 0:
        return "The reports help."
    made = []
    for mark, title in _REPORT.findall(user):
        score = hashed(title, user.rpartition("Question: ")[2]) % 101
        said = f"{title} matters [{mark}.1]. So it is said [{mark}]." if score > 30 else ""
        made.append({"report": mark, "score": score if said else 0, "answer": said})
    return json.dumps({"reports": made})


def combine(_prompt: str, user: str) -> str:
    """Return the partial answers one after the other."""
    return " ".join(re.findall(r"^\(\d+ of 100\) (.*)$", user, re.MULTILINE)) or "NOT IN THE GRAPH"


def statements(_prompt: str, user: str) -> str:
    """Return the sentences of an answer; no JSON for one request in seven."""
    said = re.findall(r"^Answer: (.*)\nend of answer", user, re.DOTALL | re.MULTILINE)[0]
    return "none" if hashed(user) % 7 == 0 else json.dumps({"statements": [*dict.fromkeys(_sentences(said))][:40]})


def correctness(_prompt: str, user: str) -> str:
    """Return statements by TP, FP and FN, by their hashes; one named twice for one request in seven."""
    found = re.findall(r"^([AG]\d+): (.*)$", user, re.MULTILINE)
    mine = [(mark, hashed(text) % 2 == 0) for mark, text in found if mark[0] == "A"]
    right = [mark for mark, is_right in mine if is_right]
    twice = right if hashed(user) % 7 == 0 else []
    missing = [mark for mark, text in found if mark[0] == "G" and hashed(text) % 3 == 0]
    return json.dumps({"TP": right, "FP": [mark for mark, is_right in mine if not is_right] + twice, "FN": missing})


def _block(user: str) -> str:
    found = _BLOCK.search(user)
    return found[2] if found else ""


def _sentences(text: str) -> list[str]:
    return [found[0].strip() for found in _SENTENCE.finditer(text) if _WORD.search(found[0])]


Answerer = Callable[[str, str], str]
_KINDS: tuple[tuple[str, str, Answerer], ...] = (  # words of the prompt, the task's name, who answers
    ("For this text these rows stand already", "glean", glean),
    ("These rows could not be used", "repair", repair),
    ("Your answer was cut off", "continue", go_on),
    ("Write the two CSV sections for this text", "extract", extract),
    ("You merge several descriptions", "describe", describe),
    ("You write a report about one community", "report", report),
    ("You say which aspects passages of a text show", "aspects", aspects),
    ("You are an expert in summarisation", "summary", summary),
    ("You condense a passage of a text into a note", "detail", detail),
    ("Propose the types", "tune", tune),
    ("Name the field that the collection belongs to", "domain", domain),
    ("You decide for pairs of entries", "pairs", pairs),
    ("You answer questions from the evidence", "answer", answer),
    ("You check whether claims are supported", "judge", judge),
    ("You rewrite the last question", "follow_up", follow_up),
    ("You write one Cypher query", "cypher", write_query),
    ("You answer a question from the rows", "cypher_answer", tell_rows),
    ("reports on parts of a knowledge graph", "partial", partial),
    ("You combine partial answers", "combine", combine),
    ("You take an answer to a question apart", "statements", statements),
    ("You compare what an answer states", "correctness", correctness),
)
