import { type Canvas, type Scale, isWhole, known, linear, logarithmic, plain, short, tone, unitOf } from "./chart_base.js";
import { svg } from "./dom.js";

/** Figures on a plane: lines, clouds, histograms, radars. */
interface Series {
  name: string;
  points: { row: number; y: number | null }[];
}

function series(c: Canvas): Series[] {
  const { y, series: by } = c.figure.plot;
  if (by === null) return y.map((name) => ({ name, points: c.rows.map((row) => ({ row, y: c.value(row, name) })) }));
  const found = new Map<string, Series>();
  for (const row of c.rows) {
    const name = c.told(row, by);
    const one = found.get(name) ?? { name, points: [] };
    one.points.push({ row, y: c.value(row, y[0] ?? "") });
    found.set(name, one);
  }
  return [...found.values()];
}

interface Plane {
  left: number;
  right: number;
  top: number;
  bottom: number;
  y: Scale;
}

function plane(c: Canvas, values: number[], zero: boolean, title: string): Plane {
  const height = Math.min(320, Math.max(200, c.width * 0.5));
  const [left, right, top, bottom] = [44, c.width - 12, 24, height];
  const [least, most] = [Math.min(...values, zero ? 0 : Infinity), Math.max(...values, zero ? 0 : -Infinity)];
  const pad = (most - least || Math.abs(most) || 1) * 0.08;
  const y = linear(zero ? least : Math.max(least >= 0 ? 0 : -Infinity, least - pad), most + pad, bottom, top, isWhole(c, c.figure.plot.y));
  c.add(svg("path", { d: y.ticks.map((t) => `M${left} ${y.at(t).toFixed(1)}H${right}`).join(""), class: "grid" }));
  for (const t of y.ticks) c.text(left - 8, y.at(t) + 4, plain(t), "end", "axis");
  c.text(0, 12, title, "start", "axis");
  c.height = bottom;
  return { left, right, top, bottom, y };
}

function below(c: Canvas, p: Plane, x: Scale, title: string): void {
  for (const t of x.ticks) c.text(x.at(t), p.bottom + 17, plain(t), "middle", "axis");
  c.text(p.right, p.bottom + 34, title, "end", "axis");
  c.height = p.bottom + 40;
}

function abscissa(c: Canvas, p: Plane, pad = 0.04): Scale {
  const { x, log_x: log } = c.figure.plot;
  const values = known(c.rows.map((r) => c.value(r, x)));
  if (!values.length) return { at: () => (p.left + p.right) / 2, ticks: [] };
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (log && least > 0) return logarithmic(least, most, p.left + 8, p.right - 8);
  const extra = (most - least || Math.abs(most) || 1) * pad;
  return linear(least >= 0 ? Math.max(0, least - extra) : least - extra, most + extra, p.left + 8, p.right - 8);
}

export function lines(c: Canvas): void {
  const all = series(c);
  const p = plane(c, known(all.flatMap((s) => s.points.map((q) => q.y))), true, unitOf(c, c.figure.plot.y));
  const words = c.rows.some((r) => c.value(r, c.figure.plot.x) === null);
  const labels = [...new Set(c.rows.map((r) => c.label(r)))];
  const x = words ? null : abscissa(c, p, 0.01);
  const at = (row: number): number => x ? x.at(c.value(row, c.figure.plot.x) ?? 0) : p.left + ((labels.indexOf(c.label(row)) + 0.5) / labels.length) * (p.right - p.left);
  all.forEach((s, k) => {
    let d = "";
    let pen = false;
    for (const q of s.points) {
      if (q.y !== null) d += `${pen ? "L" : "M"}${at(q.row).toFixed(1)} ${p.y.at(q.y).toFixed(1)}`;
      pen = q.y !== null;
    }
    c.add(svg("path", { d, class: `line ${tone(s.name, k)}` }));
    for (const q of s.points) if (q.y !== null) c.add(svg("circle", { cx: at(q.row), cy: p.y.at(q.y), r: 3, class: `fill ${tone(s.name, k)}` }, svg("title", {}, `${s.name}, ${c.label(q.row)}: ${plain(q.y)}`)));
  });
  if (x) below(c, p, x, c.head(c.figure.plot.x));
  else {
    labels.forEach((label, k) => c.text(p.left + ((k + 0.5) / labels.length) * (p.right - p.left), p.bottom + 17, short(label, Math.max(3, Math.floor((p.right - p.left) / labels.length / 6.6))), "middle", "axis"));
    c.height = p.bottom + 24;
  }
  if (all.length > 1) c.legend(all.map((s) => s.name), all.map((s, k) => tone(s.name, k)));
}

