import { type JsonObject, toJson } from "@self-context-manager/objects";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { argsDisplay } from "../../src/chat/args-display.ts";

const args = fc
  .dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2, stringUnit: "binary" }))
  .map((value) => toJson(value) as JsonObject);

describe("a tool call for display", () => {
  it.each<readonly [string, JsonObject, string]>([
    ["bash", { command: "ls -la", timeout: 3 }, 'bash: "ls -la"'],
    ["read", { offset: 3, path: "src/a.ts" }, 'read: "src/a.ts"'],
    ["grep", { path: "src", pattern: "x" }, 'grep: "src"'],
    ...["filePath", "url", "query", "target", "name"].map(
      (field) => ["x", { a: "other", [field]: "src/a.ts" }, 'x: "src/a.ts"'] as const,
    ),
    ["web", { only: "one text" }, 'web: "one text"'],
    ["todo", { b: 1, a: [true] }, 'todo: {"a":[true],"b":1}'],
    ["list", {}, "list: {}"],
    ["bash", { command: "a\n\tb\u2028c" }, 'bash: "a\\n\\tb c"'],
  ])("shows the argument that describes the call best: %s %j", (tool, given, expected) => {
    expect(argsDisplay(tool, given)).toBe(expected);
  });

  it("is one well-formed line of at most 120 characters for any arguments", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), args, (tool, given) => {
        const display = argsDisplay(tool, given);

        expect(display.length).toBeLessThanOrEqual(120);
        expect(display).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        expect(display.isWellFormed()).toBe(true);
      }),
    );
  });

  it("ends with an ellipsis if it was cut, and cuts no character in two", () => {
    const display = argsDisplay("bash", { command: "😀".repeat(100) });

    expect(display).toMatch(/^bash: "(😀)+…$/u);
    expect(display.length).toBeLessThanOrEqual(120);
  });

  it("shows the beginning of a very long text, and the text after a long blank", () => {
    const shown = (command: string): string => argsDisplay("bash", { command });

    expect(shown("ab ".repeat(9_000))).toBe(`bash: "${"ab ".repeat(38).slice(0, 112)}…`);
    expect(shown(`${" ".repeat(9_000)}word`)).toBe('bash: " word"');
    expect(shown(`${"😀".repeat(499)}a${"😀".repeat(499)}`).isWellFormed()).toBe(true);
  });

  it("does not depend on the order of the arguments", () => {
    fc.assert(
      fc.property(args, (given) => {
        const reversed = Object.fromEntries(Object.entries(given).toReversed());

        expect(argsDisplay("tool", reversed)).toBe(argsDisplay("tool", given));
      }),
    );
  });
});
