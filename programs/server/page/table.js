// The table view: asks every paper every question, and opens a cell at its quote.

import { get, Problem, tabulate } from "./api.js";
import { button, count, element, fill } from "./dom.js";
import { tableExports } from "./exports.js";
import { Filters } from "./filters.js";
import { Panel } from "./panel.js";
import { explain } from "./problem.js";
import { Progress } from "./progress.js";

const NOT_FOUND = "not found without a model";
const CLASSES = { reported: "reported", "not reported": "silent" };
const byId = (id) => document.getElementById(id);
const filters = new Filters(byId("chips"), byId("add-filter"), byId("editor"));
const panel = new Panel(byId("panel"));
const progress = new Progress(byId("progress"));
let running = null;

/** "dose: What was the dose? [number in mg]" as POST /api/table takes a column; throws a Problem. */
export function column(line) {
  const [, name, question, kind = "text"] = /^\s*([^:]+?)\s*:\s*(.+?)\s*(?:\[([^\[\]]+)\]\s*)?$/.exec(line) ?? [];
  if (!name) throw new Problem({ message: `“${line.trim()}” is not a column.`, next: "Write it as name: question [type]." });
  const [, unit] = /^number in (.+)$/.exec(kind) ?? [];
  if (unit) return { name, question, type: "number", unit };
  if (kind.includes("|")) return { name, question, type: "choices", choices: kind.split("|").map((each) => each.trim()) };
  return { name, question, type: kind };
}

function request() {
  const lines = byId("columns").value.split("\n").filter((line) => line.trim());
  const asked = { columns: lines.map(column) };
  const [find, limit] = [byId("find").value.trim(), byId("limit").valueAsNumber];
  if (find) asked.find = find;
  if (Number.isInteger(limit)) asked.limit = limit;
  if (Object.keys(filters.values).length) asked.filters = { ...filters.values };
  return asked;
}

async function send() {
  if (running) return;
  running = new AbortController();
  byId("problem").hidden = true;
  panel.leave();
  fill(byId("filled"));
  busy(true);
  progress.start();
  try {
    const table = await tabulate(request(), told, running.signal);
    progress.end("done");
    show(table);
  } catch (error) {
    progress.end(error.name === "AbortError" ? "cancelled" : "failed");
    if (error.name !== "AbortError") explain(error, send);
  } finally {
    running = null;
    busy(false);
  }
}

/** A step: the table with its empty cells, then a cell as it was filled. */
function told({ name, message, facts }) {
  if (name !== "table") return;
  progress.add({ message });
  if (facts.table) fill(byId("filled"), framed(facts.table));
  if (!facts.cell) return;
  const place = [...byId("filled").querySelectorAll("td")].find(({ paper, column }) => paper === facts.paper && column === facts.column);
  place?.replaceWith(cellOf(facts.cell, { name: facts.column }, facts.paper));
}

function busy(is) {
  byId("send").hidden = is;
  byId("cancel").hidden = !is;
}

function show(table) {
  const cells = table.rows.flatMap((row) => row.cells);
  const filled = cells.filter(({ status }) => status === "reported").length;
  const how = table.lm === "extractive" ? "quoted from its paper" : "proved by a passage";
  const summary = `${count(filled, "cell")} of ${cells.length} ${how}`;
  byId("announcement").textContent = summary;
  const notes = table.notes.map((note) => element("p", note));
  const at = [...byId("filled").querySelectorAll(".cell")].indexOf(document.activeElement);
  panel.leave();
  fill(
    byId("filled"),
    element("p.summary", `${count(table.rows.length, "paper")} × ${count(table.columns.length, "question")}: ${summary}.`),
    notes.length ? element("div.notes", ...notes) : null,
    framed(table),
    tableExports(table),
  );
  byId("filled").querySelectorAll(".cell")[at]?.focus();
}

function framed(table) {
  return element("div.frame", { tabindex: 0, role: "region", "aria-label": "Evidence table" }, drawn(table));
}

function drawn(table) {
  const head = table.columns.map(({ name, question }) => element("th", { scope: "col" }, name, element("span.quiet", question)));
  const rows = table.rows.map((row) => {
    const about = [row.key || row.document_id, row.journal].filter(Boolean).join(", ");
    const to = { href: `papers.html#${encodeURIComponent(row.document_id)}` };
    const title = element("th", { scope: "row" }, element("a", to, row.title || row.document_id), element("span.quiet", about));
    return element("tr", title, ...row.cells.map((cell, place) => cellOf(cell, table.columns[place], row.document_id)));
  });
  const sums = table.summary.map(({ column: name, text }) => element("td", { "data-label": name }, text));
  return element(
    "table",
    element("thead", element("tr", element("th", { scope: "col" }, "Paper"), ...head)),
    element("tbody", { keydown: step }, ...rows),
    element("tfoot", element("tr", element("th", { scope: "row" }, "All papers"), ...sums)),
  );
}

function cellOf(cell, { name }, paper) {
  const lacking = cell.status === "not reported" && cell.result.metrics?.lm_calls === 0 ? NOT_FOUND : cell.status;
  const open = ({ currentTarget }) => opened(cell, currentTarget);
  const shown = button(`cell.${CLASSES[cell.status] ?? "failed"}`, cell.result.value?.text ?? lacking, open, { title: cell.error || null });
  const made = element("td", { "data-label": name }, cell.status === "not asked" && running ? "…" : shown);
  return Object.assign(made, { paper, column: name });
}

function opened(cell, opener) {
  const { passages = [], citations = [] } = cell.result;
  if (!passages.length) return;
  const proof = citations.find(({ verdict, quote }) => verdict === "supported" && quote);
  if (proof) panel.openCitation(cell.result, proof, opener);
  else panel.open(cell.result, passages[0], undefined, opener);
}

const STEPS = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };

/** Arrows go from cell to cell. */
function step(event) {
  const [down, right] = STEPS[event.key] ?? [];
  const cell = event.target.closest(".cell");
  if (!cell || down === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  const row = cell.closest("tr");
  const rows = [...row.parentElement.rows];
  const place = [...row.querySelectorAll(".cell")].indexOf(cell);
  const next = rows[rows.indexOf(row) + down]?.querySelectorAll(".cell")[place + right];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

async function load() {
  try {
    const asked = ["health", "api/fields", "api/documents?limit=1"];
    const [{ lm }, { fields }, { total }] = await Promise.all(asked.map(get));
    byId("no-model").hidden = lm !== "extractive";
    filters.offer(fields);
    byId("status").textContent = count(total, "paper");
    byId("problem").hidden = true;
  } catch (error) {
    explain(error, load);
  }
}

byId("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  send();
});
byId("cancel").addEventListener("click", () => running?.abort());
load();
