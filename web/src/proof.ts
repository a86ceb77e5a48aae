import { wireControls } from "./controls.js";
import { type Item, readData } from "./data.js";
import { need } from "./dom.js";
import { EvidenceCards, caption } from "./evidence.js";
import { Player } from "./player.js";
import { Timeline } from "./timeline.js";
import { wireTrajectory } from "./trajectory.js";

const data = readData();
const { items } = data;
const player = new Player(data);
let active: number | null = null;

function mark(item: Item | undefined): void {
  active = item?.n ?? null;
  cards.mark(active);
  timeline.mark(active);
  caption(items, item);
}

function show(item: Item, play: boolean): void {
  mark(item);
  player.show(item, play);
}

function step(by: number): void {
  if (!items.length) return;
  const at = items.findIndex((item) => item.n === active);
  const next = items[at < 0 ? (by > 0 ? 0 : items.length - 1) : (at + by + items.length) % items.length];
  if (next) show(next, player.playing);
}

/** From a card: bring the player into view when it is not, then play the moment. */
function watch(item: Item): void {
  const screen = need("#screen");
  const { top, bottom } = screen.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    screen.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
  }
  show(item, true);
}

const cards = new EvidenceCards(items, watch);
const timeline = new Timeline(need<SVGSVGElement>("#timeline"), data, {
  pick: (item) => show(item, true),
  scrub: (t) => player.seek(t),
});
wireControls(player, step, data.duration, items.length);
wireTrajectory();

// The page opens on the proof, not on the first frame of the video.
const lead = items.find((item) => item.n === data.lead);
if (lead && player.active === null) {
  mark(lead);
  player.show(lead, false, lead.best);
}
const follow = (): void => mark(items.find((item) => item.n === player.active));
player.addEventListener("tick", () => timeline.move(player.time));
player.addEventListener("fallback", follow);
follow();

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target as Element;
  const presses = target.closest("button, summary, a, pre, [role=button]") !== null;
  if (event.key === "ArrowRight") step(1);
  else if (event.key === "ArrowLeft") step(-1);
  else if (event.key === " " && !presses) player.toggle();
  else return;
  event.preventDefault();
});
document.documentElement.dataset["ready"] = "";
