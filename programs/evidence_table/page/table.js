"use strict";
// Sorts and filters the rows, and shows a cell's quote in its passage. Texts of papers are only ever set as text.

const { columns, rows } = JSON.parse(document.getElementById("data").textContent);
const body = document.querySelector("#cells tbody");
const lines = [...body.rows];
const panel = document.getElementById("panel");
const search = document.getElementById("search");
const selects = [...document.querySelectorAll("select[data-column]")];
const sorters = [...document.querySelectorAll(".sorter")];
const sortChoice = document.getElementById("sort");
const order = { by: "", descending: false };

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// Filtering

function folded(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

const texts = rows.map((row) =>
  folded([row.title, row.id, row.year ?? "", ...row.cells.map((cell) => cell.text)].join("\n")));

function isShown(number) {
  const words = folded(search.value).split(/\s+/).filter(Boolean);
  if (!words.every((word) => texts[number].includes(word))) return false;
  return selects.every(({ value, dataset }) => {
    const cell = rows[number].cells[Number(dataset.column)];
    if (!value) return true;
    return value.startsWith("=") ? cell.status === "reported" && cell.text === value.slice(1) : cell.status === value;
  });
}

function filter() {
  let shown = 0;
  for (const line of lines) {
    line.hidden = !isShown(Number(line.dataset.row));
    shown += line.hidden ? 0 : 1;
  }
  document.getElementById("shown").textContent = `${shown} of ${rows.length} papers`;
}

// Sorting: numbers by value, texts by the alphabet, cells without a value last in both directions

function key(number, by) {
  const row = rows[number];
  if (by === "") return number;
  if (by === "paper") return row.title || row.id;
  if (by === "year") return row.year;
  const cell = row.cells[Number(by)];
  if (cell.status !== "reported") return null;
  return columns[Number(by)].type === "number" ? cell.number : cell.text;
}

function compared(one, other) {
  if (one === null || other === null) return (one === null) - (other === null);
  const found = typeof one === "number" ? one - other : one.localeCompare(other, undefined, { numeric: true });
  return order.descending ? -found : found;
}

function sort(by, descending) {
  Object.assign(order, { by, descending });
  const keyed = lines.map((line) => ({ line, key: key(Number(line.dataset.row), by), at: Number(line.dataset.row) }));
  keyed.sort((one, other) => compared(one.key, other.key) || one.at - other.at);
  body.append(...keyed.map((each) => each.line));
  sortChoice.value = by;
  for (const sorter of sorters) {
    const head = sorter.closest("th");
    if (sorter.dataset.sort !== by) head.removeAttribute("aria-sort");
    else head.setAttribute("aria-sort", descending ? "descending" : "ascending");
  }
}

// A cell's evidence

function marked(passage) {
  const quote = element("blockquote");
  const points = Array.from(passage.text); // offsets count code points
  let at = 0;
  for (const [start, end] of passage.marks) {
    quote.append(points.slice(at, start).join(""), element("mark", points.slice(start, end).join("")));
    at = end;
  }
  quote.append(points.slice(at).join(""));
  return quote;
}

function section(title, ...parts) {
  const made = element("section");
  made.append(element("h3", title), ...parts);
  return made;
}

function facts(pairs) {
  const list = element("dl");
  for (const [name, value] of pairs) {
    if (value !== "" && value !== null && value !== undefined) list.append(element("dt", name), element("dd", String(value)));
  }
  return list;
}

function show(row, column) {
  const paper = rows[row];
  const cell = paper.cells[column];
  document.getElementById("panel-title").textContent = columns[column].question;
  const parts = [element("p", cell.text, "value")];
  if (cell.sentence) parts.push(section(cell.verdict === "quoted" ? "Quoted sentence" : "Proved sentence", element("p", cell.sentence)));
  if (cell.why) parts.push(element("p", cell.why, "quiet"));
  cell.passages.forEach((passage) => {
    const title = cell.status === "reported" ? "In its passage" : "The nearest evidence";
    const place = [passage.section, passage.heading, passage.page ? `page ${passage.page}` : ""].filter(Boolean).join(", ");
    parts.push(section(`${title}: ${place}`, marked(passage)));
  });
  parts.push(facts([
    ["Paper", paper.title || paper.id], ["Id", paper.id], ["Year", paper.year], ["DOI", paper.doi],
    ["Verdict", cell.verdict], ["Probability", cell.score], ["Judged by", cell.judge],
  ]));
  document.getElementById("panel-body").replaceChildren(...parts);
  panel.showModal();
  panel.querySelector("mark")?.scrollIntoView({ block: "nearest" });
  panel.scrollTop = 0;
}

// Keys: arrows go from cell to cell, Enter opens, Escape closes

const STEPS = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };

function step(event) {
  const from = event.target.closest(".cell");
  const by = STEPS[event.key];
  if (!from || !by || event.altKey || event.ctrlKey || event.metaKey) return;
  const shown = [...body.rows].filter((line) => !line.hidden);
  const line = shown[shown.indexOf(from.closest("tr")) + by[0]];
  const next = line?.querySelectorAll(".cell")[Number(from.dataset.column) + by[1]];
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.scrollIntoView({ block: "nearest", inline: "nearest" });
}

body.addEventListener("click", ({ target }) => {
  const cell = target.closest(".cell");
  if (cell) show(Number(cell.dataset.row), Number(cell.dataset.column));
});
body.addEventListener("keydown", step);
search.addEventListener("input", filter);
for (const select of selects) select.addEventListener("change", filter);
sortChoice.addEventListener("change", () => sort(sortChoice.value, false));
for (const sorter of sorters) {
  sorter.disabled = false;
  sorter.addEventListener("click", () => sort(sorter.dataset.sort, order.by === sorter.dataset.sort && !order.descending));
}
document.getElementById("tools").addEventListener("submit", (event) => event.preventDefault());
document.getElementById("close").addEventListener("click", () => panel.close());
panel.addEventListener("click", ({ target }) => { if (target === panel) panel.close(); });
document.getElementById("tools").hidden = false;
filter();
