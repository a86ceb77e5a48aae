import { need } from "./dom.js";

/** The steps beside the proof: native disclosure widgets, opened together or by a link from a card. */
export function wireTrajectory(): void {
  const steps = [...document.querySelectorAll<HTMLDetailsElement>("#trajectory details.step")];
  const all = need<HTMLButtonElement>("#steps-all");
  all.hidden = steps.length === 0;
  const label = (): void => {
    all.textContent = steps.every((s) => s.open) ? "Close all" : "Open all";
  };
  all.addEventListener("click", () => {
    const open = !steps.every((s) => s.open);
    for (const step of steps) step.open = open;
    label();
  });
  for (const step of steps) step.addEventListener("toggle", label);
  for (const link of document.querySelectorAll<HTMLAnchorElement>("a[data-step]")) {
    link.addEventListener("click", () => {
      const step = document.getElementById(`step-${link.dataset["step"]}`);
      if (step instanceof HTMLDetailsElement) step.open = true;
      step?.querySelector("summary")?.focus({ preventScroll: true });
    });
  }
}
