// An answer or a table in other forms, which the server makes, as files and on the clipboard.

import { exported } from "./api.js";
import { button, element, save } from "./dom.js";

const OF_AN_ANSWER = { Markdown: "answer.md", BibTeX: "answer.bib", RIS: "answer.ris", CSV: "answer.csv" };
const OF_A_TABLE = { CSV: "table.csv", "Cells as CSV": "cells.csv", Markdown: "table.md", HTML: "table.html", XLSX: "table.xlsx" };
const MARKED = "marked.pdf";

/** Buttons that save an answer, copy it, and save the cited PDFs with the quotes marked. */
export function answerExports(result) {
  const marked = printed(result).map((paper) => {
    const key = result.references?.[paper]?.id ?? paper;
    return [`Marked PDF of ${key}`, MARKED, `${key}.pdf`.replace(/[^\w.-]+/g, "_"), paper];
  });
  return row(result, "answer", [...files(OF_AN_ANSWER), ...marked]);
}

/** Buttons that save a table, and copy it. */
export function tableExports(table) {
  return row(table, "table", files(OF_A_TABLE));
}

/** The cited papers whose quotes have places on pages. */
export function printed({ citations }) {
  const quotes = citations.flatMap((each) => each.quotes ?? []).filter(({ places }) => places?.length);
  return [...new Set(quotes.map(({ document_id: paper }) => paper))];
}

function files(forms) {
  return Object.entries(forms).map(([label, form]) => [label, form, form, ""]);
}

function row(result, name, forms) {
  const said = element("span.quiet", { role: "status" });
  const tried = (work, done) => async () => {
    said.textContent = "";
    try {
      await work();
      said.textContent = done;
    } catch (error) {
      said.textContent = [error.message, error.next].filter(Boolean).join(" ");
    }
  };
  const copy = async () => navigator.clipboard.writeText(await (await exported(`${name}.md`, result)).text());
  const json = () => save(`${name}.json`, new Blob([JSON.stringify(result, null, 2)], { type: "application/json" }));
  const again = { title: `Can be proved again without a model: python -m programs verify ${name}.json` };
  return element(
    "div.exports",
    { role: "group", "aria-label": "Export" },
    button("quiet-button", "Copy", tried(copy, "Copied as Markdown.")),
    ...forms.map(([label, form, file, paper]) =>
      button("quiet-button", label, tried(async () => save(file, await exported(form, result, paper)), `${file} was saved.`)),
    ),
    button("quiet-button", "JSON", json, again),
    said,
  );
}
