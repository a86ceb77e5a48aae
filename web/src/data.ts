/** What the page knows: written by the Python side as JSON, read once. Times are seconds, boxes are fractions. */
export type Source = "speech" | "screen" | "frame" | "web";

export interface TimedBox {
  t: number;
  box: [x0: number, y0: number, x1: number, y1: number];
}

export interface Item {
  n: number;
  start: number | null;
  end: number | null;
  boxes: TimedBox[];
  source: Source;
  label: string;
  words: string;
  /** What is said about it, such as where a quote from the web stands and whether it does. */
  note?: string;
  /** The second whose frame shows it best. */
  best: number | null;
  clip: string | null;
}

export interface Clip {
  start: number;
  end: number;
  data: string;
}

export interface ProofData {
  duration: number;
  known: boolean;
  items: Item[];
  /** Number of the evidence the agent named first. */
  lead: number | null;
  seen: number[];
  wave: number[];
  sources: Record<Source, string>;
  clips: Record<string, Clip>;
  /** A picture to show when the video is gone; a page without one shows the stills of its cards. */
  poster?: string;
  /** What to say when the video is gone. */
  lost?: string;
}

/** A JSON block of the page. */
export function readBlock<T>(id: string): T {
  return JSON.parse(document.getElementById(id)?.textContent ?? "{}") as T;
}

export function readData(): ProofData {
  return readBlock<ProofData>("proof-data");
}

/** First moment of an item on the timeline, null for evidence that has no time (a web page). */
export function momentOf(item: Item): number | null {
  return item.start ?? item.boxes[0]?.t ?? null;
}
