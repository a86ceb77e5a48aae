import { type Canvas, type Scale, isWhole, known, linear, plain, short, tone, unitOf } from "./chart_base.js";
import { svg } from "./dom.js";

/** Figures with a row a label and values to the right: bars, groups, stacks, intervals, heat maps. */
interface Frame {
  left: number;
  right: number;
  /** Upper edge of a row's marks. */
  top(row: number): number;
  size: number;
}

function frame(c: Canvas, size: number, right = 46): Frame {
  const longest = Math.max(...c.rows.map((r) => c.label(r).length), 4);
  const left = c.narrow ? 2 : Math.min(c.width * 0.36, longest * 6.7 + 14);
  const gap = c.narrow ? 30 : 12;
  const pitch = size + gap;
  const top = (row: number): number => 4 + row * pitch + (c.narrow ? 19 : 0);
  for (const row of c.rows) {
    const words = c.label(row);
    if (c.narrow) c.text(0, top(row) - 5, short(words, Math.floor(c.width / 6.6)), "start", "label");
    else c.text(left - 10, top(row) + size / 2 + 4, short(words, Math.floor(left / 6.6)), "end", "label");
  }
  c.height = 4 + c.rows.length * pitch;
  return { left, right: c.width - right, top, size };
}

function axis(c: Canvas, scale: Scale, title: string): void {
  const bottom = c.height;
  const lines = scale.ticks.map((t) => `M${scale.at(t).toFixed(1)} 0V${bottom}`).join("");
  c.parts.unshift(svg("path", { d: lines, class: "grid" }));
  for (const t of scale.ticks) c.text(scale.at(t), bottom + 15, plain(t), "middle", "axis");
  c.height = bottom + 22;
  if (title) {
    c.text(c.width, c.height + 10, title, "end", "axis");
    c.height += 16;
  }
}

function bar(c: Canvas, x0: number, x1: number, y: number, height: number, klass: string, told: string): void {
  const x = Math.min(x0, x1);
  c.add(svg("rect", { x, y, width: Math.max(1, Math.abs(x1 - x0)), height, rx: Math.min(4, height / 3), class: `fill ${klass}` }, svg("title", {}, told)));
}

export function bars(c: Canvas): void {
  const name = c.figure.plot.y[0] ?? "";
  const f = frame(c, 20, 74);
  const values = known(c.rows.map((r) => c.value(r, name)));
  const scale = linear(Math.min(0, ...values), Math.max(0, ...values) || 1, f.left, f.right, isWhole(c, c.figure.plot.y));
  for (const row of c.rows) {
    const v = c.value(row, name);
    if (v === null) continue;
    bar(c, scale.at(0), scale.at(v), f.top(row), f.size, "s0", `${c.label(row)}: ${c.told(row, name)}`);
    c.text(Math.max(scale.at(v), scale.at(0)) + 6, f.top(row) + f.size / 2 + 4, c.told(row, name));
  }
  axis(c, scale, c.head(name));
}

export function grouped(c: Canvas): void {
  const names = c.figure.plot.y;
  const one = names.length > 4 ? 8 : 12;
  const f = frame(c, names.length * one, 40);
  const values = known(c.rows.flatMap((r) => names.map((n) => c.value(r, n))));
  const scale = linear(Math.min(0, ...values), Math.max(0, ...values) || 1, f.left, f.right, isWhole(c, c.figure.plot.y));
  for (const row of c.rows) {
    names.forEach((name, k) => {
      const v = c.value(row, name);
      if (v !== null) bar(c, scale.at(0), scale.at(v), f.top(row) + k * one, one - 2, tone(name, k), `${c.label(row)}, ${name}: ${c.told(row, name)}`);
    });
  }
  axis(c, scale, unitOf(c, names));
  if (names.length > 1) c.legend(names, names.map(tone));
}

