// Draws the graph of each element of class kg-viewer on a canvas, with a card of what is chosen beside it.
// The element's data-inline names a block of JSON in the page, or its data-src an address of JSON. Texts become text of
// the page, never markup. docs/decisions/0051-graph-viewer.md describes the JSON.
"use strict";
(() => {
const SIDES = [[1, 0], [-1, 0], [0, -1], [0, 1], [0.7, -0.7], [-0.7, -0.7], [0.7, 0.7], [-0.7, 0.7]]; // of a name at its node
const CELL = 90; // pixels: boxes are looked for by the cells of a grid
const LONGEST = 34, HITS = 10, LISTED = 60; // characters of a name, hits of a search, connections in a card
const FEW = 60; // relationships: so many have their types written without being chosen
const SMALLEST = 3, LARGEST = 44; // pixels of a radius

const words = type => type.replaceAll("_", " ").toLowerCase();
const plain = text => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

function short(name) {
  const letters = [...name.replace(/\s+/g, " ").trim()];
  return letters.length > LONGEST ? letters.slice(0, LONGEST - 1).join("").trimEnd() + "…" : letters.join("");
}

function add(parent, tag, name, text) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined) { element.textContent = text; element.dir = "auto"; }
  parent.append(element);
  return element;
}

function button(parent, name, text, act) {
  const element = add(parent, "button", name, text);
  element.type = "button";
  element.addEventListener("click", act);
  return element;
}

function link(parent, text, href) { // only within the same site
  const address = href && new URL(href, location.href);
  if (!address || address.origin !== location.origin || !/^https?:$/.test(address.protocol)) return add(parent, "span", "", text);
  const element = add(parent, "a", "", text);
  element.href = address.href;
  return element;
}

class Boxes { // rectangles on the canvas that keep clear of each other
  constructor() { this.cells = new Map(); }
  * near(box) {
    for (let column = Math.floor(box.left / CELL); column <= box.right / CELL; column++) {
      for (let row = Math.floor(box.top / CELL); row <= box.bottom / CELL; row++) yield column * 10000 + row;
    }
  }
  add(box) {
    for (const key of this.near(box)) {
      const cell = this.cells.get(key);
      if (cell) cell.push(box); else this.cells.set(key, [box]);
    }
  }
  free(box, owner, overNodes = false) {
    for (const key of this.near(box)) {
      for (const other of this.cells.get(key) ?? []) {
        if (other.owner !== owner && !(overNodes && other.owner) && box.left < other.right && other.left < box.right && box.top < other.bottom
            && other.top < box.bottom) return false;
      }
    }
    return true;
  }
}

