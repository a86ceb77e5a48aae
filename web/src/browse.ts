import { clamp, el, need } from "./dom.js";
import type { Question, ReportData } from "./report_data.js";

const DIFFERENT = "runs disagree";
/** With more runs than this a row tells how many are right instead of a dot for each. */
export const MANY = 12;

/** The list of questions: search, filters by run, ending and label; rows are made only for what is found. */
export class Browser {
  private readonly list = need<HTMLOListElement>("#list");
  private readonly search = need<HTMLInputElement>("#search");
  private readonly run = need<HTMLSelectElement>("#filter-run");
  private readonly ending = need<HTMLSelectElement>("#filter-ending");
  private readonly label = need<HTMLSelectElement>("#filter-label");
  private readonly texts: string[];
  private found: number[] = [];
  private at = -1;

  constructor(
    private readonly data: ReportData,
    private readonly pick: (place: number) => void,
  ) {
    this.texts = data.questions.map((q) => `${q.id} ${q.text} ${q.cells.map((c) => c?.a ?? "").join(" ")}`.toLowerCase());
    fill(this.run, [["", data.runs.length > 1 ? "any run" : "the run"], ...data.runs.map((r, n) => [String(n), r.name] as [string, string])]);
    const endings = [...new Set(data.questions.flatMap((q) => q.cells.map((c) => c?.e ?? "")))].filter(Boolean);
    fill(this.ending, [["", "any ending"], ...(data.runs.length > 1 ? [[DIFFERENT, DIFFERENT] as [string, string]] : []), ...endings.map((e) => [e, e] as [string, string])]);
    const labels = [...new Set(data.questions.flatMap((q) => q.labels))].sort();
    fill(this.label, [["", "any label"], ...labels.map((l) => [l, l] as [string, string])]);
    this.label.hidden = labels.length === 0;
    this.run.hidden = data.runs.length < 2;
    for (const input of [this.search, this.run, this.ending, this.label]) input.addEventListener("input", () => this.filter());
    this.list.addEventListener("keydown", (event) => this.key(event));
    this.filter();
  }

  focus(): void {
    this.search.focus();
  }

  /** The question after or before the chosen one among those found. */
  move(by: number): void {
    const place = this.found[clamp(this.found.indexOf(this.at) + by, 0, this.found.length - 1)];
    if (place !== undefined) this.pick(place);
  }

  mark(place: number): void {
    this.at = place;
    for (const button of this.list.querySelectorAll<HTMLButtonElement>("button")) {
      const on = Number(button.dataset["place"]) === place;
      if (on) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
      if (on) button.scrollIntoView({ block: "nearest" });
    }
  }

  private filter(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.found = this.data.questions.flatMap((q, n) => (this.fits(q, n, words) ? [n] : []));
    need("#found").textContent = `${this.found.length} of ${this.data.questions.length} questions`;
    this.list.replaceChildren(...this.found.map((n) => this.row(n)));
    this.mark(this.at);
  }

  private fits(q: Question, n: number, words: string[]): boolean {
    const text = this.texts[n] ?? "";
    if (!words.every((w) => text.includes(w))) return false;
    if (this.label.value && !q.labels.includes(this.label.value)) return false;
    const wanted = this.ending.value;
    const asked = q.cells.filter((c) => c !== null);
    if (wanted === DIFFERENT) return new Set(asked.map((c) => c.e)).size > 1;
    if (this.run.value !== "") {
      const cell = q.cells[Number(this.run.value)];
      return cell !== null && cell !== undefined && (!wanted || cell.e === wanted);
    }
    return !wanted || asked.some((c) => c.e === wanted);
  }

  private row(n: number): HTMLElement {
    const q = this.data.questions[n];
    if (!q) return el("li");
    const told = q.cells.map((c, run) => `${this.data.runs[run]?.name}: ${c?.e ?? "not asked"}`).join(", ");
    const asked = q.cells.filter((c) => c !== null);
    const dots = q.cells.length > MANY
      ? el("span", { class: "dots", title: `${asked.filter((c) => c.e === "right").length} of ${asked.length} runs are right` }, `${asked.filter((c) => c.e === "right").length}/${asked.length}`)
      : el("span", { class: "dots", role: "img", "aria-label": told, title: told }, ...q.cells.map((c) => el("i", { class: `dot t-${(c?.e ?? "not asked").replace(/ /g, "-")}` })));
    const button = el("button", { type: "button", "data-place": n }, el("span", { class: "id" }, q.epoch > 1 ? `${q.id} (${q.epoch})` : q.id), el("span", { class: "text", dir: "auto" }, q.text || "The question's data are gone."), dots);
    button.addEventListener("click", () => this.pick(n));
    return el("li", {}, button);
  }

  private key(event: KeyboardEvent): void {
    const buttons = [...this.list.querySelectorAll<HTMLButtonElement>("button")];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const by = { ArrowDown: 1, ArrowUp: -1, Home: -buttons.length, End: buttons.length }[event.key];
    if (by === undefined || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    buttons[clamp(at + by, 0, buttons.length - 1)]?.focus();
  }
}

function fill(select: HTMLSelectElement, options: [string, string][]): void {
  select.replaceChildren(...options.map(([value, text]) => el("option", { value }, text)));
}