export function stacks(c: Canvas): void {
  const names = c.figure.plot.y.map((name, k) => ({ name, klass: tone(name, k) })).filter(({ name }) => c.rows.some((r) => c.value(r, name)));
  const f = frame(c, 20, 14);
  const totals = c.rows.map((r) => names.reduce((sum, { name }) => sum + (c.value(r, name) ?? 0), 0));
  const scale = linear(0, Math.max(...totals, 0) || 1, f.left, f.right, isWhole(c, names.map((n) => n.name)));
  for (const row of c.rows) {
    let left = 0;
    for (const { name, klass } of names) {
      const v = c.value(row, name) ?? 0;
      if (!v) continue;
      const [x0, x1] = [scale.at(left), scale.at(left + v)];
      c.add(svg("rect", { x: x0, y: f.top(row), width: Math.max(0.5, x1 - x0 - 1), height: f.size, rx: 2, class: `fill ${klass}` }, svg("title", {}, `${c.label(row)}, ${name}: ${c.told(row, name)}`)));
      if (x1 - x0 > 34) c.text((x0 + x1) / 2, f.top(row) + 14, c.told(row, name), "middle", "on");
      left += v;
    }
  }
  axis(c, scale, unitOf(c, names.map((n) => n.name)));
  c.legend(names.map((n) => n.name), names.map((n) => n.klass));
}

export function intervals(c: Canvas): void {
  const { y, low, high } = c.figure.plot;
  const name = y[0] ?? "";
  const f = frame(c, 18, 14);
  const all = known(c.rows.flatMap((r) => [c.value(r, name), low ? c.value(r, low) : null, high ? c.value(r, high) : null]));
  const [least, most] = [Math.min(...all, Infinity), Math.max(...all, -Infinity)];
  const pad = (most - least || 1) * 0.06;
  const whole = isWhole(c, [name]);
  const floor = !whole && least >= 0 && least < (most - least) * 0.6 ? 0 : least - pad;
  const scale = linear(all.length ? floor : 0, all.length ? most + pad : 1, f.left + 6, f.right, whole);
  for (const row of c.rows) {
    const middle = f.top(row) + f.size / 2;
    const [v, a, b] = [c.value(row, name), low ? c.value(row, low) : null, high ? c.value(row, high) : null];
    const told = `${c.label(row)}: ${c.told(row, name)}${a !== null && b !== null ? `, ${c.told(row, low ?? "")} to ${c.told(row, high ?? "")}` : ""}`;
    if (a !== null && b !== null) c.add(svg("line", { x1: scale.at(a), x2: scale.at(b), y1: middle, y2: middle, class: "span s0" }, svg("title", {}, told)));
    if (v !== null) c.add(svg("circle", { cx: scale.at(v), cy: middle, r: 5, class: "fill s0" }, svg("title", {}, told)));
  }
  if (floor < 0 && most > 0) c.add(svg("line", { x1: scale.at(0), x2: scale.at(0), y1: 0, y2: c.height, class: "zero" }));
  axis(c, scale, c.head(name));
}

export function heat(c: Canvas): void {
  const names = c.figure.plot.y;
  const f = frame(c, 24, 4);
  const cell = (f.right - f.left) / Math.max(1, names.length);
  const top = Math.max(...known(c.rows.flatMap((r) => names.map((n) => c.value(r, n)))), 0) || 1;
  for (const row of c.rows) {
    names.forEach((name, k) => {
      const v = c.value(row, name);
      const x = f.left + k * cell;
      if (v === null) return;
      c.add(svg("rect", { x: x + 1, y: f.top(row), width: Math.max(1, cell - 2), height: f.size, rx: 4, class: "fill s1", "fill-opacity": (0.04 + 0.66 * Math.max(0, v / top)).toFixed(3) }, svg("title", {}, `${c.label(row)}, ${name}: ${c.told(row, name)}`)));
      if (cell > 30) c.text(x + cell / 2, f.top(row) + 16, c.told(row, name), "middle");
    });
  }
  const room = Math.max(3, Math.floor(cell / 6.6));
  if (names.every((n) => n.length <= room)) {
    names.forEach((name, k) => c.text(f.left + (k + 0.5) * cell, c.height + 12, name, "middle", "axis"));
    c.height += 20;
  } else {
    const words = names.map((n, k) => `${k + 1} ${n}`);
    names.forEach((_, k) => c.text(f.left + (k + 0.5) * cell, c.height + 12, String(k + 1), "middle", "axis"));
    c.height += 20;
    c.legend(words, names.map(() => "none"));
  }
}
