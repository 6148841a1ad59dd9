// The steps while they happen, and folded together afterwards.

import { count, element, fill } from "./dom.js";

/** A list of steps with the time that has gone by. */
export class Progress {
  constructor(place) {
    this.place = place;
    this.list = place.querySelector("ol");
    this.title = place.querySelector("summary .title");
    this.clock = place.querySelector(".clock");
  }

  start() {
    fill(this.list);
    this.steps = 0;
    this.started = performance.now();
    this.place.hidden = false;
    this.place.open = true;
    this.place.classList.add("running");
    this.title.textContent = "Working";
    this.tick();
    this.timer = setInterval(() => this.tick(), 100);
  }

  /** Add one step; the message came from the server and is text. */
  add({ message }) {
    this.steps += 1;
    this.list.append(element("li", element("span", message), element("span.at", this.elapsed())));
    this.list.scrollTop = this.list.scrollHeight;
  }

  /** End with "done", "cancelled" or "failed". */
  end(outcome) {
    clearInterval(this.timer);
    this.tick();
    this.place.classList.remove("running");
    this.place.hidden = outcome === "failed" && !this.steps;
    this.place.open = outcome === "failed";
    const word = { done: "Done", cancelled: "Cancelled", failed: "Stopped" }[outcome];
    this.title.textContent = `${word} after ${count(this.steps, "step")}`;
  }

  hide() {
    this.place.hidden = true;
  }

  tick() {
    this.clock.textContent = this.elapsed();
  }

  elapsed() {
    return `${((performance.now() - this.started) / 1000).toFixed(1)} s`;
  }
}
