import * as fc from "fast-check";

import type { IdentifiedBy } from "../harness/scripted/scripted-codecs.ts";

/** The model's part in one step of a run. Numbers are taken modulo the number of things that exist at that time. */
export type HistoryStep =
  | { readonly type: "tools"; readonly calls: readonly ToolCall[] }
  /** A context tool, on a file by its name or on a tool call by its handle. */
  | {
      readonly type: "context";
      readonly tool: "activate" | "deactivate" | "pin" | "unpin";
      readonly target: string;
      /** A `deactivate` writes a note. */
      readonly hasNote?: boolean;
    };

interface ToolCall {
  readonly tool: "read" | "show" | "write" | "crash" | "photo";
  readonly file: string;
}

/** One event for a host and its sessions. */
export type SessionMove =
  | Run
  /** The user goes back to the point before a prompt. The host reports it, or only sends the list that follows. */
  | { readonly type: "branch"; readonly prompt: number; readonly isReported: boolean }
  /** The user returns to the end of an abandoned branch. */
  | { readonly type: "return"; readonly branch: number }
  /** A separate session begins with the messages before a prompt. */
  | { readonly type: "fork"; readonly prompt: number }
  /** The user continues with another session. */
  | { readonly type: "switch"; readonly session: number }
  /** The host requests the context of the same messages again. */
  | { readonly type: "replay" }
  /** The host's list loses its oldest messages. */
  | { readonly type: "truncate"; readonly count: number }
  | { readonly type: "compact"; readonly by: "host" | "user" }
  /** Everything is closed and opened again. */
  | { readonly type: "resume" }
  /**
   * The process dies in a run, after `commits` commits. `isStored`: whether the next commit is stored. `lost`: the
   * number of messages that the host loses.
   */
  | {
      readonly type: "crash";
      readonly commits: number;
      readonly isStored: boolean;
      readonly lost: number;
      readonly run: Run;
    }
  /** The user switches the adapter off for one run. */
  | { readonly type: "off"; readonly run: Run };

/** A prompt and the steps of the model that follow it. */
export interface Run {
  readonly type: "run";
  readonly steps: readonly HistoryStep[];
  readonly hasPicture: boolean;
  /** The host adds a message of its own kind before the prompt. */
  readonly hasNote: boolean;
  /** The last answer breaks off. */
  readonly breaksOff: boolean;
}

/** A history, and how the host's messages are recognised. */
export interface SessionHistory {
  readonly identifiedBy: IdentifiedBy;
  /** Tokens. `undefined`: no limit. */
  readonly contextWindow: number | undefined;
  readonly moves: readonly SessionMove[];
}

const file = fc.constantFrom("a.txt", "b.txt", "c.txt");

const step: fc.Arbitrary<HistoryStep> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("tools" as const),
      calls: fc.array(
        fc.record({
          tool: fc.constantFrom("read", "show", "show", "write", "crash", "photo" as const),
          file,
        }),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("context" as const),
      tool: fc.constantFrom("activate", "deactivate", "deactivate", "pin", "unpin" as const),
      target: fc.oneof(
        file,
        fc.integer({ min: 1, max: 9 }).map((n) => `t${n}`),
      ),
      hasNote: fc.boolean(),
    }),
  },
);

const rarely = fc.nat(7).map((n) => n === 0);

const run: fc.Arbitrary<Run> = fc.record({
  type: fc.constant("run" as const),
  steps: fc.array(step, { maxLength: 4 }),
  hasPicture: rarely,
  hasNote: rarely,
  breaksOff: rarely,
});

const move: fc.Arbitrary<SessionMove> = fc.oneof(
  { weight: 8, arbitrary: run },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("branch" as const),
      prompt: fc.nat(9),
      isReported: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("return" as const), branch: fc.nat(9) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("fork" as const), prompt: fc.nat(9) }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("switch" as const), session: fc.nat(9) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("replay" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("truncate" as const), count: fc.nat(8) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("compact" as const),
      by: fc.constantFrom("host", "user" as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("resume" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("crash" as const),
      commits: fc.nat(6),
      isStored: fc.boolean(),
      lost: fc.nat(3),
      run,
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("off" as const), run }) },
);

/** Generates a history of a host with its sessions. */
export const sessionHistory: fc.Arbitrary<SessionHistory> = fc.record({
  identifiedBy: fc.constantFrom("ids", "times", "times", "nothing" as const),
  contextWindow: fc.option(fc.integer({ min: 2_000, max: 6_000 }), { nil: undefined, freq: 3 }),
  moves: fc.array(move, { minLength: 1, maxLength: 14 }),
});
