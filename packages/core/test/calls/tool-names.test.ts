import type { JsonObject } from "@self-context-manager/objects";
import { describe, expect, test } from "vitest";
import { usualToolFacts } from "../../src/calls/tool-facts.ts";

const patch = "*** Begin Patch\n*** Update File: a.ts\n*** End Patch";

describe("a known tool", () => {
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
  ])("has the kind of its name: %s is a %s", (name, kind) => {
    expect(usualToolFacts(name, {}).kind).toBe(kind);
  });

  test.each<readonly [string, JsonObject, readonly string[]]>([
    ["read", { path: "a.ts" }, ["a.ts"]],
    ["read", { file_path: "a.ts", filePath: "b.ts" }, ["a.ts", "b.ts"]],
    ["read", { paths: ["a.ts", 7, "b.ts", "a.ts", ""] }, ["a.ts", "b.ts"]],
    ["apply_patch", { patch }, ["a.ts"]],
    ["apply_patch", { input: patch }, ["a.ts"]],
    ["todo", { patch }, []],
    ["bash", { cmd: "cat a.ts" }, ["a.ts"]],
  ])("names the files of its arguments: %s %j", (name, args, paths) => {
    expect(usualToolFacts(name, args).paths).toEqual(paths);
  });

  test("writes the first file that its arguments name", () => {
    expect(usualToolFacts("edit", { path: "a.ts" })).toEqual({
      kind: "edit",
      paths: ["a.ts"],
      writtenPath: "a.ts",
    });
  });

  test.each([
    ["write", {}],
    ["read", { path: "a.ts" }],
  ])("writes no file if it names none or only reads: %s %j", (name, args) => {
    expect(usualToolFacts(name, args)).not.toHaveProperty("writtenPath");
  });
});
