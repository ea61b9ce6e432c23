import { fieldsOf, isJsonObject, type JsonObject } from "@self-context-manager/objects";

import { EvaluateError } from "../model/evaluate-error.ts";

/** The figures that `scm replay --json` prints, as far as the page shows them. */
export interface ReplayFigures {
  readonly corpus: Readonly<Record<"sessions" | "segments" | "calls" | "tokens", number>>;
  /** By the name of a price profile. */
  readonly profiles: readonly ReplayProfile[];
  /** Milliseconds of a call. */
  readonly time: Readonly<Record<"p50" | "p95" | "max", number>>;
  readonly storeRatio: number;
}

export interface ReplayProfile {
  readonly name: string;
  readonly strategies: readonly ReplayStrategy[];
}

/** The shares of what was missed, with the names that they have in the JSON. */
const missNames = [
  "evidenceMiss",
  "evidenceMissPlus",
  "sharpMiss",
  "sharpMissPlus",
  "gramMiss",
  "talkMiss",
  "talkSharpMiss",
] as const;

export type MissName = (typeof missNames)[number];

const plainNames = [
  "costRatio",
  "chargedCostRatio",
  "chargedByRangeRatio",
  "chargedWithTalkRatio",
  "prefixHit",
  "meanTokens",
  "peakTokens",
  "epochs",
  "median",
] as const;

export interface ReplayStrategy extends Readonly<
  Record<(typeof plainNames)[number] | MissName, number>
> {
  readonly name: string;
  /** What each share is of: messages, or 8-grams. */
  readonly counted: Readonly<Record<MissName, number>>;
  /** The cost of the most expensive session with at least 20 calls. */
  readonly worst?: number;
}

/** Reads the JSON of `scm replay --json`. Throws `EvaluateError` with `EVALUATE_FILE` if it is something else. */
export function replayFigures(json: unknown): ReplayFigures {
  const root = objectAt(json, "the file");
  const corpus = objectAt(root["corpus"], "corpus");
  const time = objectAt(root["time"], "time");
  const profiles = Object.entries(objectAt(root["profiles"], "profiles"));
  if (profiles.length === 0) throw notReplay("profiles has no profile");
  return {
    corpus: numbersAt(corpus, ["sessions", "segments", "calls", "tokens"], "corpus"),
    profiles: profiles.map(([name, strategies]) => ({
      name,
      strategies: Object.entries(objectAt(strategies, `profiles.${name}`)).map(
        ([strategy, figures]) => strategyOf(strategy, figures, `profiles.${name}.${strategy}`),
      ),
    })),
    time: numbersAt(time, ["p50", "p95", "max"], "time"),
    storeRatio: numberAt(objectAt(root["store"], "store"), "ratio", "store"),
  };
}

function strategyOf(name: string, value: unknown, place: string): ReplayStrategy {
  const fields = objectAt(value, place);
  const worst = fieldsOf(fields["worst"])["costRatio"];
  return {
    name,
    ...numbersAt(fields, plainNames, place),
    ...numbersAt(fields, missNames, place),
    counted: numbersAt(
      objectAt(fields["counted"], `${place}.counted`),
      missNames,
      `${place}.counted`,
    ),
    ...(typeof worst === "number" && { worst }),
  };
}

function numbersAt<Name extends string>(
  object: JsonObject,
  names: readonly Name[],
  place: string,
): Readonly<Record<Name, number>> {
  const numbers: Partial<Record<Name, number>> = {};
  for (const name of names) numbers[name] = numberAt(object, name, place);
  if (!hasAll(numbers, names)) throw new TypeError("a number is missing after it was read");
  return numbers;
}

function hasAll<Name extends string>(
  numbers: Partial<Record<Name, number>>,
  names: readonly Name[],
): numbers is Record<Name, number> {
  return names.every((name) => numbers[name] !== undefined);
}

function objectAt(value: unknown, place: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw notReplay(`${place} is ${nameOf(value)}, not an object`);
}

function numberAt(object: JsonObject, name: string, place: string): number {
  const value = object[name];
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw notReplay(`${place}.${name} is ${nameOf(value)}, not a finite number`);
}

function nameOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (typeof value === "number") return String(value);
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

function notReplay(problem: string): EvaluateError {
  return new EvaluateError(
    "EVALUATE_FILE",
    `the file has no figures of a replay: ${problem}; make it with scm replay --json`,
  );
}
