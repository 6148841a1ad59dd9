// What the page asks the server.

import { events } from "./events.js";

const KEY = "corroborate-key";
const KEPT = "Your question is kept.";

/** An error with what to do next, as the server says it or as the page has to. */
export class Problem extends Error {
  constructor({ message, next = "" }, status = 0) {
    super(message);
    this.next = next;
    this.status = status;
  }
}

/** Keep an API key until the tab is closed. */
export function keepKey(key) {
  sessionStorage.setItem(KEY, key);
}

/** Fetch JSON; throws a Problem. */
export async function get(path) {
  return (await sent(path, {})).json();
}

/** Fetch a picture as an address that only this page knows; throws a Problem. */
export async function picture(path) {
  return URL.createObjectURL(await (await sent(path, {})).blob());
}

/** A result in another form, by the name of its file, as a blob; throws a Problem. */
export async function exported(form, result, paper = "") {
  const path = `api/export?${new URLSearchParams({ form, document_id: paper })}`;
  const headers = { "Content-Type": "application/json" };
  return (await sent(path, { method: "POST", headers, body: JSON.stringify(result) })).blob();
}

/** Take a paper out of the index; throws a Problem. */
export async function removed(id) {
  return (await sent(`api/documents/${encodeURIComponent(id)}`, { method: "DELETE" })).json();
}

/** Send a file for the index; returns what was made of it; throws a Problem. */
export async function upload(file) {
  const headers = { "Content-Type": "application/octet-stream" };
  const path = `api/documents?name=${encodeURIComponent(file.name)}`;
  return (await sent(path, { method: "POST", headers, body: file })).json();
}

/**
 * Ask a question, as POST /api/ask takes it, and return its result; throws a Problem.
 * `onStep` is called with every step {name, message, facts}; aborting `signal` stops the work on the server too.
 */
export function ask(body, onStep, signal) {
  return streamed("api/ask", body, onStep, signal);
}

/** Have a table filled, as POST /api/table takes it; else as `ask`. */
export function tabulate(body, onStep, signal) {
  return streamed("api/table", body, onStep, signal);
}

async function streamed(path, body, onStep, signal) {
  const headers = { "Content-Type": "application/json", Accept: "text/event-stream" };
  const response = await sent(path, { method: "POST", headers, body: JSON.stringify(body), signal });
  try {
    for await (const { name, data } of events(response)) {
      if (name === "step") onStep(data);
      if (name === "result") return data;
      if (name === "error") throw new Problem(data.error, data.status);
    }
  } catch (error) {
    if (error instanceof Problem || error.name === "AbortError") throw error;
  }
  throw new Problem({ message: "The connection was interrupted before the answer arrived.", next: `Try again. ${KEPT}` });
}

async function sent(path, options) {
  const key = sessionStorage.getItem(KEY);
  const headers = { ...options.headers, ...(key && { Authorization: `Bearer ${key}` }) };
  const response = await fetch(path, { ...options, headers }).catch((error) => {
    if (error.name === "AbortError") throw error;
    const next = `Check that it is running and that you are connected, then try again. ${KEPT}`;
    throw new Problem({ message: "The server does not answer.", next });
  });
  if (response.ok) return response;
  const bare = { message: `The server answered ${response.status} and gave no reason.`, next: "Look at its log." };
  const { error = bare } = await response.json().catch(() => ({}));
  throw new Problem(error, response.status);
}
