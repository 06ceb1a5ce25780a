"use strict";
for (const block of document.querySelectorAll(".table")) {
  const body = block.querySelector("tbody");
  const rows = Array.from(body.rows);
  const field = block.querySelector("input");
  if (field) {
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
    });
  }
  block.querySelectorAll("thead th").forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") === "descending";
      for (const other of block.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = (row) => {
        const cell = row.cells[column];
        return cell.dataset.key === undefined ? cell.textContent : Number(cell.dataset.key);
      };
      rows.sort((a, b) => {
        const x = key(a), y = key(b);
        const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
        return up ? order : -order;
      });
      body.append(...rows);
    });
  });
}
const PRINTED = 50;
addEventListener("beforeprint", () => {
  document.querySelectorAll("details").forEach((part) => { part.open = true; });
  for (const block of document.querySelectorAll(".table")) {
    const rows = Array.from(block.querySelectorAll("tbody tr")).filter((row) => !row.hidden);
    if (rows.length <= PRINTED) continue;
    rows.slice(PRINTED).forEach((row) => row.classList.add("unprinted"));
    const note = document.createElement("p");
    note.className = "printed";
    note.textContent = `${PRINTED} of ${rows.length.toLocaleString("en")} rows are printed.`;
    block.append(note);
  }
});
addEventListener("afterprint", () => {
  document.querySelectorAll(".unprinted").forEach((row) => row.classList.remove("unprinted"));
  document.querySelectorAll(".printed").forEach((note) => note.remove());
});
