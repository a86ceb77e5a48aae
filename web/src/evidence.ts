import type { Item } from "./data.js";
import { need } from "./dom.js";

/** The cards beside the timeline: a press shows the moment, the chosen one is marked. */
export class EvidenceCards {
  constructor(
    private readonly items: Item[],
    pick: (item: Item) => void,
  ) {
    for (const item of items) {
      for (const button of this.card(item.n)?.querySelectorAll<HTMLButtonElement>("button.seek") ?? []) {
        button.disabled = false;
        button.addEventListener("click", () => pick(item));
      }
    }
  }

  mark(active: number | null): void {
    for (const item of this.items) {
      const card = this.card(item.n);
      if (item.n === active) card?.setAttribute("aria-current", "true");
      else card?.removeAttribute("aria-current");
    }
  }

  private card(n: number): HTMLElement | null {
    return document.getElementById(`evidence-${n}`);
  }
}

/** The line under the player that says what is on it; read out by screen readers when it changes. */
export function caption(items: Item[], item: Item | undefined): void {
  const place = need("#caption");
  place.dataset["source"] = item?.source ?? "";
  need(".where", place).textContent = item ? `${item.n} of ${items.length}` : "";
  need(".words", place).textContent = item ? `${item.label}: ${item.words}` : place.dataset["idle"] ?? "";
}
