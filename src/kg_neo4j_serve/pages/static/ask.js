// Shows what a model writes as it comes; then opens the page of the checked answer, which has the same answer.
"use strict";
for (const form of document.querySelectorAll("form[data-stream]")) {
  const draft = document.getElementById("draft"), words = draft.querySelector(".words"), button = form.querySelector("button");
  let stream = null;
  form.addEventListener("submit", event => {
    event.preventDefault();
    stream?.close();
    const fields = [...new FormData(form)].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value);
    const goal = `${form.action}?${new URLSearchParams(fields)}`;
    const asked = fields.flatMap(([name, value]) => name === "question" || name === "mode" ? [[name, value]] : value.split(",").map(each => [name, each.trim()]));
    words.textContent = "";
    draft.hidden = false;
    button.disabled = true;
    document.getElementById("answer")?.remove();
    stream = new EventSource(`${form.dataset.stream}?${new URLSearchParams(asked)}`);
    stream.addEventListener("draft", event => { words.textContent += JSON.parse(event.data); });
    const open = () => { stream.close(); location.assign(goal); };
    stream.addEventListener("answer", open);
    stream.addEventListener("error", open); // also one of the connection: the page says what is wrong
  });
  window.addEventListener("pageshow", () => { button.disabled = false; draft.hidden = true; });
}
