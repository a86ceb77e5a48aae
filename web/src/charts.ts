import { Canvas } from "./chart_base.js";
import { histogram, lines, radar, scatter } from "./chart_plane.js";
import { bars, grouped, heat, intervals, stacks } from "./chart_rows.js";
import { svg } from "./dom.js";
import type { Figure } from "./report_data.js";

const KINDS: Record<string, (canvas: Canvas) => void> = { bars, grouped_bars: grouped, stacks, intervals, heat, lines, scatter, histogram, radar };
/** Kinds that grow in height with their width. */
const PLANES = new Set(["lines", "scatter", "histogram", "radar"]);

/** Draws a figure into its place, at the place's own width; the table below it is its text form. */
export function drawFigure(place: HTMLElement, figure: Figure): void {
  const width = Math.floor(place.clientWidth);
  if (width < 60) return;
  const canvas = new Canvas(figure, Math.min(width, PLANES.has(figure.plot.kind) ? 760 : 1240));
  KINDS[figure.plot.kind]?.(canvas);
  const height = Math.ceil(canvas.height);
  place.replaceChildren(svg("svg", { class: "chart", viewBox: `0 0 ${canvas.width} ${height}`, width: canvas.width, height, role: "img", "aria-label": `Figure: ${figure.title}` }, ...canvas.parts));
}

/** Draws every figure when it comes near the screen or goes to paper, and again when its width changes. */
export function watchFigures(figures: Record<string, Figure>): void {
  const resized = new ResizeObserver((entries) => {
    for (const { target } of entries) paint(target as HTMLElement);
  });
  const paint = (place: HTMLElement): void => {
    const figure = figures[place.dataset["figure"] ?? ""];
    const width = String(place.clientWidth);
    if (!figure || place.dataset["drawn"] === width) return;
    place.dataset["drawn"] = width;
    drawFigure(place, figure);
  };
  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        paint(target as HTMLElement);
        resized.observe(target);
      }
    },
    { rootMargin: "600px" },
  );
  window.addEventListener("beforeprint", () => {
    for (const place of document.querySelectorAll<HTMLElement>("[data-figure]")) paint(place);
  });
  for (const place of document.querySelectorAll<HTMLElement>("[data-figure]")) {
    if (figures[place.dataset["figure"] ?? ""]) near.observe(place);
    else place.remove();
  }
}
