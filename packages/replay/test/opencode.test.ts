import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

import { readSession } from "../src/index.ts";
import { outline, temporaryFolder } from "./recorded-files.ts";

const tokens = (input: number): object => ({
  input,
  output: 5,
  reasoning: 2,
  cache: { read: 3, write: 4 },
});
const tool = (callID: string, state: object): object => ({
  type: "tool",
  tool: "read",
  callID,
  state,
});

const document = {
  info: { id: "ses_1", version: "1.18.9" },
  messages: [
    {
      info: { role: "user", time: { created: 10 } },
      parts: [
        { type: "text", text: "see" },
        { type: "file", mime: "image/png", url: "data:image/png;base64,AAAA" },
        { type: "file", mime: "text/plain", url: "file:///a.ts" },
      ],
    },
    {
      info: {
        role: "assistant",
        providerID: "openai",
        modelID: "gpt-x",
        finish: "tool-calls",
        tokens: tokens(9),
        time: { created: 20 },
      },
      parts: [
        { type: "step-start" },
        { type: "reasoning", text: "hm" },
        tool("c1", {
          status: "completed",
          input: { filePath: "a.ts" },
          output: "x",
          time: { end: 25 },
        }),
        { type: "step-finish", tokens: tokens(1) },
        { type: "step-start" },
        tool("c2", { status: "error", input: {}, error: "no" }),
        tool("c3", { status: "running", input: {} }),
        { type: "text", text: "done" },
        { type: "step-finish", tokens: tokens(2) },
      ],
    },
    { info: { role: "user", time: { created: 30 } }, parts: [{ type: "compaction", auto: true }] },
    {
      info: { role: "assistant", summary: true, time: { created: 40 } },
      parts: [{ type: "text", text: "in short" }],
    },
    {
      info: { role: "user", time: { created: 50 } },
      parts: [{ type: "text", text: "go on", synthetic: true }],
    },
  ],
};

test.each([
  ["on one line", JSON.stringify(document)],
  ["on many lines", JSON.stringify(document, undefined, 2)],
])("an export %s is read step by step", async (_, text) => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "export.json");
  await writeFile(file, text);

  const { name, source, rows, damaged } = await readSession(file);

  expect({ name, source, damaged }).toEqual({ name: "export", source: "opencode", damaged: [] });
  expect(outline(rows)).toEqual([
    "user: see | [image/png 4]",
    'assistant: ~hm | read c1 {"filePath":"a.ts"}',
    "toolResult(read c1): x",
    "assistant: read c2 {} | read c3 {} | done",
    "toolResult(read c2 failed): no",
    "toolResult*(read c3 failed): [no result recorded]",
    "user*!: in short",
    "user*: go on",
  ]);
  expect(rows[1]).toMatchObject({
    provider: "openai",
    model: "gpt-x",
    stopReason: "tool-calls",
    usage: { input: 1, output: 7, cacheRead: 3, cacheWrite: 4 },
    timestamp: 20,
  });
});
