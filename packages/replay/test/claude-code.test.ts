import { expect, test } from "vitest";

import { outline, sessionOf } from "./recorded-files.ts";

let made = 0;
const row = (type: string, message: object, fields: object = {}): Record<string, unknown> => {
  made += 1;
  return {
    parentUuid: null,
    isSidechain: false,
    sessionId: "s1",
    version: "2.1.0",
    type,
    message,
    uuid: `u${made}`,
    timestamp: "2026-01-02T03:04:05.000Z",
    ...fields,
  };
};
const said = (content: unknown, fields: object = {}): Record<string, unknown> =>
  row("user", { role: "user", content }, fields);
const answered = (id: string, block: object, usage: object = {}, fields: object = {}): object =>
  row(
    "assistant",
    {
      id,
      role: "assistant",
      model: "claude-x",
      stop_reason: null,
      content: [block],
      usage: {
        input_tokens: 1,
        output_tokens: 2,
        cache_read_input_tokens: 3,
        cache_creation_input_tokens: 4,
        ...usage,
      },
    },
    fields,
  );
const use = (id: string, name = "Read"): object => ({
  type: "tool_use",
  id,
  name,
  input: { file_path: "a.ts" },
});
const result = (id: string, content: unknown, fields: object = {}): object => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...fields,
});

test("the rows of a model call are joined, even with results between them", async () => {
  const { source, rows, damaged } = await sessionOf([
    { type: "summary", summary: "earlier work", leafUuid: "x" },
    { type: "file-history-snapshot", messageId: "m", snapshot: {} },
    said("go"),
    answered("m1", { type: "thinking", thinking: "hm", signature: "xyz" }),
    answered("m1", { type: "text", text: "reading" }),
    answered("m1", use("t1")),
    said([result("t1", "one")], { toolUseResult: { file: "…" } }),
    answered("m1", use("t2", "Bash"), { output_tokens: 99 }),
    said([result("t2", [{ type: "text", text: "no" }], { is_error: true })]),
    answered("m2", { type: "text", text: "done" }),
  ]);

  expect(source).toBe("claude-code");
  expect(damaged).toEqual([]);
  expect(outline(rows)).toEqual([
    "user: go",
    'assistant: ~hm | reading | Read t1 {"file_path":"a.ts"} | Bash t2 {"file_path":"a.ts"}',
    "toolResult(Read t1): one",
    "toolResult(Bash t2 failed): no",
    "assistant: done",
  ]);
  expect(rows[1]).toMatchObject({
    provider: "anthropic",
    model: "claude-x",
    usage: { input: 1, output: 99, cacheRead: 3, cacheWrite: 4 },
    timestamp: Date.parse("2026-01-02T03:04:05.000Z"),
  });
});

test("sub-agents' rows are left out of a session, and are a session in their own file", async () => {
  const side = { isSidechain: true, agentId: "a1" };
  const inner = [said("look", side), answered("m8", { type: "text", text: "looked" }, {}, side)];

  const session = await sessionOf([
    said("go"),
    ...inner,
    answered("m1", { type: "text", text: "done" }),
  ]);
  const agent = await sessionOf(inner);

  expect(outline(session.rows)).toEqual(["user: go", "assistant: done"]);
  expect(outline(agent.rows)).toEqual(["user: look", "assistant: looked"]);
});

test("the summary of a compaction and texts that no person typed are marked", async () => {
  const { rows } = await sessionOf([
    said("go"),
    { ...row("system", {}), subtype: "compact_boundary", message: undefined },
    said("This session is being continued …", { isCompactSummary: true }),
    said("a caveat", { isMeta: true }),
    said("<command-name>/clear</command-name>"),
    said("<local-command-stdout>done</local-command-stdout>"),
    said([
      {
        type: "text",
        text: "<command-message>mine</command-message>\n<command-name>/mine</command-name>",
      },
    ]),
  ]);

  expect(outline(rows).map((line) => line.split(":")[0])).toEqual([
    "user",
    "user*!",
    "user*",
    "user*",
    "user*",
    "user",
  ]);
});

test("rows that a resumed session contains twice count once", async () => {
  const lines = [said("go"), answered("m1", use("t1")), said([result("t1", "one")])];

  const { rows, damaged } = await sessionOf([...lines, ...lines, said("on")]);

  expect(rows).toHaveLength(4);
  expect(damaged).toEqual([]);
});

test("images are kept without their data, and an error message of the program is no answer", async () => {
  const image = {
    type: "image",
    source: { type: "base64", media_type: "image/jpeg", data: "AAAAAA" },
  };

  const { rows } = await sessionOf([
    said([{ type: "text", text: "see" }, image]),
    answered("m1", use("t1")),
    said([result("t1", [image])]),
    row("assistant", {
      id: "m2",
      model: "<synthetic>",
      content: [{ type: "text", text: "API Error" }],
    }),
  ]);

  expect(outline(rows)).toEqual([
    "user: see | [image/jpeg 6]",
    'assistant: Read t1 {"file_path":"a.ts"}',
    "toolResult(Read t1): [image/jpeg 6]",
  ]);
});

test("a tool that the provider ran has its result from the model's message", async () => {
  const { rows } = await sessionOf([
    said("go"),
    answered("m1", {
      type: "server_tool_use",
      id: "w1",
      name: "web_search",
      input: { query: "x" },
    }),
    answered("m1", {
      type: "web_search_tool_result",
      tool_use_id: "w1",
      content: [{ type: "web_search_result", title: "X", url: "https://x.example" }],
    }),
  ]);

  expect(outline(rows)).toEqual([
    "user: go",
    'assistant: web_search w1 {"query":"x"}',
    "toolResult(web_search w1): X https://x.example",
  ]);
});
