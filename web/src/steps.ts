import { clock, el } from "./dom.js";
import type { StepView } from "./report_data.js";

/** The steps of a trajectory as disclosure widgets, made on demand; choosing one also shows its moment. */
export class Steps {
  readonly list = el("ol", { id: "trajectory" });
  private readonly parts: HTMLDetailsElement[];
  private at = -1;

  constructor(
    private readonly steps: StepView[],
    private readonly pick: (step: StepView) => void,
  ) {
    this.parts = steps.map((step, place) => this.one(step, place));
    for (const part of this.parts) this.list.append(el("li", {}, part));
    if (!steps.length) this.list.append(el("li", { class: "empty" }, "No step was recorded."));
  }

  /** Goes to the next or the previous step. */
  move(by: number): void {
    const place = Math.min(Math.max(this.at + by, 0), this.parts.length - 1);
    const part = this.parts[place];
    if (!part) return;
    part.open = true;
    this.choose(place);
    part.scrollIntoView({ block: "nearest" });
  }

  toggleAll(): void {
    const open = !this.parts.every((p) => p.open);
    for (const part of this.parts) part.open = open;
  }

  private choose(place: number): void {
    this.at = place;
    this.parts.forEach((part, n) => {
      if (n === place) part.setAttribute("aria-current", "step");
      else part.removeAttribute("aria-current");
    });
    const step = this.steps[place];
    if (step) this.pick(step);
  }

  private one(step: StepView, place: number): HTMLDetailsElement {
    const title = el("span", { class: "title" }, step.phase, ...step.tools.flatMap((t) => [" ", el("code", {}, t)]), step.failed && el("span", { class: "failed" }, " failed"));
    const when = step.moment ? `${clock(step.moment[0])} to ${clock(step.moment[1])}` : "";
    const summary = el(
      "summary",
      {},
      el("span", { class: "index" }, String(step.id)),
      title,
      el("span", { class: "cost" }, step.cost),
      when && el("span", { class: "when" }, when, step.seen.length > 0 && ` · ${step.seen.length} frames`),
      step.gist && el("span", { class: "gist" }, step.gist),
    );
    summary.addEventListener("click", () => this.choose(place));
    const part = el("details", { class: "step", id: `step-${step.id}` }, summary);
    part.addEventListener("toggle", () => {
      if (part.open && part.childElementCount === 1) part.append(this.more(step));
    });
    return part;
  }

  private more(step: StepView): HTMLElement {
    const box = el("div", { class: "more" }, step.text && el("p", { dir: "auto" }, step.text), step.rest && el("p", { class: "quiet" }, step.rest));
    for (const call of step.calls) {
      box.append(el("p", { class: "result-head" }, "Asked ", el("strong", {}, call.name)));
      if (call.arguments.length) box.append(el("dl", {}, ...call.arguments.flatMap(([k, v]) => [el("dt", {}, k), el("dd", {}, v)])));
    }
    for (const r of step.results) {
      const how = r.ok ? "returned" : el("span", { class: "failed" }, `failed: ${r.failure}`);
      box.append(el("p", { class: "result-head" }, el("strong", {}, r.tool), " ", how, r.about && ` · ${r.about}`));
      if (r.text) box.append(el("pre", { tabindex: 0, dir: "auto", "aria-label": `What ${r.tool} returned` }, r.text));
      if (r.rest) box.append(el("p", { class: "quiet" }, r.rest));
    }
    return box;
  }
}
