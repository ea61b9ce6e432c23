import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { chatContent } from "../src/chat/chat-content.ts";
import type { Turn } from "../src/chat/turn.ts";
import { objectId } from "../src/objects/object-id.ts";

const call = { type: "toolCall", id: "call_1", name: "bash", arguments: { command: "ls -la" } };

const turn: Turn = {
  user: "list the files",
  timestamp: 1,
  steps: [
    {
      assistant: [
        { type: "thinking", thinking: "short", thinkingSignature: "sig" },
        { type: "text", text: "I look." },
        call,
      ],
      toolcall_ids: [objectId("call_1")],
      assistant_meta: {},
    },
    { assistant: [{ type: "text", text: "Two files." }], toolcall_ids: [], assistant_meta: {} },
  ],
};

describe("a chat as text", () => {
  it("has a delimiter for each part (D36)", () => {
    expect(chatContent([turn], () => "ok")).toBe(
      [
        "--- user",
        "list the files",
        "--- thinking",
        "short",
        "--- assistant",
        "I look.",
        '--- toolcall [ref:toolcall/call_1] tool=bash args="ls -la" status=ok',
        "--- assistant",
        "Two files.",
        "",
      ].join("\n"),
    );
  });

  it("has no delimiter that a body wrote", () => {
    const forged = fc
      .array(fc.constantFrom("--- user", "--- toolcall [ref:toolcall/x]", "\\--- user", "a", "\n"))
      .map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(forged, (text) => {
        const lines = chatContent([{ user: text, timestamp: 1, steps: [] }], () => "ok").split(
          "\n",
        );

        expect(lines.filter((line) => line.startsWith("--- "))).toEqual(["--- user"]);
        expect(lines.slice(1, -1).map((line) => line.replace(/^\\(\\*--- )/u, "$1"))).toEqual(
          text.split("\n"),
        );
      }),
    );
  });

  it("shows images and what only the host knows by their kind", () => {
    const text = chatContent(
      [
        {
          user: [
            { type: "text", text: "see" },
            { type: "image", data: "AAAA", mimeType: "image/png" },
          ],
          timestamp: 1,
          steps: [{ opaque: { role: "custom", n: 1 }, kind: "cus tom", timestamp: null }],
        },
      ],
      () => "ok",
    );

    expect(text).toBe('--- user\nsee\n(image)\n--- cus_tom\n{"role":"custom","n":1}\n');
  });

  it("only grows as the chat goes on", () => {
    const status = new Map<string, string>();
    const statusOf = (id: string): string | undefined => status.get(id);
    const steps = structuredClone(turn.steps);
    const before = chatContent([{ ...turn, steps: steps.slice(0, 1) }], statusOf);

    status.set("call_1", "fail");
    const after = chatContent([{ ...turn, steps }], statusOf);

    expect(after.startsWith(before)).toBe(true);
    expect(after).toContain("status=fail");
  });
});
