import { clock, el } from "./dom.js";
import type { QuestionDetail, RunDetail } from "./report_data.js";

const pairs = (rows: [string, string][]): HTMLElement[] => rows.flatMap(([k, v]) => [el("dt", {}, k), el("dd", { dir: "auto" }, v)]);

/** What the judge saw and said, what it cost, and the reference. */
export function judgedView(question: QuestionDetail, run: RunDetail, seek: (t: number) => void): HTMLElement {
  const j = run.judged;
  const box = el("section", { class: "judged", "aria-label": "Verdict" });
  const answer = run.letter ? `${run.letter}${run.answer && run.answer !== run.letter ? `) ${run.answer}` : ""}` : run.answer || "none";
  const facts: [string, string][] = [
    ["answer", answer],
    ["correct", question.gold === null ? "not in the video, or not known here" : goldText(question)],
    ...(run.reason ? [["the agent's reason", run.reason] as [string, string]] : []),
    ...(run.confidence === null ? [] : [["its confidence", run.confidence.toFixed(2)] as [string, string]]),
    ...(j.reason ? [["the judge's reason", j.reason] as [string, string]] : []),
    ["judged by", j.by],
    ...(run.tiou === null ? [] : [["tIoU of cited moments", run.tiou.toFixed(2)] as [string, string]]),
    ...run.spent,
  ];
  box.append(el("h3", {}, "Verdict: ", el("span", { class: `ending e-${j.ending.replace(/ /g, "-")}` }, j.ending)), el("dl", { class: "facts-list" }, ...pairs(facts)));
  if (question.windows.length) {
    const known = question.windows.map(([a, b]) => {
      const button = el("button", { type: "button", class: "chip" }, `${clock(a)} to ${clock(b)}`);
      button.addEventListener("click", () => seek(a));
      return button;
    });
    box.append(el("p", { class: "chips" }, "Known moments ", ...known));
  }
  if (j.scores.length) box.append(el("h4", {}, "Scores"), el("dl", { class: "facts-list" }, ...pairs(j.scores)));
  if (j.milestones.length) {
    box.append(
      el("h4", {}, "Milestones"),
      el("ol", { class: "milestones" }, ...j.milestones.map((m) =>
        el("li", { "data-status": m.status }, el("span", { class: "status-word" }, m.status || "not judged"), el("strong", {}, m.id), m.type && el("span", { class: "quiet" }, ` ${m.type}`), el("p", {}, m.text), m.why && el("p", { class: "quiet" }, m.why)),
      )),
    );
  }
  if (j.tags.length) box.append(el("p", { class: "chips" }, "Failure tags ", ...j.tags.map((t) => el("span", { class: "chip" }, t))));
  if (question.explanation) box.append(el("details", {}, el("summary", {}, "Explanation of the reference"), el("p", { dir: "auto" }, question.explanation)));
  if (j.details.length) box.append(el("details", {}, el("summary", {}, "What the judge kept"), el("dl", { class: "facts-list" }, ...pairs(j.details))));
  return box;
}

function goldText(question: QuestionDetail): string {
  const option = question.options.find(([letter]) => letter === question.gold);
  return option ? `${option[0]}) ${option[1]}` : question.gold ?? "";
}
