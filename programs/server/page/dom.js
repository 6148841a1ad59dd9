// Elements, made without ever parsing markup: what papers and models wrote enters the page as text nodes only.

const SVG = "http://www.w3.org/2000/svg";

const SHAPES = {
  supported: "M3 8.5l3.2 3.2L13 4.8",
  quoted: "M3.5 10V6h3.5v4zM9 10V6h3.5v4z",
  contradicted: "M4 4l8 8M12 4l-8 8",
  unverifiable: "M5.4 6a2.6 2.6 0 1 1 3.9 2.2C8.4 8.8 8 9.2 8 10.2M8 12.6v.2",
  close: "M4.5 4.5l7 7M11.5 4.5l-7 7",
  previous: "M10 3.5L5.5 8l4.5 4.5",
  next: "M6 3.5L10.5 8 6 12.5",
  outside: "M6 3.5H3.5v9h9V10M9 3.5h3.5V7M12.2 3.8L7.5 8.5",
};

/**
 * Make an element: `element("a.link", { href, click }, "text", otherElement)`.
 * Functions listen to the event of their name. False, null and undefined add nothing, as attributes or as children.
 */
export function element(selector, ...children) {
  const [tag, ...classes] = selector.split(".");
  const made = document.createElement(tag);
  if (classes[0]) made.className = classes.join(" ");
  if (Object.getPrototypeOf(children[0] ?? "") === Object.prototype) {
    for (const [name, value] of Object.entries(children.shift())) {
      if (typeof value === "function") made.addEventListener(name, value);
      else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
    }
  }
  made.append(...present(children));
  return made;
}

/** A button that does not send a form. */
export function button(classes, label, click, attributes = {}) {
  return element(`button.${classes}`, { type: "button", click, ...attributes }, ...[label].flat());
}

/** Put these in place of what an element holds. */
export function fill(parent, ...children) {
  parent.replaceChildren(...present(children));
}

function present(children) {
  return children.filter((child) => child !== null && child !== undefined);
}

/** A drawing by name, hidden from screen readers: words are beside it. */
export function icon(name) {
  const drawing = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  drawing.setAttribute("viewBox", "0 0 16 16");
  drawing.setAttribute("class", "icon");
  drawing.setAttribute("aria-hidden", "true");
  path.setAttribute("d", SHAPES[name]);
  drawing.append(path);
  return drawing;
}

/** A link to another site, in a new tab; only text unless the address is https. */
export function outsideLink(address, label) {
  const href = secure(address);
  if (!href) return element("span", label);
  return element("a", { href, target: "_blank", rel: "noopener noreferrer" }, label, icon("outside"));
}

/** The address if it is an absolute https one, else an empty string. */
export function secure(address) {
  const url = URL.canParse(address) ? new URL(address) : null;
  return url?.protocol === "https:" ? url.href : "";
}

/** Save a blob as a file. */
export function save(name, blob) {
  const href = URL.createObjectURL(blob);
  element("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

/** "1 sentence", "3,000 sentences". */
export function count(number, singular, plural = `${singular}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? singular : plural}`;
}

/** "mission_env" → "mission env". */
export function spaced(name) {
  return String(name).replaceAll("_", " ");
}
