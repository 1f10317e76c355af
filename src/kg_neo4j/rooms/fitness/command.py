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
from kg_neo4j._cli.terminal import print_facts, print_json, print_text, progress, remark, spent
from kg_neo4j._models.openai_models import DEFAULT_WINDOW, window_of
from kg_neo4j._models.prices import price_of
from kg_neo4j.extract.schema import BUILT_IN
from kg_neo4j.pipeline.budget import budget_of, priced
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Usage
from kg_neo4j.rooms.fitness import probes
from kg_neo4j.settings import SECRETS, Settings

BUDGET_USD = 0.10  # where the price is known and no budget is given
WINDOW_SHARE, ANSWER_SHARE = 0.4, 0.25  # of the budget, for the longest prompt and the longest answer
READ, WRITTEN, NEEDED = 4_200, 1_500, 3_500  # tokens of the passage and all short questions; of the passage alone
FEW, MANY, ALL = 8, 18, len(probes.FACTS)  # facts: with fewer a model is of no use, with many it is fit
KEPT, ROWS_TOKENS = 0.9, 1_000  # a share of the rows, and tokens of an answer, below which there is a limit


@dataclass(frozen=True, slots=True)
class FitnessPlan:
    """How far the test goes, and what it costs, about. A model that thinks takes more."""

    window: int  # tokens of the longest prompt
    longest: int  # tokens of the longest answer
    claimed: int | None  # the window that is set, or known by the model's name
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
    passages: tuple[probes.PassageRead, ...]  # the one with most facts first
    longest: probes.LengthFound  # answer
    window: probes.LengthFound  # the longest prompt
    usage: Usage
    lines: tuple[str, ...] = ()  # for kg.toml
    verdict: str = ""


def show_fitness(settings: Settings, budget_usd: float | None, *, as_json: bool) -> bool:
    """Test the model, print and keep the result; return whether it is fit. Raises UsageError and ModelError."""
    factory.require_model(settings, "no model is set, so none can be tested")
    plan = planned(settings, budget_usd)
    remark("note", [f"the test takes about {spent(plan.usage)}; the limit in USD is {plan.budget_usd or 'not set'}"])
    with progress(quiet=as_json) as bars:
        found = assess(settings, plan, bars)
    file = result_file(settings)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(plain(found), indent=2) + "\n", encoding="utf-8")
    print_json(found) if as_json else _print(found)
    return found.verdict.startswith("Fit")


def planned(settings: Settings, budget_usd: float | None = None) -> FitnessPlan:
    """Return how far a test goes, and what it costs. Calls no model."""
    name, _ = factory.model_and_server(settings)
    rate, known = price_of(name, settings), window_of(name)
    claimed = settings.model_window or (known if known != DEFAULT_WINDOW else None)
    limit = BUDGET_USD if budget_usd is None and rate else budget_usd
    most, longest = min(probes.STEPS[-1], claimed or probes.STEPS[-1]), probes.LONGEST
    if rate and limit:
        most = min(most, int(WINDOW_SHARE * limit * 1e6 / max(rate.input, 0.01)))
        longest = min(longest, int(ANSWER_SHARE * limit * 1e6 / max(rate.output, 0.01)))
    read = READ + sum({*(each for each in probes.STEPS if each < most), most})
    return FitnessPlan(most, longest, claimed, priced(name, settings, 10, read, WRITTEN + longest), limit)


def assess(settings: Settings, plan: FitnessPlan, bars: Progress = SILENT) -> Fitness:
    """Test the model of the settings. Raises what the first question raises; later errors are in the result."""
    name, server = factory.model_and_server(settings)
    own = {"answer_cache": False, "model_retries": 1, "model_window": plan.claimed or 2 * probes.STEPS[-1]}
    subject = probes.TestedModel(settings.model_copy(update=own), budget_of(plan.budget_usd), bars)
    bars.start(probes.STAGE)
    first = subject.ask("thought", probes.THOUGHT_TOKENS)
    if first.error and not first.thought:
        raise first.error
    thinking = probes.find_thinking(subject, first)
    options = {**settings.model_options, **tomllib.loads(thinking.switch)}
    subject.settings = subject.settings.model_copy(update={"model_options": options})
    subject.room = probes.THOUGHT_TOKENS if thinking.left > probes.NOTICED else 0
    ways = probes.find_constraints(subject)
    passages = [probes.read_passage(subject, "lean")]
    if passages[0].found < MANY and "small" in BUILT_IN:
        passages.append(probes.read_passage(subject, "small"))
    passages.sort(key=lambda each: -each.found)
    longest = probes.find_longest(subject, plan.longest)
    window = probes.find_window(subject, plan.window)
    usage = subject.usage
    if subject.budget:  # its books have the calls without an answer, too
        usage = replace(usage, usd=max(subject.budget.spent_usd, usage.usd or 0.0))
    offers = {each: words not in subject.notes for each, words in data_files.beside(__file__).table("offers").items()}
    offers = offers | {"streaming": first.first_s > 0, "usage": offers["usage"] and first.usage.input_tokens > 0}
    said = Fitness(name, SECRETS.sub("***", server), thinking, offers, ways, tuple(passages), longest, window, usage)
    return replace(said, lines=tuple(_lines(said, plan)), verdict=_verdict(said, plan))


