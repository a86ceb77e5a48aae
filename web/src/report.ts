import { Browser } from "./browse.js";
import { watchFigures } from "./charts.js";
import { readBlock } from "./data.js";
import { el, need } from "./dom.js";
import { ItemPanel } from "./item.js";
import type { QuestionDetail, ReportData } from "./report_data.js";

const data = readBlock<ReportData>("report-data");
const VIEWS = ["overview", "questions", "tables", "settings"];
const details = new Map<number, QuestionDetail>();
let at = -1;
let run = 0;
let browser: Browser | null = null;
let panel: ItemPanel | null = null;
let routed: string | null = null;

function detailOf(place: number): QuestionDetail {
  let found = details.get(place);
  if (!found) details.set(place, (found = readBlock<QuestionDetail>(`q-${place}`)));
  return found;
}

/** `#questions/7/2`: the question at place 7 (from 0) in run 2; all of the page's state is in its address. */
function go(place: number, which: number): void {
  location.hash = `questions/${place}/${which}`;
}

function route(): void {
  if (routed === location.hash) return;
  routed = location.hash;
  const [view = "", place, which] = location.hash.slice(1).split("/");
  const name = VIEWS.includes(view) ? view : view.startsWith("table-") ? "tables" : "overview";
  for (const one of VIEWS) {
    need(`#view-${one}`).hidden = one !== name;
    const link = need(`[data-view=${one}]`);
    if (one === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (name !== "questions") {
    panel?.dispose();
    at = -1;
    if (view.startsWith("table-")) document.getElementById(view)?.scrollIntoView();
    return;
  }
  open();
  const wanted = Number(place ?? (matchMedia("(min-width: 821px)").matches ? 0 : NaN));
  const question = data.questions[wanted];
  need("#browser").classList.toggle("chosen", question !== undefined && place !== undefined);
  if (!question) {
    at = -1;
    panel?.dispose();
    return;
  }
  const asked = Number(which ?? run);
  run = question.cells[asked] ? asked : Math.max(0, question.cells.findIndex((c) => c !== null));
  at = wanted;
  panel?.show(question, detailOf(at), run);
  panelHead();
  browser?.mark(at);
}

/** The browser is made when it is first looked at. */
function open(): void {
  if (browser) return;
  panel = new ItemPanel(need("#panel"), data, (n) => go(at, n));
  browser = new Browser(data, (place) => go(place, run));
}

function panelHead(): void {
  const back = el("button", { type: "button", class: "back" }, "← all questions");
  back.addEventListener("click", () => {
    location.hash = "questions";
  });
  const keys = el("p", { class: "keys" }, ...["[", "]"].map((k) => el("kbd", {}, k)), " question · ", ...["↑", "↓"].map((k) => el("kbd", {}, k)), " step · ", ...["←", "→"].map((k) => el("kbd", {}, k)), " evidence · ", el("kbd", {}, "1"), "–", el("kbd", {}, "9"), " run · ", el("kbd", {}, "space"), " plays");
  need("#panel").prepend(el("div", { class: "panel-top" }, back, keys));
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target as Element;
  if (target.closest("input, select, textarea")) {
    if (event.key === "Escape") (target as HTMLElement).blur();
    return;
  }
  if (event.key === "/") {
    if (need("#view-questions").hidden) location.hash = "questions";
    route();
    browser?.focus();
  } else if (at < 0 || !panel || target.closest("pre, .scroll")) return;
  else if (event.key === "]") browser?.move(1);
  else if (event.key === "[") browser?.move(-1);
  else if (event.key === "ArrowRight") panel.step(1);
  else if (event.key === "ArrowLeft") panel.step(-1);
  else if (event.key === "ArrowDown") panel.moveStep(1);
  else if (event.key === "ArrowUp") panel.moveStep(-1);
  else if (event.key === "Escape") location.hash = "questions";
  else if (/^[1-9]$/.test(event.key) && data.questions[at]?.cells[Number(event.key) - 1]) go(at, Number(event.key) - 1);
  else if (event.key === " " && !target.closest("button, summary, a, [role=button]")) panel.toggle();
  else return;
  event.preventDefault();
});

window.addEventListener("hashchange", route);
watchFigures(data.figures);
route();
document.documentElement.dataset["ready"] = "";
