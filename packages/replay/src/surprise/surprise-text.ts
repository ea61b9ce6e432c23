import type { SurpriseFigure, SurpriseReport, ViewFigures } from "./surprise-report.ts";

/** The report as text for a terminal. */
export function surpriseText(report: SurpriseReport): string {
  const { measured, recorded, model, window, plainSurprise, isComplete } = report;
  const head = [
    `${model}, window of ${window} tokens, seed ${report.seed}`,
    `Measured: ${measured.calls} calls of ${measured.sessions} sessions, ${measured.tokens} tokens of answers${isComplete ? "" : "; fewer than asked for"}.`,
    `Not sampled: of ${recorded.total} calls of ${recorded.sessions} sessions, ${recorded.tooLong} with a plain view above the limit, and ${recorded.tooLittleLeft} in which too little left the first view.`,
    `Surprise of the recorded answer under the plain view: ${plainSurprise.toFixed(3)} nats per token.`,
    "",
    "Difference to the plain view in nats per token; + means more surprising. Interval: 95 %, sessions drawn with replacement.",
  ];
  const rows = Object.entries(report.views).flatMap(([name, figures]) =>
    figures === undefined ? [] : rowsOf(name, figures),
  );
  return [...head, ...table([titles, ...rows])].join("\n");
}

const titles = ["view", "group", "calls", "sessions", "difference", "interval", "worse"];

function rowsOf(name: string, { all, kinds, left, quoting }: ViewFigures): readonly string[][] {
  const groups = (title: string, of: Readonly<Record<string, SurpriseFigure>>): string[][] =>
    Object.entries(of).map(([group, figure]) => row("", `${title}: ${group}`, figure));
  return [
    row(name, "all", all),
    ...groups("answer", kinds),
    ...groups("left", left),
    ...groups("quotes", quoting),
  ];
}

function row(
  name: string,
  group: string,
  { calls, sessions, difference, low, high, worse }: SurpriseFigure,
): string[] {
  const interval = low === null || high === null ? "-" : `${signed(low)} to ${signed(high)}`;
  const share = `${(worse * 100).toFixed(0)}%`;
  return [name, group, String(calls), String(sessions), signed(difference), interval, share];
}

function signed(value: number): string {
  return `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(3)}`;
}

/** The first two columns are aligned at their beginning, the others at their end. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = titles.map((_, at) => Math.max(...rows.map((cells) => cells[at]?.length ?? 0)));
  return rows.map((cells) =>
    cells
      .map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
