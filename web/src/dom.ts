/** The SVG namespace, as the markup knows it: so that the page holds no address at all. */
const SVG = document.querySelector("svg")?.namespaceURI ?? null;

type Attributes = Record<string, string | number>;

export function svg<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[K] {
  const node = document.createElementNS(SVG, name) as SVGElementTagNameMap[K];
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  node.append(...children);
  return node;
}

/** An element the template promises to hold. */
export function need<T extends Element = HTMLElement>(selector: string, root: ParentNode = document): T {
  const node = root.querySelector<T>(selector);
  if (!node) throw new Error(`the page has no ${selector}`);
  return node;
}

export const clamp = (x: number, low: number, high: number): number => Math.min(Math.max(x, low), high);

/** `M:SS.s` or `H:MM:SS.s`; the same words as the Python side uses. */
export function clock(seconds: number): string {
  const tenths = Math.round(seconds * 10);
  const whole = Math.floor(tenths / 10);
  const minutes = Math.floor(whole / 60);
  const secs = String(whole % 60).padStart(2, "0");
  const hours = Math.floor(minutes / 60);
  const head = hours ? `${hours}:${String(minutes % 60).padStart(2, "0")}` : String(minutes);
  return `${head}:${secs}.${tenths % 10}`;
}

type Child = Node | string | null | undefined | false;

/** An HTML element with attributes; `false` and missing children are left out. Text is never read as markup. */
export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Record<string, string | number | boolean> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(key, "");
    else if (value !== false) node.setAttribute(key, String(value));
  }
  node.append(...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false && c !== ""));
  return node;
}

/** A copy of one of the page's icons. */
export function icon(name: string, extra = ""): SVGSVGElement {
  return svg("svg", { class: `icon ${extra}`.trim(), viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("use", { href: `#i-${name}` }));
}
