import type { RunRecord } from "../model/run-record.ts";

/** A quantity of a run that reports add up, by its name in the JSON. */
export type MeasureName =
  | "dollars"
  | "tokens"
  | "input"
  | "cacheRead"
  | "cacheWrite"
  | "output"
  | "calls"
  | "turns"
  | "seconds"
  | "peakInput"
  | "overWindow"
  | "rereads"
  | "reruns"
  | "contextCalls"
  | "contextCallsUsed"
  | "factsNever"
  | "factsStale";

export interface Measure {
  readonly name: MeasureName;
  /** For the head of a row or column. */
  readonly label: string;
  readonly unit: "dollars" | "tokens" | "seconds" | "count";
  /** Undefined: it is unknown. */
  of(record: RunRecord): number | undefined;
}

/** Every measure, in the order of reports. */
export const measures: readonly Measure[] = [
  { name: "dollars", label: "dollars", unit: "dollars", of: ({ figures }) => figures.dollars },
  {
    name: "tokens",
    label: "tokens, all",
    unit: "tokens",
    of: ({ figures }) => figures.input + figures.cacheRead + figures.cacheWrite + figures.output,
  },
  { name: "input", label: "input, not cached", unit: "tokens", of: ({ figures }) => figures.input },
  {
    name: "cacheRead",
    label: "input, cache read",
    unit: "tokens",
    of: ({ figures }) => figures.cacheRead,
  },
  {
    name: "cacheWrite",
    label: "input, cache written",
    unit: "tokens",
    of: ({ figures }) => figures.cacheWrite,
  },
  { name: "output", label: "output", unit: "tokens", of: ({ figures }) => figures.output },
  { name: "calls", label: "model calls", unit: "count", of: ({ figures }) => figures.calls },
  { name: "turns", label: "turns", unit: "count", of: ({ figures }) => figures.turns },
  { name: "seconds", label: "time", unit: "seconds", of: ({ figures }) => figures.seconds },
  {
    name: "peakInput",
    label: "longest request",
    unit: "tokens",
    of: ({ figures }) => figures.peakInput,
  },
  {
    name: "overWindow",
    label: "requests over the window",
    unit: "count",
    of: ({ figures }) => figures.overWindow,
  },
  { name: "rereads", label: "repeated reads", unit: "count", of: ({ figures }) => figures.rereads },
  {
    name: "reruns",
    label: "repeated commands",
    unit: "count",
    of: ({ figures }) => figures.reruns,
  },
  {
    name: "contextCalls",
    label: "context tool calls",
    unit: "count",
    of: ({ figures }) => Object.values(figures.contextTools).reduce((sum, count) => sum + count, 0),
  },
  {
    name: "contextCallsUsed",
    label: "of these, answer used",
    unit: "count",
    of: ({ figures }) => figures.contextToolsUsed,
  },
  {
    name: "factsNever",
    label: "needed facts never seen",
    unit: "count",
    of: ({ facts }) => facts.filter(({ seen }) => seen === "never").length,
  },
  {
    name: "factsStale",
    label: "needed facts stale",
    unit: "count",
    of: ({ facts }) => facts.filter(({ isStale }) => isStale).length,
  },
];

/** The measures that are compared for each family too. */
export const mainMeasures: readonly Measure[] = measures.filter(({ name }) =>
  ["dollars", "tokens", "calls"].includes(name),
);
