"""kg doctor --model: what the test of a model will cost, what it found, the lines for kg.toml, and a verdict."""

from __future__ import annotations

import contextlib
import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from kg_neo4j import data_files, factory
from kg_neo4j._cli.shapes import plain
from kg_neo4j._cli.terminal import price, print_facts, print_json, print_text, progress, remark, spent
from kg_neo4j._models.openai_models import DEFAULT_WINDOW, window_of
from kg_neo4j._models.prices import price_of
from kg_neo4j.extract.schema import BUILT_IN
from kg_neo4j.pipeline.budget import budget_of, priced
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Usage
from kg_neo4j.rooms.fitness import probes
from kg_neo4j.rooms.fitness.passage import FACTS, PassageRead, read_passage
from kg_neo4j.settings import SECRETS, Settings

BUDGET_USD = 0.10  # where the price is known and no budget is given
WINDOW_SHARE, ANSWER_SHARE = 0.4, 0.25  # of the budget, for the longest prompt and the longest answer
READ, WRITTEN = 4_200, 1_500  # tokens of the passage with the schema lean, and of all short questions
NEEDED = 3_500  # tokens: the prompt of the schema lean with the passage, and its rows
FEW, MANY = 8, 18  # facts of 25: with fewer a model is of no use, with as many it is fit
KEPT, ROWS_TOKENS = 0.9, 1_000  # a share of the rows, and tokens of an answer, below which there is a limit
_OFFERS = data_files.beside(__file__).table("offers")


@dataclass(frozen=True, slots=True)
class FitnessPlan:
    """How far the test goes, and what it costs, about. A model that thinks takes more."""

    window: int  # tokens of the longest prompt
    longest: int  # tokens of the longest answer
    usage: Usage
    budget_usd: float | None  # None: no price is known


@dataclass(frozen=True, slots=True)
class Fitness:
    """What a test found."""

    model: str
    server: str
    thinking: probes.Thinking
    offers: Mapping[str, bool]
    constraints: Mapping[str, str]
    passages: tuple[PassageRead, ...]
    longest: probes.LongestAnswer
    window: probes.WindowFound
    notes: tuple[str, ...]
    usage: Usage
    lines: tuple[str, ...] = ()  # for kg.toml
    verdict: str = ""

    @property
    def best(self) -> PassageRead:
        """The schema that found most facts."""
        return max(self.passages, key=lambda each: each.found)


def show_fitness(settings: Settings, budget_usd: float | None, *, as_json: bool) -> bool:
    """Test the model, print and keep the result; return whether it is fit. Raises UsageError and ModelError."""
    factory.require_model(settings, "no model is set, so none can be tested")
    plan = planned(settings, budget_usd)
    cap = f", at most {plan.budget_usd:g} USD" if plan.budget_usd else ""
    tokens = f"{plan.usage.input_tokens:,} tokens in, {plan.usage.output_tokens:,} out"
    remark("note", [f"the test takes about {tokens}: {price(plan.usage, 'price not known')}{cap}"])
    with progress(quiet=as_json) as bars:
        found = assess(settings, plan, bars)
    file = result_file(settings)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(plain(found), indent=2) + "\n", encoding="utf-8")
    print_json(found) if as_json else _print(found)
    return not found.verdict.startswith("Not fit")


def planned(settings: Settings, budget_usd: float | None = None) -> FitnessPlan:
    """Return how far a test goes, and what it costs. Calls no model."""
    name, _ = factory.model_and_server(settings)
    rate = price_of(name, settings)
    limit = budget_usd or (BUDGET_USD if rate else None)
    most, longest = min(probes.STEPS[-1], _claimed(settings) or probes.STEPS[-1]), probes.LONGEST
    if rate and limit:
        most = min(most, int(WINDOW_SHARE * limit * 1e6 / max(rate.input, 0.01)))
        longest = min(longest, int(ANSWER_SHARE * limit * 1e6 / max(rate.output, 0.01)))
    read = READ + sum({*(each for each in probes.STEPS if each < most), most})
    return FitnessPlan(most, longest, priced(name, settings, 10, read, WRITTEN + longest), limit)


def _claimed(settings: Settings) -> int | None:
    """Return the window that is set, or known by the model's name; None where there is neither."""
    known = window_of(factory.model_and_server(settings)[0])
    return settings.model_window or (known if known != DEFAULT_WINDOW else None)


def assess(settings: Settings, plan: FitnessPlan, progress: Progress = SILENT) -> Fitness:
    """Test the model of the settings. Raises what the first question raises; later errors are in the result."""
    name, server = factory.model_and_server(settings)
    own = {"answer_cache": False, "model_retries": 1, "model_window": _claimed(settings) or 2 * probes.STEPS[-1]}
    subject = probes.Subject(settings.model_copy(update=own), budget_of(plan.budget_usd))
    progress.start("model")
    first = subject.ask("thought", probes.THOUGHT_TOKENS)
    if first.error:
        raise first.error
    thinking = probes.find_thinking(subject, first)
    subject.settings = subject.with_fields(tomllib.loads(thinking.switch))
    subject.room = probes.THOUGHT_TOKENS if thinking.left > probes.NOTICED else 0
    constraints = probes.find_constraints(subject)
    passages = [read_passage(subject, "lean")]
    if passages[0].found < MANY and "small" in BUILT_IN:
        passages.append(read_passage(subject, "small"))
    longest = probes.find_longest(subject, plan.longest)
    window = probes.find_window(subject, plan.window)
    progress.finish("model")
    usage = subject.usage
    if subject.budget:  # its books have the calls without an answer, too
        usage = replace(usage, usd=max(subject.budget.spent_usd, usage.usd or 0.0))
    offers = {each: not any(words in note for note in subject.notes) for each, words in _OFFERS.items()}
    offers["streaming"] = longest.streams or first.first_s > 0
    offers["usage"] &= first.usage.input_tokens > 0
    found = (thinking, offers, constraints, tuple(passages), longest, window, tuple(subject.notes), usage)
    said = Fitness(name, SECRETS.sub("***", server), *found)
    return replace(said, lines=tuple(_lines(said, settings)), verdict=_verdict(said, settings))


