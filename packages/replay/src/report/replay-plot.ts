import type { SessionFigures } from "../measure/session-figures.ts";
import { type StrategyName, strategyNames } from "../strategies/strategies.ts";
import type { ReplayReport } from "./replay-report.ts";

const width = 960;
const height = 526;
const panel = { top: 56, bottom: 158, left: 62, right: 24 } as const;

/** The strategies drawn by call; more would hide each other. The first line is the broadest and below the others. */
const curves: readonly StrategyName[] = ["epoch", "append-only", "masking-batched", "compaction"];

/** Colours that people with colour blindness can distinguish. */
const colours: Readonly<Record<StrategyName, string>> = {
  "append-only": "#000000",
  masking: "#e69f00",
  "masking-batched": "#d55e00",
  "clear-tool-uses": "#56b4e9",
  "clear-when-cold": "#a6d8f2",
  "openclaw-pruning": "#b5483d",
  compaction: "#0072b2",
  "provider-compaction": "#2f4b9c",
  "compaction-50": "#4a9ac9",
  "compaction-80": "#00466e",
  collapse: "#8a6d3b",
  pooled: "#999999",
  epoch: "#009e73",
  "epoch-thrifty": "#00674c",
  "epoch-careful": "#66d9b8",
  "epoch-without-folds": "#3d7d6b",
  "epoch-summaries": "#6d3d7d",
  "epoch-results-only": "#7fcfb4",
  bound: "#cc79a7",
};

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Draws an SVG: each strategy by cost and missed evidence, and the billed input of a session by call. */
export function replayPlot(report: ReplayReport, sessions: readonly SessionFigures[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    frontPanel(report),
    costPanel(sessions),
    legend(report),
    "</svg>",
    "",
  ].join("\n");
}

interface Panel {
  readonly x: number;
  readonly title: string;
  readonly across: { readonly label: string; readonly most: number; readonly show: Format };
  readonly up: { readonly label: string; readonly most: number; readonly show: Format };
}

type Format = (value: number) => string;

function frontPanel({ profiles }: ReplayReport): string {
  const reports = profiles["A"];
  if (reports === undefined) return "";
  const points = strategyNames.flatMap((name) => {
    const report = reports[name];
    return report === undefined ? [] : [{ name, x: report.costRatio, y: report.evidenceMiss }];
  });
  // The pooled layout costs several times as much as the others, so its point would compress the scale.
  const mostX = Math.min(1.6, Math.max(...points.map(({ x }) => x)) * 1.05);
  const mostY = Math.min(1, Math.max(0.1, ...points.map(({ y }) => y)) * 1.1);
  const drawn: Panel = {
    x: 0,
    title: "Cost and evidence missed (profile A)",
    across: { label: "cost over append-only", most: mostX, show: (value) => value.toFixed(1) },
    up: {
      label: "messages that miss what they quote",
      most: mostY,
      show: (value) => `${Math.round(value * 100)} %`,
    },
  };
  const taken = new Map<string, number>();
  const marks = points.map(({ name, x, y }) => {
    const at = place(drawn, { x: Math.min(x, mostX), y });
    const where = `${Math.round(at.x / 4)} ${Math.round(at.y / 4)}`;
    const others = taken.get(where) ?? 0;
    taken.set(where, others + 1);
    const beyond = x > mostX ? `<text x="${round(at.x + 9)}" y="${round(at.y + 4)}">→</text>` : "";
    return `${circle(at, name, others)}${beyond}`;
  });
  return [axes(drawn), ...marks].join("\n");
}

/** A point; further points at the same place are rings around the first. */
function circle(at: Point, name: StrategyName, others: number): string {
  const ring =
    others === 0
      ? `fill="${colours[name]}"`
      : `fill="none" stroke="${colours[name]}" stroke-width="2.5"`;
  return `<circle cx="${round(at.x)}" cy="${round(at.y)}" r="${5 + others * 3.5}" ${ring}/>`;
}

const legendColumns = 3;

