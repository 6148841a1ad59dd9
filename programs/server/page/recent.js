// Questions of this tab with their answers; gone when the tab is closed.

const KEY = "corroborate-recent";
const MOST = 20;

/** The kept entries, the newest first: {request, result}. */
export function recent() {
  return object(sessionStorage.getItem(KEY))?.entries ?? [];
}

/** Keep a question with its answer; one asked again moves to the front. */
export function keep(request, result) {
  const others = recent().filter((each) => address(each.request) !== address(request));
  for (let entries = [{ request, result }, ...others].slice(0, MOST); entries.length; entries = entries.slice(0, -1)) {
    try {
      return sessionStorage.setItem(KEY, JSON.stringify({ entries }));
    } catch {
      // The browser's room is full: the oldest goes.
    }
  }
  return undefined;
}

/** Forget all. */
export function forget() {
  sessionStorage.removeItem(KEY);
}

/** The kept answer to a request, or undefined. */
export function answered(request) {
  return recent().find((each) => address(each.request) === address(request))?.result;
}

/** A request as the page's fragment: "#q=…&program=…&filters=…&paper=…". */
export function address({ question, program, filters, document_id: paper }) {
  const parts = { q: question, program, filters: Object.keys(filters ?? {}).length ? JSON.stringify(filters) : "", paper };
  return `#${new URLSearchParams(Object.entries(parts).filter(([, value]) => value))}`;
}

/** The request in a fragment, or null where it holds none. */
export function addressed(fragment) {
  const parts = new URLSearchParams(fragment.slice(1));
  const [question, program, paper] = ["q", "program", "paper"].map((name) => parts.get(name) ?? "");
  return question || paper ? { question, program, filters: object(parts.get("filters")) ?? {}, document_id: paper } : null;
}

/** The JSON object in a text, or null. */
function object(text) {
  try {
    const value = JSON.parse(text);
    return value instanceof Object && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
