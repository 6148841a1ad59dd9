// The list of papers, and the way to add some where the server takes any.

import { get, Problem, upload } from "./api.js";
import { count, element, fill } from "./dom.js";
import { explain } from "./problem.js";

const PAGE = 500;
const MOST_SHOWN = 200;
const byId = (id) => document.getElementById(id);
let papers = [];

function row({ id, title, year, chunks, metadata }) {
  const facts = [year, id, count(chunks, "passage"), metadata.retracted ? "retracted" : ""];
  return element(
    "li",
    element("span.title", title || id),
    element("span.facts.quiet", facts.filter(Boolean).join(" · ")),
  );
}

function words({ id, title, year, metadata }) {
  return [id, title, year, ...Object.values(metadata).flat()].join(" ").toLowerCase();
}

function show() {
  const wanted = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = papers.filter((paper) => wanted.every((word) => words(paper).includes(word)));
  fill(byId("papers"), ...found.slice(0, MOST_SHOWN).map(row));
  const cut = found.length > MOST_SHOWN ? `, the first ${MOST_SHOWN} are shown` : "";
  byId("shown").textContent = `${count(found.length, "paper")}${cut}`;
}

async function load() {
  try {
    const found = [];
    let page;
    do {
      page = await get(`api/documents?limit=${PAGE}&offset=${found.length}`);
      found.push(...page.documents);
    } while (page.documents.length && found.length < page.total);
    papers = found;
    byId("status").textContent = count(page.total, "paper");
    byId("upload").hidden = !page.takes_uploads;
    byId("formats").textContent = `Add papers: ${page.formats}`;
    byId("file").accept = page.endings.join(",");
    byId("problem").hidden = true;
    show();
  } catch (error) {
    explain(error, load);
  }
}

async function send(event) {
  event.preventDefault();
  const files = [...byId("file").files];
  byId("send").disabled = true;
  for (const file of files) {
    const line = element("li", `${file.name}: being read`);
    byId("taken").append(line);
    line.textContent = await taken(file);
  }
  byId("send").disabled = false;
  byId("file").value = "";
  if (files.length) await load();
  byId("file").focus();
}

/** What became of a file, in words. */
async function taken(file) {
  try {
    const { id, title, passages, notes } = await upload(file);
    return [`${file.name}: added as ${title || id}, ${count(passages, "passage")}`, ...notes].join("; ");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return `${file.name}: not added: ${error.message}. ${error.next}`;
  }
}

byId("search").addEventListener("input", show);
byId("upload").addEventListener("submit", send);
load();
