import { describe, expect, test } from "vitest";

import { outline, sessionOf } from "./recorded-files.ts";

const timestamp = "2026-01-02T03:04:05.000Z";
const row = (type: string, payload: object): object => ({ timestamp, type, payload });
const message = (role: string, text: string): Record<string, unknown> => ({
  type: "message",
  role,
  content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
});
const call = (id: string, args: string): object => ({
  type: "function_call",
  name: "exec_command",
  arguments: args,
  call_id: id,
});
const output = (id: string, text: unknown, type = "function_call_output"): object => ({
  type,
  call_id: id,
  output: text,
});
const count = (input: number): object =>
  row("event_msg", {
    type: "token_count",
    info: { last_token_usage: { input_tokens: input, cached_input_tokens: 10, output_tokens: 7 } },
  });

describe("a newer rollout", () => {
  const items = (...list: object[]): object[] => list.map((item) => row("response_item", item));
  const meta = row("session_meta", { id: "s1", cwd: "/w", base_instructions: { text: "you are" } });

  test("has a model call between one tool result and the next", async () => {
    const { source, rows, damaged } = await sessionOf([
      meta,
      ...items(
        message("developer", "rules"),
        message("user", "<environment_context>x"),
        message("user", "go"),
      ),
      row("turn_context", { model: "gpt-x" }),
      row("event_msg", { type: "token_count", info: null }),
      ...items(
        {
          type: "reasoning",
          summary: [{ type: "summary_text", text: "hm" }],
          encrypted_content: "xyz",
        },
        message("assistant", "looking"),
        call("c1", '{"cmd":"ls"}'),
        call("c2", "not json"),
        output("c2", "two"),
        output("c1", "one"),
      ),
      count(30),
      count(999),
      ...items(message("assistant", "done")),
      count(40),
    ]);

    expect(source).toBe("codex");
    expect(damaged).toEqual([]);
    expect(outline(rows)).toEqual([
      "system: you are",
      "user*: rules",
      "user*: <environment_context>x",
      "user: go",
      'assistant: ~hm | looking | exec_command c1 {"cmd":"ls"} | exec_command c2 {"input":"not json"}',
      "toolResult(exec_command c2): two",
      "toolResult(exec_command c1): one",
      "assistant: done",
    ]);
    expect(rows[4]).toMatchObject({
      model: "gpt-x",
      usage: { input: 20, output: 7, cacheRead: 10, cacheWrite: 0 },
      timestamp: Date.parse(timestamp),
    });
    expect(rows[7]).toMatchObject({ usage: { input: 30 } });
  });

  test("ends a model call with its token count", async () => {
    const { rows } = await sessionOf([
      meta,
      ...items(call("c1", "{}")),
      count(20),
      ...items(call("c2", "{}"), output("c1", "one"), output("c2", "two")),
    ]);

    expect(outline(rows).slice(1)).toEqual([
      "assistant: exec_command c1 {}",
      "toolResult(exec_command c1): one",
      "assistant: exec_command c2 {}",
      "toolResult(exec_command c2): two",
    ]);
  });

  test("has custom tools, the local shell, and searches that the provider runs", async () => {
    const { rows } = await sessionOf([
      meta,
      ...items(
        { type: "custom_tool_call", name: "apply_patch", call_id: "p1", input: "*** Begin Patch" },
        {
          type: "local_shell_call",
          call_id: "l1",
          action: { type: "exec", command: ["ls", "-l"] },
        },
        { type: "web_search_call", status: "completed", action: { type: "search", query: "x" } },
        output("p1", '{"output":"Success","metadata":{"exit_code":0}}', "custom_tool_call_output"),
        output("l1", '{"output":"no","metadata":{"exit_code":2}}'),
      ),
    ]);

    expect(outline(rows).slice(1)).toEqual([
      'assistant: apply_patch p1 {"input":"*** Begin Patch"} | local_shell l1 {"type":"exec","command":["ls","-l"]} | web_search search-1 {"type":"search","query":"x"}',
      "toolResult*(web_search search-1): [run by the provider; no result recorded]",
      "toolResult(apply_patch p1): Success",
      "toolResult(local_shell l1 failed): no",
    ]);
  });

  test("has results with parts and images", async () => {
    const parts = [
      { type: "input_text", text: "see" },
      { type: "input_image", image_url: "data:image/webp;base64,AAAA" },
    ];

    const { rows } = await sessionOf([
      meta,
      ...items(
        call("c1", "{}"),
        output("c1", parts),
        call("c2", "{}"),
        output("c2", { content: "no", success: false }),
      ),
    ]);

    expect(outline(rows).filter((line) => line.startsWith("toolResult"))).toEqual([
      "toolResult(exec_command c1): see | [image/webp 4]",
      "toolResult(exec_command c2 failed): no",
    ]);
  });

  test("begins again with the messages that a compaction kept", async () => {
    const history = [
      message("user", "<environment_context>x"),
      message("user", "go"),
      message("user", "in short"),
      { type: "compaction", encrypted_content: "xyz" },
    ];

    const { rows } = await sessionOf([
      meta,
      row("compacted", { message: "", replacement_history: history }),
      row("compacted", { message: "the summary" }),
    ]);

    expect(outline(rows).slice(1)).toEqual(["user*!: go\n\nin short", "user*!: the summary"]);
  });
});

test("an older rollout has its items without envelopes", async () => {
  const { source, rows } = await sessionOf([
    { id: "s1", timestamp, instructions: "be kind", git: {} },
    { record_type: "state" },
    message("user", "go"),
    { type: "reasoning", id: "r1", summary: [], content: [{ type: "reasoning_text", text: "hm" }] },
    call("c1", '{"command":["ls"]}'),
    output("c1", '{"output":"a","metadata":{"exit_code":0,"duration_seconds":0.1}}'),
    message("assistant", "done"),
  ]);

  expect(source).toBe("codex");
  expect(outline(rows)).toEqual([
    "system: be kind",
    "user: go",
    'assistant: ~hm | exec_command c1 {"command":["ls"]}',
    "toolResult(exec_command c1): a",
    "assistant: done",
  ]);
});
