import { isText, type Layout, type ViewMessage } from "@self-context-manager/core";
import {
  type LayoutInput,
  messageTokens,
  type ViewRecord,
  type ViewSource,
} from "@self-context-manager/core/layout";
import { namedVersions } from "@self-context-manager/core/inspect";
import { defined } from "@self-context-manager/objects";
import assert from "node:assert/strict";
import * as fc from "fast-check";

import { boundThinkingCheck } from "./bound-thinking-check.ts";
import { leftOutFaults } from "./left-out-faults.ts";
import { lineFaults } from "./line-faults.ts";
import { type PlayedCall, playedCalls } from "./play-session.ts";
import { sequenceFaults } from "./sequence-faults.ts";
import { type SessionScript, sessionScript } from "./session-script.ts";
import { shownContents } from "./shown-contents.ts";
import {
  assertAnswersAreAsGiven,
  assertImages,
  assertOnce,
  assertShown,
  isPartOf,
  newestUserText,
  textsOf,
  textTokens,
} from "./view-checks.ts";

/** The key of a law. It names the law in the doc comment of `Layout` and names the law's test. */
export type LayoutLaw =
  | "output-is-legal"
  | "bound-thinking-stays-valid"
  | "left-out-is-not-shown"
  | "newest-user-message-is-there"
  | "active-is-shown"
  | "loaded-is-named"
  | "budget-holds"
  | "own-lines-are-known"
  | "nothing-volatile"
  | "rebuild-is-identical"
  | "lost-versions-are-left-out";

/** The number of random sessions that a law is tested on. */
export interface LayoutTrial {
  readonly numRuns: number;
  readonly seed?: number;
  /** Reports the first session that breaks a law, without a search for a smaller one. */
  readonly endOnFailure?: boolean;
  /** Sessions that are tried before the random ones. They count in `numRuns`. */
  readonly examples?: readonly SessionScript[];
}

