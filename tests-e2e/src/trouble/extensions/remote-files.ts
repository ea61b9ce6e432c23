import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { type ExtensionHost, schema, type TextBlock } from "./extension-host.ts";

/**
 * Replaces Pi's tools by tools that work on another machine, as Pi's example extension for ssh does. The other machine
 * is a folder next to the working folder.
 */
// oxlint-disable-next-line import/no-default-export -- Pi loads a plugin by its default export.
export default function remoteFiles(pi: ExtensionHost): void {
  pi.registerTool({
    name: "read",
    label: "read",
    description: "Read a file of the other machine",
    parameters: schema({ path: "string", offset: "number", limit: "number" }),
    execute: async (_id, { path, offset, limit }, _signal, _onUpdate, { cwd }) => {
      const lines = readFileSync(at(cwd, path), "utf8").split("\n");
      const start = typeof offset === "number" ? offset - 1 : 0;
      const end = typeof limit === "number" ? start + limit : lines.length;
      return answer(lines.slice(start, end).join("\n"));
    },
  });
  pi.registerTool({
    name: "write",
    label: "write",
    description: "Write a file of the other machine",
    parameters: schema({ path: "string", content: "string" }),
    execute: async (_id, { path, content }, _signal, _onUpdate, { cwd }) => {
      mkdirSync(dirname(at(cwd, path)), { recursive: true });
      writeFileSync(at(cwd, path), String(content));
      return answer(`Wrote ${String(path)} on the other machine`);
    },
  });
  pi.registerTool({
    name: "edit",
    label: "edit",
    description: "Replace a text in a file of the other machine",
    parameters: schema({ path: "string", oldText: "string", newText: "string" }),
    execute: async (_id, { path, oldText, newText }, _signal, _onUpdate, { cwd }) => {
      const text = readFileSync(at(cwd, path), "utf8");
      writeFileSync(at(cwd, path), text.replace(String(oldText), String(newText)));
      return answer(`Edited ${String(path)} on the other machine`);
    },
  });
  pi.registerTool({
    name: "bash",
    label: "bash",
    description: "Run a command on the other machine",
    parameters: schema({ command: "string" }),
    execute: async (_id, { command }, _signal, _onUpdate, { cwd }) =>
      answer(execFileSync("sh", ["-c", String(command)], { cwd: at(cwd, "."), encoding: "utf8" })),
  });
}

function at(cwd: string, path: unknown): string {
  return join(cwd, "..", "remote", String(path));
}

function answer(text: string): {
  readonly content: readonly TextBlock[];
  readonly details: object;
} {
  return { content: [{ type: "text", text }], details: {} };
}
