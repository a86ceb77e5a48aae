import { MANY } from "./browse.js";
import { wireControls } from "./controls.js";
import type { Item } from "./data.js";
import { clock, el, icon, need } from "./dom.js";
import { caption } from "./evidence.js";
import { judgedView } from "./judged.js";
import { Player } from "./player.js";
import type { Question, QuestionDetail, ReportData, RunDetail, StepView } from "./report_data.js";
import { Steps } from "./steps.js";
import { Timeline } from "./timeline.js";
import { isInside, videoUrl } from "./videos.js";

/** One question in one run: the player bound to the trajectory, the verdict, the steps. */
export class ItemPanel {
  private player: Player | null = null;
  private timeline: Timeline | null = null;
  private steps: Steps | null = null;
  private items: Item[] = [];
  private active: number | null = null;

  constructor(
    private readonly root: HTMLElement,
    private readonly report: ReportData,
    private readonly choose: (run: number) => void,
  ) {}

  show(question: Question, detail: QuestionDetail, at: number): void {
    this.dispose();
    const run = detail.runs[at] ?? null;
    const body = el("div", { class: "bench" });
    this.root.replaceChildren(this.head(question, detail, at, run), body);
    if (!run) {
      body.append(el("p", { class: "empty" }, question.cells[at] ? "This question was not run." : "This run did not ask this question."));
      return;
    }
    const left = el("div", { class: "watch" });
    this.steps = new Steps(run.steps, (step) => this.look(step));
    const all = el("button", { type: "button", id: "steps-all" }, "Open or close all");
    all.addEventListener("click", () => this.steps?.toggleAll());
    const aside = el("aside", { "aria-label": "Trajectory" }, el("div", { class: "heading" }, el("h3", {}, `${run.steps.length} ${run.steps.length === 1 ? "step" : "steps"}`), all), this.steps.list);
    body.append(left, aside);
    this.screen(left, question, run);
    left.append(this.evidence(run), judgedView(detail, run, (t) => this.player?.seek(t)));
  }

  /** Next or previous piece of evidence. */
  step(by: number): void {
    if (!this.items.length) return;
    const at = this.items.findIndex((i) => i.n === this.active);
    const next = this.items[at < 0 ? (by > 0 ? 0 : this.items.length - 1) : (at + by + this.items.length) % this.items.length];
    if (next) this.showEvidence(next, this.player?.playing ?? false);
  }

  moveStep(by: number): void {
    this.steps?.move(by);
  }

  toggle(): void {
    this.player?.toggle();
  }

  dispose(): void {
    this.player?.dispose();
    this.timeline?.dispose();
    this.player = this.timeline = this.steps = null;
    this.items = [];
    this.active = null;
  }

  private head(question: Question, detail: QuestionDetail, at: number, run: RunDetail | null): HTMLElement {
    const options = detail.options.map(([letter, text]) => {
      const gold = letter === detail.gold;
      const chosen = letter === run?.letter;
      const said = [gold && "correct", chosen && "chosen"].filter(Boolean).join(", ");
      return el("li", { class: `${gold ? "gold" : ""}${chosen ? " chosen" : ""}`.trim() }, el("span", { class: "letter" }, letter), el("span", { dir: "auto" }, text), gold && icon("check"), said && el("span", { class: "said" }, said));
    });
    const runs = this.report.runs.length > MANY ? [this.selector(question, at)] : this.report.runs.map((r, n) => {
      const cell = question.cells[n];
      const button = el("button", { type: "button", class: "pick", "aria-pressed": String(n === at), disabled: !cell }, el("i", { class: `dot t-${(cell?.e ?? "not run").replace(/ /g, "-")}` }), el("span", {}, r.name), el("small", {}, cell ? `${cell.e}${cell.a ? `: ${cell.a}` : ""}` : "not asked"));
      button.addEventListener("click", () => this.choose(n));
      return button;
    });
    const labels = [question.bench, `question ${question.id}`, ...(question.epoch > 1 ? [`epoch ${question.epoch}`] : []), ...question.labels];
    const long = detail.options.length > 8;
    const list = detail.options.length ? el("ol", { class: "options", "aria-label": "Options" }, ...options) : null;
    return el(
      "header",
      { class: "ask" },
      el("p", { class: "eyebrow" }, labels.join(" · ")),
      el("h2", { dir: "auto" }, detail.text),
      list && long ? el("details", {}, el("summary", {}, `${options.length} options`), list) : list,
      el("div", { class: "picks", role: "group", "aria-label": "Run" }, ...runs),
    );
  }

