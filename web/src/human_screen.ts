import { BoxLayer, type Rect, pictureRect } from "./boxes.js";
import type { Item } from "./data.js";
import { clamp, need, svg } from "./dom.js";

/** A stretch somebody looked at; `start` and `end` are the same for a moment. */
export interface Stretch {
  start: number;
  end: number;
  rate: number;
}

const BEAT = 5000;
const REST = 600;

/** The picture: the video, or single frames of it where the browser cannot play it; tells what was looked at. */
export class Screen extends EventTarget {
  readonly video = need<HTMLVideoElement>("#video");
  private readonly stage = need("#stage");
  private readonly still = need<HTMLImageElement>("#stage-still");
  private readonly layer = need<SVGSVGElement>("#boxes");
  private readonly boxes = new BoxLayer(this.layer);
  private frames = false;
  private at = 0;
  private from: number | null = null;
  private last = 0;
  private resting = 0;

  constructor(
    private readonly duration: number,
    private readonly items: () => Item[],
    private readonly looked: (stretch: Stretch) => void,
  ) {
    super();
    const { video } = this;
    for (const name of ["timeupdate", "seeked", "loadeddata", "volumechange"]) video.addEventListener(name, () => this.tick());
    video.addEventListener("playing", () => {
      this.from = this.last = video.currentTime;
      this.tick();
    });
    for (const name of ["pause", "ended", "seeking", "ratechange", "waiting"]) video.addEventListener(name, () => this.flush());
    video.addEventListener("error", () => this.useFrames());
    video.addEventListener("click", () => this.toggle());
    setInterval(() => this.flush(true), BEAT);
    addEventListener("pagehide", () => this.flush());
    video.addEventListener("loadedmetadata", () => this.shape(video.videoWidth, video.videoHeight));
    this.still.addEventListener("load", () => this.shape(this.still.naturalWidth, this.still.naturalHeight));
    new ResizeObserver(() => this.tick()).observe(this.stage);
    const loop = (): void => {
      if (this.playing) this.tick();
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
    if (video.error) this.useFrames();
    else if (video.videoWidth) this.shape(video.videoWidth, video.videoHeight);
  }

  get time(): number {
    return this.frames ? this.at : this.video.currentTime;
  }

  get playing(): boolean {
    return !this.frames && !this.video.paused && !this.video.ended;
  }

  get rect(): Rect | null {
    const { naturalWidth, naturalHeight } = this.still;
    const width = this.frames ? naturalWidth : this.video.videoWidth;
    const height = this.frames ? naturalHeight : this.video.videoHeight;
    const area = { width: this.stage.clientWidth, height: this.stage.clientHeight };
    return width && height ? pictureRect(area, { width, height }) : null;
  }

  toggle(): void {
    if (this.frames) return;
    if (this.playing) this.video.pause();
    else this.video.play().catch(() => this.tick());
  }

  pause(): void {
    this.video.pause();
  }

  seek(t: number): void {
    const to = clamp(t, 0, this.duration);
    clearTimeout(this.resting);
    // A moment counts as looked at once somebody stays on it.
    if (!this.playing) this.resting = window.setTimeout(() => this.looked({ start: to, end: to, rate: 1 }), REST);
    if (this.frames) {
      this.at = to;
      this.still.src = `frame?t=${to.toFixed(3)}`;
    } else this.video.currentTime = to;
    this.tick();
  }

  tick(draft: readonly [number, number, number, number] | null = null): void {
    if (this.playing && !this.video.seeking) this.last = this.video.currentTime;
    const { rect } = this;
    this.boxes.draw(this.items(), this.time, rect, null);
    this.layer.querySelector(".draft")?.remove();
    if (draft && rect) {
      const [x0, y0, x1, y1] = draft;
      const x = rect.left + x0 * rect.width;
      const y = rect.top + y0 * rect.height;
      this.layer.append(svg("rect", { x, y, width: (x1 - x0) * rect.width, height: (y1 - y0) * rect.height, class: "draft" }));
    }
    this.dispatchEvent(new Event("tick"));
  }

  /** Tells the stretch played since the last time; `on` when it goes on. */
  private flush(on = false): void {
    const { from, last } = this;
    if (from !== null && last > from) this.looked({ start: from, end: last, rate: this.video.playbackRate });
    this.from = on && this.playing ? last : null;
    if (!on && this.playing && !this.video.seeking) this.from = last;
    this.tick();
  }

  private shape(width: number, height: number): void {
    if (width && height) this.stage.style.aspectRatio = `${width} / ${height}`;
    this.tick();
  }

  private useFrames(): void {
    if (this.frames) return;
    this.frames = true;
    this.video.hidden = true;
    this.still.hidden = false;
    const notice = need("#notice");
    need("span", notice).textContent = "This browser cannot play the video: you see it frame by frame, without sound.";
    notice.hidden = false;
    this.seek(0);
  }
}

/** Draws one rectangle with the pointer; fractions of the picture. */
export function drawBox(screen: Screen, done: (box: [number, number, number, number]) => void): void {
  const layer = need("#draw");
  let start: [number, number] | null = null;
  const place = (event: PointerEvent): [number, number] | null => {
    const { rect } = screen;
    if (!rect) return null;
    const area = layer.getBoundingClientRect();
    const x = (event.clientX - area.left - rect.left) / rect.width;
    const y = (event.clientY - area.top - rect.top) / rect.height;
    return [clamp(x, 0, 1), clamp(y, 0, 1)];
  };
  const box = (event: PointerEvent): [number, number, number, number] | null => {
    const now = place(event);
    if (!start || !now) return null;
    return [Math.min(start[0], now[0]), Math.min(start[1], now[1]), Math.max(start[0], now[0]), Math.max(start[1], now[1])];
  };
  layer.addEventListener("pointerdown", (event) => {
    screen.pause();
    start = place(event);
    layer.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  layer.addEventListener("pointermove", (event) => {
    if (start) screen.tick(box(event));
  });
  layer.addEventListener("pointerup", (event) => {
    const found = box(event);
    start = null;
    screen.tick();
    if (found && found[2] - found[0] > 0.003 && found[3] - found[1] > 0.003) done(found);
  });
  layer.addEventListener("pointercancel", () => {
    start = null;
    screen.tick();
  });
}
