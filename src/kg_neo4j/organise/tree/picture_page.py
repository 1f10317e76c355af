"""A tree as one HTML page: a node that is clicked shows its text and its sources. Nothing is loaded from a network.

Texts are data in it, never markup: they stand in a block of JSON in which no "<" is left, and the script puts them into
the page as text. The page's own policy allows that one script and nothing else. Where its address ends with "#12", the
node at place 12 is chosen.
"""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape

from kg_neo4j.organise.tree.picture_svg import TreePicture, clean, label, markup, whole

_STYLE = """
body { margin: 0; font: 15px/1.5 Helvetica, Arial, sans-serif; color: #222; display: flex; height: 100vh; }
main { flex: 1; overflow: auto; }
main svg { width: 100%; height: auto; min-width: 900px; display: block; }
aside { width: 390px; box-sizing: border-box; padding: 20px; overflow: auto; border-left: 1px solid #ddd;
        background: #fafafa; }
aside h1 { font-size: 17px; margin: 0 0 8px; }
aside h2 { font-size: 12px; margin: 18px 0 6px; color: #666; font-weight: normal; text-transform: uppercase; }
aside p { margin: 0 0 8px; white-space: pre-wrap; overflow-wrap: anywhere; }
aside .flag { color: #a33; font-size: 13px; }
aside button { display: block; width: 100%; text-align: left; font: inherit; font-size: 13px; padding: 4px 8px;
               margin: 2px 0; border: 1px solid #ddd; border-radius: 4px; background: #fff; cursor: pointer;
               overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
aside button:hover, aside button:focus { border-color: #666; }
.node { cursor: pointer; outline: none; }
.node:focus :is(circle, rect) { stroke: #222; stroke-width: 2; }
svg.chosen .node :is(circle, rect), svg.chosen .lines { opacity: 0.18; }
svg.chosen .node.near :is(circle, rect), svg.chosen .lines.near { opacity: 1; stroke-opacity: 0.7; }
svg.chosen .node.self :is(circle, rect) { opacity: 1; stroke: #222; stroke-width: 2; }
"""

_SCRIPT = """
"use strict";
const nodes = JSON.parse(document.getElementById("nodes").textContent);
const svg = document.querySelector("main svg");
const panel = document.querySelector("aside");
const groups = new Map([...svg.querySelectorAll(".node")].map(each => [Number(each.dataset.n), each]));
const lines = new Map([...svg.querySelectorAll(".lines")].map(each => [Number(each.dataset.of), each]));
const above = nodes.map(() => []);
nodes.forEach((node, place) => node.parts.forEach(part => above[part].push(place)));

function reach(start, next) {
  const found = new Set();
  const open = [start];
  while (open.length) {
    for (const place of next(open.pop())) {
      if (!found.has(place)) { found.add(place); open.push(place); }
    }
  }
  return found;
}

function add(tag, text, name) {
  const element = document.createElement(tag);
  element.textContent = text;
  if (name) element.className = name;
  panel.append(element);
  return element;
}

function list(title, places) {
  if (!places.length) return;
  add("h2", title);
  for (const place of places) {
    const button = add("button", nodes[place].label + ": " + nodes[place].text);
    button.type = "button";
    button.addEventListener("click", () => choose(place));
  }
}

function choose(place) {
  const node = nodes[place];
  const down = reach(place, each => nodes[each].parts);
  const up = reach(place, each => above[each]);
  svg.classList.add("chosen");
  for (const [each, group] of groups) {
    group.classList.toggle("self", each === place);
    group.classList.toggle("near", down.has(each) || up.has(each));
  }
  for (const [each, line] of lines) {
    line.classList.toggle("near", each === place || down.has(each) || up.has(each));
  }
  panel.replaceChildren();
  add("h1", node.label);
  if (node.method) add("p", "by " + node.method, "method");
  node.flags.forEach(flag => add("p", flag, "flag"));
  add("p", node.text, "text");
  list("made from", node.parts);
  list("part of", above[place].filter(each => nodes[each].kind !== "detail"));
  list("notes", above[place].filter(each => nodes[each].kind === "detail"));
  panel.scrollTop = 0;
}

function clear() {
  svg.classList.remove("chosen");
  panel.replaceChildren();
  add("h1", document.title);
  add("p", "Click a circle for a summary, the strip below for the text.");
}

for (const [place, group] of groups) {
  group.setAttribute("tabindex", "0");
  group.setAttribute("role", "button");
  group.setAttribute("aria-label", nodes[place].label);
  group.addEventListener("click", event => { event.stopPropagation(); choose(place); });
  group.addEventListener("keydown", event => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(place); }
  });
}
function follow() {
  const place = Number(location.hash.slice(1));
  if (location.hash && nodes[place]) choose(place); else clear();
}

svg.addEventListener("click", clear);
document.addEventListener("keydown", event => { if (event.key === "Escape") clear(); });
window.addEventListener("hashchange", follow);
follow();
"""


def draw(picture: TreePicture) -> str:
    """Return the page."""
    nodes = [
        {
            "kind": node.kind,
            "label": label(node),
            "text": whole(node.text),
            "method": node.method,
            "flags": list(node.flags),
            "parts": list(node.parts),
        }
        for node in picture.nodes
    ]
    digest = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        f"<title>{clean(picture.title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<main>\n{markup(picture, has_titles=False)}\n</main>\n<aside></aside>\n"
        f'<script type="application/json" id="nodes">{as_data(nodes)}</script>\n'
        f"<script>{_SCRIPT}</script>\n</body>\n</html>\n"
    )


def as_data(value: object) -> str:
    """Return JSON that can stand within a script element: nothing in it ends the element or begins a comment."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
