import * as fc from "fast-check";
import { expect, test } from "vitest";

// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../tools/property-runs.ts";
import type { CallView, StrategyRun } from "../src/measure/call-view.ts";
import { evidenceOf } from "../src/measure/evidence.ts";
import { type MissCounts, replaySegment } from "../src/measure/replay-segment.ts";
import { isSharp } from "../src/measure/sharp-evidence.ts";
import type { RecordedMessage } from "../src/read/recorded-session.ts";
import { calls, madeRows, result, says, user, words } from "./made-sessions.ts";

const read = [user("look"), calls("a", "read", { path: "a.ts" })];

/** Whether the second answer uses sharp evidence. */
function isSharpIn(rows: readonly RecordedMessage[]): boolean | undefined {
  const grams = evidenceOf(rows).uses.get(1);
  return grams === undefined ? undefined : isSharp(grams);
}

function quoting(answer: RecordedMessage, text = words("x", 40)): readonly RecordedMessage[] {
  return [...read, result("a", "read", text), answer];
}

test("twelve quoted words in a row are sharp evidence, and eleven are not", () => {
  expect(isSharpIn(quoting(says(words("x", 12))))).toBe(true);
  expect(isSharpIn(quoting(says(words("x", 11))))).toBe(false);
});

test("quotations in different places do not count together", () => {
  const text = words("x", 40).split(" ");
  const twice = `${text.slice(0, 11).join(" ")} and ${text.slice(20, 31).join(" ")}`;

  expect(isSharpIn(quoting(says(twice)))).toBe(false);
});

test("paths are no sharp evidence, however long they are", () => {
  const path = words("dir", 30).replaceAll(" ", "/");

  expect(isSharpIn(quoting(says(`see ${path}`), path))).toBe(false);
  expect(isSharpIn(quoting(says(words("dir", 30)), path))).toBe(true);
});

test("eight words in the text that an edit finds are sharp evidence; in the new text they are not", () => {
  const quoted = words("x", 8);
  const edit = (args: Record<string, string>): RecordedMessage => calls("b", "edit", args);

  for (const name of ["oldText", "old_string", "oldString", "old_str"])
    expect(isSharpIn(quoting(edit({ path: "a.ts", [name]: quoted })))).toBe(true);
  expect(isSharpIn(quoting(edit({ path: "a.ts", newText: quoted })))).toBe(false);
});

test("eight words in context and removed lines of a patch are sharp evidence; in added lines they are not", () => {
  const [first, second] = ["x0 x1 x2 x3", "x4 x5 x6 x7"];
  const patch = (...lines: readonly string[]): RecordedMessage => {
    const input = ["*** Begin Patch", "*** Update File: a.ts", ...lines, "*** End Patch"];
    return calls("b", "apply_patch", { input: input.join("\n") });
  };

  expect(isSharpIn(quoting(patch("@@", ` ${first}`, `-${second}`, "+new")))).toBe(true);
  expect(isSharpIn(quoting(patch("@@", ` ${first}`, "@@", ` ${second}`)))).toBe(true);
  expect(isSharpIn(quoting(patch("@@", `+${first}`, `+${second}`)))).toBe(false);
  expect(isSharpIn(quoting(patch("@@", ` ${first}`, `+${second}`)))).toBe(false);
  expect(isSharpIn(quoting(patch(`@@ ${first}`, ` ${second}`)))).toBe(false);
});

test("a patch in a program has written-out line breaks", () => {
  const patch = (sign: string): RecordedMessage => {
    const lines = ["*** Begin Patch", "*** Update File: a.ts", "@@", `${sign}${words("x", 8)}`];
    return calls("b", "exec", { input: `apply("${lines.join("\\n")}\\n*** End Patch")` });
  };

  expect(isSharpIn(quoting(patch("-")))).toBe(true);
  expect(isSharpIn(quoting(patch("+")))).toBe(false);
});

test("the missed quotations alone decide whether sharp evidence is missed", async () => {
  const text = words("x", 40);
  const rows = quoting(says(words("x", 20)), text);
  const upTo = async (word: string): Promise<MissCounts> =>
    await missesOf(rows, () => [{ start: 0, end: text.indexOf(`${word} `) + word.length }]);

  // The last 8-gram that is in view ends with this word: four are missed, or five.
  expect(await upTo("x15")).toMatchObject({ missedGrams: 4, sharpUsed: 1, sharpMissed: 0 });
  expect(await upTo("x14")).toMatchObject({ missedGrams: 5, sharpUsed: 1, sharpMissed: 1 });
});

test("for any session, sharp evidence is used and missed at most as often as evidence", async () => {
  const shown = fc.constantFrom("whole" as const, "none" as const, [{ start: 0, end: 60 }]);
  await fc.assert(
    fc.asyncProperty(madeRows(30), fc.array(shown, { minLength: 1 }), async (rows, parts) => {
      const miss = await missesOf(rows, (object) => parts[object % parts.length] ?? "none");

      expect(miss.sharpUsed).toBeLessThanOrEqual(miss.used);
      expect(miss.sharpUsedPlus).toBeLessThanOrEqual(miss.usedPlus);
      expect(miss.sharpMissed).toBeLessThanOrEqual(Math.min(miss.missed, miss.sharpUsed));
      expect(miss.sharpMissedPlus).toBeLessThanOrEqual(
        Math.min(miss.missedPlus, miss.sharpUsedPlus),
      );
    }),
    { numRuns: propertyRuns(50) },
  );
});

async function missesOf(
  rows: readonly RecordedMessage[],
  shown: CallView["shown"],
): Promise<MissCounts> {
  const view: CallView = { parts: [], shown };
  const run: StrategyRun = { view: () => view, activate: () => view };
  const count = rows.filter(({ role }) => role === "assistant").length;
  return (await replaySegment(run, count, evidenceOf(rows))).miss;
}
