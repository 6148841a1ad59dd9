// The list of papers, and the way to add some where the server takes any.

import { get, Problem, removed, upload } from "./api.js";
import { button, count, element, fill } from "./dom.js";
import { Panel } from "./panel.js";
import { paperContent } from "./paper.js";
import { explain } from "./problem.js";

const PAGE = 500;
const MOST_SHOWN = 200;
const byId = (id) => document.getElementById(id);
const panel = new Panel(byId("panel"));
let papers = [];
let isOpen = false;

function row({ id, title, year, chunks, metadata }) {
  const authors = (metadata.authors ?? []).map((each) => each.split(",")[0]);
  const by = authors.length > 3 ? `${authors[0]} et al.` : authors.join(", ");
  const facts = [by, year, metadata.journal, id, count(chunks, "passage"), metadata.retracted ? "retracted" : ""];
  return element(
    "li",
    button("title", title || id, ({ currentTarget }) => opened(id, currentTarget), { "data-id": id }),
    element("span.facts.quiet", facts.filter(Boolean).join(" · ")),
  );
}

/** Show a paper beside the list. */
async function opened(id, opener) {
  const remove = isOpen ? button("quiet-button", "Remove from the index", () => takenOut(id)) : null;
  try {
    panel.openNodes("Paper", await paperContent(id, remove), opener);
    history.replaceState(null, "", `#${encodeURIComponent(id)}`);
    byId("problem").hidden = true;
  } catch (error) {
    panel.leave();
    explain(error, load);
  }
}

async function takenOut(id) {
  if (!confirm(`Remove ${id} from the index? A file that was added here is deleted, any other stays.`)) return;
  try {
    await removed(id);
    panel.leave();
    history.replaceState(null, "", location.pathname);
    await load();
    byId("shown").textContent += `; ${id} was removed`;
    byId("search").focus();
  } catch (error) {
    panel.leave();
    explain(error, load);
  }
}

/** Open the paper that the address names. */
function follow() {
  const id = decodeURIComponent(location.hash.slice(1));
  if (id) opened(id, byId("papers").querySelector(`[data-id="${CSS.escape(id)}"]`));
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
    isOpen = page.takes_uploads;
    byId("upload").hidden = !isOpen;
    byId("closed").hidden = isOpen;
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
addEventListener("hashchange", follow);
load().then(follow);
