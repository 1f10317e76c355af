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
