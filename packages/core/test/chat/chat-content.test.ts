import { hashObject, objectId } from "@self-context-manager/objects";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHash } from "node:crypto";
import { chatContent } from "../../src/chat/chat-content.ts";
import { upTo, withStep, withTurn } from "../../src/chat/chat-document.ts";
import type { Turn } from "../../src/chat/turn.ts";

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
  it("has a delimiter line for each part (D36)", () => {
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

  it("escapes delimiter lines in bodies", () => {
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

  it("shows images and opaque messages by their kind", () => {
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

  it("only grows while the chat continues", () => {
    const status = new Map<string, string>();
    const statusOf = (id: string): string | undefined => status.get(id);
    const steps = structuredClone(turn.steps);
    const before = chatContent([{ ...turn, steps: steps.slice(0, 1) }], statusOf);

    status.set("call_1", "fail");
    const after = chatContent([{ ...turn, steps }], statusOf);

    expect(after.startsWith(before)).toBe(true);
    expect(after).toContain("status=fail");
  });

  it("contains nothing of an abandoned branch", () => {
    const say = (text: string) => ({
      assistant: [{ type: "text", text }],
      toolcall_ids: [],
      assistant_meta: {},
    });
    const begun = withStep([{ user: "go", timestamp: 1, steps: [] }], say("first"));
    chatContent(withStep(begun, say("left")), () => "ok");

    const text = chatContent(withStep(begun, say("said in its place")), () => "ok");

    expect(text).toBe("--- user\ngo\n--- assistant\nfirst\n--- assistant\nsaid in its place\n");
  });

  it("is the same as for a chat that is rendered for the first time, after any changes", () => {
    const done = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          do: fc.constant("steps" as const),
          texts: fc.array(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 6 }),
        }),
      },
      { weight: 2, arbitrary: fc.record({ do: fc.constant("turn" as const), text: fc.string() }) },
      {
        weight: 3,
        arbitrary: fc.record({ do: fc.constant("status" as const), call: fc.nat({ max: 20 }) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          do: fc.constant("back" as const),
          turn: fc.nat({ max: 8 }),
          step: fc.nat({ max: 8 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("again" as const) }) },
    );
    fc.assert(
      fc.property(fc.array(done, { maxLength: 30 }), (changes) => {
        let turns: readonly Turn[] = [{ user: longEnough, timestamp: 0, steps: [] }];
        let calls = 0;
        const status = new Map<string, string>();
        const statusOf = (id: string): string | undefined => status.get(id);
        for (const change of changes) {
          if (change.do === "turn") {
            turns = withTurn(turns, { user: change.text, timestamp: 1, steps: [] });
          } else if (change.do === "steps") {
            for (const text of change.texts) {
              calls += 1;
              const id = `call_${calls}`;
              turns = withStep(turns, {
                assistant: [
                  { type: "text", text },
                  { ...call, id },
                ],
                toolcall_ids: [objectId(id)],
                assistant_meta: {},
              });
            }
          } else if (change.do === "status") status.set(`call_${change.call}`, "ok");
          else if (change.do === "back") {
            // After a rewind the text is rendered only with the next change, as in a session.
            turns = upTo(turns, change);
            continue;
          }

          const text = chatContent(turns, statusOf);

          expect(text).toBe(chatContent(structuredClone(turns), statusOf));
          expect(hashesOf(text).content_hash).toBe(plainHash(text));
        }
      }),
    );
  });
});

/** A text of the length from which the hash of a content continues that of the last version. */
const longEnough = "🌍 ".repeat(12_000);

function hashesOf(content: string) {
  const provenance = { origin: "o", generator: "system" } as const;
  return hashObject({ id: objectId("chat"), type: "chat", locked: true, content, provenance });
}

function plainHash(text: string): string {
  return createHash("sha256").update(Buffer.from(text)).digest("hex");
}
