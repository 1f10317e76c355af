"use strict";
// Keeps the last questions of this browser, those of each graph apart. The server keeps none.
const MOST = 30;
const answer = document.querySelector("#answer[data-graph]");
const box = document.getElementById("history");
const key = `kg-questions:${(answer ?? box).dataset.graph}`;
const read = () => {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(kept) ? kept.filter((each) => typeof each?.question === "string" && /^\/(?!\/)/.test(each.address)) : [];
  } catch {
    return []; // a browser may forbid it
  }
};
if (answer) {
  const asked = { question: answer.dataset.question, address: location.pathname + location.search };
  try {
    const others = read().filter((each) => each.address !== asked.address);
    localStorage.setItem(key, JSON.stringify([asked, ...others].slice(0, MOST)));
  } catch { /* likewise */ }
}
if (box) {
  const kept = read();
  box.hidden = kept.length === 0;
  box.querySelector("ul").replaceChildren(...kept.map((each) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = each.address;
    link.textContent = each.question;
    link.dir = "auto";
    item.append(link);
    return item;
  }));
  box.querySelector("button").addEventListener("click", () => {
    localStorage.removeItem(key);
    box.hidden = true;
  });
}
