import { type Item, type ProofData, type Source, momentOf } from "./data.js";
import { clamp, clock, svg } from "./dom.js";

const ROW = 26;
const WAVE = 30;
const SEEN = 16;
const AXIS = 24;
const GUTTER = 84;
const NARROW = 520;
const EDGE = 12;
const PIN = 22;
const ROWS = 5;

interface Placed {
  item: Item;
  x: number;
  width: number;
  row: number;
}

export interface TimelineEvents {
  pick(item: Item): void;
  scrub(t: number): void;
}

/** The whole video as a line: one lane per source with numbered markers, the sound, the frames that were seen, a playhead. */
export class Timeline {
  private readonly head = svg("g", { class: "head", "aria-hidden": "true" });
  private readonly resized = new ResizeObserver(() => this.render());
  private moment: readonly [number, number] | null = null;
  private stepSeen: readonly number[] = [];
  private active: number | null = null;
  private time = 0;
  private left = EDGE;
  private span = 1;
  private bottom = 0;

  constructor(
    private readonly root: SVGSVGElement,
    private readonly data: ProofData,
    private readonly events: TimelineEvents,
  ) {
    this.resized.observe(root.parentElement ?? root);
    root.addEventListener("pointerdown", (event) => this.press(event));
    root.addEventListener("keydown", (event) => this.key(event));
    this.render();
  }

  dispose(): void {
    this.resized.disconnect();
  }

  /** Shows the moment a step looked at, and the frames it was shown. */
  highlight(moment: readonly [number, number] | null, seen: readonly number[]): void {
    this.moment = moment;
    this.stepSeen = seen;
    this.render();
  }

  mark(active: number | null): void {
    this.active = active;
    for (const marker of this.root.querySelectorAll<SVGGElement>(".marker")) {
      const on = Number(marker.dataset["n"]) === active;
      marker.classList.toggle("active", on);
      marker.setAttribute("aria-pressed", String(on));
      marker.setAttribute("tabindex", on || (active === null && marker === this.markers()[0]) ? "0" : "-1");
    }
  }

  move(t: number): void {
    this.time = t;
    this.head.setAttribute("transform", `translate(${this.x(t).toFixed(2)} 0)`);
    const slider = this.root.querySelector(".track");
    slider?.setAttribute("aria-valuenow", t.toFixed(1));
    slider?.setAttribute("aria-valuetext", `${clock(t)} of ${clock(this.data.duration)}`);
  }

  private markers(): SVGGElement[] {
    return [...this.root.querySelectorAll<SVGGElement>(".marker")];
  }

  private x(t: number): number {
    return this.left + (clamp(t, 0, this.data.duration) / (this.data.duration || 1)) * this.span;
  }

  private render(): void {
    const width = Math.max(240, Math.round(this.root.parentElement?.clientWidth ?? 800));
    const wide = width >= NARROW;
    this.left = wide ? GUTTER : EDGE;
    this.span = width - this.left - EDGE;
    const lanes = this.place();
    const layers: SVGElement[] = [];
    let y = 6;
    for (const lane of lanes) {
      const height = lane.rows * ROW;
      layers.push(svg("rect", { x: this.left, y: y + 2, width: this.span, height: height - 4, rx: 6, class: "lane" }));
      if (wide) layers.push(this.name(this.data.sources[lane.source], y + 13));
      for (const placed of lane.placed) layers.push(this.marker(placed, y + placed.row * ROW));
      y += height;
    }
    if (this.data.wave.length) {
      if (wide) layers.push(this.name("Sound", y + WAVE / 2));
      layers.push(svg("path", { d: this.wavePath(y + WAVE / 2, WAVE / 2 - 3), class: "wave" }));
      y += WAVE;
    }
    if (this.data.seen.length) {
      if (wide) layers.push(this.name("Frames seen", y + SEEN / 2));
      const ticks = this.data.seen.map((t) => `M${this.x(t).toFixed(1)} ${y + 3}v${SEEN - 6}`).join("");
      layers.push(svg("path", { d: ticks, class: "seen" }));
      const own = this.stepSeen.map((t) => `M${this.x(t).toFixed(1)} ${y + 1}v${SEEN - 2}`).join("");
      if (own) layers.push(svg("path", { d: own, class: "seen own" }));
      y += SEEN;
    }
    this.bottom = Math.max(y, lanes.length || this.data.seen.length ? 0 : ROW) + 2;
    if (this.moment) {
      const from = this.x(this.moment[0]);
      const width = Math.max(3, this.x(this.moment[1]) - from);
      layers.unshift(svg("rect", { x: from, y: 0, width, height: this.bottom, rx: 3, class: "moment" }));
    }
    const track = svg("rect", {
      x: this.left, y: 0, width: this.span, height: this.bottom, class: "track", tabindex: 0, role: "slider",
      "aria-label": "Position in the video", "aria-valuemin": 0, "aria-valuemax": this.data.duration.toFixed(1),
    });
    this.head.replaceChildren(
      svg("line", { x1: 0, x2: 0, y1: 2, y2: this.bottom + 2 }),
      svg("circle", { cx: 0, cy: this.bottom + 2, r: 5 }),
    );
    const height = this.bottom + AXIS;
    this.root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.root.setAttribute("width", String(width));
    this.root.setAttribute("height", String(height));
    this.root.replaceChildren(track, ...layers, this.axis(this.bottom), this.head);
    this.mark(this.active);
    this.move(this.time);
  }

