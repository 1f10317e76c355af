// Draws the graph of each element of class kg-viewer on a canvas, with a filter and a card of what is chosen.
// The element's data-inline names a block of JSON in the page, or its data-src an address of JSON. Texts become text of
// the page, never markup. docs/decisions/0051-graph-viewer.md describes the JSON.
"use strict";
(() => {
const SIDES = [[0, 1], [0, -1], [1, 0], [-1, 0], [0.7, -0.7], [-0.7, -0.7], [0.7, 0.7], [-0.7, 0.7]]; // of a name at its node
const CELL = 90; // pixels: boxes are looked for by the cells of a grid
const LONGEST = 34, HITS = 10, LISTED = 60; // characters of a name, hits of a search, connections in a card
const FEW = 60; // relationships: so many have types and clear lines also between places
const SMALLEST = 3, LARGEST = 44; // pixels of a radius
const MORE = 25, MOST = 1000; // neighbours that one press adds, and nodes that a server gives

const words = type => type.replaceAll("_", " ").toLowerCase();
const plain = text => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

function short(name) {
  const letters = [...name.replace(/\s+/g, " ").trim()];
  return letters.length > LONGEST ? letters.slice(0, LONGEST - 13).join("").trimEnd() + "…" + letters.slice(-12).join("").trimStart() : letters.join("");
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

function box(parent, text, isOn, act) { // to tick
  const label = add(parent, "label", "kg-tick"), tick = add(label, "input");
  Object.assign(tick, { type: "checkbox", checked: isOn });
  tick.addEventListener("change", () => act(tick.checked));
  add(label, "span", "", text);
  return tick;
}

class Drawing { // takes what a canvas takes, and makes an SVG of it
  constructor(width, height, pen) {
    this.root = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.measureText = text => { pen.font = this.font; return pen.measureText(text); };
    for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width, height })) this.root.setAttribute(name, value);
  }
  put(tag, attributes) {
    const element = this.root.appendChild(document.createElementNS(this.root.namespaceURI, tag));
    for (const [name, value] of Object.entries({ ...attributes, opacity: this.globalAlpha ?? 1 })) element.setAttribute(name, typeof value === "number" ? Math.round(value * 100) / 100 : value);
    return element;
  }
  setTransform() {}
  clearRect() {}
  save() {}
  restore() { this.moved = null; }
  translate(x, y) { this.moved = [x, y]; }
  rotate(angle) { this.angle = angle; }
  beginPath() { this.path = ""; }
  add(letter, ...numbers) { this.path += letter + numbers.map(each => Math.round(each * 10) / 10).join(" "); }
  moveTo(x, y) { this.add("M", x, y); }
  lineTo(x, y) { this.add("L", x, y); }
  quadraticCurveTo(...numbers) { this.add("Q", ...numbers); }
  closePath() { this.path += "Z"; }
  arc(x, y, r) { this.add("M", x - r, y); this.add("a", r, r, 0, 1, 0, 2 * r, 0); this.add("a", r, r, 0, 1, 0, -2 * r, 0); }
  roundRect(x, y, width, height, rx) { this.rect = { x, y, width, height, rx }; }
  stroke() { if (this.path) this.put("path", { d: this.path, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth }); }
  fill() {
    if (this.rect) this.put("rect", { ...this.rect, fill: this.fillStyle });
    else if (this.path) this.put("path", { d: this.path, fill: this.fillStyle });
    this.rect = null;
  }
  strokeText() {} // the paint of a text has both
  fillText(text, x, y) {
    const [left, top] = this.moved ?? [x, y], turned = this.moved ? { transform: `rotate(${(this.angle * 180 / Math.PI).toFixed(1)} ${left} ${top})` } : {};
    const [, first, size, family] = /^(\w+) ([\d.]+)px (.*)$/.exec(this.font);
    this.put("text", { x: left, y: top, "font-family": family, "font-size": Number(size), [first === "italic" ? "font-style" : "font-weight"]: first, fill: this.fillStyle, stroke: this.strokeStyle, "stroke-width": this.lineWidth,
      "stroke-linejoin": "round", "paint-order": "stroke", "text-anchor": "middle", "dominant-baseline": "central", ...turned })
      .textContent = text.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");
  }
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
    this.nodes = [];
    this.edges = [];
    this.things = new Map();
    this.chosen = this.hovered = this.near = null;
    this.labels = [];
    this.left = { relationships: new Set(), nodes: new Set(), undated: true }; // types that are left out
    this.zoom = { scale: 1, x: 0, y: 0 };
    this.take(data);
    this.build();
    this.readColours();
    this.listen();
    this.resize();
    if (this.height > 1.15 * this.width) this.stack();
    this.fit();
    this.follow();
  }

  take(data, around = null) { // nodes and relationships that are not here yet; new nodes come around one
    const fresh = data.nodes.filter(node => !this.things.has(node.id));
    for (const each of fresh) {
      const node = { ...each, edges: [], short: short(each.name), plain: plain(each.name) };
      if (around) this.settle(node, around);
      this.nodes.push(node);
      this.things.set(node.id, node);
    }
    for (const each of data.edges.filter(edge => !this.things.has(edge.id))) {
      const edge = { ...each, from: this.things.get(each.source), to: this.things.get(each.target), isEdge: true };
      const count = 1 + edge.from.edges.filter(other => other.from === edge.to || other.to === edge.to).length;
      edge.bend = (0.05 + 0.1 * Math.floor(count / 2)) * (count % 2 ? 1 : -1) * (edge.source < edge.target ? 1 : -1);
      edge.name = `${edge.from.name} – ${words(edge.type)} → ${edge.to.name}`;
      edge.from.edges.push(edge);
      if (edge.to !== edge.from) edge.to.edges.push(edge);
      this.edges.push(edge);
      this.things.set(edge.id, edge);
    }
    this.ranked = [...this.nodes].sort((one, other) => other.size - one.size || other.degree - one.degree);
    this.sift();
    return fresh.length;
  }

  settle(node, around) { // at the nearest free spot of a spiral, outside of other places
    node.place = around.place;
    const isIn = ({ x, y }, [left, top, right, bottom]) => left < x + 0.4 && x - 0.4 < right && top < y + 0.3 && y - 0.3 < bottom;
    const others = this.data.places.map(each => each[1]).filter(each => !isIn(around, each));
    for (let turn = 4; turn < 4000; turn++) {
      const angle = turn * 2.4, reach = 0.3 * Math.sqrt(turn);
      [node.x, node.y] = [around.x + 1.4 * reach * Math.cos(angle), around.y + reach * Math.sin(angle)];
      if (others.some(each => isIn(node, each))) continue;
      if (!this.nodes.some(other => Math.abs(other.x - node.x) < 0.9 && Math.abs(other.y - node.y) < 0.35 + node.size + other.size)) return;
    }
  }

  sift() { // find what the filter leaves: `seen` of nodes and of relationships
    const { relationships, nodes, from, to, undated } = this.left;
    const isIn = years => years.length ? Math.max(...years) >= (from ?? -Infinity) && Math.min(...years) <= (to ?? Infinity) : undated;
    for (const edge of this.edges) edge.seen = !relationships.has(edge.type) && isIn(edge.years) && !nodes.has(edge.from.type) && !nodes.has(edge.to.type);
    for (const node of this.nodes) node.seen = !nodes.has(node.type) && (!node.edges.length || node.edges.some(edge => edge.seen));
    if (this.chosen && !this.chosen.seen) this.choose(null);
    if (this.caption) this.writeCaption();
  }

  get seen() { return this.nodes.filter(node => node.seen); }

  build() {
    this.root.replaceChildren();
    const stage = add(this.root, "div", "kg-stage");
    this.canvas = add(stage, "canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
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
    this.caption = add(side, "p", "kg-note");
    this.caption.setAttribute("role", "status");
    this.search = add(side, "input", "kg-search");
    Object.assign(this.search, { type: "search", placeholder: "Search a name", autocomplete: "off" });
    this.search.setAttribute("aria-label", "Search a name");
    this.hits = add(side, "div", "kg-hits");
    this.legend = add(side, "div", "kg-legend");
    this.filter = add(side, "details", "kg-filter");
    this.card = add(side, "section", "kg-card");
    this.card.setAttribute("aria-live", "polite");
    this.card.setAttribute("aria-label", "What is chosen");
    const save = add(side, "details", "kg-save");
    add(save, "summary", "", "Save what is seen");
    button(save, "", "Picture, SVG", () => this.save("svg", "image/svg+xml", this.asSvg()));
    button(save, "", "Nodes and relationships, JSON", () => this.save("json", "application/json", JSON.stringify(this.asData(), null, 1)));
    button(save, "", "Relationships, CSV", () => this.save("csv", "text/csv", this.asCsv()));
    this.writeLegend();
    this.writeFilter();
    this.writeCaption();
  }

  writeCaption() {
    const seen = this.seen.length, all = this.nodes.length, added = all - this.data.nodes.length;
    const parts = [this.data.caption];
    if (added) parts.push(`${added} neighbours were added`);
    if (seen < all) parts.push(`${seen} of ${all} are seen: the filter leaves out the others`);
    this.caption.textContent = parts.join(". ") + ".";
    this.canvas.setAttribute("aria-label", `Graph of ${seen} nodes. Arrows go to the next node, E shows its neighbours, plus and minus zoom, 0 shows all.`);
  }

  writeFilter() {
    const isOpen = this.filter.open, { left } = this, years = this.edges.flatMap(edge => edge.years);
    const act = () => { this.sift(); this.redraw(); };
    this.filter.replaceChildren();
    this.filter.open = isOpen;
    add(this.filter, "summary", "", "Filter");
    for (const [name, out, values] of [["Relationships", left.relationships, this.edges], ["Nodes", left.nodes, this.nodes]]) {
      const list = add(this.filter, "fieldset"), counts = new Map();
      for (const { type } of values) counts.set(type, (counts.get(type) ?? 0) + 1);
      add(list, "legend", "", name);
      const kinds = [...counts].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
      const ticks = kinds.map(([type, count]) => box(list, `${out === left.nodes ? type : words(type)} ${count}`, !out.has(type), isOn => { out[isOn ? "delete" : "add"](type); act(); }));
      if (kinds.length > 1) {
        button(list, "kg-link", "all or none", () => {
          const isOn = out.size > 0;
          out.clear();
          for (const [at, tick] of ticks.entries()) { tick.checked = isOn; if (!isOn) out.add(kinds[at][0]); }
          act();
        });
      }
    }
    if (!years.length) return;
    const list = add(this.filter, "fieldset"), ends = { from: Math.min(...years), to: Math.max(...years) };
    add(list, "legend", "", "Years");
    for (const [end, year] of Object.entries(ends)) {
      const label = add(list, "label", "", end), input = add(label, "input", "kg-year");
      Object.assign(input, { type: "number", min: ends.from, max: ends.to, placeholder: year, value: left[end] ?? "" });
      input.addEventListener("input", () => { left[end] = Number.isFinite(input.valueAsNumber) ? input.valueAsNumber : undefined; act(); });
    }
    box(list, "relationships without a year", left.undated, isOn => { left.undated = isOn; act(); });
  }

  writeLegend() {
    this.legend.replaceChildren();
    const kinds = Object.keys(this.data.legends);
    this.colours = new Map(this.data.legends[this.colourBy].map(each => [each.value, each.colour]));
    const counted = each => this.nodes.filter(node => node[this.colourBy] === each.value).length;
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
      add(group, "span", "kg-count", String(counted(each)));
    }
  }

  readColours() {
    const style = getComputedStyle(this.root);
    this.paint = Object.fromEntries(["ink", "back", "line", "strong", "room"].map(name => [name, style.getPropertyValue("--kg-" + name).trim()]));
    this.font = style.fontFamily;
    this.redraw();
  }

  // ---- where things are on the canvas

  stack() { // places go below each other on a tall canvas
    const rooms = [...new Set(this.nodes.map(node => node.place))].map(place => {
      const nodes = this.nodes.filter(node => node.place === place), [{ x, y }] = nodes;
      const own = nodes.length > 2 ? this.data.places.find(([, [left, top, right, bottom]]) => left < x && x < right && top < y && y < bottom) : null;
      const xs = nodes.map(node => node.x), ys = nodes.map(node => node.y);
      const [left, top, right, bottom] = own?.[1] ?? [Math.min(...xs) - 0.4, Math.min(...ys) - 0.2, Math.max(...xs) + 0.4, Math.max(...ys) + 0.4];
      const [ax, ay] = [(left + right) / 2, (top + bottom) / 2];
      return { nodes, own, ax, ay, wide: (right - left) / 2 + 0.1, high: (bottom - top) / 2 + 0.1 };
    });
    const best = [1, 0.8, 0.6].map(narrow => this.pack(rooms.map(room => ({ ...room, x: room.ax * narrow, y: room.ay / narrow })))).sort((one, other) => other.scale - one.scale)[0];
    for (const { nodes, own, ax, ay, x, y } of best.rooms) {
      for (const node of nodes) { node.x += x - ax; node.y += y - ay; }
      if (own) own[1] = own[1].map((each, side) => each + (side % 2 ? y - ay : x - ax));
    }
  }

  pack(rooms) { // together as far as there is room; the scale is that of all on the canvas
    for (let turn = 0; turn < 300; turn++) {
      if (turn < 150) for (const room of rooms) { room.x *= 0.97; room.y *= 0.97; }
      for (const [place, one] of rooms.entries()) {
        for (const other of rooms.slice(place + 1)) {
          const x = one.wide + other.wide - Math.abs(one.x - other.x), y = one.high + other.high - Math.abs(one.y - other.y);
          if (x <= 0 || y <= 0) continue;
          const [axis, by] = x / this.width < y / this.height ? ["x", x / 2] : ["y", y / 2], side = one[axis] < other[axis] ? -1 : 1;
          one[axis] += side * by;
          other[axis] -= side * by;
        }
      }
    }
    const span = (axis, half) => Math.max(...rooms.map(room => room[axis] + room[half])) - Math.min(...rooms.map(room => room[axis] - room[half]));
    return { rooms, scale: Math.min(this.width / span("x", "wide"), this.height / span("y", "high")) };
  }

  fit() {
    const seen = this.seen, boxes = this.data.places.map(each => each[1]).filter(() => seen.length === this.nodes.length);
    const xs = [...seen.flatMap(node => [node.x - 0.4, node.x + 0.4]), ...boxes.flatMap(each => [each[0], each[2]])];
    const ys = [...seen.flatMap(node => [node.y - node.size, node.y + node.size + 0.2]), ...boxes.flatMap(each => [each[1], each[3]])];
    if (!xs.length) return;
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const scale = Math.min((this.width - 24) / (right - left), (this.height - 24) / (bottom - top), 140);
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
    for (const node of this.seen) {
      const [ax, ay] = this.at(node), distance = Math.hypot(ax - x, ay - y) - Math.max(this.radius(node), 8);
      if (distance < least) { best = node; least = distance; }
    }
    if (best) return best;
    least = 6;
    for (const edge of this.edges.filter(each => each.seen)) {
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
    this.drawPlaces();
    const seen = this.edges.filter(edge => edge.seen), isNear = edge => !this.near || this.near.has(edge), isFar = edge => edge.from.place !== edge.to.place;
    const clear = seen.filter(isNear);
    this.drawLines(seen.filter(edge => !isNear(edge)), this.paint.line, 0.12, 1);
    if (this.near) this.drawLines(clear, this.paint.strong, 0.75, 1.6);
    else {
      this.drawLines(clear.filter(isFar), this.paint.line, clear.length < FEW ? 0.5 : 0.25, 1);
      this.drawLines(clear.filter(edge => !isFar(edge)), this.paint.line, 0.7, 1.1);
    }
    for (const node of [...this.ranked].reverse()) if (node.seen) this.drawNode(node, !this.near || this.near.has(node));
    this.drawNames(this.near || clear.length < FEW ? clear : clear.filter(edge => !isFar(edge)));
  }

  drawPlaces() {
    const { pen } = this, { scale, x, y } = this.zoom;
    for (const [, [left, top, right, bottom]] of this.data.places) {
      pen.beginPath();
      pen.roundRect(left * scale + x, top * scale + y, (right - left) * scale, (bottom - top) * scale, Math.min(14, 0.14 * scale));
      pen.fillStyle = this.paint.room;
      pen.fill();
    }
  }

  drawLines(edges, colour, alpha, width) {
    const { pen } = this, heads = [];
    Object.assign(pen, { strokeStyle: colour, fillStyle: colour, lineWidth: width, globalAlpha: alpha });
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
      if (Math.hypot(bx - ax, by - ay) > reach + this.radius(edge.from) + size) heads.push([tip, angle, size]);
    }
    pen.stroke();
    pen.beginPath();
    for (const [[x, y], angle, size] of heads) {
      pen.moveTo(x, y);
      for (const side of [-0.4, 0.4]) pen.lineTo(x - size * Math.cos(angle + side), y - size * Math.sin(angle + side));
      pen.closePath();
    }
    pen.fill();
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
    const bright = this.ranked.filter(node => node.seen && (!this.near || this.near.has(node)));
    for (const node of bright) {
      const [x, y] = this.at(node), reach = 0.8 * this.radius(node);
      taken.add({ left: x - reach, right: x + reach, top: y - reach, bottom: y + reach, owner: node });
    }
    const tools = this.tools.getBoundingClientRect(), stage = this.canvas.getBoundingClientRect();
    taken.add({ left: 0, right: tools.right - stage.left, top: tools.top - stage.top, bottom: this.height, owner: null });
    const largest = this.ranked[0]?.size || 1, { scale } = this.zoom;
    this.pen.font = `600 13px ${this.font}`;
    for (const [title, [left, top, right]] of this.near ? [] : this.data.places) {
      const half = this.pen.measureText(title).width / 2;
      if (title) this.write(taken, {}, title, half, 13, [[(left + right) / 2 * scale + this.zoom.x, top * scale + this.zoom.y + 11]], true);
    }
    let always = Math.ceil(Math.sqrt(bright.length)); // over nodes, where there is no room beside them
    for (const node of bright.sort((one, other) => (other === this.chosen) - (one === this.chosen))) {
      const height = Math.round(11 + 5 * Math.min(node.size / 0.3, 1) ** 2);
      this.pen.font = `${node === this.chosen ? 700 : node.size > 0.7 * largest && node.degree > 4 ? 600 : 400} ${height}px ${this.font}`;
      const [x, y] = this.at(node), reach = this.radius(node) + 3, half = this.pen.measureText(node.short).width / 2;
      const places = SIDES.map(([right, down]) => [x + right * reach + Math.sign(right) * half, y + down * (reach + height / 2)]);
      this.write(taken, node, node.short, half, height, places, always-- > 0);
    }
    this.pen.font = `italic 11px ${this.font}`;
    for (const edge of typed) {
      const text = words(edge.type), half = this.pen.measureText(text).width / 2, [ax, ay] = this.at(edge.from), [bx, by] = this.at(edge.to);
      if (!this.near && Math.hypot(bx - ax, by - ay) < 2 * half + this.radius(edge.from) + this.radius(edge.to)) continue;
      const [one, other] = ax < bx ? [ay, by] : [by, ay], turn = edge.from === edge.to ? 0 : Math.atan2(other - one, Math.abs(bx - ax));
      this.write(taken, edge, text, half, 11, [0.5, 0.4, 0.6, 0.32, 0.68].map(share => this.along(edge, share)), false, turn);
    }
  }

  write(taken, owner, text, half, height, places, anywhere = false, turn = 0) {
    const { pen } = this, [across, up] = [Math.abs(Math.cos(turn)), Math.abs(Math.sin(turn))];
    const wide = half * across + height / 2 * up + 2, high = half * up + height / 2 * across + 1;
    for (const [place, [x, y]] of [...places, ...anywhere ? places : []].entries()) {
      const box = { left: x - wide, right: x + wide, top: y - high, bottom: y + high };
      if (box.left < 0 || box.right > this.width || box.top < 0 || box.bottom > this.height) continue;
      if (!taken.free(box, owner, place >= places.length)) continue;
      taken.add({ ...box, owner: null });
      this.labels.push({ ...box, text, id: owner.id });
      Object.assign(pen, { textAlign: "center", textBaseline: "middle", lineJoin: "round", lineWidth: 3.5, strokeStyle: this.paint.back, fillStyle: this.paint.ink });
      pen.save();
      if (turn) { pen.translate(x, y); pen.rotate(turn); }
      pen.strokeText(text, ...turn ? [0, 0] : [x, y]);
      pen.fillText(text, ...turn ? [0, 0] : [x, y]);
      pen.restore();
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

  writeCard() {
    const { card, chosen } = this;
    card.replaceChildren();
    if (!chosen) {
      add(card, "h2", "", this.data.title);
      add(card, "p", "kg-note", "Choose a node or a line for its quotes.");
      add(card, "h3", "", "Most connected");
      for (const node of this.ranked.filter(each => each.seen).slice(0, HITS)) button(card, "kg-line", node.name, () => this.choose(node.id, true));
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
    if (!chosen.isEdge) this.writeMore(card, chosen);
    if (!chosen.isEdge) this.list(card, chosen);
    this.writeDetail(place, this.detail(chosen.id));
  }

  detail(id) { return this.data.details[id] ?? { description: "", evidence: 0, quotes: [] }; }

  writeMore(parent, node) { // how many relationships are not here, and where a server has them a button
    const more = node.degree - node.edges.length;
    if (more <= 0) return;
    const note = add(parent, "p", "kg-note", `${node.edges.length} of ${node.degree} relationships are here. `);
    if (!this.data.more_at) return;
    button(parent, "kg-more", `Show more neighbours`, () => this.expand(node, note));
  }

  async expand(node, note = null) { // with neighbours that a server gives, and what relates them to what is here
    if (!this.data.more_at || this.asking || node.isEdge) return;
    this.asking = true;
    try {
      const num = each => BigInt(each.id.slice(1)).toString(36); // ids are "n" and the num of an entity
      const given = new URLSearchParams({ around: num(node), nums: this.nodes.map(num).join("-"), limit: Math.min(this.nodes.length + MORE, MOST) });
      const answer = await fetch(this.data.more_at + "?" + given, { headers: { accept: "application/json" } });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const { picture } = await answer.json();
      const hadFocus = this.card.contains(document.activeElement);
      this.adopt(picture);
      const count = this.take(picture, node);
      for (const each of picture.nodes) Object.assign(this.things.get(each.id), { degree: each.degree });
      Object.assign(this.data.details, picture.details);
      this.writeLegend();
      this.writeFilter();
      this.writeCaption();
      this.choose(node.id);
      if (hadFocus) (this.card.querySelector(".kg-more") ?? this.canvas).focus();
      if (this.nodes.map(each => this.at(each)).some(([x, y]) => x < 0 || y < 0 || x > this.width || y > this.height)) this.fit();
      if (!count) add(this.card, "p", "kg-note", "There are no other neighbours to show.");
    } catch (error) {
      add(note ?? this.card, "span", "", `More could not be read: ${error.message}`);
    } finally { this.asking = false; }
  }

  adopt({ legends }) { // groups that are new here; those that are known keep their colours
    for (const [kind, own] of Object.entries(this.data.legends)) {
      const known = new Map(own.map(each => [each.value, each])), used = new Set(own.map(each => each.colour));
      const free = legends[kind].map(each => each.colour).filter(colour => !used.has(colour));
      for (const each of legends[kind]) if (!known.has(each.value)) own.push({ ...each, colour: used.has(each.colour) ? free.shift() ?? "#9aa0a6" : each.colour });
    }
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
    const edges = node.edges.filter(edge => edge.seen);
    if (edges.length) add(parent, "h3", "", "Connections");
    for (const edge of edges.slice(0, LISTED)) {
      const isOut = edge.from === node;
      const line = button(parent, "kg-line", undefined, () => this.choose(edge.id));
      add(line, "span", "kg-type", `${isOut ? "→" : "←"} ${words(edge.type)}`);
      add(line, "span", "", (isOut ? edge.to : edge.from).name);
    }
    if (edges.length > LISTED) add(parent, "p", "kg-note", `and ${edges.length - LISTED} more`);
  }

  find() {
    const wanted = plain(this.search.value.trim());
    this.hits.replaceChildren();
    this.found = wanted ? this.ranked.filter(node => node.seen && node.plain.includes(wanted)) : [];
    if (!wanted) return this.choose(null);
    for (const node of this.found.slice(0, HITS)) button(this.hits, "kg-line", node.name, () => this.choose(node.id, true));
    const rest = this.found.length - HITS;
    if (rest > 0 || !this.found.length) add(this.hits, "p", "kg-note", this.found.length ? `and ${rest} more` : `No such name among ${this.seen.length} nodes.`);
    this.bring(this.found);
  }

  // ---- what people take with them

  asSvg() {
    const pen = this.pen;
    this.pen = new Drawing(this.width, this.height, pen);
    try {
      this.pen.put("rect", { width: "100%", height: "100%", fill: this.paint.back });
      this.draw();
      return new XMLSerializer().serializeToString(this.pen.root);
    } finally { this.pen = pen; this.draw(); }
  }

  asData() {
    const nodes = this.seen.map(({ id, name, type, community }) => ({ id, name, type, community }));
    const relationships = this.edges.filter(edge => edge.seen).map(({ source, type, target, years }) => ({ source, type, target, years }));
    return { graph: this.data.title, nodes, relationships };
  }

  asCsv() { // a cell that a spreadsheet would compute begins with an apostrophe
    const rows = this.edges.filter(edge => edge.seen).map(({ from, type, to, years }) => [from.name, from.type, type, to.name, to.type, years[0] ?? "", years.at(-1) ?? ""]);
    const cell = value => typeof value === "number" ? value : `"${value.replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;
    return [["source", "source_type", "relationship", "target", "target_type", "from", "to"], ...rows].map(row => row.map(cell).join()).join("\r\n") + "\r\n";
  }

  save(suffix, type, text) {
    const file = document.createElement("a");
    file.href = URL.createObjectURL(new Blob([text], { type }));
    file.download = `${this.data.title.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60) || "graph"}.${suffix}`;
    file.click();
    setTimeout(() => URL.revokeObjectURL(file.href), 10_000);
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
    canvas.addEventListener("dblclick", event => { const thing = this.hit(...here(event)); if (thing) this.expand(thing); });
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
    else if ("eE".includes(event.key) && this.chosen) this.expand(this.chosen);
    else return;
    event.preventDefault();
  }

  go(right, down) { // to the nearest node on that side, or first to the largest
    if (!this.chosen) return this.choose(this.ranked.find(node => node.seen)?.id ?? null, true);
    const start = this.chosen.isEdge ? this.chosen.from : this.chosen;
    let best = null, least = Infinity;
    for (const node of this.seen) {
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
