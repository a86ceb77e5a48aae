import { clock, need } from "./dom.js";
import type { Player } from "./player.js";

const RATES = [1, 1.5, 2, 0.5];

/** The bar under the picture: play, step between evidence, time, speed, sound, full screen. */
export function wireControls(player: Player, step: (by: number) => void, duration: number, count: number): void {
  const bar = need("#controls");
  bar.hidden = false;
  const button = (name: string): HTMLButtonElement => need<HTMLButtonElement>(`[data-do="${name}"]`, bar);
  const play = button("play");
  const mute = button("mute");
  const rate = button("rate");
  const time = need("output", bar);
  const video = player.video;
  play.addEventListener("click", () => player.toggle());
  button("prev").addEventListener("click", () => step(-1));
  button("next").addEventListener("click", () => step(1));
  button("prev").disabled = button("next").disabled = count === 0;
  mute.addEventListener("click", () => {
    video.muted = !video.muted;
  });
  rate.addEventListener("click", () => {
    video.playbackRate = RATES[(RATES.indexOf(video.playbackRate) + 1) % RATES.length] ?? 1;
  });
  const full = button("full");
  full.hidden = !document.fullscreenEnabled;
  full.addEventListener("click", () => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void need("#screen").requestFullscreen();
  });
  const set = (node: HTMLElement, state: string, label: string): void => {
    if (node.dataset["state"] === state) return;
    node.dataset["state"] = state;
    node.setAttribute("aria-label", label);
    node.title = label;
  };
  player.addEventListener("tick", () => {
    play.disabled = !player.playable;
    set(play, player.playing ? "playing" : "paused", player.playing ? "Pause" : "Play");
    set(mute, video.muted ? "muted" : "loud", video.muted ? "Sound on" : "Sound off");
    rate.textContent = `${video.playbackRate}×`;
    time.textContent = player.playable ? `${clock(player.time)} / ${clock(duration)}` : clock(duration);
  });
}
