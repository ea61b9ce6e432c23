import type { OwnCall } from "../measure/call-view.ts";
import { countTokens } from "../measure/tokens.ts";
import type { RecordedMessage } from "../read/recorded-session.ts";
import type { RunHooks } from "./session-run.ts";

/** Tokens that the summarizer sees of a result: its ends, 2,000 characters. */
const seen = 500;

/** Tokens of its instruction. */
const instruction = 200;

/** Tokens of a short and a long summary together, as the instruction asks for them. */
const written = { short: 50, all: 350 } as const;

/** Tokens of the talk of a turn from which it is summarized. */
const leastTalk = 500;

/**
 * A model that writes a summary of each finished turn, as the sessions of a user who has switched it on. The call that
 * writes it is billed at the prices of the session.
 */
export function turnSummaries(rows: readonly RecordedMessage[]): RunHooks {
  const { turns, turnOf } = finishedTurns(rows);
  let call = -1;
  return {
    before(rehearsal) {
      call += 1;
      const before = turnOf[call - 1];
      const ended = before === turnOf[call] ? undefined : before;
      const own = ended === undefined ? undefined : turns.get(ended);
      if (ended === undefined || own === undefined) return [];
      rehearsal.noteSummary(ended, "word ".repeat(written.short).trimEnd());
      return [own];
    },
  };
}

/** Returns the request for the summary of each turn that is long enough, and the turn of each model call. */
function finishedTurns(rows: readonly RecordedMessage[]): {
  readonly turns: ReadonlyMap<number, OwnCall>;
  readonly turnOf: readonly number[];
} {
  const talk = new Map<number, number>();
  const outputs = new Map<number, number>();
  const turnOf: number[] = [];
  let turn = -1;
  const add = (sums: Map<number, number>, tokens: number): void => {
    const at = Math.max(0, turn);
    sums.set(at, (sums.get(at) ?? 0) + tokens);
  };
  for (const row of rows) {
    if (row.role === "user") turn += 1;
    if (row.role === "assistant") turnOf.push(Math.max(0, turn));
    if (row.role === "toolResult") add(outputs, Math.min(seen, countTokens(row)));
    else add(talk, countTokens(row));
  }
  const turns = [...talk].flatMap(([at, tokens]): readonly (readonly [number, OwnCall])[] => {
    if (tokens < leastTalk) return [];
    const input = instruction + tokens + (outputs.get(at) ?? 0);
    return [[at, { input, output: written.all }]];
  });
  return { turns: new Map(turns), turnOf };
}
