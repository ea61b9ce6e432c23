import { describe, expect, test } from "vitest";
import { usualToolFacts } from "../../src/calls/tool-facts.ts";

describe("the facts of a call", () => {
  test.each([
    ["Read", { file_path: "/w/a.ts" }, { kind: "read", paths: ["/w/a.ts"] }],
    ["bash", { command: "cat a.ts" }, { kind: "read", paths: ["a.ts"] }],
    ["shell", { command: ["rg", "a b", "lib/src"] }, { kind: "search", paths: ["lib/src"] }],
    [
      "local_shell",
      { action: { command: ["cat", "it's.ts"] } },
      { kind: "read", paths: ["it's.ts"] },
    ],
    ["write_stdin", { session_id: 1 }, { kind: "command", paths: [] }],
    ["exec", { input: 'tools.exec_command({cmd: "cat a.ts"})' }, { kind: "read", paths: ["a.ts"] }],
    ["exec", { command: "cat a.ts" }, { kind: "read", paths: ["a.ts"] }],
    [
      "NotebookEdit",
      { notebook_path: "a.ipynb" },
      { kind: "edit", paths: ["a.ipynb"], writtenPath: "a.ipynb" },
    ],
    [
      "edit",
      { input: "§/w/a.ts\nx" },
      { kind: "edit", paths: ["/w/a.ts"], writtenPath: "/w/a.ts" },
    ],
    ["str_replace_editor", { command: "view", path: "a.c" }, { kind: "read", paths: ["a.c"] }],
    [
      "str_replace_editor",
      { command: "create", path: "a.c" },
      { kind: "write", paths: ["a.c"], writtenPath: "a.c" },
    ],
    ["search", { paths: ["a", "b", "a"] }, { kind: "search", paths: ["a", "b"] }],
    ["toString", { path: "a.ts" }, { kind: "other", paths: ["a.ts"] }],
  ])("%s %j", (name, args, facts) => {
    expect(usualToolFacts(name, args)).toEqual(facts);
  });
});
