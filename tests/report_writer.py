"""What a scripted model says when it is asked for a community report, or what reports say: made from what it is shown.

`answer_globally` finds a report relevant where it has one of the question's words in capitals.
"""

from __future__ import annotations

import json
import re
from typing import Any

_BLOCK = re.compile(r"^=+ begin (\w+) =+\n(.*?)\n=+ end \1 =+$", re.DOTALL | re.MULTILINE)
_ROW = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
_SHOWN_REPORT = re.compile(r"^Report (R\d+): (.*)$", re.MULTILINE)
_PARTIAL = re.compile(r"^\(\d+ of 100\) (.*)$", re.MULTILINE)
_COUNT = re.compile(r"3\. findings: (?:exactly )?(\d+)")


def is_report_prompt(prompt: str) -> bool:
    """Say whether a prompt asks for a community report."""
    return "You write a report about one community" in prompt


def shown_rows(user: str) -> tuple[dict[int, str], dict[int, str]]:
    """Return the entities and the relationships of a prompt by number."""
    found = _BLOCK.search(user)
    assert found
    before, _, links = found[2].partition("\n\nRelationships\n")
    entities = before.partition("Entities\n")[2]
    return tuple({int(number): row for number, row in _ROW.findall(part)} for part in (entities, links))  # type: ignore[return-value]


def write_report(prompt: str, user: str, **changes: Any) -> str:
    """Return a report that keeps to the rules of the prompt; `changes` replace fields."""
    entities, links = shown_rows(user)
    counted = _COUNT.search(prompt)
    assert counted
    findings = []
    for place in range(int(counted[1])):
        about = sorted(entities)[place::5] if place else sorted(entities)  # the first finding is about all of them
        cited = ", ".join(map(str, about))
        reference = f"Entities ({cited})" + (f"; Relationships ({min(links)})" if links else "")
        said = ", ".join(entities[number].split(":")[0] for number in about)
        findings.append({"summary": f"Finding about {said}.", "explanation": f"It is {said} [Data: {reference}]."})
    names = " and ".join(row.split(" (")[0] for row in list(entities.values())[:2])
    report = {
        "title": f"Report on {names}",
        "summary": f"What {names} have to do with each other.",
        "rating": 6.5,
        "rating_explanation": "They are related to many.",
        "findings": findings,
    }
    return json.dumps({**report, **changes})


def is_global_prompt(prompt: str) -> bool:
    """Say whether a prompt asks what reports contribute, or to combine that."""
    return "reports on parts of a knowledge graph" in prompt or "You combine partial answers" in prompt


def shown_reports(user: str) -> dict[str, str]:
    """Return mark -> text of the reports in a prompt."""
    places = list(_SHOWN_REPORT.finditer(user))
    ends = [place.start() for place in places[1:]] + [user.rfind("\nend of reports ")]
    return {place[1]: user[place.start() : end] for place, end in zip(places, ends, strict=True)}


def answer_globally(prompt: str, user: str) -> str:
    """Return a score and a sentence for each report, or the partial answers one after the other."""
    if "You combine partial answers" in prompt:
        return " ".join(_PARTIAL.findall(user))
    wanted = re.findall(r"\b[A-Z]\w*\d", user.rpartition("Question: ")[2])
    rows = []
    for mark, text in shown_reports(user).items():
        said = next((word for word in wanted if re.search(rf"\b{word}\b", text)), None)
        answer = f"{said} is known to many [{mark}.1]." if said else ""
        rows.append({"report": mark, "score": 80 if said else 0, "answer": answer})
    return json.dumps({"reports": rows})
