import { svg } from "./dom.js";
import type { Figure } from "./report_data.js";

/** What every kind of figure draws with: a size, columns by name, scales with round ticks, colours by class. */
export class Canvas {
  readonly parts: SVGElement[] = [];
  height = 0;

  constructor(
    readonly figure: Figure,
    readonly width: number,
  ) {}

  get narrow(): boolean {
    return this.width < 560;
  }

  column(name: string): number {
    return this.figure.columns.findIndex((c) => c.name === name);
  }

  head(name: string): string {
    return this.figure.columns[this.column(name)]?.head ?? name;
  }

  value(row: number, name: string): number | null {
    const v = this.figure.rows[row]?.[this.column(name)];
    return typeof v === "number" ? v : null;
  }

  told(row: number, name: string): string {
    return this.figure.text[row]?.[this.column(name)] ?? "";
  }

  label(row: number): string {
    return this.told(row, this.figure.plot.x);
  }

  get rows(): number[] {
    return this.figure.rows.map((_, n) => n);
  }

  add(...parts: SVGElement[]): void {
    this.parts.push(...parts);
  }

  text(x: number, y: number, words: string, anchor = "start", extra = ""): void {
    this.add(svg("text", { x, y, "text-anchor": anchor, class: extra }, words));
  }

  /** A legend below what has been drawn; series stand in the order given. */
  legend(names: string[], classes: string[]): void {
    let x = 0;
    let y = this.height + 14;
    names.forEach((name, n) => {
      const words = short(name, Math.floor(this.width / 7) - 4);
      const width = words.length * 6.6 + 30;
      if (x && x + width > this.width) {
        x = 0;
        y += 20;
      }
      this.add(svg("rect", { x, y: y - 9, width: 10, height: 10, rx: 3, class: `fill ${classes[n]}` }));
      this.text(x + 16, y, words);
      x += width;
    });
    this.height = y + 8;
  }
}

export const short = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, Math.max(1, most - 1))}…`);

/** Class of a series: endings have their own colours everywhere, the others go round eight. */
const ENDINGS = new Set(["right", "wrong", "abstained", "unparsed", "model failed", "judge failed", "harness failed", "excluded", "not run"]);
export const tone = (name: string, place: number): string => (ENDINGS.has(name) ? `t-${name.replace(/ /g, "-")}` : `s${place % 8}`);

export interface Scale {
  at(v: number): number;
  ticks: number[];
}

/** A linear scale from pixel `a` to pixel `b` with three to seven round ticks, on whole numbers for counts and ranks. */
export function linear(low: number, high: number, a: number, b: number, whole = false): Scale {
  const span = high - low || 1;
  const most = Math.max(2, Math.min(7, Math.abs(b - a) / 58));
  const rough = whole ? Math.max(1, span / most) : span / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? 10 * power;
  const ticks: number[] = [];
  for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + step * 1e-9; t += step) ticks.push(Number(t.toPrecision(12)));
  return { at: (v) => a + ((v - low) / span) * (b - a), ticks };
}

/** A logarithmic scale; ticks at 1, 2 and 5 of each power while there is room. */
export function logarithmic(low: number, high: number, a: number, b: number): Scale {
  const from = Math.log10(low) - 0.05;
  const to = Math.log10(high) + 0.05;
  const ticks: number[] = [];
  for (let p = Math.floor(from); p <= to; p++) for (const m of to - from > 2.5 ? [1] : [1, 2, 5]) ticks.push(m * 10 ** p);
  const at = (v: number): number => a + ((Math.log10(v) - from) / (to - from || 1)) * (b - a);
  return { at, ticks: ticks.filter((t) => Math.log10(t) >= from && Math.log10(t) <= to) };
}

export function plain(v: number): string {
  const size = Math.abs(v);
  if (size >= 1e6) return `${Number((v / 1e6).toPrecision(3))}M`;
  if (size >= 1e4) return `${Number((v / 1e3).toPrecision(3))}k`;
  return String(Number(v.toPrecision(4)));
}

/** Whether a column holds whole numbers only: counts and ranks. */
export function isWhole(canvas: Canvas, names: string[]): boolean {
  return names.every((n) => {
    const column = canvas.figure.columns[canvas.column(n)];
    return column?.unit === "count" || (column?.unit === "number" && column.digits === 0);
  });
}

/** Common unit of several columns, for the axis of values. */
export function unitOf(canvas: Canvas, names: string[]): string {
  if (names.length === 1) return canvas.head(names[0] ?? "");
  const units = new Set(names.map((n) => canvas.figure.columns[canvas.column(n)]?.unit));
  const words: Record<string, string> = { percent: "%", count: "count", seconds: "seconds", usd: "USD", tokens: "tokens" };
  return units.size === 1 ? (words[[...units][0] ?? ""] ?? "") : "";
}

export const known = (values: (number | null)[]): number[] => values.filter((v): v is number => v !== null);
