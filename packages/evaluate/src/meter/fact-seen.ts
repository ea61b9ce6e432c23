import { messageOf } from "@self-context-manager/objects";

import { EvaluateError } from "../model/evaluate-error.ts";
import type { Fact } from "../model/task.ts";

/** What a text says of a fact: its right value, only another value after it, or nothing. */
export type FactState = "right" | "stale" | "none";

const patterns = new WeakMap<Fact, RegExp>();

/** Returns the value of a fact in a text: the group of the pattern's last match. Undefined: there is no match. */
export function factValue(text: string, fact: Fact): string | undefined {
  return factValues(text, fact).at(-1);
}

/** Returns the values of a fact in a text, in the order of the text. The last one is the value. */
export function factValues(text: string, fact: Fact): readonly string[] {
  return [...text.matchAll(factPattern(fact))].flatMap(([, value]) => value ?? []);
}

/** Returns whether the last match of a fact's pattern in a text has the right value, another value, or none exists. */
export function factSeen(text: string, fact: Fact): FactState {
  const value = factValue(text, fact);
  if (value === undefined) return "none";
  return value === fact.value ? "right" : "stale";
}

/** Returns the compiled pattern of a fact. Throws `EvaluateError` with `EVALUATE_TASK`. */
function factPattern(fact: Fact): RegExp {
  const known = patterns.get(fact);
  if (known !== undefined) return known;
  const pattern = compile(fact);
  patterns.set(fact, pattern);
  return pattern;
}

function compile({ id, pattern }: Fact): RegExp {
  try {
    // An alternative that matches the empty text shows how many groups the pattern has.
    const groups = (new RegExp(`${pattern}|`, "um").exec("")?.length ?? 1) - 1;
    if (groups === 1) return new RegExp(pattern, "gum");
  } catch (error) {
    throw new EvaluateError(
      "EVALUATE_TASK",
      `The pattern of the fact ${id} is not a regular expression: ${messageOf(error)}`,
      { cause: error },
    );
  }
  throw new EvaluateError("EVALUATE_TASK", `The pattern of the fact ${id} must have one group.`);
}
