import type { Item, ProofData, Source, TimedBox } from "./data.js";
import { clock, need } from "./dom.js";
import { Screen, drawBox } from "./human_screen.js";
import { Timeline } from "./timeline.js";

interface Mark {
  n: number;
  start: number | null;
  end: number | null;
  boxes: TimedBox[];
  quote: string;
  source: Source;
  note: string;
}

interface Draft {
  letter: string | null;
  text: string;
  confidence: number | null;
  reason: string;
}

interface State {
  id: string;
  text: string;
  options: { letter: string; text: string }[];
  name: string;
  duration: number;
  opened: boolean;
  closed: boolean;
  elapsed: number;
  limit: number | null;
  search: boolean;
  marks: Mark[];
  watched: [number, number][];
  draft: Draft;
  found: { start: number; end: number; source: Source; text: string }[];
}

const POLL = 1500;
const field = <T extends HTMLElement = HTMLInputElement>(id: string): T => need<T>(`#${id}`);
const button = (name: string): HTMLButtonElement => need<HTMLButtonElement>(`#controls [data-do="${name}"]`);

/** Answers are asked for one after the other: what was done later must not be overtaken. */
let line: Promise<unknown> = Promise.resolve();

async function get(): Promise<State> {
  const answer = await fetch("state");
  if (!answer.ok) throw new Error(`the server said ${answer.status}`);
  return (await answer.json()) as State;
}