  /** Many runs are chosen from a list. */
  private selector(question: Question, at: number): HTMLElement {
    const options = this.report.runs.map((r, n) => {
      const cell = question.cells[n];
      return el("option", { value: n, selected: n === at, disabled: !cell }, `${r.name}: ${cell ? `${cell.e} ${cell.a}` : "not asked"}`);
    });
    const select = el("select", { "aria-label": "Run" }, ...options);
    select.addEventListener("input", () => this.choose(Number(select.value)));
    return select;
  }

  private screen(place: HTMLElement, question: Question, run: RunDetail): void {
    const video = question.video === null ? undefined : this.report.videos[question.video];
    const template = need<HTMLTemplateElement>("#screen-template");
    place.append(template.content.cloneNode(true));
    const media = need<HTMLVideoElement>("#video", place);
    media.preload = "auto";
    if (video && question.video !== null) {
      media.src = videoUrl(this.report.videos, question.video);
      media.setAttribute("aria-label", `The video ${video.name}`);
      if (video.poster) media.poster = video.poster;
      if (video.width && video.height) need("#stage", place).style.aspectRatio = `${video.width} / ${video.height}`;
      const link = el("a", { href: video.src }, isInside(question.video) ? `${video.name}, the file itself` : `Open ${video.name}`);
      place.append(el("p", { class: "file quiet" }, link, video.note && ` ${video.note}`));
    } else {
      media.removeAttribute("src");
    }
    const lost = !video ? "The question's data are gone, so there is no video to show." : "The video could not be loaded: it was moved, or this browser cannot play it. Moments are still listed; the link below opens the file where it lay.";
    const data = { ...run.data, lost, poster: video?.poster ?? "" };
    this.items = data.items;
    const player = (this.player = new Player(data));
    const timeline = (this.timeline = new Timeline(need<SVGSVGElement>("#timeline", place), data, {
      pick: (item) => this.showEvidence(item, true),
      scrub: (t) => player.seek(t),
    }));
    player.addEventListener("tick", () => timeline.move(player.time));
    wireControls(player, (by) => this.step(by), data.duration, this.items.length);
    const lead = this.items.find((i) => i.n === data.lead);
    if (lead && player.active === null && run.cited) {
      this.mark(lead);
      player.show(lead, false, lead.best);
    } else {
      this.mark(undefined);
    }
  }

  private evidence(run: RunDetail): HTMLElement {
    const list = el("ol", { class: "moments" }, ...run.data.items.map((item) => {
      const at = item.start ?? item.boxes[0]?.t ?? null;
      const button = el("button", { type: "button", "data-n": item.n, "data-source": item.source, disabled: at === null }, el("span", { class: "number" }, String(item.n)), el("span", { class: "at" }, at === null ? "no time" : clock(at)), el("span", { class: "words", dir: "auto" }, item.words, ...(item.note ? [el("small", { dir: "auto" }, item.note)] : [])));
      button.addEventListener("click", () => this.showEvidence(item, true));
      return el("li", {}, button);
    }));
    const title = run.cited ? "Evidence the answer cites" : "Moments the tools returned; the answer cites none";
    return el("section", { class: "evidence-list", "aria-label": "Evidence" }, el("h3", {}, title), run.data.items.length ? list : el("p", { class: "quiet" }, "None."));
  }

  private showEvidence(item: Item, play: boolean): void {
    this.mark(item);
    this.player?.show(item, play);
  }

  private mark(item: Item | undefined): void {
    this.active = item?.n ?? null;
    this.timeline?.mark(this.active);
    caption(this.items, item);
    for (const button of this.root.querySelectorAll<HTMLElement>(".moments button")) {
      if (Number(button.dataset["n"]) === this.active) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  /** A step: the player goes to its moment, its own boxes are drawn, its frames stand out on the timeline. */
  private look(step: StepView): void {
    if (!this.player) return;
    this.mark(undefined);
    this.player.active = null;
    need("#caption .where", this.root).textContent = `step ${step.id}`;
    need("#caption .words", this.root).textContent = [step.phase, ...step.tools].join(" ");
    this.player.extra = step.items.map((item) => ({ ...item, n: -item.n }));
    this.timeline?.highlight(step.moment, step.seen);
    const t = step.moment?.[0] ?? step.seen[0];
    if (t !== undefined) this.player.seek(t);
  }
}
