import type { Item, ProofData } from "./data.js";

/** What the report page knows, as the Python side writes it. */
export interface Question {
  id: string;
  epoch: number;
  bench: string;
  text: string;
  video: number | null;
  labels: string[];
  /** By run: how it ended and the answer; null where the run did not ask this question. */
  cells: ({ e: string; a: string } | null)[];
}

export interface VideoFile {
  name: string;
  src: string;
  mime: string;
  poster: string;
  duration: number | null;
  width: number;
  height: number;
  note: string;
}

export type Unit = "text" | "count" | "number" | "percent" | "seconds" | "usd" | "tokens";

export interface Figure {
  title: string;
  plot: {
    kind: string;
    x: string;
    y: string[];
    low: string | null;
    high: string | null;
    series: string | null;
    log_x: boolean;
  };
  columns: { name: string; head: string; unit: Unit; digits: number }[];
  rows: (string | number | null)[][];
  text: string[][];
}

export interface ReportData {
  runs: { name: string }[];
  questions: Question[];
  videos: VideoFile[];
  figures: Record<string, Figure>;
}

export interface StepView {
  id: number;
  phase: string;
  tools: string[];
  cost: string;
  gist: string;
  failed: boolean;
  text: string;
  rest: string;
  calls: { name: string; arguments: [string, string][] }[];
  results: { tool: string; ok: boolean; failure: string; about: string; text: string; rest: string }[];
  moment: [number, number] | null;
  seen: number[];
  items: Item[];
}

export interface Judged {
  ending: string;
  letter: string | null;
  reason: string;
  by: string;
  scores: [string, string][];
  tags: string[];
  milestones: { id: string; type: string; text: string; status: string; why: string }[];
  details: [string, string][];
}

export interface RunDetail {
  answer: string;
  letter: string | null;
  reason: string;
  confidence: number | null;
  judged: Judged;
  tiou: number | null;
  spent: [string, string][];
  cited: boolean;
  data: ProofData;
  steps: StepView[];
}

export interface QuestionDetail {
  text: string;
  options: [string, string][];
  gold: string | null;
  explanation: string;
  windows: [number, number][];
  runs: (RunDetail | null)[];
}
