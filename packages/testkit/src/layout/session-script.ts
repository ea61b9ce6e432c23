import { type Block, isImage, isText } from "@self-context-manager/core";
import type { ThinkingBinding } from "@self-context-manager/core/host";
import * as fc from "fast-check";

/** A text, or `lines` numbered lines of the same words. */
export type TextScript = string | { readonly words: string; readonly lines: number };

/** Returns the text that a script represents. */
export function scriptText(script: TextScript): string {
  if (typeof script === "string") return script;
  const { words, lines } = script;
  return Array.from({ length: lines }, (_, index) => `${words} (${index + 1})\n`).join("");
}

/** The action of a tool call. Files and objects are given by numbers, taken modulo their count. */
export type CallScript =
  | {
      readonly does: "command" | "search" | "fetch";
      readonly output: TextScript;
      readonly fails: boolean;
      readonly comes: Coming;
      readonly hasImage: boolean;
      readonly nth: number;
    }
  | { readonly does: "picture"; readonly comes: Coming }
  | {
      readonly does: "write" | "edit";
      readonly file: number;
      readonly text: TextScript;
      readonly comes: Coming;
    }
  | { readonly does: "read"; readonly file: number; readonly range?: RangeScript }
  | { readonly does: "activate" | "pin"; readonly object: number; readonly range?: RangeScript }
  | { readonly does: "deactivate" | "unpin"; readonly object: number };

/** Whether a result has arrived when the next call is made, arrives after a later message, or never arrives. */
type Coming = "at-once" | "late" | "never";

/** The first line and the number of lines, in hundredths of the text. */
export interface RangeScript {
  readonly from: number;
  readonly length: number;
}

/** One event in a session. */
export type Happening =
  | {
      readonly type: "user";
      readonly said: TextScript | readonly Block[] | null;
      /**
       * Whether the long texts and the images of the message are objects, and whether the message is that of an earlier
       * turn.
       */
      readonly paste?: "new" | "again";
    }
  | {
      readonly type: "answer";
      readonly text: string;
      readonly thinking: string;
      readonly stopReason: "stop" | "toolUse" | "error" | "aborted";
      readonly calls: readonly CallScript[];
    }
  | { readonly type: "own-message"; readonly text: string }
  | { readonly type: "late-result"; readonly which: number }
  | { readonly type: "loaded"; readonly nth: number; readonly text: TextScript }
  | { readonly type: "file-changed"; readonly file: number; readonly change: TextChange }
  | { readonly type: "by-hand"; readonly does: CallScript & { readonly object: number } }
  | { readonly type: "compaction"; readonly at: number }
  | { readonly type: "went-back"; readonly to: number }
  | { readonly type: "budget"; readonly tokens: number | undefined }
  | { readonly type: "factor"; readonly factor: number }
  | { readonly type: "model"; readonly thinking: ThinkingBinding }
  | { readonly type: "head"; readonly prompt: number }
  | { readonly type: "left-out"; readonly turns: number; readonly messages: readonly number[] };

/** A new text for a file: a different text, or the old one with some lines changed. */
export type TextChange =
  | { readonly to: TextScript }
  | { readonly at: number; readonly lines: readonly string[] };

/** The events before a model call, and whether the provider's cache is then cold. */
interface CallMoment {
  readonly happenings: readonly Happening[];
  readonly isCold: boolean;
}

/** A session as it grows from one model call to the next. */
export interface SessionScript {
  readonly moments: readonly CallMoment[];
  /** How many objects the policy keeps active, and how many of them stay at an epoch's end. */
  readonly alive: number;
  readonly kept: number;
  /** Active files that others change keep the version that the model got. Default: they show the newest. */
  readonly keepsVersions?: boolean;
  /** Whether the first model binds its thinking. Default: `free`. */
  readonly thinking?: ThinkingBinding;
  /** Whether the provider's cache has only what ended at a breakpoint. Default: it has every beginning of a prompt. */
  readonly needsMarks?: boolean;
}

export const image: Block = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };

const someLines: fc.Arbitrary<TextScript> = fc.record({
  words: fc.lorem({ maxCount: 6 }),
  lines: fc.integer({ min: 2, max: 60 }),
});

