// Filters as chips that can be removed, and an editor for the field chosen.

import { button, element, fill, icon, spaced } from "./dom.js";

/** Filters as POST /api/ask takes them: {"organism": ["Mus musculus"], "year": {"gte": 2015}}. */
export class Filters {
  constructor(chips, choice, editor) {
    Object.assign(this, { chips, choice, editor, fields: [], values: {} });
    choice.addEventListener("change", () => this.edit(choice.value));
  }

  /** Offer these fields: {name, type, values, min, max}; first those with a choice of values, then those to type. */
  offer(fields) {
    this.fields = fields.filter(({ values }) => values.length !== 1);
    const chosen = this.fields.filter(({ type, values }) => values.length || type === "number");
    const typed = this.fields.filter((field) => !chosen.includes(field));
    const options = (some) => some.map(({ name }) => element("option", { value: name }, spaced(name)));
    const rest = typed.length ? element("optgroup", { label: "By exact text" }, ...options(typed)) : null;
    fill(this.choice, element("option", { value: "" }, "Add a filter…"), ...options(chosen), rest);
    this.choice.hidden = !this.fields.length;
  }

  /** Put these filters in place of the present ones. */
  set(values) {
    this.values = { ...values };
    this.leave();
    this.show();
  }

  edit(name) {
    const field = this.fields.find((each) => each.name === name);
    if (!field) return;
    const inputs = field.type === "number" ? this.range(field) : field.values.length ? this.boxes(field) : this.words(field);
    fill(this.editor, element("legend", spaced(name)), inputs, button("quiet-button", "Done", () => this.finish()));
    this.choice.value = name;
    this.editor.hidden = false;
    this.editor.querySelector("input").focus();
  }

  finish() {
    this.leave();
    this.choice.focus();
  }

  leave() {
    this.choice.value = "";
    this.editor.hidden = true;
  }

  boxes({ name, values }) {
    const change = () => this.put(name, [...this.editor.querySelectorAll(":checked")].map((box) => box.value));
    const chosen = [this.values[name] ?? []].flat();
    const box = (value) => element("input", { type: "checkbox", value, checked: chosen.includes(value), change });
    return element("div.boxes", ...values.map((value) => element("label", box(value), value)));
  }

  range({ name, min, max }) {
    const { gte, lte } = this.values[name] ?? {};
    const input = () => {
      const bounds = [...this.editor.querySelectorAll("input")].map((each, place) => [["gte", "lte"][place], each.value]);
      this.put(name, Object.fromEntries(bounds.filter(([, value]) => value).map(([bound, value]) => [bound, Number(value)])));
    };
    const number = (value, placeholder) => element("input", { type: "number", step: "any", value, placeholder, input });
    return element("div.range", element("label", "from", number(gte, min)), element("label", "to", number(lte, max)));
  }

  words({ name }) {
    const input = (event) => this.put(name, event.target.value.split(";").map((each) => each.trim()).filter(Boolean));
    const value = [this.values[name] ?? []].flat().join("; ");
    return element("label.words", element("input", { value, input }), "as the paper’s record has it; several parted by ;");
  }

  put(name, value) {
    delete this.values[name];
    if (Object.keys(value).length) this.values[name] = value;
    this.show();
  }

  remove(name) {
    delete this.values[name];
    this.leave();
    this.show();
    (this.chips.querySelector("button") ?? this.choice).focus();
  }

  show() {
    fill(this.chips, ...Object.entries(this.values).map(([name, value]) => this.chip(name, value)));
  }

  chip(name, value) {
    const text = `${spaced(name)}: ${said(value)}`;
    const change = button("chip-text", text, () => this.edit(name), { title: "Change" });
    const remove = button("chip-remove", icon("close"), () => this.remove(name), { "aria-label": `Remove the filter ${text}` });
    return element("li.chip", change, remove);
  }
}

/** A filter's value in words: "Mus musculus or Rattus norvegicus", "2015 to 2020", "from 2015". */
function said(value) {
  if (Array.isArray(value)) return value.join(" or ");
  const { gte, lte } = Object(value);
  if (gte !== undefined) return lte === undefined ? `from ${gte}` : `${gte} to ${lte}`;
  if (lte !== undefined) return `to ${lte}`;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