export function scatter(c: Canvas): void {
  const all = series(c);
  const named = c.figure.plot.series !== null;
  const p = plane(c, known(all.flatMap((s) => s.points.map((q) => q.y))), false, unitOf(c, c.figure.plot.y));
  const x = abscissa(c, p, 0.14);
  const taken: { x: number; y: number; w: number }[] = [];
  all.forEach((s, k) => {
    for (const q of s.points) {
      const v = c.value(q.row, c.figure.plot.x);
      if (v === null || q.y === null || (c.figure.plot.log_x && v <= 0)) continue;
      const [px, py] = [x.at(v), p.y.at(q.y)];
      c.add(svg("circle", { cx: px, cy: py, r: 6, class: `fill ${tone(s.name, k)}` }, svg("title", {}, `${s.name}: ${c.told(q.row, c.figure.plot.x)}, ${c.told(q.row, c.figure.plot.y[0] ?? "")}`)));
      if (!named) continue;
      const words = short(s.name, 28);
      const w = words.length * 6.6;
      const before = px + 10 + w > p.right;
      const tx = before ? Math.max(px - 10 - w, 0) : px + 10;
      const ty = [py + 4, py - 11, py + 19, py - 26, py + 34].find((y) => !taken.some((t) => Math.abs(t.y - y) < 14 && tx < t.x + t.w && t.x < tx + w));
      if (ty === undefined) continue;
      taken.push({ x: tx, y: ty, w });
      c.text(tx, ty, words, "start", "label");
    }
  });
  below(c, p, x, c.head(c.figure.plot.x));
}

export function histogram(c: Canvas): void {
  const names = c.figure.plot.y;
  const p = plane(c, known(c.rows.flatMap((r) => names.map((n) => c.value(r, n)))), true, unitOf(c, names));
  const slot = (p.right - p.left) / Math.max(1, c.rows.length);
  const one = (slot * 0.86) / names.length;
  for (const row of c.rows) {
    names.forEach((name, k) => {
      const v = c.value(row, name);
      if (!v) return;
      const y = p.y.at(v);
      c.add(svg("rect", { x: p.left + row * slot + slot * 0.07 + k * one, y, width: Math.max(1, one - 1), height: Math.max(1, p.bottom - y), rx: 2, class: `fill ${tone(name, k)}` }, svg("title", {}, `${c.label(row)}, ${name}: ${c.told(row, name)}`)));
    });
  }
  const longest = Math.max(...c.rows.map((r) => c.label(r).length), 1);
  const every = Math.max(1, Math.ceil((longest * 7 + 8) / slot));
  for (const row of c.rows) if (row % every === 0) c.text(p.left + (row + 0.5) * slot, p.bottom + 17, c.label(row), "middle", "axis");
  c.text(p.right, p.bottom + 34, c.head(c.figure.plot.x), "end", "axis");
  c.height = p.bottom + 40;
  if (names.length > 1) c.legend(names, names.map(tone));
}

/** A spoke without a value opens the polygon: it is never drawn as 0. */
export function radar(c: Canvas): void {
  const all = series(c);
  const spokes = [...new Set(c.rows.map((r) => c.label(r)))];
  const radius = Math.min(150, Math.max(70, c.width / 2 - (c.narrow ? 84 : 150)));
  const [cx, cy] = [c.width / 2, radius + 34];
  const top = linear(0, Math.max(...known(all.flatMap((s) => s.points.map((q) => q.y))), 0) || 1, 0, radius);
  const point = (k: number, r: number): [number, number] => [cx + r * Math.sin((2 * Math.PI * k) / spokes.length), cy - r * Math.cos((2 * Math.PI * k) / spokes.length)];
  for (const t of top.ticks) c.add(svg("circle", { cx, cy, r: top.at(t), class: "ring" }));
  spokes.forEach((label, k) => {
    const [x, y] = point(k, radius);
    c.add(svg("line", { x1: cx, y1: cy, x2: x, y2: y, class: "ring" }));
    const [tx, ty] = point(k, radius + 12);
    const anchor = Math.abs(tx - cx) < 12 ? "middle" : tx > cx ? "start" : "end";
    const room = anchor === "middle" ? 30 : Math.floor((anchor === "start" ? c.width - tx : tx) / 6.5);
    c.text(tx, ty + 4, short(label, room), anchor, "label");
  });
  all.forEach((s, n) => {
    const by = new Map(s.points.map((q) => [c.label(q.row), q.y]));
    let d = "";
    let pen = false;
    const ends = [...spokes, ...spokes.slice(0, 1)];
    ends.forEach((label, k) => {
      const v = by.get(label) ?? null;
      if (v !== null) d += `${pen ? "L" : "M"}${point(k, top.at(v)).map((z) => z.toFixed(1)).join(" ")}`;
      pen = v !== null;
    });
    const whole = spokes.every((label) => by.get(label) != null);
    c.add(svg("path", { d, class: `line ${tone(s.name, n)}${whole ? " area" : ""}` }));
    spokes.forEach((label, k) => {
      const v = by.get(label);
      if (v == null) return;
      const [x, y] = point(k, top.at(v));
      c.add(svg("circle", { cx: x, cy: y, r: 3, class: `fill ${tone(s.name, n)}` }, svg("title", {}, `${s.name}, ${label}: ${plain(v)}`)));
    });
  });
  for (const t of top.ticks.slice(1)) c.text(cx + 4, cy - top.at(t) - 2, plain(t), "start", "axis");
  c.height = cy + radius + 26;
  if (all.length > 1) c.legend(all.map((s) => s.name), all.map((s, k) => tone(s.name, k)));
}