/** Every strategy with its colour and its figures, below both panels. */
function legend({ profiles }: ReplayReport): string {
  const reports = profiles["A"];
  if (reports === undefined) return "";
  const rows = Math.ceil(strategyNames.length / legendColumns);
  return strategyNames
    .map((name, index) => {
      const { costRatio = 0, evidenceMiss = 0 } = reports[name] ?? {};
      const x = panel.left + Math.floor(index / rows) * 300;
      const y = height - panel.bottom + 62 + (index % rows) * 18;
      const text = `${name}: cost ${costRatio.toFixed(2)}, ${Math.round(evidenceMiss * 100)} % missed`;
      return `<rect x="${x}" y="${y - 9}" width="10" height="10" fill="${colours[name]}"/><text x="${x + 16}" y="${y}">${text}</text>`;
    })
    .join("\n");
}

function costPanel(sessions: readonly SessionFigures[]): string {
  const calls = Math.max(0, ...sessions.map(({ callCosts }) => callCosts["append-only"].length));
  const lines = curves.map((name) => ({ name, points: meanCosts(sessions, name, calls) }));
  const most = Math.max(1, ...lines.flatMap(({ points }) => points.map(({ y }) => y)));
  const drawn: Panel = {
    x: width / 2,
    title: "Billed input of a call (profile A, mean over sessions)",
    across: { label: "model call of the session", most: calls, show: (value) => value.toFixed(0) },
    up: {
      label: "tokens at the plain input price",
      most,
      show: (value) => (value === 0 ? "0" : `${(value / 1000).toFixed(value < 10_000 ? 1 : 0)}k`),
    },
  };
  const paths = lines.map(({ name, points }) => {
    const path = points.map((point, at) => {
      const { x, y } = place(drawn, point);
      return `${at === 0 ? "M" : "L"}${round(x)} ${round(y)}`;
    });
    const line = name === "epoch" ? 'stroke-width="4"' : 'stroke-width="1.6"';
    // Without a compaction its line would cover that of append-only.
    const dashes = name === "compaction" ? ' stroke-dasharray="7 5"' : "";
    return `<path d="${path.join("")}" fill="none" stroke="${colours[name]}" ${line}${dashes}/>`;
  });
  return [axes(drawn), ...paths].join("\n");
}

/** The mean over the sessions that are long enough, by groups of calls, so that the lines stay distinguishable. */
function meanCosts(
  sessions: readonly SessionFigures[],
  name: StrategyName,
  calls: number,
): readonly Point[] {
  const size = Math.max(1, Math.ceil(calls / 48));
  const points: Point[] = [];
  for (let from = 0; from < calls; from += size) {
    const costs = sessions.flatMap(({ callCosts }) => callCosts[name].slice(from, from + size));
    if (costs.length === 0) continue;
    const y = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
    points.push({ x: Math.min(calls, from + size / 2), y });
  }
  return points;
}

function axes({ x, title, across, up }: Panel): string {
  const left = x + panel.left;
  const right = x + width / 2 - panel.right;
  const bottom = height - panel.bottom;
  const steps = [0, 0.25, 0.5, 0.75, 1];
  const ticks = steps.flatMap((share) => {
    const tickX = left + (right - left) * share;
    const tickY = bottom - (bottom - panel.top) * share;
    return [
      `<line x1="${left}" y1="${round(tickY)}" x2="${right}" y2="${round(tickY)}" stroke="#dddddd"/>`,
      `<text x="${left - 6}" y="${round(tickY + 4)}" text-anchor="end">${up.show(up.most * share)}</text>`,
      `<text x="${round(tickX)}" y="${bottom + 16}" text-anchor="middle">${across.show(across.most * share)}</text>`,
    ];
  });
  return [
    `<text x="${left}" y="24" font-size="14" font-weight="bold">${title}</text>`,
    ...ticks,
    `<line x1="${left}" y1="${bottom}" x2="${right}" y2="${bottom}" stroke="#444444"/>`,
    `<line x1="${left}" y1="${panel.top}" x2="${left}" y2="${bottom}" stroke="#444444"/>`,
    `<text x="${(left + right) / 2}" y="${bottom + 38}" text-anchor="middle">${across.label}</text>`,
    `<text x="${left}" y="44" fill="#444444">${up.label}</text>`,
  ].join("\n");
}

function place({ x, across, up }: Panel, point: Point): Point {
  const left = x + panel.left;
  const right = x + width / 2 - panel.right;
  const bottom = height - panel.bottom;
  return {
    x: left + ((right - left) * point.x) / across.most,
    y: bottom - ((bottom - panel.top) * point.y) / up.most,
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
