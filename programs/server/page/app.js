// The page: asks a question, shows the steps, the answer and its proof.

import { ask, get } from "./api.js";
import { count, element, fill } from "./dom.js";
import { Earlier } from "./earlier.js";
import { Form } from "./form.js";
import { Panel } from "./panel.js";
import { explain } from "./problem.js";
import { Progress } from "./progress.js";
import { address, addressed, answered, forget, keep, recent } from "./recent.js";
import { announcement, report } from "./report.js";
import { badge, explained, VERDICTS } from "./verdicts.js";

/** What is told before a question where no model would answer it. */
const NO_MODEL =
  "No language model is used: the sentences of your papers that are nearest to your question are quoted. " +
  "Open one to see it in its place; whether it answers is for you to judge.";
const byId = (id) => document.getElementById(id);
const form = new Form(send);
const panel = new Panel(byId("panel"));
const progress = new Progress(byId("progress"));
const earlier = new Earlier(byId("recent"), panel);
let current = "";
let running = null;

async function send() {
  const request = form.request;
  if (running || !request.question) return;
  running = new AbortController();
  clear();
  form.busy = true;
  progress.start();
  try {
    const result = await ask(request, (step) => progress.add(step), running.signal);
    progress.end("done");
    keep(request, result);
    if (location.hash !== address(request)) history.pushState(null, "", address(request));
    show(request, result);
    byId("announcement").textContent = announcement(result);
  } catch (error) {
    progress.end(error.name === "AbortError" ? "cancelled" : "failed");
    if (error.name !== "AbortError") explain(error, send);
  } finally {
    settle();
  }
}

/** Give the focus to where the work continues, if it was on the button that has gone. */
function settle() {
  running = null;
  const lost = [byId("cancel"), document.body].includes(document.activeElement);
  form.busy = false;
  if (lost) (byId("asked") ?? byId("question")).focus({ preventScroll: true });
}

function clear() {
  byId("problem").hidden = true;
  byId("welcome").hidden = true;
  byId("announcement").textContent = "";
  panel.leave();
  fill(byId("answer"));
  current = "";
  showEarlier();
}

function show(request, result) {
  current = address(request);
  const heading = element("h2.asked", { id: "asked", tabindex: -1 }, result.question);
  report(byId("answer"), { request, result }, panel, heading);
  showEarlier();
  document.title = `${result.question.slice(0, 60)} · Corroborate`;
}

/** The answers that this tab keeps, without the one above them. */
function showEarlier() {
  earlier.show(recent().filter(({ request }) => address(request) !== current));
}

/** Bring up what the address names: a kept answer, else only the question, for a link must not set off work. */
function follow() {
  const request = addressed(location.hash);
  if (running) return;
  progress.hide();
  clear();
  byId("welcome").hidden = Boolean(request);
  if (!request) return;
  form.request = request;
  const result = answered(request);
  if (result) show(request, result);
  else byId("question").focus();
}

async function load() {
  try {
    const { programs } = await get("api/programs");
    form.offerPrograms(programs);
    const asked = ["health", "api/fields", "api/documents?limit=500"];
    const [{ lm }, { fields }, { documents, total }] = await Promise.all(asked.map(get));
    if (lm === "extractive") byId("how").textContent = NO_MODEL;
    form.filters.offer(fields);
    form.offerDocuments(documents);
    byId("status").textContent = count(total, "paper");
    byId("problem").hidden = true;
    follow();
  } catch (error) {
    explain(error, load);
  }
}

byId("legend").append(...VERDICTS.map((verdict) => element("li", badge(verdict), element("span.quiet", explained(verdict)))));
byId("cancel").addEventListener("click", () => running?.abort());
byId("forget").addEventListener("click", () => {
  forget();
  showEarlier();
});
addEventListener("popstate", follow);
showEarlier();
load();
