// What went wrong, with what to do next.

import { keepKey, Problem } from "./api.js";
import { button, element, fill } from "./dom.js";

const place = document.getElementById("problem");

/** Say it; `again` repeats what failed, with a key where the server asks for one. */
export function explain(error, again) {
  const failed = { message: `The page failed: ${error.message}`, next: "Reload it and try again." };
  const { message, next, status } = error instanceof Problem ? error : new Problem(failed);
  const retry = status === 401 ? keyForm(again) : button("button.secondary", "Try again", again);
  fill(place, element("p.message", message), next ? element("p", next) : null, retry);
  place.hidden = false;
}

function keyForm(again) {
  const input = element("input", { id: "key", type: "password", autocomplete: "off", required: true });
  const submit = (event) => {
    event.preventDefault();
    keepKey(input.value.trim());
    place.hidden = true;
    again();
  };
  return element("form.key", { submit }, element("label", { for: "key" }, "API key"), input, element("button.button", "Use it"));
}
