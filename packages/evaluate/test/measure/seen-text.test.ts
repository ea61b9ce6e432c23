import { describe, expect, it } from "vitest";

import { seenText } from "../../src/measure/seen-text.ts";

const difference =
  "f4 a.txt v2 replaces v1 above, +1 -1\n~~~\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n~~~";
const whole = "f4 a.txt v1\n~~~\none\ntwo\n~~~";

describe("seenText", () => {
  it.each([
    [
      "Anthropic's Messages",
      {
        messages: [
          { role: "user", content: "Read it." },
          {
            role: "assistant",
            content: [{ type: "tool_use", id: "1", name: "read", input: { path: "a.txt" } }],
          },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: whole }] },
          {
            role: "assistant",
            content: [{ type: "tool_use", id: "2", name: "read", input: { path: "a.txt" } }],
          },
          {
            role: "user",
            content: [{ type: "tool_result", tool_use_id: "2", content: difference }],
          },
        ],
      },
    ],
    [
      "OpenAI's chat completions",
      {
        messages: [
          { role: "user", content: "Read it." },
          { role: "assistant", content: "", tool_calls: [call("1")] },
          { role: "tool", tool_call_id: "1", content: whole },
          { role: "assistant", content: "", tool_calls: [call("2")] },
          { role: "tool", tool_call_id: "2", content: difference },
        ],
      },
    ],
  ])("ends with the content that a difference makes, in %s", (_, body) => {
    expect(seenText(JSON.stringify(body))).toMatch(/Read it\.[\s\S]*one\nthree$/u);
  });

  it("has the texts of other protocols", () => {
    expect(seenText(JSON.stringify({ instructions: "Work.", input: "Now." }))).toBe("Work.\nNow.");
  });
});

function call(id: string): object {
  return { id, type: "function", function: { name: "read", arguments: '{"path":"a.txt"}' } };
}