function act(body: Record<string, unknown>): Promise<State | null> {
  const next = line.then(async () => {
    const trouble = need("#trouble");
    try {
      const answer = await fetch("act", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
      const said = (await answer.json()) as State & { error?: string };
      trouble.hidden = said.error === undefined;
      trouble.textContent = said.error ?? "";
      return said.error === undefined ? said : null;
    } catch {
      between();
      return null;
    }
  });
  line = next;
  return next;
}

function between(): void {
  need("#desk").hidden = true;
  need("#between").hidden = false;
}

const desk = { state: null as State | null, received: 0 };

function start(first: State): void {
  const items: Item[] = [];
  const pending: TimedBox[] = [];
  const sources = { frame: "Picture", screen: "Screen text", speech: "Speech", web: "Web" } as Record<Source, string>;
  const data: ProofData = { duration: first.duration, known: true, items, lead: null, seen: [], wave: [], sources, clips: {} };
  need("#between").hidden = true;
  need("#desk").hidden = false;
  need("#question").textContent = first.text;
  need("#file").textContent = `${first.name} · ${clock(first.duration)}`;
  field("search").hidden = !first.search;

  const own = (): Item => ({ n: items.length + 1, start: null, end: null, boxes: pending, source: "frame", label: "new", words: "", best: null, clip: null });
  const screen = new Screen(first.duration, () => (pending.length ? [...items, own()] : items), (stretch) => void send({ do: "watch", ...stretch }));
  let timeline = draw();

  function draw(): Timeline {
    const old = need<SVGSVGElement>("#timeline");
    const fresh = old.cloneNode(false) as SVGSVGElement;
    old.replaceWith(fresh); // with the old one go its listeners
    return new Timeline(fresh, data, {
      pick: (item) => screen.seek(item.start ?? item.boxes[0]?.t ?? 0),
      scrub: (t) => screen.seek(t),
    });
  }

  async function send(body: Record<string, unknown>): Promise<boolean> {
    const state = await act(body);
    if (state) show(state);
    return state !== null;
  }

  function show(state: State): void {
    desk.state = state;
    desk.received = performance.now();
    if (state.closed) between();
    items.splice(0, items.length, ...state.marks.map(item));
    data.seen = state.watched.flatMap(([a, b]) => Array.from({ length: Math.floor((b - a) * 2) + 1 }, (_, i) => a + i / 2));
    timeline.dispose();
    timeline = draw();
    timeline.move(screen.time);
    listMarks(state.marks);
    listFound(state);
    screen.tick();
  }

  function item(mark: Mark): Item {
    const words = mark.quote || mark.note || "marked";
    return { n: mark.n, start: mark.start, end: mark.end, boxes: mark.boxes, source: mark.source, label: "your evidence", words, best: null, clip: null };
  }

  function press(text: string, label: string, todo: () => void): HTMLButtonElement {
    const node = Object.assign(document.createElement("button"), { type: "button", textContent: text });
    node.setAttribute("aria-label", label);
    node.addEventListener("click", todo);
    return node;
  }

  function row(source: Source, ...children: Node[]): HTMLLIElement {
    const node = document.createElement("li");
    node.dataset["source"] = source;
    node.append(...children);
    return node;
  }

  function words(text: string): HTMLSpanElement {
    const node = Object.assign(document.createElement("span"), { textContent: text });
    node.dir = "auto";
    return node;
  }

  function listMarks(marks: Mark[]): void {
    const rows = marks.map((m) => {
      const from = m.start ?? m.boxes[0]?.t ?? 0;
      const boxes = m.boxes.length ? ` · ${m.boxes.length === 1 ? "a box" : `${m.boxes.length} boxes`}` : "";
      const span = m.start === null ? clock(from) : `${clock(m.start)}–${clock(m.end ?? m.start)}`;
      const seek = press(span, `Show evidence ${m.n}`, () => screen.seek(from));
      seek.className = "seek";
      const text = [m.quote && `“${m.quote}”`, m.note].filter(Boolean).join(" ");
      return row(m.source, seek, words(`${text}${boxes}`), press("Remove", `Remove evidence ${m.n}`, () => void send({ do: "unmark", n: m.n })));
    });
    need("#marks").replaceChildren(...rows);
  }

  function listFound(state: State): void {
    const rows = state.found.map((hit) => {
      const use = press("Quote", `Quote: ${hit.text}`, () => {
        field("quote").value = hit.text;
        field("start").value = hit.start.toFixed(3);
        field("end").value = hit.end.toFixed(3);
        quoted = hit.source;
      });
      return row(hit.source, press(clock(hit.start), `Go to ${clock(hit.start)}`, () => screen.seek(hit.start)), words(hit.text), use);
    });
    need("#found").replaceChildren(...rows);
  }

  let quoted: Source | null = null;
  const drawn = need("#drawn");
  const boxButton = field<HTMLButtonElement>("box");
  const drawing = (on: boolean): void => {
    boxButton.setAttribute("aria-pressed", String(on));
    need("#draw").hidden = !on;
  };
  const countBoxes = (): void => {
    drawn.textContent = pending.length ? pending.map((b) => `box at ${clock(b.t)}`).join(", ") : "no box";
    field("unbox").hidden = !pending.length;
    screen.tick();
  };
  boxButton.addEventListener("click", () => drawing(boxButton.getAttribute("aria-pressed") !== "true"));
  field("unbox").addEventListener("click", () => {
    pending.length = 0;
    countBoxes();
  });
  drawBox(screen, (box) => {
    pending.push({ t: screen.time, box });
    drawing(false);
    countBoxes();
  });
  field("quote").addEventListener("input", () => (quoted = null));

  const here = (name: "start" | "end"): void => {
    field(name).value = screen.time.toFixed(3);
  };
  for (const node of document.querySelectorAll<HTMLButtonElement>("[data-set]")) {
    node.addEventListener("click", () => here(node.dataset["set"] as "start" | "end"));
  }
  need("#evidence").addEventListener("submit", (event) => {
    event.preventDefault();
    const number = (id: string): number | null => (field(id).value === "" ? null : Number(field(id).value));
    const quote = field("quote").value.trim() || null;
    const boxes = pending.map((b) => ({ time: b.t, box: b.box }));
    const citation = { start: number("start"), end: number("end"), boxes, quote, source: quote ? quoted : null, note: field("note").value.trim() };
    void send({ do: "mark", citation }).then((done) => {
      if (!done) return;
      for (const id of ["start", "end", "quote", "note"]) field(id).value = "";
      quoted = null;
      pending.length = 0;
      countBoxes();
    });
  });

  need("#search").addEventListener("submit", (event) => {
    event.preventDefault();
    const query = field("query").value.trim();
    if (!query) return;
    const note = need("#found-note");
    note.textContent = "Searching; the first time the video is read, which may take a while.";
    void send({ do: "search", query }).then((done) => {
      note.textContent = done && desk.state ? `${desk.state.found.length} lines, nearest first` : "";
    });
  });

  wireAnswer(first, send);
  wirePlayer(screen);
  screen.addEventListener("tick", () => timeline.move(screen.time));
  document.addEventListener("keydown", (event) => {
    const target = event.target as Element;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select, button, #timeline")) return;
    if (event.key === " ") screen.toggle();
    else if (event.key === "ArrowRight") screen.seek(screen.time + 1);
    else if (event.key === "ArrowLeft") screen.seek(screen.time - 1);
    else if (event.key === "[") here("start");
    else if (event.key === "]") here("end");
    else if (event.key === "b") boxButton.click();
    else return;
    event.preventDefault();
  });
  show(first);
  void send({ do: "open" });
}

function wireAnswer(first: State, send: (body: Record<string, unknown>) => Promise<boolean>): void {
  const options = need("#options");
  for (const option of first.options) {
    const radio = Object.assign(document.createElement("input"), { type: "radio", name: "letter", value: option.letter });
    radio.checked = first.draft.letter === option.letter;
    const label = document.createElement("label");
    const text = Object.assign(document.createElement("span"), { textContent: option.text });
    text.dir = "auto";
    label.append(radio, Object.assign(document.createElement("b"), { textContent: option.letter }), text);
    options.append(label);
  }
  const text = field<HTMLTextAreaElement>("text");
  text.hidden = first.options.length > 0;
  text.value = first.draft.text;
  const reason = field<HTMLTextAreaElement>("reason");
  reason.value = first.draft.reason;
  const confidence = field<HTMLSelectElement>("confidence");
  confidence.value = first.draft.confidence === null ? "" : String(first.draft.confidence);
  const form = need<HTMLFormElement>("#answer");
  const submit = need<HTMLButtonElement>("button.main", form);
  const chosen = (): string | null => need("#options").querySelector<HTMLInputElement>(":checked")?.value ?? null;
  const draft = (): Record<string, unknown> => ({
    do: "choose",
    letter: chosen(),
    text: text.value,
    reason: reason.value,
    confidence: confidence.value === "" ? null : Number(confidence.value),
  });
  let sure = false;
  let soon = 0;
  form.addEventListener("input", () => {
    sure = false;
    submit.textContent = "Give the answer";
    clearTimeout(soon);
    // What is chosen counts when the time runs out, so it is kept as it is typed.
    soon = window.setTimeout(() => void send(draft()), 300);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(soon);
    const blank = first.options.length ? chosen() === null : !text.value.trim();
    if (blank && !sure) {
      sure = true;
      submit.textContent = "Leave it blank? It counts as wrong";
      return;
    }
    void send(draft()).then((kept) => {
      if (kept) void send({ do: "answer" });
    });
  });
}

function wirePlayer(screen: Screen): void {
  const { video } = screen;
  const rates = [1, 1.5, 2, 3, 0.5];
  const position = need("#controls output");
  button("play").addEventListener("click", () => screen.toggle());
  button("mute").addEventListener("click", () => (video.muted = !video.muted));
  button("rate").addEventListener("click", () => (video.playbackRate = rates[(rates.indexOf(video.playbackRate) + 1) % rates.length] ?? 1));
  for (const node of document.querySelectorAll<HTMLButtonElement>("#controls [data-by]")) {
    node.addEventListener("click", () => screen.seek(screen.time + Number(node.dataset["by"])));
  }
  screen.addEventListener("tick", () => {
    button("play").textContent = screen.playing ? "Pause" : "Play";
    button("rate").textContent = `${video.playbackRate}×`;
    button("mute").textContent = video.muted ? "Sound off" : "Sound on";
    position.textContent = `${clock(screen.time)} / ${clock(desk.state?.duration ?? 0)}`;
  });
}

function tellTime(): void {
  const { state } = desk;
  if (!state) return;
  const elapsed = state.elapsed + (state.opened ? (performance.now() - desk.received) / 1000 : 0);
  const left = state.limit === null ? null : Math.max(0, state.limit - elapsed);
  const whole = (t: number): string => clock(Math.floor(t)).replace(/\.\d$/, "");
  const timer = need("#timer");
  need("span", timer).textContent = left === null ? whole(elapsed) : `${whole(Math.ceil(left))} left`;
  timer.classList.toggle("short", left !== null && left < 30);
}

async function poll(): Promise<void> {
  try {
    const state = await get();
    const { state: mine } = desk;
    if (mine === null) {
      if (!state.closed) start(state);
    } else if (state.id !== mine.id || (mine.opened && !state.opened)) location.reload();
    else if (state.closed) between();
    else {
      need("#desk").hidden = false;
      need("#between").hidden = true;
    }
  } catch {
    between(); // between two questions there is no server
  }
}

void poll();
setInterval(() => void poll(), POLL);
setInterval(tellTime, 250);
document.documentElement.dataset["ready"] = "";