  /** One lane per source that has timed evidence; markers that would touch go to a further row of their lane. */
  private place(): { source: Source; rows: number; placed: Placed[] }[] {
    const order = Object.keys(this.data.sources) as Source[];
    return order.flatMap((source) => {
      const ends: number[] = [];
      const placed: Placed[] = [];
      for (const item of this.data.items) {
        const start = momentOf(item);
        if (item.source !== source || start === null) continue;
        const width = Math.max(PIN, this.x(item.end ?? start) - this.x(start));
        const x = Math.min(this.x(start), this.left + this.span - PIN);
        const free = ends.findIndex((end) => end + 3 <= x);
        const row = free >= 0 ? free : Math.min(ends.length, ROWS - 1);
        const crowded = free < 0 && ends.length === ROWS;
        // In a full lane a marker is only its pin, so that it hides as little as it can.
        placed.push({ item, x, width: crowded ? PIN : width, row });
        ends[row] = Math.max(ends[row] ?? 0, x + (crowded ? PIN : width));
      }
      return placed.length ? [{ source, rows: ends.length, placed }] : [];
    });
  }

  private marker({ item, x, width }: Placed, y: number): SVGElement {
    const start = momentOf(item) ?? 0;
    const span = item.end !== null && item.end > start ? `${clock(start)} to ${clock(item.end)}` : clock(start);
    const label = `Evidence ${item.n}, ${item.label}, ${span}: ${item.words}`;
    const node = svg(
      "g",
      { class: `marker ${item.source}`, "data-n": item.n, role: "button", tabindex: -1, "aria-label": label },
      svg("title", {}, label),
      svg("rect", { x, y: y + 3, width, height: ROW - 6, rx: 6, class: "bar" }),
      svg("text", { x: x + PIN / 2, y: y + ROW / 2 + 4, "text-anchor": "middle" }, String(item.n)),
    );
    node.addEventListener("click", () => this.events.pick(item));
    node.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.events.pick(item);
    });
    return node;
  }

  private name(text: string, y: number): SVGElement {
    return svg("text", { x: 0, y: y + 4, class: "name" }, text);
  }

  private wavePath(middle: number, height: number): string {
    const { wave } = this.data;
    const step = this.span / wave.length;
    const points = wave.map((v, i) => [this.left + (i + 0.5) * step, Math.max(0.4, clamp(v, 0, 1) * height)] as const);
    return points.map(([x, h]) => `M${x.toFixed(1)} ${(middle - h).toFixed(1)}v${(2 * h).toFixed(1)}`).join("");
  }

  private axis(y: number): SVGElement {
    const { duration } = this.data;
    const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];
    const step = steps.find((s) => (duration / s) * 64 <= this.span) ?? duration;
    const marks: SVGElement[] = [];
    for (let t = 0; t <= duration + 1e-6; t += step || 1) {
      const anchor = t === 0 ? "start" : t + step > duration && this.x(t) > this.left + this.span - 20 ? "end" : "middle";
      const text = clock(t).replace(/\.\d$/, "");
      marks.push(svg("text", { x: this.x(t), y: y + 17, "text-anchor": anchor }, text));
    }
    return svg("g", { class: "axis", "aria-hidden": "true" }, ...marks);
  }

  private timeAt(event: PointerEvent): number {
    const box = this.root.getBoundingClientRect();
    const scale = this.root.viewBox.baseVal.width / box.width;
    return clamp((((event.clientX - box.left) * scale - this.left) / this.span) * this.data.duration, 0, this.data.duration);
  }

  private press(event: PointerEvent): void {
    if (event.button !== 0 || (event.target as Element).closest(".marker")) return;
    event.preventDefault();
    this.events.scrub(this.timeAt(event));
    const move = (e: PointerEvent): void => this.events.scrub(this.timeAt(e));
    const stop = (): void => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", stop);
      window.removeEventListener("pointercancel", stop);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", stop);
    window.addEventListener("pointercancel", stop);
  }

  private key(event: KeyboardEvent): void {
    if (!(event.target as Element).classList.contains("track")) return;
    const far = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity }[event.key];
    if (far === undefined) return;
    event.preventDefault();
    this.events.scrub(clamp(this.time + far, 0, this.data.duration));
  }
}
