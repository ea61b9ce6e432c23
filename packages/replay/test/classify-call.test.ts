import { describe, expect, test } from "vitest";

import { classifyCall, fileName } from "../src/corpus/classify-call.ts";

const patch =
  "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-x\n+y\n*** Add File: b.ts\n+z\n*** End Patch";

describe("a call of", () => {
  test.each([
    [
      "Claude Code",
      "Read",
      { file_path: "/w/a.ts", offset: 3 },
      { kind: "read", paths: ["/w/a.ts"] },
    ],
    ["Claude Code", "Bash", { command: "cat a.ts" }, { kind: "read", paths: ["a.ts"] }],
    ["Claude Code", "Grep", { pattern: "x/y.z", path: "src" }, { kind: "search", paths: ["src"] }],
    ["Claude Code", "Glob", { pattern: "**/*.ts" }, { kind: "search", paths: [] }],
    ["Claude Code", "Task", { prompt: "look at a.ts" }, { kind: "agent", paths: [] }],
    ["Claude Code", "WebFetch", { url: "https://x.example" }, { kind: "web", paths: [] }],
    ["Claude Code", "mcp__tracker__list", { limit: 5 }, { kind: "other", paths: [] }],
    [
      "Codex CLI",
      "shell",
      { command: ["bash", "-lc", "rg 'a b' lib/src"] },
      { kind: "search", paths: ["lib/src"] },
    ],
    [
      "Codex CLI",
      "local_shell",
      { type: "exec", command: ["cat", "a b.ts"] },
      { kind: "read", paths: ["a b.ts"] },
    ],
    ["Codex CLI", "exec_command", { cmd: "sed -n '1,9p' a.ts" }, { kind: "read", paths: ["a.ts"] }],
    ["Codex CLI", "write_stdin", { session_id: 1, chars: "" }, { kind: "command", paths: [] }],
    ["Pi", "bash", { command: "npm test" }, { kind: "command", paths: [] }],
    ["Pi", "ls", { path: "src" }, { kind: "search", paths: ["src"] }],
    ["Pi", "search", { paths: ["a", "b"], pattern: "x" }, { kind: "search", paths: ["a", "b"] }],
    [
      "SWE-agent",
      "shell",
      { command: "open src/a.py 20\n" },
      { kind: "read", paths: ["src/a.py"] },
    ],
    ["SWE-agent", "shell", { command: "search_file x a.py" }, { kind: "search", paths: ["a.py"] }],
    ["SWE-agent", "shell", { command: "edit 1:2\nx\nend_of_edit" }, { kind: "edit", paths: [] }],
    ["OpenHands", "execute_bash", { command: "ls -l /w" }, { kind: "search", paths: ["/w"] }],
    [
      "OpenHands",
      "str_replace_editor",
      { command: "view", path: "a.c" },
      { kind: "read", paths: ["a.c"] },
    ],
    ["nobody", "toString", { path: "a.ts" }, { kind: "other", paths: ["a.ts"] }],
  ])("%s: %s %j", (_, name, args, facts) => {
    expect(classifyCall(name, args)).toMatchObject(facts);
  });

  test.each([
    ["Write", { file_path: "/w/a.ts", content: "x" }, "write", "/w/a.ts"],
    ["Edit", { file_path: "/w/a.ts", old_string: "x", new_string: "y" }, "edit", "/w/a.ts"],
    ["write", { path: "a.ts", content: "x" }, "write", "a.ts"],
    ["edit", { path: "a.ts", oldText: "x", newText: "y" }, "edit", "a.ts"],
    ["edit", { input: "§/w/a.ts\n≔3\nx" }, "edit", "/w/a.ts"],
    ["edit", { input: patch }, "edit", "src/a.ts"],
    ["apply_patch", { input: patch }, "edit", "src/a.ts"],
    ["shell", { command: ["apply_patch", patch] }, "edit", "src/a.ts"],
    [
      "exec",
      { input: `const p = ${JSON.stringify(patch)};\ntext(await tools.apply_patch(p))` },
      "edit",
      "src/a.ts",
    ],
    ["str_replace_editor", { command: "create", path: "a.c", file_text: "x" }, "write", "a.c"],
    ["str_replace_editor", { command: "insert", path: "a.c", new_str: "x" }, "edit", "a.c"],
    ["shell", { command: "create a.py\n" }, "write", "a.py"],
    ["bash", { command: "cat > a.ts <<'EOF'\nx\nEOF" }, "write", "a.ts"],
  ])("%s has the path of the file that it changes", (name, args, kind, writtenPath) => {
    expect(classifyCall(name, args)).toMatchObject({ kind, writtenPath });
  });

  test.each([
    [
      'const r = await tools.exec_command({cmd:"sed -n \'1,9p\' a.ts","workdir":"/w"}); text(r.output)',
      "read",
      ["a.ts"],
    ],
    [
      "await Promise.all([tools.exec_command({\"cmd\": 'cat a.ts'}), tools.exec_command({cmd: `ls ./src`})])",
      "search",
      ["a.ts", "./src"],
    ],
    ["await tools.exec_command({cmd:\"cat 'a\\u0062.ts' && npm test\"})", "command", ["ab.ts"]],
    ['await tools.write_stdin({session_id: 5, chars: ""})', "command", []],
  ])("a script has the facts of the tool calls in it: %s", (input, kind, paths) => {
    expect(classifyCall("exec", { input })).toMatchObject({ kind, paths });
  });
});

test.each([
  ["/home/me/w/src/a.ts", "src/a.ts"],
  ["src/a.ts", "src/a.ts"],
  ["./a.ts", "a.ts"],
  ["C:\\w\\src\\a.ts", "src/a.ts"],
  ["/w/src/", "w/src"],
])("a file's name is the last two parts of its path: %s", (path, name) => {
  expect(fileName(path)).toBe(name);
});
