import { hashObject, objectId } from "@self-context-manager/objects";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHash } from "node:crypto";
import { upTo, withStep, withTurn } from "../../src/chat/chat-body.ts";
import { chatContent, type StatusOf } from "../../src/chat/chat-content.ts";
import { type Block, isToolCall } from "../../src/chat/message.ts";
import type { Step, Turn } from "../../src/chat/turn.ts";

function call(id: string): Block {
  return { type: "toolCall", id, name: "bash", arguments: { command: `ls ${id}` } };
}

function answer(...assistant: readonly Block[]): Step {
  const ids = assistant.filter(isToolCall).map(({ id }) => objectId(id));
  return { assistant, toolcall_ids: ids, assistant_meta: {} };
}

function said(text: string): Block {
  return { type: "text", text };
}

function turnOf(user: Turn["user"], ...steps: readonly Step[]): Turn {
  return { user, timestamp: 1, steps };
}

const done: StatusOf = () => "ok";

/** Returns the text of a chat whose only user message is `go`. */
function contentOf(statusOf: StatusOf, ...steps: readonly Step[]): string {
  return chatContent([turnOf("go", ...steps)], statusOf);
}

describe("a chat as text", () => {
  it("has a delimiter line for each part (D36)", () => {
    const thinking = { type: "thinking", thinking: "short", thinkingSignature: "sig" };
    const steps = [answer(thinking, said("I look."), call("one")), answer(said("Two files."))];

    expect(contentOf(done, ...steps)).toBe(
      [
        "--- user",
        "go",
        "--- thinking",
        "short",
        "--- assistant",
        "I look.",
        '--- toolcall [ref:toolcall/one] tool=bash args="ls one" status=ok',
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
        const lines = chatContent([turnOf(text)], done).split("\n");

        expect(lines.filter((line) => line.startsWith("--- "))).toEqual(["--- user"]);
        expect(lines.slice(1, -1).map((line) => line.replace(/^\\(\\*--- )/u, "$1"))).toEqual(
          text.split("\n"),
        );
      }),
    );
  });

  it("shows images and opaque messages by their kind", () => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" };
    const opaque: Step = { opaque: { role: "custom", n: 1 }, kind: "cus tom", timestamp: null };

    expect(chatContent([turnOf([said("see"), image], opaque)], done)).toBe(
      '--- user\nsee\n(image)\n--- cus_tom\n{"role":"custom","n":1}\n',
    );
  });

  it.each<readonly [string, Block]>([
    ["image", { type: "image", data: "" }],
    ["thinking", { type: "thinking", thinking: 7 }],
    ["other", { type: "other", thinking: "hm" }],
  ])("names a block without text by its type: %s", (type, block) => {
    expect(contentOf(done, answer(block))).toBe(`--- user\ngo\n--- assistant\n(${type})\n`);
  });

  it("shows the calls of the last answer when all of them have results", () => {
    const step = answer(call("one"), call("two"));

    const before = contentOf((id) => (id === "one" ? "ok" : undefined), step);
    const after = contentOf(done, step);

    expect(before).toBe("--- user\ngo\n");
    expect(after).toBe(
      [
        "--- user",
        "go",
        '--- toolcall [ref:toolcall/one] tool=bash args="ls one" status=ok',
        '--- toolcall [ref:toolcall/two] tool=bash args="ls two" status=ok',
        "",
      ].join("\n"),
    );
  });

  it("shows that an earlier call has no result", () => {
    const content = contentOf(() => undefined, answer(call("one")), answer());

    expect(content).toContain('[ref:toolcall/one] tool=bash args="ls one" status=none\n');
  });

  it("only grows while the chat continues", () => {
    const status = new Map<string, string>();
    const statusOf = (id: string): string | undefined => status.get(id);
    const first = answer(said("I look."), call("one"));
    const before = contentOf(statusOf, first);

    status.set("one", "fail");
    const after = contentOf(statusOf, first, answer(said("Two files.")));

    expect(after.startsWith(before)).toBe(true);
    expect(after).toContain("status=fail");
  });

  it("contains nothing of an abandoned branch", () => {
    const begun = withStep([turnOf("go")], answer(said("first")));
    chatContent(withStep(begun, answer(said("left"))), done);

    const text = chatContent(withStep(begun, answer(said("said in its place"))), done);

    expect(text).toBe("--- user\ngo\n--- assistant\nfirst\n--- assistant\nsaid in its place\n");
  });

  it("is the same as for a chat that is rendered for the first time, after any changes", () => {
    const anyChange = fc.oneof(
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
      fc.property(fc.array(anyChange, { maxLength: 30 }), (changes) => {
        let turns: readonly Turn[] = [turnOf(longEnough)];
        let calls = 0;
        const status = new Map<string, string>();
        const statusOf = (id: string): string | undefined => status.get(id);
        for (const change of changes) {
          if (change.do === "turn") {
            turns = withTurn(turns, turnOf(change.text));
          } else if (change.do === "steps") {
            for (const text of change.texts) {
              calls += 1;
              turns = withStep(turns, answer(said(text), call(`call_${calls}`)));
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
