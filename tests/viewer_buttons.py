"""Presses everything of a drawn graph in a browser: organise/viewer/viewer.js makes its buttons."""

from __future__ import annotations

import json
from collections.abc import Sequence

import httpx
import pytest

from chromium import Tab

PRESSED = "button, summary, select, input, textarea, [role=button], [onclick], [contenteditable]"
VIEWER = "document.querySelector('.kg-viewer')"
KNOWN = ".kg-tools button, .kg-group, .kg-line, .kg-link, .kg-search, .kg-legend select, .kg-more, summary"
KNOWN += ", .kg-filter input, .kg-save button"
CARD = "document.querySelector('.kg-card h2').innerText.trim()"


def press_viewer(tab: Tab, client: httpx.Client) -> str:
    """Press tools, groups, names, hits, connections and links, return how many, and end at the page of a link."""
    alien = f"[...{VIEWER}.querySelectorAll('{PRESSED}')].filter(each => !each.matches('{KNOWN}'))"
    assert tab.value(f"{alien}.map(each => each.outerHTML)") == []
    press_tools(tab)
    groups = sum(press_groups(tab, kind) for kind in tab.value(f"Object.keys({VIEWER}.kgViewer.data.legends)"))
    ticks = press_filter(tab)
    saved = press_save(tab)
    names = choose_each(tab, ".kg-card .kg-line")
    press(tab, ".kg-search")
    tab.call("Input.insertText", text=names[0][:1])
    hits = choose_each(tab, ".kg-hits .kg-line")
    assert names[0] in hits
    connections = press_connections(tab)
    press(tab, ".kg-hits .kg-line")
    links = tab.value("[...document.querySelectorAll('.kg-card a')].map(each => each.href)")
    assert [each for each in links if client.get(each.partition("#")[0]).status_code != 200] == []
    assert tab.complaints() == []
    tab.click_through(*tab.spot("document.querySelector('.kg-card a')"))
    assert (tab.documents()[-1]["status"], tab.value("location.href")) == (200, links[0])
    counts = f"{groups} groups, {len(names)} names, {len(hits)} hits, {connections} connections, {len(links)} links"
    return f"3 tools, {ticks} ticks, {saved} files, {counts}"


def press(tab: Tab, selector: str, number: int = 0) -> None:
    """Click an element of the viewer."""
    tab.click(*tab.spot(f"{VIEWER}.querySelectorAll('{selector}')[{number}]"))


def press_tools(tab: Tab) -> None:
    """Press each tool, which does what its name says."""
    scale = f"{VIEWER}.kgViewer.zoom.scale"
    assert tab.value(f"[...{VIEWER}.querySelectorAll('.kg-tools button')].map(each => each.title)") == [
        *("Zoom in", "Zoom out", "Show all")
    ]
    scales = [tab.value(scale)]
    for tool in (0, 0, 1, 2):
        press(tab, ".kg-tools button", tool)
        scales.append(tab.value(scale))
    assert scales[0] < scales[1] < scales[2] > scales[3]
    assert scales[4] == pytest.approx(scales[0])


def press_groups(tab: Tab, kind: str) -> int:
    """Choose what colours mean, press each group of the legend twice, and return how many there are."""
    tab.value(
        f"(() => {{ const choice = {VIEWER}.querySelector('.kg-legend select'); if (choice) {{ "
        f"choice.value = '{kind}'; choice.dispatchEvent(new Event('change')); }} }})()"
    )
    assert tab.value(f"{VIEWER}.kgViewer.colourBy") == kind
    count = int(tab.value(f"{VIEWER}.querySelectorAll('.kg-group').length"))
    for number in range(count):
        for state in ("true", "false"):
            press(tab, ".kg-group", number)
            assert tab.value(f"{VIEWER}.querySelectorAll('.kg-group')[{number}].ariaPressed") == state
    assert count > 0
    return count


