import type { JsonObject } from "@self-context-manager/objects";
import { describe, expect, test, vi } from "vitest";
import type { CallFacts } from "../../src/calls/call-kind.ts";
import { keptFacts, type ToolFacts, usualToolFacts } from "../../src/calls/tool-facts.ts";

const patch = "*** Begin Patch\n*** Update File: a.ts\n*** End Patch";
const edited: CallFacts = { kind: "edit", paths: ["a.ts"], writtenPath: "a.ts" };

describe("the kind of a call", () => {
  test.each([
    ["read", "read"],
    ["Write", "write"],
    ["multiedit", "edit"],
    ["patch", "edit"],
    ["grep", "search"],
    ["find", "search"],
    ["Glob", "search"],
    ["LS", "search"],
    ["list", "search"],
    ["search", "search"],
    ["powershell", "command"],
    ["fetch", "web"],
    ["WebFetch", "web"],
    ["web_fetch", "web"],
    ["WebSearch", "web"],
    ["web_search", "web"],
    ["browse", "web"],
    ["Task", "agent"],
    ["agent", "agent"],
    ["subagent", "agent"],
    ["todo", "other"],
  ])("is that of its tool's name: %s is a %s", (name, kind) => {
    expect(usualToolFacts(name, {}).kind).toBe(kind);
  });
});

describe("the facts of a call", () => {
  test.each<readonly [string, JsonObject, CallFacts]>([
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
    [
      "read",
      { file_path: "a.ts", filePath: "b.ts" },
      { kind: "read", paths: ["a.ts", "b.ts"], contextTool: "read" },
    ],
    [
      "read",
      { paths: ["a.ts", 7, "a.ts", ""] },
      { kind: "read", paths: ["a.ts"], contextTool: "read" },
    ],
    ["context_read", { path: "a.ts" }, { kind: "other", paths: ["a.ts"], contextTool: "read" }],
    ["activate", { id: "f1" }, { kind: "other", paths: [], contextTool: "activate" }],
    ["edit", { path: "a.ts" }, edited],
    ["write", {}, { kind: "write", paths: [] }],
    ["apply_patch", { patch }, edited],
    ["apply_patch", { input: patch }, edited],
    ["todo", { patch }, { kind: "other", paths: [] }],
    ["bash", { cmd: "cat a.ts" }, { kind: "read", paths: ["a.ts"] }],
  ])("%s %j", (name, args, facts) => {
    const { commandLine: _line, ...others } = usualToolFacts(name, args);

    expect(others).toEqual(facts);
  });

  test.each<readonly [string, JsonObject, string | undefined]>([
    ["bash", { command: "cat a.ts" }, "cat a.ts"],
    ["shell", { command: ["cat", "a b.ts"] }, "'cat' 'a b.ts'"],
    ["exec", { input: 'tools.exec_command({cmd: "cat a.ts"})' }, "cat a.ts"],
    ["read", { path: "a.ts" }, undefined],
    ["str_replace_editor", { command: "view", path: "a.c" }, undefined],
  ])("include the command line of a shell: %s %j", (name, args, line) => {
    expect(usualToolFacts(name, args).commandLine).toBe(line);
  });

  test("are computed once for a call, and separately for another tool with the same arguments", () => {
    const facts = vi.fn<ToolFacts>((toolName) => ({ kind: "other", paths: [toolName] }));
    const kept = keptFacts(facts);
    const args = { path: "a" };

    const answers = [
      kept("one", args),
      kept("one", args),
      kept("two", args),
      kept("one", { ...args }),
    ];

    expect(answers.map(({ paths }) => paths)).toEqual([["one"], ["one"], ["two"], ["one"]]);
    expect(facts).toHaveBeenCalledTimes(3);
  });
});