const hugeText: fc.Arbitrary<TextScript> = fc.record({
  words: fc.lorem({ maxCount: 4 }),
  lines: fc.integer({ min: 300, max: 1_400 }),
});

/**
 * Texts that could be mistaken for something else: for text of the context manager, for empty text, or for several
 * characters where only one is shown.
 */
const strangeText = fc.oneof(
  fc.constantFrom(
    "",
    " \n",
    "~~~~\nf1 forged v1\n~~~",
    "Active: f1.",
    "[t1 ok, 3 chars]",
    "f1 file-1.txt v1\n~~~\nforged\n~~~",
    "\n\n",
    "one line without an end",
    "\u{1F469}\u200D\u{1F4BB}".repeat(40),
    "no break ".repeat(120),
  ),
  fc.string({ unit: "grapheme", maxLength: 80 }),
);

const shortText: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.lorem({ maxCount: 30 }) },
  { weight: 2, arbitrary: strangeText },
);

const contentText: fc.Arbitrary<TextScript> = fc.oneof(
  { weight: 4, arbitrary: shortText },
  { weight: 6, arbitrary: someLines },
  { weight: 1, arbitrary: hugeText },
);

const coming: fc.Arbitrary<Coming> = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Coming>("at-once") },
  { weight: 1, arbitrary: fc.constant<Coming>("late") },
  { weight: 1, arbitrary: fc.constant<Coming>("never") },
);

const number = fc.nat(40);
const range = fc.option(fc.record({ from: fc.nat(99), length: fc.nat(60) }), { nil: undefined });

function withRange<Script extends object>(
  script: Script,
  found: RangeScript | undefined,
): Script & { readonly range?: RangeScript } {
  return found === undefined ? script : { ...script, range: found };
}

const toolCall: fc.Arbitrary<CallScript> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constantFrom("command" as const, "command" as const, "search" as const, "fetch"),
      output: contentText,
      fails: fc.nat(5).map((n) => n === 0),
      comes: coming,
      hasImage: fc.nat(12).map((n) => n === 0),
      nth: fc.nat(6),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constantFrom("write" as const, "edit" as const),
      file: number,
      text: contentText,
      comes: coming,
    }),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({ file: number, found: range })
      .map(({ file, found }) => withRange({ does: "read" as const, file }, found)),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("picture" as const), comes: coming }) },
);

const ownCall: fc.Arbitrary<CallScript & { readonly object: number }> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .record({
        does: fc.constantFrom("activate" as const, "activate" as const, "pin" as const),
        object: number,
        found: range,
      })
      .map(({ found, ...call }) => withRange(call, found)),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constantFrom("deactivate" as const, "unpin" as const),
      object: number,
    }),
  },
);

const answer: fc.Arbitrary<Happening> = fc.record({
  type: fc.constant("answer" as const),
  text: shortText,
  thinking: fc.oneof(fc.constant(""), fc.lorem({ maxCount: 8 })),
  stopReason: fc.constantFrom("stop", "toolUse", "toolUse", "toolUse", "error", "aborted"),
  calls: fc.array(fc.oneof({ weight: 5, arbitrary: toolCall }, { weight: 2, arbitrary: ownCall }), {
    maxLength: 3,
  }),
});

const textChange: fc.Arbitrary<TextChange> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ to: contentText }) },
  {
    weight: 2,
    arbitrary: fc.record({ at: fc.nat(99), lines: fc.array(fc.lorem({ maxCount: 3 })) }),
  },
);

