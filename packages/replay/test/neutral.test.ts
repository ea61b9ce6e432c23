import * as fc from "fast-check";
import { expect, test } from "vitest";

// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../tools/property-runs.ts";
import { isPaired, outline, sessionOf } from "./recorded-files.ts";

const call = (id: string, name = "read"): object => ({
  type: "toolCall",
  id,
  name,
  arguments: { path: "a.ts" },
});
const assistant = (...content: object[]): object => ({ role: "assistant", content });
const result = (toolCallId: string, text: string): object => ({
  role: "toolResult",
  toolCallId,
  toolName: "read",
  content: [{ type: "text", text }],
  isError: false,
});
const text = (words: string): object => ({ type: "text", text: words });

test("rows of the neutral format are read unchanged", async () => {
  const rows = [
    { role: "system", content: [text("be kind")] },
    { role: "user", content: [text("summary")], timestamp: 5, synthetic: true, compaction: true },
    {
      role: "assistant",
      content: [{ type: "thinking", thinking: "hm" }, text("yes"), call("c1")],
      timestamp: 6,
      provider: "p",
      model: "m",
      stopReason: "toolUse",
      usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
    },
    { ...result("c1", "x"), timestamp: 7 },
    {
      role: "user",
      content: [{ type: "image", data: "", mimeType: "image/gif", elided: true, bytes: 57 }],
    },
  ];

  const session = await sessionOf(rows, "some.name.jsonl");

  expect(session).toMatchObject({ name: "some.name", source: "neutral", damaged: [] });
  expect(session.rows).toEqual(rows);
});

test("a call without a result gets a synthetic one", async () => {
  const { rows, damaged } = await sessionOf([assistant(call("c1"), call("c2")), result("c2", "x")]);

  expect(outline(rows).slice(1)).toEqual([
    "toolResult(read c2): x",
    "toolResult*(read c1 failed): [no result recorded]",
  ]);
  expect(damaged).toEqual([]);
});

test("a repeated call id and its result get a new id", async () => {
  const { rows } = await sessionOf([
    assistant(call("c1")),
    result("c1", "first"),
    assistant(call("c1")),
    result("c1", "second"),
    assistant(call("c1")),
    result("c1", "third"),
  ]);

  expect(outline(rows).filter((line) => line.startsWith("toolResult"))).toEqual([
    "toolResult(read c1): first",
    "toolResult(read c1#2): second",
    "toolResult(read c1#3): third",
  ]);
});

test("a late result follows its call", async () => {
  const { rows } = await sessionOf([
    assistant(call("c1")),
    { role: "user", content: "meanwhile" },
    result("c1", "late"),
  ]);

  expect(outline(rows).slice(1)).toEqual(["toolResult(read c1): late", "user: meanwhile"]);
});

test("damaged lines are skipped and reported with their number", async () => {
  const { rows, damaged } = await sessionOf([
    '{"role": "user", "cont',
    { role: "user", content: [text("one")] },
    "",
    "[1]",
    result("c9", "x"),
    { role: "robot", content: [] },
    '{"role": "assistant", "content": [{"type": "te',
  ]);

  expect(outline(rows)).toEqual(["user: one"]);
  expect(damaged).toEqual([
    { line: 1, reason: "not JSON; the line may be cut off" },
    { line: 4, reason: "not a JSON object" },
    { line: 5, reason: "a result of the call c9, which is missing" },
    { line: 6, reason: "not a row of the neutral format: its role is none of the four roles" },
    { line: 7, reason: "not JSON; the line may be cut off" },
  ]);
});

test("a second result of a call is reported and left out", async () => {
  const { rows, damaged } = await sessionOf([
    assistant(call("c1")),
    result("c1", "first"),
    result("c1", "second"),
  ]);

  expect(outline(rows).slice(1)).toEqual(["toolResult(read c1): first"]);
  expect(damaged).toEqual([{ line: 3, reason: "a second result of the call c1" }]);
});

test("exactly one result follows each call, in whatever order the rows come", async () => {
  const id = fc.constantFrom("a", "b", "c");
  const row = fc.oneof(
    fc
      .array(id, { maxLength: 3 })
      .map((ids) => assistant(text("t"), ...ids.map((one) => call(one)))),
    id.map((one) => result(one, "x")),
    fc.constant({ role: "user", content: [text("go on")] }),
    fc.constant("damaged"),
  );

  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 12 }), async (lines) => {
      const session = await sessionOf([{ role: "user", content: "go" }, ...lines]);
      const again = await sessionOf(session.rows);

      expect(isPaired(session.rows)).toBe(true);
      expect(again.rows).toEqual(session.rows);
      expect(again.damaged).toEqual([]);
    }),
    { numRuns: propertyRuns(60) },
  );
});