def _lines(said: Fitness, settings: Settings) -> Iterator[str]:
    """Yield the lines for kg.toml: settings that there are, a table last."""
    claimed = _claimed(settings)
    window = said.window.limit or (0 if claimed else said.window.whole)
    if window and window != (claimed or DEFAULT_WINDOW):
        yield f"model_window = {max(window, 1024)}"
    useful = (probes.AFTER,) if said.thinking.left > probes.NOTICED else (probes.AFTER, probes.WORKS)
    way = next((way for way, became in said.constraints.items() if became in useful), "")
    for name, value in (("constrain", way), ("schema", said.best.schema.removeprefix("lean"))):
        if value and name in type(settings).model_fields:
            yield f'{name} = "{value}"'
    if said.thinking.switch:
        yield from ("[model_options]", said.thinking.switch)


def _verdict(said: Fitness, settings: Settings) -> str:
    """Return one sentence: of what use the model is for extraction, and what limits it."""
    best, window, longest = said.best, said.window, said.longest
    kept = best.accepted / max(best.read, 1)
    with_schema = f" with --schema {best.schema}" if best.schema != "lean" else ""
    facts = f"{best.found} of {len(FACTS)} known facts and {kept:.0%} of {best.read} rows are kept{with_schema}"
    if best.found < FEW:
        return f"Not fit: {'; '.join(filter(None, (facts, best.problem)))}."
    if window.limit and window.limit < NEEDED:
        return f"Not fit: a prompt may have {window.limit:,} tokens, and extraction takes {NEEDED:,}; {window.how}."
    short = window.limit and window.limit < (_claimed(settings) or DEFAULT_WINDOW)
    limits = (
        facts if best.found < MANY or kept < KEPT else "",
        f"a prompt may have {window.limit:,} tokens, and {window.how}" if short else "",
        "it thinks, and nothing that was tried ends that" if said.thinking.left > probes.NOTICED else "",
        f"answers end at {longest.tokens:,} tokens" if longest.is_limit and longest.tokens < ROWS_TOKENS else "",
        longest.how if not longest.tokens else "",
        window.how if not window.whole else "",
    )
    return f"Fit with limits: {'; '.join(filter(None, limits))}." if any(limits) else f"Fit: {facts}."


def _print(found: Fitness) -> None:
    window, longest, thinking = found.window, found.longest, found.thinking
    facts = {"model": f"{found.model} at {found.server or 'OpenAI'}"}
    facts["thoughts"] = f"{thinking.tokens:,} tokens before an answer of one word" if thinking.tokens else "none"
    facts |= {f"  {line}": became for line, became in thinking.tried.items()}
    facts["offers"] = ", ".join(name if has else f"no {name}" for name, has in found.offers.items())
    facts["constraints"] = ", ".join(f"{way} {became}" for way, became in found.constraints.items())
    for each in found.passages:
        rows = f"{each.accepted} of {each.read} rows kept, {each.found} of {len(FACTS)} facts found"
        speed = f"{each.tokens_a_row:.0f} tokens a row, {each.tokens_a_second:.1f} tokens a second"
        facts[f"passage, {each.schema}"] = "; ".join(filter(None, (rows, speed, each.problem)))
    facts["longest answer"] = f"{longest.tokens:,} tokens: {longest.how}; {longest.tokens_a_second:.1f} a second"
    facts["window"] = f"a prompt of {window.whole:,} tokens arrives whole; {window.how}"
    print_facts({**facts, "cost": spent(found.usage)})
    remark("note", found.notes)
    print_text("\n".join(["", *(["In kg.toml:"] if found.lines else []), *found.lines, "", found.verdict]))


def result_file(settings: Settings) -> Path:
    """Return the place of the result, by model, server and fields of the requests; it has no secret."""
    name, server = factory.model_and_server(settings)
    said = json.dumps([name, SECRETS.sub("", server), settings.model_options], sort_keys=True, default=str)
    return settings.cache / "fitness" / f"{hashlib.sha256(said.encode()).hexdigest()[:24]}.json"


def proposal(settings: Settings) -> list[str]:
    """Return a line that proposes the test, once for a model that was never tested; else none. Calls no model."""
    name, file = factory.model_and_server(settings)[0], result_file(settings)
    if not name or settings.given.chat or file.exists() or (shown := file.with_suffix(".proposed")).exists():
        return []
    with contextlib.suppress(OSError):  # a cache that cannot be written shows the line again
        shown.parent.mkdir(parents=True, exist_ok=True)
        shown.touch()
    usage = planned(settings).usage
    cost = f"{usage.usd:.2g} USD" if usage.usd is not None else f"{usage.input_tokens + usage.output_tokens:,} tokens"
    return [f"the model {name} was never tested; `kg doctor --model` does it for about {cost}"]