class Viewer {
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.colourBy = data.colour_by;
    this.nodes = data.nodes.map((node, place) => ({ ...node, place, edges: [], short: short(node.name), plain: plain(node.name) }));
    this.ranked = [...this.nodes].sort((one, other) => other.size - one.size || one.place - other.place);
    this.things = new Map(this.nodes.map(node => [node.id, node]));
    this.connect();
    this.build();
    this.zoom = { scale: 1, x: 0, y: 0 };
    this.chosen = this.hovered = this.near = null;
    this.labels = [];
    this.readColours();
    this.listen();
    this.resize();
    this.turn();
    this.fit();
    this.follow();
  }

  connect() {
    const drawn = new Map();
    this.edges = this.data.edges.map(each => {
      const edge = { ...each, from: this.things.get(each.source), to: this.things.get(each.target), isEdge: true };
      const pair = [edge.source, edge.target].sort().join("\n");
      const count = (drawn.get(pair) ?? 0) + 1;
      drawn.set(pair, count);
      edge.bend = (0.05 + 0.1 * Math.floor(count / 2)) * (count % 2 ? 1 : -1) * (edge.source < edge.target ? 1 : -1);
      edge.name = `${edge.from.name} – ${words(edge.type)} → ${edge.to.name}`;
      edge.from.edges.push(edge);
      if (edge.to !== edge.from) edge.to.edges.push(edge);
      return edge;
    });
    for (const edge of this.edges) this.things.set(edge.id, edge);
  }

  build() {
    this.root.replaceChildren();
    const stage = add(this.root, "div", "kg-stage");
    this.canvas = add(stage, "canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", `Graph of ${this.nodes.length} nodes. Arrows go to the next node, plus and minus zoom, 0 shows all.`);
    this.pen = this.canvas.getContext("2d");
    const tools = this.tools = add(stage, "div", "kg-tools");
    for (const [sign, name, act] of [["+", "Zoom in", () => this.magnify(1.4)], ["−", "Zoom out", () => this.magnify(1 / 1.4)], ["⤢", "Show all", () => this.fit()]]) {
      const tool = button(tools, "", sign, act);
      tool.title = name;
      tool.setAttribute("aria-label", name);
    }
    this.tip = add(stage, "div", "kg-tip");
    this.tip.hidden = true;
    const side = add(this.root, "div", "kg-side");
    this.search = add(side, "input", "kg-search");
    Object.assign(this.search, { type: "search", placeholder: "Search a name", autocomplete: "off" });
    this.search.setAttribute("aria-label", "Search a name");
    this.hits = add(side, "div", "kg-hits");
    this.legend = add(side, "div", "kg-legend");
    this.card = add(side, "section", "kg-card");
    this.card.setAttribute("aria-live", "polite");
    this.card.setAttribute("aria-label", "What is chosen");
    this.writeLegend();
  }

  writeLegend() {
    this.legend.replaceChildren();
    const kinds = Object.keys(this.data.legends);
    this.colours = new Map(this.data.legends[this.colourBy].map(each => [each.value, each.colour]));
    if (kinds.length > 1) {
      const choice = add(this.legend, "select");
      choice.setAttribute("aria-label", "What colours mean");
      for (const kind of kinds) choice.add(new Option("colour by " + kind, kind, false, kind === this.colourBy));
      choice.addEventListener("change", () => { this.colourBy = choice.value; this.writeLegend(); this.choose(null); });
    }
    const list = add(this.legend, "div", "kg-groups");
    for (const each of this.data.legends[this.colourBy]) {
      const group = button(list, "kg-group", undefined, () => {
        const on = group.getAttribute("aria-pressed") !== "true";
        this.choose(null);
        group.setAttribute("aria-pressed", String(on));
        if (on) this.bring(this.nodes.filter(node => node[this.colourBy] === each.value));
      });
      group.setAttribute("aria-pressed", "false");
      add(group, "span", "kg-dot").style.backgroundColor = each.colour;
      add(group, "span", "", each.name);
      add(group, "span", "kg-count", String(each.count));
    }
  }

  readColours() {
    const style = getComputedStyle(this.root);
    this.paint = Object.fromEntries(["ink", "back", "line", "strong"].map(name => [name, style.getPropertyValue("--kg-" + name).trim()]));
    this.font = style.fontFamily;
    this.redraw();
  }

  // ---- where things are on the canvas

  turn() { // a graph wider than high lies across a narrow screen
    const xs = this.nodes.map(node => node.x), ys = this.nodes.map(node => node.y);
    const wide = Math.max(...xs) - Math.min(...xs) > Math.max(...ys) - Math.min(...ys);
    if (wide === this.width > this.height) return;
    for (const node of this.nodes) [node.x, node.y] = [node.y, node.x];
  }

  fit() {
    const xs = this.nodes.map(node => node.x), ys = this.nodes.map(node => node.y);
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const room = Math.min(70, this.width / 8);
    const scale = Math.min((this.width - 2 * room) / (right - left || 1), (this.height - 70) / (bottom - top || 1), 140);
    this.zoom = { scale, x: this.width / 2 - scale * (left + right) / 2, y: this.height / 2 - scale * (top + bottom) / 2 };
    this.redraw();
  }

  magnify(factor, x = this.width / 2, y = this.height / 2) {
    const scale = clamp(this.zoom.scale * factor, 2, 2000);
    const by = scale / this.zoom.scale;
    this.zoom = { scale, x: x - (x - this.zoom.x) * by, y: y - (y - this.zoom.y) * by };
    this.redraw();
  }

  pan(x, y) { this.zoom.x += x; this.zoom.y += y; this.redraw(); }

  at(node) { return [node.x * this.zoom.scale + this.zoom.x, node.y * this.zoom.scale + this.zoom.y]; }

  radius(node) { return clamp(node.size * this.zoom.scale, SMALLEST, LARGEST); }

  curve(edge) { // start, control point and end; a loop is a ring above its node
    const [ax, ay] = this.at(edge.from), [bx, by] = this.at(edge.to);
    return [ax, ay, (ax + bx) / 2 + (by - ay) * edge.bend, (ay + by) / 2 - (bx - ax) * edge.bend, bx, by];
  }

  along(edge, share) {
    if (edge.from === edge.to) {
      const [x, y] = this.at(edge.from), radius = this.radius(edge.from);
      return [x + radius * Math.cos(share * 2 * Math.PI), y - radius * 1.6 + radius * Math.sin(share * 2 * Math.PI)];
    }
    const [ax, ay, cx, cy, bx, by] = this.curve(edge), rest = 1 - share;
    return [rest * rest * ax + 2 * rest * share * cx + share * share * bx, rest * rest * ay + 2 * rest * share * cy + share * share * by];
  }

  hit(x, y) { // the nearest node or, where there is none, the nearest relationship
    let best = null, least = 0;
    for (const node of this.nodes) {
      const [ax, ay] = this.at(node), distance = Math.hypot(ax - x, ay - y) - Math.max(this.radius(node), 8);
      if (distance < least) { best = node; least = distance; }
    }
    if (best) return best;
    least = 6;
    for (const edge of this.edges) {
      const [ax, ay, , , bx, by] = this.curve(edge), slack = 12 + Math.hypot(bx - ax, by - ay) * Math.abs(edge.bend) + 3 * this.radius(edge.from);
      if (x < Math.min(ax, bx) - slack || x > Math.max(ax, bx) + slack || y < Math.min(ay, by) - slack || y > Math.max(ay, by) + slack) continue;
      const steps = clamp(Math.hypot(bx - ax, by - ay) / 6, 12, 200);
      for (let step = 0; step <= steps; step++) {
        const [ex, ey] = this.along(edge, step / steps), distance = Math.hypot(ex - x, ey - y);
        if (distance < least) { best = edge; least = distance; }
      }
    }
    return best;
  }

  // ---- drawing

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  }

  draw() {
    const { pen } = this, ratio = window.devicePixelRatio || 1;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    const bright = edge => !this.near || this.near.has(edge);
    const faint = this.edges.filter(edge => !bright(edge)), clear = this.edges.filter(bright);
    this.drawLines(faint, this.paint.line, 0.15, 1);
    this.drawLines(clear, this.near ? this.paint.strong : this.paint.line, this.near ? 0.75 : 0.6, this.near ? 1.6 : 1.1);
    for (const node of [...this.ranked].reverse()) this.drawNode(node, !this.near || this.near.has(node));
    this.drawNames(this.near || this.edges.length <= FEW ? clear : []);
  }

  drawLines(edges, colour, alpha, width) {
    const { pen } = this;
    const heads = new Path2D();
    pen.beginPath();
    for (const edge of edges) {
      if (edge.from === edge.to) {
        const [x, y] = this.along(edge, 0);
        pen.moveTo(x, y);
        pen.arc(x - this.radius(edge.from), y, this.radius(edge.from), 0, 2 * Math.PI);
        continue;
      }
      const [ax, ay, cx, cy, bx, by] = this.curve(edge);
      const angle = Math.atan2(by - cy, bx - cx), reach = this.radius(edge.to) + 1.5, size = 4 + 1.5 * width;
      const tip = [bx - Math.cos(angle) * reach, by - Math.sin(angle) * reach];
      pen.moveTo(ax, ay);
      pen.quadraticCurveTo(cx, cy, ...tip);
      if (Math.hypot(bx - ax, by - ay) < reach + this.radius(edge.from) + size) continue;
      heads.moveTo(...tip);
      heads.lineTo(tip[0] - size * Math.cos(angle - 0.4), tip[1] - size * Math.sin(angle - 0.4));
      heads.lineTo(tip[0] - size * Math.cos(angle + 0.4), tip[1] - size * Math.sin(angle + 0.4));
      heads.closePath();
    }
    Object.assign(pen, { strokeStyle: colour, fillStyle: colour, lineWidth: width, globalAlpha: alpha });
    pen.stroke();
    pen.fill(heads);
    pen.globalAlpha = 1;
  }

  drawNode(node, bright) {
    const { pen } = this, [x, y] = this.at(node), chosen = node === this.chosen || node === this.hovered;
    pen.beginPath();
    pen.arc(x, y, this.radius(node), 0, 2 * Math.PI);
    Object.assign(pen, { fillStyle: this.colours.get(node[this.colourBy]), globalAlpha: bright ? 1 : 0.18 });
    pen.fill();
    Object.assign(pen, { strokeStyle: chosen ? this.paint.ink : this.paint.back, lineWidth: chosen ? 2.5 : 1 });
    pen.stroke();
    pen.globalAlpha = 1;
  }

  drawNames(typed) { // the largest first; a name without room is left out
    const taken = new Boxes();
    this.labels = [];
    const bright = this.near ? this.ranked.filter(node => this.near.has(node)) : [...this.ranked];
    for (const node of bright) {
      const [x, y] = this.at(node), reach = 0.8 * this.radius(node);
      taken.add({ left: x - reach, right: x + reach, top: y - reach, bottom: y + reach, owner: node });
    }
    const tools = this.tools.getBoundingClientRect(), stage = this.canvas.getBoundingClientRect();
    taken.add({ left: 0, right: tools.right - stage.left, top: tools.top - stage.top, bottom: this.height, owner: null });
    const largest = this.ranked[0]?.size || 1;
    let always = Math.ceil(Math.sqrt(bright.length)); // over nodes, where there is no room beside them
    for (const node of bright.sort((one, other) => (other === this.chosen) - (one === this.chosen))) {
      const height = Math.round(11 + 5 * Math.sqrt(node.size / largest));
      this.pen.font = `${node === this.chosen ? 700 : node.size > 0.7 * largest ? 600 : 400} ${height}px ${this.font}`;
      const [x, y] = this.at(node), reach = this.radius(node) + 3, half = this.pen.measureText(node.short).width / 2;
      const places = SIDES.map(([right, down]) => [x + right * reach + Math.sign(right) * half, y + down * (reach + height / 2)]);
      this.write(taken, node, node.short, half, height, places, always-- > 0);
    }
    this.pen.font = `italic 11px ${this.font}`;
    for (const edge of typed) {
      const text = words(edge.type), half = this.pen.measureText(text).width / 2;
      this.write(taken, edge, text, half, 11, [0.5, 0.4, 0.6, 0.32, 0.68].map(share => this.along(edge, share)));
    }
  }

  write(taken, owner, text, half, height, places, anywhere = false) {
    for (const [place, [x, y]] of [...places, ...anywhere ? places : []].entries()) {
      const box = { left: x - half - 2, right: x + half + 2, top: y - height / 2 - 1, bottom: y + height / 2 + 1 };
      if (box.left < 0 || box.right > this.width || box.top < 0 || box.bottom > this.height) continue;
      if (!taken.free(box, owner, place >= places.length)) continue;
      taken.add({ ...box, owner: null });
      this.labels.push({ ...box, text, id: owner.id });
      Object.assign(this.pen, { textAlign: "center", textBaseline: "middle", lineJoin: "round", lineWidth: 3.5, strokeStyle: this.paint.back, fillStyle: this.paint.ink });
      this.pen.strokeText(text, x, y);
      this.pen.fillText(text, x, y);
      return;
    }
  }

  // ---- what is chosen

  choose(id, move = false) {
    const thing = this.things.get(id) ?? null;
    this.chosen = thing;
    for (const group of this.legend.querySelectorAll(".kg-group")) group.setAttribute("aria-pressed", "false");
    if (!thing) this.near = null;
    else if (thing.isEdge) this.near = new Set([thing, thing.from, thing.to]);
    else this.near = new Set([thing, ...thing.edges, ...thing.edges.flatMap(edge => [edge.from, edge.to])]);
    if (thing && move) this.show(thing.isEdge ? thing.from : thing);
    this.writeCard();
    this.redraw();
  }

  bring(nodes) { // to the front
    const members = new Set(nodes);
    this.near = new Set([...nodes, ...this.edges.filter(edge => members.has(edge.from) && members.has(edge.to))]);
    this.redraw();
  }

  show(node) { // on the canvas
    const [x, y] = this.at(node), edge = 60;
    if (x < edge || y < edge || x > this.width - edge || y > this.height - edge) this.pan(this.width / 2 - x, this.height / 2 - y);
  }

  count() { // of nodes: those not drawn are less connected
    const drawn = this.nodes.length, total = this.data.total_nodes;
    return total > drawn ? `${drawn} of ${total} nodes` : `${drawn} nodes`;
  }

  async writeCard() {
    const { card, chosen } = this;
    card.replaceChildren();
    if (!chosen) {
      add(card, "h2", "", this.data.title);
      const left = this.data.left_out && `${this.data.left_out}. `;
      add(card, "p", "kg-note", `${this.count()}, ${this.edges.length} relationships. ${left}Choose a node or a line for its quotes.`);
      add(card, "h3", "", "Most connected");
      for (const node of this.ranked.slice(0, HITS)) button(card, "kg-line", node.name, () => this.choose(node.id, true));
      return;
    }
    if (chosen.isEdge) {
      const title = add(card, "h2");
      button(title, "kg-link", chosen.from.name, () => this.choose(chosen.source, true));
      add(title, "span", "kg-type", ` ${words(chosen.type)} `);
      button(title, "kg-link", chosen.to.name, () => this.choose(chosen.target, true));
    } else {
      add(card, "h2", "", chosen.name);
      const group = this.data.legends.community?.find(each => each.value === chosen.community);
      add(card, "p", "kg-note", [chosen.type, group?.name].filter(Boolean).join(" · "));
    }
    const place = add(card, "div");
    if (!chosen.isEdge) this.list(card, chosen);
    try {
      const detail = await this.detail(chosen.id);
      if (chosen === this.chosen) this.writeDetail(place, detail);
    } catch (error) {
      add(place, "p", "kg-note", `Details could not be read: ${error.message}`);
    }
  }

  async detail(id) {
    if (!this.data.details_at) return this.data.details[id] ?? { description: "", evidence: 0, quotes: [] };
    const answer = await fetch(this.data.details_at + encodeURIComponent(id), { headers: { accept: "application/json" } });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return answer.json();
  }

  writeDetail(place, detail) {
    if (detail.description) add(place, "p", "kg-text", detail.description);
    if (detail.href) link(add(place, "p"), "Open its page", detail.href);
    if (detail.quotes.length) add(place, "h3", "", "Quotes");
    for (const quote of detail.quotes) {
      const figure = add(place, "figure");
      add(figure, "blockquote", "", quote.text);
      link(add(figure, "figcaption"), quote.document, quote.href);
    }
    const more = detail.evidence - detail.quotes.length;
    if (more > 0) add(place, "p", "kg-note", `${more} more in the sources.`);
  }

  list(parent, node) {
    if (node.edges.length) add(parent, "h3", "", "Connections");
    for (const edge of node.edges.slice(0, LISTED)) {
      const isOut = edge.from === node;
      const line = button(parent, "kg-line", undefined, () => this.choose(edge.id));
      add(line, "span", "kg-type", `${isOut ? "→" : "←"} ${words(edge.type)}`);
      add(line, "span", "", (isOut ? edge.to : edge.from).name);
    }
    if (node.edges.length > LISTED) add(parent, "p", "kg-note", `and ${node.edges.length - LISTED} more`);
  }

  find() {
    const wanted = plain(this.search.value.trim());
    this.hits.replaceChildren();
    this.found = wanted ? this.ranked.filter(node => node.plain.includes(wanted)) : [];
    if (!wanted) return this.choose(null);
    for (const node of this.found.slice(0, HITS)) button(this.hits, "kg-line", node.name, () => this.choose(node.id, true));
    const rest = this.found.length - HITS;
    if (rest > 0 || !this.found.length) add(this.hits, "p", "kg-note", this.found.length ? `and ${rest} more` : `No such name among ${this.count()}.`);
    this.bring(this.found);
  }

  // ---- what people do

  follow() {
    const id = [...this.things.keys()].find(each => location.hash === "#" + encodeURIComponent(each));
    this.choose(id ?? null, true);
  }

  resize() {
    const box = this.canvas.parentElement.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
    const moved = [(box.width - (this.width ?? box.width)) / 2, (box.height - (this.height ?? box.height)) / 2];
    [this.width, this.height] = [box.width, box.height];
    [this.canvas.width, this.canvas.height] = [Math.round(box.width * ratio), Math.round(box.height * ratio)];
    this.pan(...moved);
  }

  listen() {
    const { canvas } = this;
    const fingers = new Map();
    let held = null, moved = 0;
    const here = event => [event.offsetX, event.offsetY];
    canvas.addEventListener("pointerdown", event => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, here(event));
      const thing = this.hit(...here(event));
      [held, moved] = [fingers.size === 1 ? thing : null, 0];
    });
    canvas.addEventListener("pointermove", event => {
      const now = here(event), before = fingers.get(event.pointerId);
      if (!before) return this.hover(this.hit(...now), ...now);
      fingers.set(event.pointerId, now);
      moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
      if (moved < 4) return;
      this.hover(null);
      if (fingers.size > 1) this.pinch(event.pointerId, before, fingers);
      else if (held && !held.isEdge) {
        held.x += (now[0] - before[0]) / this.zoom.scale;
        held.y += (now[1] - before[1]) / this.zoom.scale;
        this.redraw();
      } else this.pan(now[0] - before[0], now[1] - before[1]);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, event => {
        if (end === "pointerup" && fingers.size === 1 && moved < 4) this.choose(this.hit(...here(event))?.id ?? null);
        fingers.delete(event.pointerId);
      });
    }
    canvas.addEventListener("pointerleave", () => this.hover(null));
    canvas.addEventListener("wheel", event => { event.preventDefault(); this.magnify(Math.exp(-event.deltaY * 0.0015), ...here(event)); }, { passive: false });
    canvas.addEventListener("keydown", event => this.press(event));
    this.search.addEventListener("input", () => this.find());
    this.search.addEventListener("keydown", event => { if (event.key === "Enter" && this.found?.length) this.choose(this.found[0].id, true); });
    this.root.addEventListener("keydown", event => { if (event.key === "Escape") { this.search.value = ""; this.find(); } });
    window.addEventListener("hashchange", () => this.follow());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.readColours());
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
  }

  pinch(id, before, fingers) {
    const now = fingers.get(id), [, still] = [...fingers].find(([other]) => other !== id);
    const was = Math.hypot(before[0] - still[0], before[1] - still[1]), is = Math.hypot(now[0] - still[0], now[1] - still[1]);
    this.magnify(is / (was || 1), (now[0] + still[0]) / 2, (now[1] + still[1]) / 2);
    this.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
  }

  hover(thing, x, y) {
    this.tip.hidden = !thing;
    if (thing) {
      this.tip.textContent = thing.isEdge ? thing.name : `${thing.name} · ${thing.type}`;
      this.tip.style.left = clamp(x + 14, 0, Math.max(this.width - this.tip.offsetWidth - 4, 0)) + "px";
      this.tip.style.top = clamp(y + 16, 0, this.height - this.tip.offsetHeight - 4) + "px";
    }
    if (thing === this.hovered) return;
    this.hovered = thing;
    this.canvas.style.cursor = thing ? "pointer" : "";
    this.redraw();
  }

  press(event) {
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (arrow && event.shiftKey) this.pan(-60 * arrow[0], -60 * arrow[1]);
    else if (arrow) this.go(...arrow);
    else if (event.key === "+" || event.key === "=") this.magnify(1.25);
    else if (event.key === "-") this.magnify(0.8);
    else if (event.key === "0") this.fit();
    else if (event.key === "/") this.search.focus();
    else return;
    event.preventDefault();
  }

  go(right, down) { // to the nearest node on that side, or first to the largest
    if (!this.chosen) return this.choose(this.ranked[0]?.id ?? null, true);
    const start = this.chosen.isEdge ? this.chosen.from : this.chosen;
    let best = null, least = Infinity;
    for (const node of this.nodes) {
      const x = node.x - start.x, y = node.y - start.y, ahead = x * right + y * down, aside = Math.abs(x * down + y * right);
      if (ahead > aside && ahead + 2 * aside < least) { best = node; least = ahead + 2 * aside; }
    }
    if (best) this.choose(best.id, true);
  }
}

async function start(root) {
  try {
    const inline = root.dataset.inline;
    const answer = inline ? null : await fetch(root.dataset.src, { headers: { accept: "application/json" } });
    if (answer && !answer.ok) throw new Error(`status ${answer.status}`);
    root.kgViewer = new Viewer(root, inline ? JSON.parse(document.getElementById(inline).textContent) : await answer.json());
  } catch (error) {
    add(root, "p", "kg-note", `The graph could not be drawn: ${error.message}`);
    throw error;
  }
}

document.querySelectorAll(".kg-viewer").forEach(start);
})();
