import { objectId } from "@self-context-manager/objects";
import { describe, expect, test } from "vitest";
import { argsDisplay } from "../../src/chat/args-display.ts";
import { chatContent, type StatusOf } from "../../src/chat/chat-content.ts";
import { type Block, isToolCall } from "../../src/chat/message.ts";
import type { Step } from "../../src/chat/turn.ts";

const done: StatusOf = () => "ok";

function answer(...assistant: readonly Block[]): Step {
  const ids = assistant.filter(isToolCall).map(({ id }) => objectId(id));
  return { assistant, toolcall_ids: ids, assistant_meta: {} };
}

function call(id: string): Block {
  return { type: "toolCall", id, name: "bash", arguments: { command: id } };
}

function contentOf(statusOf: StatusOf, ...steps: readonly Step[]): string {
  return chatContent([{ user: "go", timestamp: 1, steps }], statusOf);
}

describe("a chat as text", () => {
  test("shows thinking under its own delimiter", () => {
    const step = answer({ type: "thinking", thinking: "hm" }, { type: "text", text: "yes" });

    expect(contentOf(done, step)).toBe("--- user\ngo\n--- thinking\nhm\n--- assistant\nyes\n");
  });

  test("names a block without text by its type", () => {
    expect(contentOf(done, answer({ type: "image", data: "" }))).toBe(
      "--- user\ngo\n--- assistant\n(image)\n",
    );
    expect(contentOf(done, answer({ type: "thinking", thinking: 7 }))).toBe(
      "--- user\ngo\n--- assistant\n(thinking)\n",
    );
    expect(contentOf(done, answer({ type: "other", thinking: "hm" }))).toBe(
      "--- user\ngo\n--- assistant\n(other)\n",
    );
  });

  test("shows the calls of the last answer when all of them have results", () => {
    const step = answer(call("one"), call("two"));
    const half: StatusOf = (id) => (id === "one" ? "ok" : undefined);

    const before = contentOf(half, step);
    const after = contentOf(done, step);

    expect(before).toBe("--- user\ngo\n");
    expect(after).toBe(
      [
        "--- user",
        "go",
        '--- toolcall [ref:toolcall/one] tool=bash args="one" status=ok',
        '--- toolcall [ref:toolcall/two] tool=bash args="two" status=ok',
        "",
      ].join("\n"),
    );
  });

  test("shows that an earlier call has no result", () => {
    const content = contentOf(() => undefined, answer(call("one")), answer());

    expect(content).toContain('[ref:toolcall/one] tool=bash args="one" status=none\n');
  });

  test("includes a late result", () => {
    const steps = [answer(call("one")), answer({ type: "text", text: "well" })];
    const before = contentOf(() => undefined, ...steps);

    const after = contentOf(() => "fail", ...steps);

    expect(before).toContain("status=none");
    expect(after).toContain("status=fail");
  });
});

describe("a call on one line", () => {
  test.each([
    ["filePath", 'x: "src/a.ts"'],
    ["url", 'x: "src/a.ts"'],
    ["query", 'x: "src/a.ts"'],
    ["target", 'x: "src/a.ts"'],
    ["name", 'x: "src/a.ts"'],
  ])("shows the argument %s before others", (field, expected) => {
    expect(argsDisplay("x", { a: "other", [field]: "src/a.ts" })).toBe(expected);
  });

  test("shows the beginning of a long text", () => {
    const shown = argsDisplay("write", { path: "y".repeat(5_000) });

    expect(shown).toBe(`write: "${"y".repeat(111)}…`);
  });

  test("shows the text after the blanks at the beginning of a long text", () => {
    const shown = argsDisplay("write", { path: `${" ".repeat(2_000)}a.ts` });

    expect(shown).toBe('write: " a.ts"');
  });
});
