import type { SessionSettingsOptions } from "@self-context-manager/compose";
import { scriptedCodecs } from "@self-context-manager/testkit";
import * as fc from "fast-check";

import { type TextForm, textForm } from "./foreign-text.ts";

/** A call of the model. Numbers are taken modulo the number of things that exist at that time. */
export type ForeignCall =
  | {
      readonly tool: "read";
      readonly file: string;
      readonly offset: number | undefined;
      readonly limit: number | undefined;
    }
  | { readonly tool: "write"; readonly file: string; readonly text: TextForm }
  /** Replaces one line by another, or by the beginning of the line after it. */
  | {
      readonly tool: "edit";
      readonly file: string;
      readonly line: number;
      readonly joins: boolean;
    }
  | { readonly tool: "bash" | "crash"; readonly text: TextForm }
  /** A command that prints a file. */
  | { readonly tool: "cat"; readonly file: string }
  | { readonly tool: "deactivate" | "pin" | "unpin"; readonly target: string }
  | {
      readonly tool: "activate";
      readonly target: string;
      readonly from: number | undefined;
      readonly to: number | undefined;
    };

/** Where an extension changes a text: in the tool's result, or in the list of each request. */
export type Place = "result" | "request";

/** One habit of the other extension. Requests and results are counted from 0. */
export type ForeignAct =
  | { readonly type: "redact"; readonly at: Place }
  /** Adds a line to results of a tool. In requests it is another line each time. */
  | { readonly type: "hint"; readonly at: Place; readonly tool: string; readonly from: number }
  /** Replaces the text of one result by another. */
  | { readonly type: "replace"; readonly at: Place; readonly result: number }
  /** Keeps only the first lines of one result. */
  | { readonly type: "cut"; readonly at: Place; readonly result: number; readonly lines: number }
  | { readonly type: "block"; readonly file: string }
  /** Changes each file that the model writes. */
  | { readonly type: "format" }
  | {
      readonly type: "drop";
      /** `all`: if a message is added, it replaces all others. */
      readonly what: "one" | "answer-with-results" | "all";
      readonly message: number;
      readonly from: number;
      readonly count: number;
    }
  | {
      readonly type: "add";
      /** An example is an answer that calls a tool, its result and a second answer. */
      readonly what: "note" | "example";
      readonly place: number;
      readonly from: number;
      readonly count: number;
    };

export type ForeignMove =
  | { readonly type: "prompt"; readonly steps: readonly (readonly ForeignCall[])[] }
  /** A program changes a file. */
  | {
      readonly type: "change";
      readonly file: string;
      readonly how: "append" | "append-secret" | "replace-line" | "replace";
      readonly text: TextForm;
    }
  | { readonly type: "note" }
  /** Time passes until the provider's cache is cold, so that the epoch ends. */
  | { readonly type: "pause" }
  | { readonly type: "resume"; readonly store: "same" | "empty" };

/** The settings of a session, by a name for failures. */
export const foreignSettings: Readonly<Record<string, SessionSettingsOptions>> = {
  defaults: {},
  specification: { epochs: { small: 0, deactivate: "immediate" }, policy: { type: "window" } },
  pooled: { layout: "pooled", policy: { type: "window" } },
};

export interface ForeignSession {
  readonly settings: string;
  /** Whether a session reads files that no tool of the host has shown. Then no extension changes what reads show. */
  readonly activateUnread: "read" | "ask";
  readonly isWatched: boolean;
  readonly identifiedBy: keyof typeof scriptedCodecs;
  readonly contextWindow: number | undefined;
  readonly files: Readonly<Record<string, TextForm>>;
  readonly acts: readonly ForeignAct[];
  readonly moves: readonly ForeignMove[];
}

const names = ["a.txt", "b.md", "lib/c.ts"] as const;
const file = fc.constantFrom(...names);
const target = fc.oneof(
  file,
  fc.nat(2).map((index) => `f${index + 1}`),
  fc.tuple(fc.nat(2), fc.nat(2)).map(([index, version]) => `f${index + 1}@${version + 1}`),
  fc.nat(7).map((index) => `t${index + 1}`),
);
const line = fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined, freq: 2 });
const place = fc.constantFrom<Place>("result", "request");

const call: fc.Arbitrary<ForeignCall> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ tool: fc.constant("read" as const), file, offset: line, limit: line }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ tool: fc.constant("write" as const), file, text: textForm }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      tool: fc.constant("edit" as const),
      file,
      line: fc.nat(60),
      joins: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      tool: fc.constantFrom("bash" as const, "bash" as const, "crash" as const),
      text: textForm,
    }),
  },
  { weight: 1, arbitrary: fc.record({ tool: fc.constant("cat" as const), file }) },
  {
    weight: 3,
    arbitrary: fc.record({
      tool: fc.constantFrom("deactivate" as const, "pin" as const, "unpin" as const),
      target,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ tool: fc.constant("activate" as const), target, from: line, to: line }),
  },
);

const span = { from: fc.nat(10), count: fc.integer({ min: 1, max: 6 }) };

const act: fc.Arbitrary<ForeignAct> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant("redact" as const), at: place }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("hint" as const),
      at: place,
      tool: fc.constantFrom("read", "bash", "write", "activate"),
      from: fc.nat(6),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("replace" as const),
      at: place,
      result: fc.nat(8),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("cut" as const),
      at: place,
      result: fc.nat(8),
      lines: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("block" as const), file }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("format" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("drop" as const),
      what: fc.constantFrom("one" as const, "answer-with-results" as const, "all" as const),
      message: fc.nat(20),
      ...span,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("add" as const),
      what: fc.constantFrom("note" as const, "example" as const),
      place: fc.nat(20),
      ...span,
    }),
  },
);

const move: fc.Arbitrary<ForeignMove> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant("prompt" as const),
      steps: fc.array(fc.array(call, { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("change" as const),
      file,
      how: fc.constantFrom<"append" | "append-secret" | "replace-line" | "replace">(
        "append",
        "append-secret",
        "replace-line",
        "replace",
      ),
      text: textForm,
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("note" as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("pause" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("resume" as const),
      store: fc.constantFrom<"same" | "empty">("same", "empty"),
    }),
  },
);

/** A random session beside a random other extension. */
export const foreignSession: fc.Arbitrary<ForeignSession> = fc.record({
  settings: fc.constantFrom(...Object.keys(foreignSettings)),
  activateUnread: fc.constantFrom<"read" | "ask">("ask", "ask", "ask", "read"),
  isWatched: fc.boolean(),
  identifiedBy: fc.constantFrom(
    ...(Object.keys(scriptedCodecs) as (keyof typeof scriptedCodecs)[]),
  ),
  contextWindow: fc.option(fc.integer({ min: 2_500, max: 8_000 }), { nil: undefined, freq: 4 }),
  files: fc.record(Object.fromEntries(names.map((name) => [name, textForm]))),
  acts: fc.array(act, { maxLength: 4 }),
  moves: fc.array(move, { minLength: 1, maxLength: 8 }),
});
