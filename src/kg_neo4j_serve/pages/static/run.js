"use strict";
// Shows how far a load is. When it has ended, the page is read again.
const job = document.getElementById("job");
const shows = (name) => job.querySelector(`[data-shows="${name}"]`);
const bar = document.getElementById("bar");
const events = new EventSource(job.dataset.events);
events.addEventListener("job", (event) => {
  const now = JSON.parse(event.data);
  if (!["waiting", "running"].includes(now.state)) {
    events.close();
    location.reload();
    return;
  }
  shows("state").textContent = now.state;
  shows("stage").textContent = now.stage;
  shows("documents").textContent = now.documents.toLocaleString("en");
  shows("usd").textContent = now.usd === null ? "unknown" : `${now.usd.toFixed(4)} USD`;
  if (now.total) {
    bar.max = now.total;
    bar.value = now.done;
    shows("count").textContent = `${now.done.toLocaleString("en")} of ${now.total.toLocaleString("en")}`;
  } else {
    bar.removeAttribute("value");
    shows("count").textContent = now.done ? `${now.done.toLocaleString("en")} done` : "";
  }
});
