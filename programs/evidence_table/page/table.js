"use strict";
// Sorts and filters the rows; that a cell opens at its quote needs no script.

const body = document.querySelector("#cells tbody");
const lines = [...body.rows];
const search = document.getElementById("search");
const selects = [...document.querySelectorAll("select[data-column]")];
const sorters = [...document.querySelectorAll(".sorter")];
const sortChoice = document.getElementById("sort");
const order = { by: "", descending: false };

function cellsOf(line) {
  return [...line.querySelectorAll(".cell")];
}

function folded(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

const texts = new Map(lines.map((line) => [line, folded([line.cells[0], ...cellsOf(line)].map((each) => each.textContent).join("\n"))]));

function isShown(line) {
  const words = folded(search.value).split(/\s+/).filter(Boolean);
  if (!words.every((word) => texts.get(line).includes(word))) return false;
  return selects.every(({ value, dataset }) => {
    const { dataset: { status }, textContent: text } = cellsOf(line)[Number(dataset.column)];
    if (!value) return true;
    return value.startsWith("=") ? status === "reported" && text === value.slice(1) : status === value;
  });
}

function filter() {
  for (const line of lines) line.hidden = !isShown(line);
  const shown = lines.filter((line) => !line.hidden).length;
  document.getElementById("shown").textContent = `${shown} of ${lines.length} papers`;
}

/** Numbers by value, texts by the alphabet; null for a cell without a value, which comes last in both directions. */
function key(line, by) {
  if (by === "") return Number(line.dataset.row);
  if (by === "paper") return line.querySelector(".name").textContent;
  if (by === "year") return line.dataset.year ? Number(line.dataset.year) : null;
  const { dataset: { status, number }, textContent: text } = cellsOf(line)[Number(by)];
  if (status !== "reported") return null;
  return number === undefined ? text : Number(number);
}

function compared(one, other) {
  if (one === null || other === null) return (one === null) - (other === null);
  const found = typeof one === "number" ? one - other : one.localeCompare(other, undefined, { numeric: true });
  return order.descending ? -found : found;
}

function sort(by, descending) {
  Object.assign(order, { by, descending });
  const sorted = lines.toSorted((one, other) => compared(key(one, by), key(other, by)) || key(one, "") - key(other, ""));
  body.append(...sorted);
  sortChoice.value = by;
  for (const sorter of sorters) {
    const head = sorter.closest("th");
    if (sorter.dataset.sort !== by) head.removeAttribute("aria-sort");
    else head.setAttribute("aria-sort", descending ? "descending" : "ascending");
  }
}

// Keys: arrows go from cell to cell, Enter opens, Escape closes

const STEPS = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };

function step(event) {
  const from = event.target.closest(".cell");
  const by = STEPS[event.key];
  if (!from || !by || event.altKey || event.ctrlKey || event.metaKey) return;
  const shown = [...body.rows].filter((line) => !line.hidden);
  const line = shown[shown.indexOf(from.closest("tr")) + by[0]];
  const next = line && cellsOf(line)[cellsOf(from.closest("tr")).indexOf(from) + by[1]];
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.scrollIntoView({ block: "nearest", inline: "nearest" });
}

body.addEventListener("keydown", step);
search.addEventListener("input", filter);
for (const select of selects) select.addEventListener("change", filter);
sortChoice.addEventListener("change", () => sort(sortChoice.value, false));
for (const sorter of sorters) {
  sorter.disabled = false;
  sorter.addEventListener("click", () => sort(sorter.dataset.sort, order.by === sorter.dataset.sort && !order.descending));
}
document.getElementById("tools").addEventListener("submit", (event) => event.preventDefault());
document.getElementById("tools").hidden = false;
filter();
