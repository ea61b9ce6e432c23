import { expect, test } from "vitest";

import { requestText } from "../../src/meter/request-text.ts";

const tools = [{ name: "read", description: "Reads a file." }];

test.each([
  [
    "Anthropic's Messages",
    {
      model: "m",
      tools,
      messages: [
        { role: "user", content: "Hello" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "c2ln" },
            { type: "text", text: "I read." },
            {
              type: "tool_use",
              id: "t1",
              name: "edit",
              input: { path: "a.ts", edits: [{ old: "x\ny" }] },
            },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "t1",
              content: [
                { type: "text", text: "line 1\nline 2" },
                {
                  type: "image",
                  source: { type: "base64", media_type: "image/png", data: "AAAA" },
                },
              ],
            },
            { type: "tool_result", tool_use_id: "t2", content: "done" },
          ],
        },
      ],
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    },
    ["Be brief.", "Hello", "Hm.", "I read.", "a.ts", "x\ny", "line 1\nline 2", "done"],
  ],
  [
    "chat completions",
    {
      model: "m",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "Hello" }] },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            {
              id: "c1",
              type: "function",
              function: { name: "read", arguments: '{"path":"a.ts","limit":5}' },
            },
          ],
        },
        { role: "tool", tool_call_id: "c1", content: "line 1\nline 2" },
      ],
      tools,
    },
    ["Be brief.", "Hello", "a.ts", "5", "line 1\nline 2"],
  ],
  [
    "Responses",
    {
      model: "m",
      instructions: "Be brief.",
      input: [
        { role: "user", content: [{ type: "input_text", text: "Hello" }] },
        { type: "reasoning", id: "rs", summary: [], encrypted_content: "eW91" },
        { type: "function_call", call_id: "c1", name: "read", arguments: '{"path":"a.ts"}' },
        { type: "function_call_output", call_id: "c1", output: "line 1\nline 2" },
      ],
      tools,
    },
    ["Be brief.", "Hello", "a.ts", "line 1\nline 2"],
  ],
  [
    "Google",
    {
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [
        { role: "user", parts: [{ text: "Hello" }] },
        { role: "model", parts: [{ functionCall: { name: "read", args: { path: "a.ts" } } }] },
        {
          role: "user",
          parts: [{ functionResponse: { name: "read", response: { output: "line 1\nline 2" } } }],
        },
      ],
      tools,
    },
    ["Be brief.", "Hello", "a.ts", "line 1\nline 2"],
  ],
])(
  "the text of a request of %s has instructions, messages, arguments and results in order",
  (_, body, texts) => {
    expect(requestText(JSON.stringify(body))).toBe(texts.join("\n"));
  },
);

test("a body that is no JSON has no text", () => {
  expect(requestText("no JSON")).toBe("");
});
