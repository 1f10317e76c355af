"use strict";
// Files may be dropped anywhere on the field; what was chosen is listed.
const drop = document.getElementById("drop");
const files = document.getElementById("files");
const folder = document.getElementById("folder");
const list = () => {
  document.getElementById("chosen").textContent = [...files.files].map((file) => `${file.name} (${Math.ceil(file.size / 1000).toLocaleString("en")} kB)`).join(", ");
};
for (const name of ["dragenter", "dragover"]) {
  drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
}
for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  files.files = event.dataTransfer.files;
  list();
});
files.addEventListener("change", list);
folder.addEventListener("change", () => {
  const count = folder.files.length;
  document.getElementById("chosen-folder").textContent = count ? `${count.toLocaleString("en")} ${count === 1 ? "file" : "files"}` : "";
});
