import { expect, test } from "vitest";

import { outline, sessionOf } from "./recorded-files.ts";

const time = "2026-01-02T03:04:05.000Z";
const header = (version?: number): object => ({
  type: "session",
  ...(version === undefined ? {} : { version }),
  id: "s1",
  timestamp: time,
  cwd: "/w",
});
const user = (text: string): object => ({
  role: "user",
  content: [{ type: "text", text }],
  timestamp: 1,
});
const entry = (id: string, parentId: string | null, fields: object): object => ({
  type: "message",
  id,
  parentId,
  timestamp: time,
  ...fields,
});
const calling = {
  role: "assistant",
  content: [
    { type: "thinking", thinking: "hm", thinkingSignature: "xyz" },
    { type: "text", text: "reading" },
    { type: "toolCall", id: "c1", name: "read", arguments: { path: "a.ts" } },
  ],
  api: "anthropic-messages",
  provider: "anthropic",
  model: "m",
  usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, totalTokens: 10, cost: { total: 1 } },
  stopReason: "toolUse",
  timestamp: 20,
};
const result = {
  role: "toolResult",
  toolCallId: "c1",
  toolName: "read",
  content: [
    { type: "text", text: "x" },
    { type: "image", data: "AAAA", mimeType: "image/png" },
  ],
  details: { much: "more" },
  isError: false,
  timestamp: 30,
};

test("version 1 is a list", async () => {
  const { source, rows, damaged } = await sessionOf([
    header(),
    { type: "message", timestamp: time, message: user("go") },
    { type: "thinking_level_change", timestamp: time, thinkingLevel: "low" },
    { type: "message", timestamp: time, message: calling },
    { type: "message", timestamp: time, message: result },
    {
      type: "message",
      timestamp: time,
      message: { ...calling, content: [], stopReason: "aborted" },
    },
    {
      type: "compaction",
      timestamp: time,
      summary: "in short",
      firstKeptEntryIndex: 3,
      tokensBefore: 9,
    },
    { type: "message", timestamp: time, message: user("on") },
  ]);

  expect(source).toBe("pi");
  expect(damaged).toEqual([]);
  expect(outline(rows)).toEqual([
    "user: go",
    'assistant: ~hm | reading | read c1 {"path":"a.ts"}',
    "toolResult(read c1): x | [image/png 4]",
    "user*!: in short",
    "user: on",
  ]);
  expect(rows[1]).toMatchObject({
    provider: "anthropic",
    model: "m",
    stopReason: "toolUse",
    usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
    timestamp: 20,
  });
  expect(rows[3]).toMatchObject({ timestamp: Date.parse(time) });
});

test.each([2, 3])(
  "version %i is a tree, and the branch of the last entry counts",
  async (version) => {
    const { rows } = await sessionOf([
      header(version),
      entry("e1", null, { message: user("go") }),
      entry("e2", "e1", { message: { ...calling, content: [{ type: "text", text: "astray" }] } }),
      entry("e3", "e1", { type: "branch_summary", fromId: "e2", summary: "was astray" }),
      entry("e4", "e3", { type: "model_change", provider: "p", modelId: "m" }),
      entry("e5", "e4", {
        message: { role: version === 2 ? "hookMessage" : "custom", content: "noted" },
      }),
      entry("e6", "e5", {
        type: "custom_message",
        customType: "x",
        content: "reminded",
        display: true,
      }),
      entry("e7", "e6", { type: "custom", customType: "x", data: {} }),
      entry("e8", "e7", { message: calling }),
      entry("e9", "e8", { message: result }),
    ]);

    expect(outline(rows)).toEqual([
      "user: go",
      "user*: was astray",
      "user*: noted",
      "user*: reminded",
      'assistant: ~hm | reading | read c1 {"path":"a.ts"}',
      "toolResult(read c1): x | [image/png 4]",
    ]);
  },
);

test("an entry whose parent is damaged follows the previous entry of the file", async () => {
  const { rows, damaged } = await sessionOf([
    header(3),
    entry("e1", null, { message: user("one") }),
    '{"type":"message","id":"e2","parentId":"e1","mess',
    entry("e3", "e2", { message: user("three") }),
  ]);

  expect(outline(rows)).toEqual(["user: one", "user: three"]);
  expect(damaged).toEqual([
    { line: 3, reason: "not JSON; the line may be cut off" },
    { line: 4, reason: "its parent e2 is missing; it follows the previous entry" },
  ]);
});

test("entries that name each other as parents end the branch", async () => {
  const { rows } = await sessionOf([
    header(3),
    entry("e1", "e2", { message: user("one") }),
    entry("e2", "e1", { message: user("two") }),
  ]);

  expect(outline(rows)).toEqual(["user: one", "user: two"]);
});

test("a command that the user ran has Pi's text, and is left out if it was excluded from the context", async () => {
  const ran = { role: "bashExecution", command: "ls", output: "a\nb", exitCode: 2, timestamp: 1 };

  const { rows } = await sessionOf([
    header(3),
    entry("e1", null, { message: ran }),
    entry("e2", "e1", { message: { ...ran, excludeFromContext: true } }),
    entry("e3", "e2", { message: { ...ran, output: "", cancelled: true } }),
  ]);

  expect(outline(rows)).toEqual([
    "user: Ran `ls`\n```\na\nb\n```\n\nCommand exited with code 2",
    "user: Ran `ls`\n(no output)\n\n(command cancelled)",
  ]);
});

test("rows that a fork puts before the header or beside the tree are skipped", async () => {
  const { source, rows } = await sessionOf([
    { type: "title", v: 1, title: "" },
    header(3),
    entry("e1", null, { type: "session_init", systemPrompt: "be", task: "do" }),
    entry("e2", "e1", { message: user("go") }),
    { type: "title", v: 1, title: "went" },
  ]);

  expect(source).toBe("pi");
  expect(outline(rows)).toEqual(["user: go"]);
});

test("a system prompt among the messages is kept", async () => {
  const { rows } = await sessionOf([
    header(3),
    entry("e1", null, { message: { role: "system", content: "", sections: {} } }),
    entry("e2", "e1", { message: { role: "system", content: "be kind" } }),
  ]);

  expect(outline(rows)).toEqual(["system: be kind"]);
});
