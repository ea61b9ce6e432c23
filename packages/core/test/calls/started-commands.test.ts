import { describe, expect, test } from "vitest";
import { commandFacts } from "../../src/calls/call-kind.ts";

describe("a command line", () => {
  test.each([
    ["FOO=1 cat a.ts", "read"],
    ["A=1 B=two cat a.ts", "read"],
    ["timeout 5 cat a.ts", "read"],
    ["timeout -k 3 5 cat a.ts", "command"],
    ["rtk proxy cat a.ts", "read"],
    ["rtk cat a.ts", "read"],
    ["FOO=1", "command"],
  ])("is told by the command behind assignments and starters: %s is a %s", (line, kind) => {
    expect(commandFacts(line).kind).toBe(kind);
  });

  test.each([
    ["sed -n -f script.sed a.ts", ["a.ts"]],
    ["sed -nf script.sed a.ts", ["a.ts"]],
    ["sed -n 1p my-file", ["my-file"]],
    ["tail +3 a.ts", ["a.ts"]],
    ["head -n 3 - a.ts", ["a.ts"]],
    ["ls ../.. ./src .", ["./src"]],
  ])("names files only where a word is one: %s", (line, paths) => {
    expect(commandFacts(line).paths).toEqual(paths);
  });

  test("of a shell that writes a file says which", () => {
    expect(commandFacts("bash -c 'cat > a.ts <<EOF\nx\nEOF'")).toMatchObject({
      kind: "write",
      writtenPath: "a.ts",
    });
  });

  test("of a shell that writes none names no written file", () => {
    expect(commandFacts("bash -c 'npm test'")).not.toHaveProperty("writtenPath");
  });
});
