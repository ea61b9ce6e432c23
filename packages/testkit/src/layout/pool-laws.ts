import { isText, type Layout, type ViewMessage } from "@self-context-manager/core";
import type { LayoutInput } from "@self-context-manager/core/layout";
import assert from "node:assert/strict";

import { everyCall, type LayoutTrial } from "./layout-laws.ts";
import { shownContents } from "./shown-contents.ts";

/**
 * The key of a law of layouts with a list of known objects. It names the law in the doc comment of `Layout` and names the
 * law's test.
 */
export type PoolLaw = "no-former-content" | "pool-entries-never-change";

/** All laws of layouts with a list of known objects, as checks over random sessions. */
export const poolLaws: Readonly<Record<PoolLaw, (layout: Layout, trial: LayoutTrial) => void>> = {
  "no-former-content": (layout, trial) => {
    everyCall(layout, trial, ({ input, output: { messages, shown } }) => {
      const contents = shownContents(messages, input);
      const lines = messages.flatMap(textsOf).flatMap((text) => text.split("\n"));
      for (const [index, { entry, stored }] of input.active.entries()) {
        const { handle } = entry;
        const isFormer =
          ["file", "note"].includes(stored.body.type) &&
          stored.version < entry.stored.version &&
          stored.hashes.content_hash !== entry.stored.hashes.content_hash;
        const form = shown[index]?.form;
        if (!isFormer) {
          assert.notEqual(form, "replaced", `the content of ${handle} is the newest`);
          continue;
        }
        const isShown = contents.some((content) => content.handle === handle);
        assert.ok(!isShown, `a former content of ${handle} is in view`);
        if (form === "left-out" && input.budget !== undefined) continue;
        assert.equal(form, "replaced");
        const change = `-> v${entry.stored.version} `;
        const isReported = lines.some(
          (line) => line.startsWith(`[${handle} `) && line.includes(change),
        );
        assert.ok(isReported, `the newer version of ${handle} is not reported`);
      }
    });
  },
  "pool-entries-never-change": (layout, trial) => {
    everyCall(layout, trial, ({ input, last, lastMessages, lastBudget, output }) => {
      const before = last === undefined ? [] : poolOf(lastMessages);
      const now = poolOf(output.messages);
      if (input.budget !== undefined || lastBudget !== undefined) {
        assert.ok(isContinued(before, now), "a line of the list has changed");
        return;
      }
      assert.deepEqual(now.slice(0, before.length), before);
      assert.deepEqual(currentLines(now, input), currentLines(freshPool(layout, input), input));
    });
  },
};

function textsOf(message: ViewMessage): readonly string[] {
  if (message.role === "opaque" || typeof message.content === "string") return [];
  return message.content.filter(isText).map(({ text }) => text);
}

/** Returns the lines of the list of known objects in a view, each of which begins with a handle. */
function poolOf([first]: readonly ViewMessage[]): readonly string[] {
  if (first?.role !== "user" || typeof first.content === "string") return [];
  const text = first.content.filter(isText).map((block) => block.text);
  const lines = text.join("\n").split("\n");
  if (lines[0]?.startsWith("Known objects") !== true) return [];
  return lines.slice(1).filter((line) => /^[a-z]\d+ /u.test(line));
}

/** Whether both lists show a part of one list that only grows: lines leave at its beginning or return there. */
function isContinued(before: readonly string[], now: readonly string[]): boolean {
  if (before.length === 0 || now.length === 0) return true;
  const isAt = (at: number): boolean =>
    before.every((line, index) => {
      const here = at + index;
      return here < 0 || now[here] === line;
    });
  const most = Math.max(before.length, now.length);
  return Array.from({ length: 2 * most + 1 }, (_, index) => index - most).some(isAt);
}

function freshPool(layout: Layout, input: LayoutInput): readonly string[] {
  return poolOf(layout.render(input).messages);
}

/** Returns the last line of each known object. */
function currentLines(lines: readonly string[], { pool }: LayoutInput): readonly string[] {
  return [...pool.values()].map(
    ({ handle }) => lines.findLast((line) => line.startsWith(`${handle} `)) ?? "",
  );
}
