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
  ])("is classified by the command after assignments and starters: %s is a %s", (line, kind) => {
    expect(commandFacts(line).kind).toBe(kind);
  });

  test.each([
    ["sed -n -f script.sed a.ts", ["a.ts"]],
    ["sed -nf script.sed a.ts", ["a.ts"]],
    ["sed -n 1p my-file", ["my-file"]],
    ["tail +3 a.ts", ["a.ts"]],
    ["head -n 3 - a.ts", ["a.ts"]],
    ["ls ../.. ./src .", ["./src"]],
  ])("names only words that are files: %s", (line, paths) => {
    expect(commandFacts(line).paths).toEqual(paths);
  });

  test("names the file that a nested shell writes", () => {
    expect(commandFacts("bash -c 'cat > a.ts <<EOF\nx\nEOF'")).toMatchObject({
      kind: "write",
      writtenPath: "a.ts",
    });
  });

  test("names no written file if a nested shell writes none", () => {
    expect(commandFacts("bash -c 'npm test'")).not.toHaveProperty("writtenPath");
  });
});
