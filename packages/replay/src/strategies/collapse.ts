import type { ActivationPolicy } from "@self-context-manager/core";

import type { OwnCall } from "../measure/call-view.ts";
import { countTokens } from "../measure/tokens.ts";
import type { RecordedMessage } from "../read/recorded-session.ts";
import { keepAllPolicy } from "./baseline-policies.ts";
import type { RunHooks } from "./session-run.ts";

/** Tokens that the summarizer sees of a result: about 2,000 characters. */
const seen = 500;

/** Tokens of its instruction. */
const instruction = 200;

/** A summary has this share of what its summarizer sees, within limits in tokens. */
const share = 0.1;
const least = 60;
const most = 1_000;

/** The turn that a summary is of, and the tokens that the summary and its making have. */
interface Collapsed {
  readonly summary: number;
  readonly call: OwnCall;
}

/**
 * A host whose extension replaces the results of each finished turn by a summary that a model writes. The calls and the
 * answers stay. The call that writes the summary is billed at the prices of the session.
 */
export function collapse(rows: readonly RecordedMessage[]): {
  readonly policy: ActivationPolicy;
  readonly hooks: RunHooks;
  /** The text that replaces the results of a turn. */
  readonly summaryOf: (turn: number) => string | undefined;
} {
  const { turns, turnOf } = finishedTurns(rows);
  let call = -1;
  return {
    policy: {
      ...keepAllPolicy(),
      name: "collapse",
      leaving: ({ candidates, turn }) =>
        candidates.filter(({ used }) => used.turn < turn).map(({ id }) => id),
    },
    hooks: {
      before() {
        call += 1;
        const before = turnOf[call - 1];
        const ended = before === turnOf[call] ? undefined : turns.get(before ?? -1);
        return ended === undefined ? [] : [ended.call];
      },
    },
    summaryOf: (turn) => {
      const size = turns.get(turn)?.summary;
      return size === undefined ? undefined : "word ".repeat(size).trimEnd();
    },
  };
}

/** Returns the turns with results, and the turn of each model call. */
function finishedTurns(rows: readonly RecordedMessage[]): {
  readonly turns: ReadonlyMap<number, Collapsed>;
  readonly turnOf: readonly number[];
} {
  const tokens = new Map<number, number>();
  const turnOf: number[] = [];
  let turn = -1;
  for (const row of rows) {
    if (row.role === "user") turn += 1;
    if (row.role === "assistant") turnOf.push(Math.max(0, turn));
    if (row.role === "toolResult") {
      const at = Math.max(0, turn);
      tokens.set(at, (tokens.get(at) ?? 0) + Math.min(seen, countTokens(row)));
    }
  }
  const turns = [...tokens].map(([at, input]): readonly [number, Collapsed] => {
    const summary = Math.round(Math.min(most, Math.max(least, input * share)));
    return [at, { summary, call: { input: input + instruction, output: summary } }];
  });
  return { turns: new Map(turns), turnOf };
}
