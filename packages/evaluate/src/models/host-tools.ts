import type { JsonObject } from "@self-context-manager/objects";

import type { Move } from "../model/task.ts";
import type { SeenTool } from "./seen-request.ts";

/** A call of one of the host's tools. */
export interface PlannedCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** The tools of a request, by what a model for tests uses them for. */
export interface HostTools {
  /** Returns the call for a move. `undefined`: the host has no such tool. */
  callOf(move: Exclude<Move, { readonly type: "answer" }>): PlannedCall | undefined;
  /** The name of the tool that shows an object again. */
  readonly activate?: string;
  /** The name of the tool that finds objects. */
  readonly find?: string;
}

/** The names of tools of hosts, the usual one first. */
const usualNames = {
  read: ["read", "read_file", "Read"],
  write: ["write", "write_file", "Write"],
  edit: ["edit", "edit_file", "Edit"],
  run: ["bash", "exec", "shell", "Bash"],
} as const;

/** Returns the tools of a request. */
export function hostTools(tools: readonly SeenTool[]): HostTools {
  const named = (names: readonly string[]): SeenTool | undefined =>
    names
      .map((name) => tools.find((tool) => tool.name === name))
      .find((tool) => tool !== undefined);
  const activate = named(["activate", "context_activate"])?.name;
  const find = named(["find_objects", "context_find_objects"])?.name;
  return {
    callOf: (move) => {
      const tool = named(usualNames[move.type]);
      return tool === undefined
        ? undefined
        : { name: tool.name, arguments: argumentsOf(move, tool.parameters) };
    },
    ...(activate === undefined ? {} : { activate }),
    ...(find === undefined ? {} : { find }),
  };
}

function argumentsOf(
  move: Exclude<Move, { readonly type: "answer" }>,
  parameters: readonly string[],
): JsonObject {
  const first = (...names: readonly [string, ...string[]]): string =>
    names.find((name) => parameters.includes(name)) ?? names[0];
  const path = first("path", "file_path", "filePath");
  switch (move.type) {
    case "read":
      return { [path]: move.path };
    case "write":
      return { [path]: move.path, [first("content", "contents")]: move.content };
    case "edit": {
      const { oldText, newText } = move;
      if (parameters.includes("edits")) return { [path]: move.path, edits: [{ oldText, newText }] };
      const before = first("oldText", "old_string", "oldString");
      const after = first("newText", "new_string", "newString");
      return { [path]: move.path, [before]: oldText, [after]: newText };
    }
    case "run":
      return { [first("command", "cmd")]: move.command };
  }
}
