import { BoxLayer, pictureRect } from "./boxes.js";
import { type Clip, type Item, type ProofData, momentOf } from "./data.js";
import { clamp, clock, need } from "./dom.js";

/** What is in the player: the linked video, one embedded clip, or nothing playable (a still or words only). */
type Mode = { kind: "video" } | { kind: "clip"; id: string; clip: Clip } | { kind: "none" };

/** Plays the linked video, or the embedded clips when it is gone. All times are seconds of the whole video. */
export class Player extends EventTarget {
  readonly video = need<HTMLVideoElement>("#video");
  private readonly stage = need("#stage");
  private readonly notice = need("#notice");
  private readonly still = need<HTMLImageElement>("#stage-still");
  private readonly boxes = new BoxLayer(need<SVGSVGElement>("#boxes"));
  private readonly urls = new Map<string, string>();
  private mode: Mode = { kind: "video" };
  /** Number of the evidence shown last. */
  active: number | null = null;
  /** Further evidence whose boxes are drawn: that of a step somebody looks at. */
  extra: Item[] = [];
  private pending: number | null = null;
  private missing = false;
  private ended = false;
  private readonly resized = new ResizeObserver(() => this.tick());

  constructor(private readonly data: ProofData) {
    super();
    const video = this.video;
    video.controls = false;
    for (const name of ["timeupdate", "seeked", "loadeddata", "play", "pause", "ended", "volumechange", "ratechange"]) {
      video.addEventListener(name, () => this.tick());
    }
    video.addEventListener("loadedmetadata", () => this.ready());
    video.addEventListener("error", () => this.failed());
    video.addEventListener("click", () => this.toggle());
    this.resized.observe(this.stage);
    const loop = (): void => {
      if (this.ended) return;
      if (!video.paused) this.tick();
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
    // The source stands in the markup, so both events may be over before this script runs.
    if (video.error || !video.getAttribute("src")) this.failed();
    else if (video.readyState >= HTMLMediaElement.HAVE_METADATA) this.ready();
  }

  /** Lets go of the video; for pages that show one after another. */
  dispose(): void {
    this.ended = true;
    this.resized.disconnect();
    this.video.pause();
    this.video.removeAttribute("src");
    this.video.load();
    for (const url of this.urls.values()) URL.revokeObjectURL(url);
  }

  get time(): number {
    const offset = this.mode.kind === "clip" ? this.mode.clip.start : 0;
    return offset + (this.pending ?? this.video.currentTime);
  }

  get playing(): boolean {
    return !this.video.paused && !this.video.ended;
  }

  get playable(): boolean {
    return this.mode.kind !== "none";
  }

  toggle(): void {
    if (this.mode.kind === "none") return;
    if (this.playing) this.video.pause();
    else this.play();
  }

  play(): void {
    // A refused or interrupted play() leaves the player paused, which is what the controls then show.
    if (this.mode.kind !== "none") this.video.play().catch(() => this.tick());
  }

  seek(t: number): void {
    if (this.missing && !this.loadClipAt(t)) return;
    const offset = this.mode.kind === "clip" ? this.mode.clip.start : 0;
    const length = this.mode.kind === "clip" ? this.mode.clip.end - offset : this.data.duration || Infinity;
    this.setLocal(clamp(t - offset, 0, length));
  }

  /** Shows one piece of evidence from its first second: from the linked video, else from its clip, else its still. */
  show(item: Item, play: boolean, at: number | null = null): void {
    this.active = item.n;
    const moment = at ?? momentOf(item);
    if (this.missing) this.showEmbedded(item);
    if (moment !== null && this.mode.kind !== "none") {
      this.seek(moment);
      if (play) this.play();
    }
    this.tick();
  }

  private setLocal(t: number): void {
    if (this.video.readyState >= HTMLMediaElement.HAVE_METADATA) this.video.currentTime = t;
    else this.pending = t;
    this.tick();
  }

  private ready(): void {
    if (this.pending !== null) this.video.currentTime = this.pending;
    this.pending = null;
    const real = this.video.duration;
    const { duration, known } = this.data;
    if (this.mode.kind === "video" && known && Number.isFinite(real) && Math.abs(real - duration) > Math.max(1, duration * 0.02)) {
      this.say(`The linked video lasts ${clock(real)}, the one that was examined ${clock(duration)}: it may not be the same video.`);
    }
    this.tick();
  }

  private failed(): void {
    if (this.mode.kind !== "video" || this.ended) return;
    this.missing = true;
    this.stage.dataset["missing"] = "";
    const lead = this.data.items.find((item) => item.n === this.data.lead);
    const first = lead?.clip ? lead : this.data.items.find((item) => item.clip);
    this.say(
      this.data.lost ? this.data.lost : first
        ? "The linked video could not be loaded: it was moved, or this browser cannot play it. You are watching the clips embedded in this page."
        : "The linked video could not be loaded: it was moved, or this browser cannot play it. The stills and quotes below are embedded in this page.",
    );
    const fallback = first ?? lead;
    if (fallback) this.showEmbedded(fallback);
    else this.leave();
    if (this.data.poster && !this.playable) {
      this.still.src = this.data.poster;
      this.still.hidden = false;
    }
    this.active = fallback?.n ?? null;
    this.dispatchEvent(new Event("fallback"));
    this.tick();
  }

  private say(words: string): void {
    need("span", this.notice).textContent = words;
    this.notice.hidden = false;
  }

  private showEmbedded(item: Item): void {
    if (item.clip) this.loadClip(item.clip);
    else this.leave();
    const picture = document.querySelector<HTMLImageElement>(`#evidence-${item.n} .still img`);
    const shown = !item.clip && picture;
    this.still.hidden = !shown && !(this.data.poster && this.mode.kind === "none");
    if (shown) {
      this.still.src = picture.src;
      this.still.alt = picture.alt;
    }
  }

  private leave(): void {
    this.video.pause();
    this.video.hidden = true;
    this.mode = { kind: "none" };
  }

  private loadClipAt(t: number): boolean {
    if (this.mode.kind === "clip" && t >= this.mode.clip.start && t <= this.mode.clip.end) return true;
    const hit = Object.entries(this.data.clips).find(([, c]) => t >= c.start && t <= c.end);
    if (hit) this.loadClip(hit[0]);
    return hit !== undefined;
  }

  private loadClip(id: string): void {
    const clip = this.data.clips[id];
    if (!clip) return;
    this.still.hidden = true;
    this.video.hidden = false;
    if (this.mode.kind === "clip" && this.mode.id === id) return;
    this.mode = { kind: "clip", id, clip };
    this.pending = null;
    this.video.src = this.clipUrl(id, clip);
  }

  private clipUrl(id: string, clip: Clip): string {
    let url = this.urls.get(id);
    if (!url) {
      const bytes = Uint8Array.from(atob(clip.data), (c) => c.charCodeAt(0));
      url = URL.createObjectURL(new Blob([bytes], { type: "video/mp4" }));
      this.urls.set(id, url);
    }
    return url;
  }

  private tick(): void {
    if (this.ended) return;
    const { videoWidth: width, videoHeight: height } = this.video;
    const area = { width: this.stage.clientWidth, height: this.stage.clientHeight };
    const rect = this.mode.kind !== "none" && width && height ? pictureRect(area, { width, height }) : null;
    this.boxes.draw([...this.data.items, ...this.extra], this.time, rect, this.active);
    this.dispatchEvent(new Event("tick"));
  }
}
