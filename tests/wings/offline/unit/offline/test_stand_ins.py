"""Without a model the door hands everything to stand-ins: each kind has one, none costs anything."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import kg_neo4j
import kg_neo4j_lab
from kg_neo4j import factory
from kg_neo4j._models import tokens
from kg_neo4j._models.door import Door, Job
from kg_neo4j._models.tasks import Request, Task
from kg_neo4j.organise.description_merges import Element, Merge
from kg_neo4j.organise.tree.aspects import load_aspects
from kg_neo4j.organise.tree.naming import TreeNamer
from kg_neo4j.organise.tree.written import Subject
from kg_neo4j.records import Usage
from kg_neo4j.settings import Settings
from kg_neo4j_offline import stand_ins

TOKENISER = tokens.load("approximate-1")
WITHIN_JOBS = frozenset(
    """answer aspects by_heart choose correctness cypher cypher_answer domain extract fitness follow_up global_answer
    global_partial group_types judge own ragas resolve statements""".split()
)
"""Kinds of tasks that only a job's `by_model` asks, or that lead to a summariser of the caller's own."""


def kinds_of(base: type) -> dict[str, type]:
    """Return the concrete classes below `base` in the trunk and the lab, by kind; two of one kind are an error."""
    for package in (kg_neo4j, kg_neo4j_lab):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    found: dict[str, type] = {}
    waiting = [base]
    while waiting:
        for each in waiting.pop().__subclasses__():
            waiting.append(each)
            kind = each.__dict__.get("kind")
            if isinstance(kind, str) and each.__module__.startswith(("kg_neo4j.", "kg_neo4j_lab.")):
                # a dataclass with slots is made twice: both have the name of the one that stays
                assert found.setdefault(kind, each).__qualname__ == each.__qualname__, kind
    return found


def test_each_kind_has_a_stand_in_and_no_stand_in_is_without_its_kind() -> None:
    jobs, tasks = kinds_of(Job).keys(), kinds_of(Task).keys()
    assert not jobs & tasks
    assert (jobs | tasks) - WITHIN_JOBS == stand_ins._STAND_INS.keys()
    assert tasks >= WITHIN_JOBS


def merge(name: str) -> Merge:
    element = Element("Entity", name, name, (f"{name} was a painter.", f"{name} lived in Lima."))
    return Merge(element, element.texts, "g", "", TOKENISER)


def test_answers_of_stand_ins_come_in_order_and_cost_nothing() -> None:
    door = factory.without_model()
    names = [f"Painter {number}" for number in range(20)]
    answers = list(door.ask_all([merge(name) for name in names]))
    assert [answer.task.element.name for answer in answers] == names  # type: ignore[attr-defined]
    assert all(answer.stands_in and answer.error is None and answer.charged == Usage() for answer in answers)
    assert [answer.value for answer in answers] == [door.fallback(merge(name)) for name in names]
    assert door.ask(merge("Ana")).value == "Ana was a painter. Ana lived in Lima."


def test_a_door_without_a_model_stores_counts_and_replaces_nothing() -> None:
    door, asked = factory.without_model(), list[Request]()
    assert door.counting(asked).ask(merge("Ana")).value
    assert asked == []
    assert (door.model, door.name) == (None, "")
    assert not any(door.replaces(method) for method in ("model", "extractive", "composed", ""))
    assert door.planned(Usage(3, 100, 10, 0.5)) == Usage(usd=0.0)


def test_a_text_of_one_cluster_shows_every_aspect_that_it_has_cues_of() -> None:
    """There is nothing to compare it with: it has as many cues as are typical of itself."""
    door, aspects = factory.without_model(), load_aspects("minutes")
    leaves = ("Present: A. Foss (chair). It was agreed to pay the invoice.", "Next meeting on Monday. Ruth will write.")
    namer = TreeNamer(door, Subject("g", "t", "", 8_000, TOKENISER), aspects, leaves)
    [named] = namer.name(["\n\n".join(leaves)])
    assert {"participants", "decisions", "money", "schedule", "tasks"} <= set(named.aspects)
    assert "disagreement" not in named.aspects
    assert [each.aspects for each in namer.name(leaves)] != [named.aspects] * 2


def test_the_factory_leads_to_the_stand_ins_where_no_model_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    assert type(factory.door(Settings())) is stand_ins.StandInDoor
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    online = factory.door(Settings())
    assert type(online) is Door
    assert online.fallback(merge("Ana")) == factory.without_model().fallback(merge("Ana"))
    assert online.replaces("extractive")
    assert not online.replaces("model")
