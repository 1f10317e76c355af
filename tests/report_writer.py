"""What a scripted model says to a question for a community report: valid JSON made from the rows that it is shown."""

from __future__ import annotations

import json
import re
from typing import Any

_BLOCK = re.compile(r"^=+ begin (\w+) =+\n(.*?)\n=+ end \1 =+$", re.DOTALL | re.MULTILINE)
_ROW = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
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
        number = sorted(entities)[place % len(entities)]
        reference = f"Entities ({number})" + (f"; Relationships ({min(links)})" if links else "")
        said = entities[number].split(":")[0]
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
