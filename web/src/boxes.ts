import type { Item, TimedBox } from "./data.js";
import { clamp, svg } from "./dom.js";

/** A box without a window stands for this long on either side of its second, so that it can be seen. */
const HOLD = 0.5;
/** Slack for the frame grid: a seek lands on a frame, not on the exact second. */
const SLACK = 0.05;
/** Rounding of a media element's clock. */
const EDGE = 0.001;

/** The boxes of an item on screen at `t`: the latest ones at or before `t` while the item lasts, never invented between. */
export function boxesAt(item: Item, t: number): TimedBox[] {
  const first = item.boxes[0];
  const last = item.boxes[item.boxes.length - 1];
  if (!first || !last) return [];
  const from = Math.min(item.start ?? Infinity, first.t - HOLD);
  const to = Math.max(item.end ?? -Infinity, last.t + HOLD);
  if (t < from - SLACK || t > to + SLACK) return [];
  // A window ends before its end: the frame at that second is often the first of the next scene.
  if (item.start != null && item.end != null && item.end > item.start && t > last.t + SLACK && t >= item.end - EDGE) return [];
  let moment = first.t;
  for (const b of item.boxes) if (b.t <= t + SLACK) moment = b.t;
  return item.boxes.filter((b) => b.t === moment);
}

export interface Rect {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Where the picture lies inside its element when it is fitted whole (letterbox or pillarbox). */
export function pictureRect(element: { width: number; height: number }, picture: { width: number; height: number }): Rect {
  const scale = Math.min(element.width / picture.width, element.height / picture.height);
  const width = picture.width * scale;
  const height = picture.height * scale;
  return { left: (element.width - width) / 2, top: (element.height - height) / 2, width, height };
}

/** Draws boxes over a picture; the layer covers the element that shows it. */
export class BoxLayer {
  private key = "";

  constructor(private readonly layer: SVGSVGElement) {}

  draw(items: Item[], t: number, rect: Rect | null, active: number | null): void {
    const shown = rect ? items.flatMap((item) => boxesAt(item, t).map((b) => ({ item, box: b.box }))) : [];
    shown.sort((a, b) => Number(a.item.n === active) - Number(b.item.n === active)); // the chosen one lies on top
    const key = JSON.stringify([shown.map((s) => [s.item.n, s.box]), rect, active]);
    if (key === this.key) return;
    this.key = key;
    this.layer.replaceChildren(...(rect ? shown.map((s) => this.one(s.item, s.box, rect, s.item.n === active)) : []));
  }

  private one(item: Item, box: TimedBox["box"], rect: Rect, active: boolean): SVGGElement {
    const [x0, y0, x1, y1] = box;
    const x = rect.left + x0 * rect.width;
    const y = rect.top + y0 * rect.height;
    const size = { x, y, width: (x1 - x0) * rect.width, height: (y1 - y0) * rect.height, rx: 4 };
    // Only the chosen box says what it is, and only where there is room: tags must not hide what they mark.
    const text = active && rect.width >= 480 ? `${item.n} · ${item.label}` : item.n > 0 ? String(item.n) : "step";
    const width = text.length * 6.6 + 14;
    const tagX = clamp(x, rect.left, Math.max(rect.left, rect.left + rect.width - width));
    const above = y - 24 >= rect.top;
    const tagY = above ? y - 24 : Math.min(y + size.height + 4, rect.top + rect.height - 20);
    return svg(
      "g",
      { class: `box ${item.source}${active ? " active" : ""}`, "data-n": item.n },
      svg("rect", { ...size, class: "halo" }),
      svg("rect", { ...size, class: "edge" }),
      svg("rect", { x: tagX, y: tagY, width, height: 20, rx: 10, class: "tag" }),
      svg("text", { x: tagX + width / 2, y: tagY + 14, "text-anchor": "middle" }, text),
    );
  }
}
