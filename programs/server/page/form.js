// The question with its program, paper and filters.

import { element, fill, spaced } from "./dom.js";
import { Filters } from "./filters.js";

const byId = (id) => document.getElementById(id);

/** What the user has typed and chosen; nothing of it is lost when a request fails. */
export class Form {
  /** @param {function(): void} submit Called when the question is sent. */
  constructor(submit) {
    this.question = byId("question");
    this.paper = byId("paper");
    this.filters = new Filters(byId("chips"), byId("add-filter"), byId("editor"));
    this.programs = [];
    this.documents = [];
    byId("ask").addEventListener("submit", (event) => {
      event.preventDefault();
      submit();
    });
    this.question.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      byId("ask").requestSubmit();
    });
    this.question.addEventListener("input", () => this.grow());
    this.paper.addEventListener("input", () => this.showTitle());
  }

  /** Offer the programs that this server can run, its default one chosen. */
  offerPrograms(programs) {
    this.programs = programs.filter(({ available }) => available);
    const change = () => this.chose();
    const choices = this.programs.map(({ name, title, default: checked }) => {
      const radio = element("input", { type: "radio", name: "program", value: name, checked, change });
      return element("label", { title: name }, radio, element("span", title));
    });
    fill(byId("programs"), ...choices);
    this.chose();
  }

  /** Offer these papers to programs that read one. */
  offerDocuments(documents) {
    this.documents = documents;
    const options = documents.map(({ id, title, year }) =>
      element("option", { value: id }, [title, year].filter(Boolean).join(", ")),
    );
    fill(byId("papers"), ...options);
  }

  get program() {
    return this.programs.find(({ name }) => name === document.querySelector("[name=program]:checked")?.value);
  }

  /** The request as POST /api/ask takes it. */
  get request() {
    const request = { question: this.question.value.trim() };
    const paper = this.paper.value.trim();
    const filters = this.filters.values;
    if (this.program) request.program = this.program.name;
    if (this.readsOnePaper && paper) request.document_id = paper;
    if (!this.readsOnePaper && Object.keys(filters).length) request.filters = { ...filters };
    return request;
  }

  /** Put a request back into the form. */
  set request({ question, program, filters, document_id: paper }) {
    this.question.value = question;
    const named = program || (paper && this.programs.find(({ asks }) => asks === "paper")?.name);
    const radio = [...document.querySelectorAll("[name=program]")].find(({ value }) => value === named);
    if (radio) radio.checked = true;
    this.filters.set(filters ?? {});
    this.paper.value = paper ?? "";
    this.chose();
    this.grow();
  }

  get readsOnePaper() {
    return this.program?.asks === "paper";
  }

  /** Swap "Ask" for "Cancel" while an answer is on its way. */
  set busy(busy) {
    byId("send").hidden = busy;
    byId("cancel").hidden = !busy;
  }

  chose() {
    byId("program-summary").textContent = this.program ? `${this.program.name}: ${this.program.summary}` : "";
    byId("paper-choice").hidden = !this.readsOnePaper;
    byId("filters").hidden = this.readsOnePaper;
    this.showTitle();
  }

  showTitle() {
    byId("paper-title").textContent = this.documents.find(({ id }) => id === this.paper.value.trim())?.title ?? "";
  }

  grow() {
    this.question.style.height = "auto";
    this.question.style.height = `${this.question.scrollHeight}px`;
  }
}

/** "multi_signal" → "Multi signal". */
export function titled(name) {
  const words = spaced(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