def press_filter(tab: Tab) -> int:
    """Press each tick of the filter twice, and "all or none"; write years; return how many ticks there are."""
    if not tab.value(f"{VIEWER}.querySelector('.kg-filter').open"):
        press(tab, ".kg-filter summary")
    seen = f"{VIEWER}.kgViewer.seen.length + {VIEWER}.kgViewer.edges.filter(each => each.seen).length"
    whole, count = tab.value(seen), int(tab.value(f"{VIEWER}.querySelectorAll('.kg-tick').length"))
    for number in range(count):
        press(tab, ".kg-tick input", number)
        undated = tab.value(f"{VIEWER}.querySelectorAll('.kg-tick')[{number}].textContent.includes('without a year')")
        assert tab.value(seen) < whole or undated
        press(tab, ".kg-tick input", number)
        assert tab.value(seen) == whole
    for number in range(int(tab.value(f"{VIEWER}.querySelectorAll('.kg-filter .kg-link').length"))):
        press(tab, ".kg-filter .kg-link", number)
        assert tab.value(seen) < whole
        press(tab, ".kg-filter .kg-link", number)
        assert tab.value(seen) == whole
    for number in range(int(tab.value(f"{VIEWER}.querySelectorAll('.kg-year').length"))):
        press(tab, ".kg-year", number)
        tab.call("Input.insertText", text=("99999", "-99999")[number])
        assert tab.value(seen) < whole
        tab.value(
            f"(() => {{ const year = {VIEWER}.querySelectorAll('.kg-year')[{number}]; year.value = ''; "
            "year.dispatchEvent(new Event('input')); })()"
        )
        assert tab.value(seen) == whole
    press(tab, ".kg-filter summary")
    assert count > 1
    return count


def press_save(tab: Tab) -> int:
    """Press each button that makes a file, note what it would be, and return how many there are."""
    if not tab.value(f"{VIEWER}.querySelector('.kg-save').open"):
        press(tab, ".kg-save summary")
    count = int(tab.value(f"{VIEWER}.querySelectorAll('.kg-save button').length"))
    tab.value(f"window.kept = []; {VIEWER}.kgViewer.save = (...file) => window.kept.push(file); null")
    for number in range(count):
        press(tab, ".kg-save button", number)
    kept = tab.value("window.kept")
    tab.value(f"delete {VIEWER}.kgViewer.save; null")
    assert [suffix for suffix, _, _ in kept] == ["svg", "json", "csv"]
    assert kept[0][2].startswith("<svg ")
    assert len(json.loads(kept[1][2])["nodes"]) == tab.value(f"{VIEWER}.kgViewer.nodes.length")
    assert kept[2][2].count("\r\n") > 1
    press(tab, ".kg-save summary")
    return count


def choose_each(tab: Tab, selector: str) -> Sequence[str]:
    """Press each name of a list, which shows its card, and return the names."""
    names = [
        str(each) for each in tab.value(f"[...{VIEWER}.querySelectorAll('{selector}')].map(each => each.innerText)")
    ]
    for number, name in enumerate(names):
        press(tab, selector, number)
        assert tab.value(CARD) == name
        if selector.startswith(".kg-card"):  # the list comes back where nothing is chosen
            press(tab, ".kg-search")
            tab.press("Escape")
    assert names
    return names


def press_connections(tab: Tab) -> int:
    """Press each connection of the first hit, and both names in its card; return how many there are."""
    press(tab, ".kg-hits .kg-line")
    count = int(tab.value(f"{VIEWER}.querySelectorAll('.kg-card .kg-line').length"))
    for number in range(count):
        for end in (0, 1):
            press(tab, ".kg-hits .kg-line")
            press(tab, ".kg-card .kg-line", number)
            name = tab.value(f"{VIEWER}.querySelectorAll('.kg-card .kg-link')[{end}].innerText")
            press(tab, ".kg-card .kg-link", end)
            assert tab.value(CARD) == name
    assert count > 0
    return count