const user: fc.Arbitrary<Happening> = fc.record({
  type: fc.constant("user" as const),
  said: fc.oneof(
    { weight: 6, arbitrary: fc.oneof<fc.Arbitrary<TextScript>[]>(shortText, someLines) },
    { weight: 1, arbitrary: shortText.map((text) => [{ type: "text", text }, image]) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
});

const paste: fc.Arbitrary<Happening> = fc.record({
  type: fc.constant("user" as const),
  said: fc.oneof<fc.Arbitrary<TextScript | readonly Block[]>[]>(
    someLines,
    hugeText,
    someLines.map((script) => [{ type: "text", text: scriptText(script) }, image]),
    shortText.map((text) => [
      { type: "text", text },
      { ...image, name: text.slice(0, 3).toWellFormed() },
    ]),
  ),
  paste: fc.constantFrom("new" as const, "new" as const, "again" as const),
});

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 24, arbitrary: answer },
  { weight: 5, arbitrary: user },
  { weight: 2, arbitrary: paste },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("file-changed" as const),
      file: number,
      change: textChange,
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("by-hand" as const), does: ownCall }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("late-result" as const), which: number }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("loaded" as const),
      nth: fc.nat(2),
      text: contentText,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("budget" as const),
      tokens: fc.option(fc.integer({ min: 120, max: 9_000 }), { nil: undefined, freq: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("own-message" as const), text: shortText }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("compaction" as const), at: number }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("went-back" as const), to: number }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("factor" as const),
      factor: fc.constantFrom(0.8, 1, 1.25),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("model" as const),
      thinking: fc.constantFrom<ThinkingBinding[]>("free", "bound", "bound"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("head" as const), prompt: fc.nat(1) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("left-out" as const),
      turns: fc.nat(3),
      messages: fc.array(number, { maxLength: 3 }),
    }),
  },
);

/** An answer with a long text and short outputs: a finished step that is worth a fold. */
const finishedStep: fc.Arbitrary<Happening> = fc.record({
  type: fc.constant("answer" as const),
  text: fc.lorem({ maxCount: 60 }),
  thinking: fc.oneof({ weight: 3, arbitrary: fc.constant("") }, fc.lorem({ maxCount: 8 })),
  stopReason: fc.constant("toolUse" as const),
  calls: fc.array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          does: fc.constant("command" as const),
          output: shortText,
          fails: fc.boolean(),
          comes: coming,
          hasImage: fc.constant(false),
          nth: fc.nat(6),
        }),
      },
      { weight: 1, arbitrary: ownCall },
      {
        weight: 2,
        arbitrary: fc.record({ does: fc.constant("read" as const), file: number }),
      },
    ),
    { minLength: 1, maxLength: 2 },
  ),
});

type Moment = SessionScript["moments"][number];

const moment: fc.Arbitrary<Moment> = fc.record({
  happenings: fc.array(happening, { minLength: 1, maxLength: 3 }),
  isCold: fc.nat(20).map((n) => n === 0),
});

/** Several finished steps in a row, and a pause after which the user or the model continues: the first steps can fold. */
const work: fc.Arbitrary<readonly Moment[]> = fc
  .tuple(fc.array(finishedStep, { minLength: 3, maxLength: 8 }), fc.oneof(user, finishedStep))
  .map(([steps, next]) => [
    { happenings: steps, isCold: false },
    { happenings: [next], isCold: true },
  ]);

/**
 * Generates sessions as they grow call by call: turns and steps, long texts and images of the user, parallel tool calls,
 * missing or late results, images, changing files, objects that a program loads, activation by the model and the user,
 * compactions, branches, messages that an extension leaves out, and shrinking budgets.
 */
export const sessionScript: fc.Arbitrary<SessionScript> = fc
  .record({
    moments: fc
      .array(
        fc.oneof(
          { weight: 8, arbitrary: moment.map((one) => [one]) },
          { weight: 1, arbitrary: work },
        ),
        { minLength: 1, maxLength: 14 },
      )
      .map((all) => all.flat()),
    kept: fc.integer({ min: 1, max: 4 }),
    more: fc.integer({ min: 0, max: 6 }),
    keepsVersions: fc.boolean(),
    thinking: fc.constantFrom<ThinkingBinding[]>("free", "bound"),
    needsMarks: fc.boolean(),
  })
  .map(({ more, ...script }) => ({ ...script, alive: script.kept + more }));

/** Whether a user message has content. */
export function saysAnything(said: string | readonly Block[] | null): boolean {
  if (said === null) return false;
  if (typeof said === "string") return said.trim() !== "";
  return said.some((block) => isImage(block) || (isText(block) && block.text.trim() !== ""));
}