/** All laws, as checks of a layout over random sessions. A check throws if the layout breaks the law. */
export const layoutLaws: Readonly<Record<LayoutLaw, (layout: Layout, trial: LayoutTrial) => void>> =
  {
    "output-is-legal": (layout, trial) => {
      everyCall(layout, trial, (call) => {
        const { messages, boundaries = [] } = call.output;
        assert.deepEqual(sequenceFaults(messages), []);
        assertAnswersAreAsGiven(messages, call);
        const ascending = boundaries.every((at, n) => at > (boundaries[n - 1] ?? -1));
        const last = boundaries.at(-1) ?? messages.length - 1;
        assert.ok(ascending && last === messages.length - 1, `boundaries ${boundaries.join(" ")}`);
      });
    },
    "bound-thinking-stays-valid": (layout, trial) => {
      everySession(layout, trial, (calls) => {
        const check = boundThinkingCheck();
        for (const call of calls) check(call);
      });
    },
    "left-out-is-not-shown": (layout, trial) => {
      everyCall(layout, trial, (call) => assert.deepEqual(leftOutFaults(call), []));
    },
    "newest-user-message-is-there": (layout, trial) => {
      everyCall(layout, trial, ({ input, output }) => {
        const newest = newestUserText(input);
        if (newest === undefined) return;
        const texts = textsOf(output.messages);
        const isWhole = texts.includes(newest);
        const isCut = (text: string): boolean =>
          text.startsWith(`${newest}\n`) || isPartOf(text, newest);
        const isPart = texts.some(isCut);
        const fits = input.budget === undefined || textTokens(newest, input) <= input.budget;
        assert.ok(fits ? isWhole : isWhole || isPart, `the newest user message is missing`);
        // A message without its image has its text, and then the note.
        const at = output.messages.findLastIndex(
          (message) =>
            !isNoteOnOthers(message) &&
            textsOf([message]).some((text) => text === newest || isCut(text)),
        );
        const behind = output.messages.slice(at + 1).findIndex(isNoteOnOthers);
        assert.equal(behind, -1, "the note on missing messages is behind the newest user message");
      });
    },
    "active-is-shown": (layout, trial) => {
      everyCall(layout, trial, ({ input, output: { messages, shown, deactivated = [] } }) => {
        assert.deepEqual(
          shown.map(({ id }) => id),
          input.active.map(({ entry }) => entry.id),
        );
        const contents = shownContents(messages, input);
        for (const [index, object] of input.active.entries()) {
          const form = shown[index]?.form ?? "left-out";
          const hasRoom = input.budget === undefined && !deactivated.includes(object.entry.id);
          assert.ok(form !== "left-out" || !hasRoom, `${object.entry.handle} has room`);
          if (form === "replaced") continue;
          if (form !== "left-out") assertShown(contents, object, form, messages, input);
          assertOnce(contents, object);
        }
        const wanted = input.active.filter(({ entry, ranges }) => {
          return ranges === undefined && !deactivated.includes(entry.id);
        });
        assertImages(messages, input, wanted);
      });
    },
    "loaded-is-named": (layout, trial) => {
      everyCall(layout, trial, ({ input, output: { messages } }) => {
        if (input.budget !== undefined) return;
        const texts = messages.flatMap(linesOf);
        for (const { handle, row } of input.pool.values()) {
          if (row.loaded !== true) continue;
          const isNamed = texts.some((text) => /^\[?(\w+) /u.exec(text)?.[1] === handle);
          assert.ok(isNamed, `${handle} has no line`);
        }
      });
    },
    "budget-holds": (layout, trial) => {
      everyCall(layout, trial, ({ input, output }) => {
        const { metadata, chat, active } = output.tokens;
        const reported = metadata + chat + active;
        const estimated = output.messages.reduce(
          (sum, message) => sum + messageTokens(message, input.estimator),
          0,
        );
        assert.ok(estimated <= reported, `${estimated} tokens, reported as ${reported}`);
        if (input.budget !== undefined)
          assert.ok(reported <= input.budget, `${reported} tokens for a budget of ${input.budget}`);
      });
    },
    "own-lines-are-known": (layout, trial) => {
      everyCall(layout, trial, (call) => assert.deepEqual(lineFaults(call), []));
    },
    "nothing-volatile": (layout, trial) => {
      everyCall(layout, trial, ({ inputFrom, last, output }) => {
        const again = layout.render(inputFrom(layout, last), last);
        assert.equal(JSON.stringify(again.messages), JSON.stringify(output.messages));
        // The input of a new process: other objects, so that a cache keyed by the first ones does not help.
        const stored = copyOf(last);
        const fresh = layout.render(inOtherObjects(inputFrom(layout, stored)), stored);
        assert.equal(JSON.stringify(fresh.messages), JSON.stringify(output.messages));
        assert.deepEqual(copyOf(fresh.record), copyOf(output.record));
      });
    },
    "rebuild-is-identical": (layout, trial) => {
      everySession(layout, trial, (calls) => {
        // The calls are rebuilt after the session has continued, when objects have newer versions.
        const all = Array.from(calls);
        for (const { output, source } of all) {
          const record = copyOf(output.record) as ViewRecord;
          const named = new Set(namedVersions(layout.describe(record)).keys());
          for (const from of [source, sourceWith(source, named)]) {
            const rebuilt = layout.rebuild(record, from);
            assert.equal(JSON.stringify(rebuilt), JSON.stringify(output.messages));
          }
        }
      });
    },
    "lost-versions-are-left-out": (layout, trial) => {
      everyCall(layout, trial, ({ input, output: { record, messages }, source }) => {
        const entries = layout.describe(record);
        const names = [...namedVersions(entries).keys()];
        const kept = new Set(names.filter((_name, index) => index % 2 === 0));
        const lost = new Set(names.filter((name) => !kept.has(name)));
        const rest = sourceWith(source, kept);
        if (layout.without !== undefined) {
          const partial = layout.without(record, lost);
          const partialNames = [...namedVersions(layout.describe(partial)).keys()];
          assert.deepEqual(
            partialNames.filter((name) => lost.has(name)),
            [],
          );
          const rebuilt = layout.rebuild(partial, rest);
          const hasPrompt = newestUserText(input) !== undefined;
          assert.ok(rebuilt.length > 0 || !hasPrompt, "at least one message is rendered");
          return;
        }
        assert.equal(record.entries.length, messages.length);
        for (const [index, entry] of record.entries.entries()) {
          const isWhole = entries[index]?.versions.every(({ handle, version }) =>
            kept.has(`${handle}@${version}`),
          );
          if (isWhole !== true) continue;
          const rebuilt = layout.rebuild({ ...record, entries: [entry] }, rest);
          assert.equal(JSON.stringify(rebuilt), JSON.stringify([messages[index]]));
        }
      });
    },
  };

/** Whether a message says that turns or other messages are not shown. */
function isNoteOnOthers(message: ViewMessage): boolean {
  const note = /^\[(?:turns \d+ to \d+|other messages|earlier messages) are not shown; /u;
  return textsOf([message]).some((text) => note.test(text));
}

/** Returns the lines of a message that is no answer. */
function linesOf(message: ViewMessage): readonly string[] {
  if (message.role === "opaque" || message.role === "assistant") return [];
  if (typeof message.content === "string") return message.content.split("\n");
  return message.content.flatMap((block) => (isText(block) ? block.text.split("\n") : []));
}

/** Runs a check on every call of random sessions. */
export function everyCall(
  layout: Layout,
  trial: LayoutTrial,
  check: (call: PlayedCall) => void,
): void {
  everySession(layout, trial, (calls) => {
    for (const call of calls) check(call);
  });
}

export function everySession(
  layout: Layout,
  { numRuns, seed, endOnFailure = false, examples = [] }: LayoutTrial,
  check: (calls: Iterable<PlayedCall>) => void,
): void {
  const property = fc.property(sessionScript, (script) => check(playedCalls(layout, script)));
  fc.assert(property, {
    numRuns,
    endOnFailure,
    examples: examples.map((script) => [script]),
    ...defined({ seed }),
  });
}

/** Returns a source that contains only some versions, each named `handle@version`. */
function sourceWith(source: ViewSource, names: ReadonlySet<string>): ViewSource {
  return {
    ...source,
    object: (handle, version) =>
      names.has(`${handle}@${version}`) ? source.object(handle, version) : undefined,
  };
}

function copyOf(record: ViewRecord | undefined): ViewRecord | undefined {
  return record === undefined ? undefined : (JSON.parse(JSON.stringify(record)) as ViewRecord);
}

function inOtherObjects(input: LayoutInput): LayoutInput {
  const entries = new Map([...input.pool].map(([id, entry]) => [id, structuredClone(entry)]));
  return {
    ...input,
    turns: structuredClone(input.turns),
    pool: entries,
    active: input.active.map((object) => ({
      ...object,
      entry: entries.get(object.entry.id) ?? object.entry,
      stored: structuredClone(object.stored),
    })),
  };
}