def _lines(said: Fitness, plan: FitnessPlan) -> Iterator[str]:
    """Yield the lines for kg.toml: settings that there are, a table last."""
    window = said.window.limit or (0 if plan.claimed or said.window.tokens < DEFAULT_WINDOW else said.window.tokens)
    if window and window != (plan.claimed or DEFAULT_WINDOW):
        yield f"model_window = {max(window, 1024)}"
    stays = said.thinking.left > probes.NOTICED
    fit = ("works after the thought", *(() if stays else ("works",)))
    way = next((way for way, became in said.constraints.items() if became in fit), "")
    if way and "constrain" in Settings.model_fields:
        yield f'constrain = "{way}"'
    if said.thinking.switch:
        yield from ("[model_options]", said.thinking.switch)


def _verdict(said: Fitness, plan: FitnessPlan) -> str:
    """Return one sentence: of what use the model is for extraction, and what limits it."""
    best, window, longest = said.passages[0], said.window, said.longest
    kept = best.accepted / max(best.read, 1)
    facts = f"--schema {best.schema} gave {best.found} of {ALL} facts, {kept:.0%} of {best.read} rows are kept"
    facts += f"; {best.problem}" if best.problem else ""
    if best.found < FEW:
        return f"Not fit: {facts}." if best.missing else f"Not tested: {best.problem}."
    if window.limit and window.limit < NEEDED:
        return f"Not fit: a prompt may have {window.limit:,} tokens, and extraction takes {NEEDED:,}; {window.how}."
    short = window.limit and window.limit < (plan.claimed or DEFAULT_WINDOW)
    limits = (
        facts if best.found < MANY or kept < KEPT else "",
        f"a prompt may have {window.limit:,} tokens, and {window.how}" if short else "",
        "it thinks, and nothing that was tried ends that" if said.thinking.left > probes.NOTICED else "",
        f"answers end at {longest.limit:,} tokens" if longest.limit and longest.limit < ROWS_TOKENS else "",
        *(each.how for each in (longest, window) if not each.tokens or "failed: " in each.how),
    )
    return f"Fit with limits: {'; '.join(filter(None, limits))}." if any(limits) else f"Fit: {facts}."


def _print(found: Fitness) -> None:
    window, longest, thinking = found.window, found.longest, found.thinking
    facts = {"model": f"{found.model} at {found.server or 'OpenAI'}"}
    facts["thoughts"] = f"{thinking.tokens:,} tokens before an answer of two words" if thinking.tokens else "none"
    facts |= {f"  {line}": became for line, became in thinking.tried.items()}
    facts["offers"] = ", ".join(name if has else f"no {name}" for name, has in found.offers.items())
    facts["constraints"] = ", ".join(f"{way} {became}" for way, became in found.constraints.items())
    for each in found.passages:
        rows = f"{each.accepted} of {each.read} rows kept, {each.found} of {ALL} facts found"
        speed = f"{each.tokens_a_row:.0f} tokens a row, {each.tokens_a_second:.1f} tokens a second"
        facts[f"passage, {each.schema}"] = "; ".join(filter(None, (rows, speed, each.problem)))
    facts["longest answer"] = f"{longest.tokens:,} tokens: {longest.how}; {longest.tokens_a_second:.1f} a second"
    facts["window"] = f"{window.limit or window.tokens:,} tokens: {window.how}; {window.tokens_a_second:,.0f} a second"
    print_facts({**facts, "cost": spent(found.usage)})
    print_text("\n".join([*(["", "In kg.toml:", *found.lines] if found.lines else []), "", found.verdict]))


def result_file(settings: Settings) -> Path:
    """Return the place of the result, by model, server and fields of the requests; it has no secret."""
    name, server = factory.model_and_server(settings)
    said = json.dumps([name, SECRETS.sub("", server), settings.model_options], sort_keys=True)
    return settings.cache / f"fitness-{hashlib.sha256(said.encode()).hexdigest()[:24]}.json"


def proposal(settings: Settings) -> list[str]:
    """Return a line that proposes the test, once for a model that was never tested; else none. Calls no model."""
    name, file = factory.model_and_server(settings)[0], result_file(settings)
    if not name or settings.given.chat or file.exists():
        return []
    with contextlib.suppress(OSError):  # a cache that cannot be written shows the line again
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}\n", encoding="utf-8")
    return [f"the model {name} was never tested; `kg doctor --model` takes about {spent(planned(settings).usage)}"]
