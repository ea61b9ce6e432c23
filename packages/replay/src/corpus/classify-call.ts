import {
  type CallFacts,
  type CallKind,
  commandFacts,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  patchedPaths,
} from "@self-context-manager/core";

import { scriptStrings } from "./script-strings.ts";

/** What the arguments of a tool of this kind tell. */
type Reading = (args: JsonObject) => CallFacts;

const readings: Readonly<Record<string, Reading>> = {
  // Claude Code
  Read: onPaths("read"),
  NotebookRead: onPaths("read"),
  Write: onPaths("write"),
  Edit: onPaths("edit"),
  MultiEdit: onPaths("edit"),
  NotebookEdit: onPaths("edit"),
  Bash: shell,
  PowerShell: shell,
  Monitor: shell,
  Grep: onPaths("search"),
  Glob: onPaths("search"),
  LS: onPaths("search"),
  WebFetch: onPaths("web"),
  WebSearch: onPaths("web"),
  Task: onPaths("agent"),
  Agent: onPaths("agent"),

  // Codex CLI
  shell,
  "container.exec": shell,
  local_shell: shell,
  shell_command: shell,
  exec_command: shell,
  write_stdin: onPaths("command"),
  wait: onPaths("command"),
  exec: script,
  apply_patch: patch,
  view_image: onPaths("read"),
  read_file: onPaths("read"),
  list_dir: onPaths("search"),
  grep_files: onPaths("search"),
  spawn_agent: onPaths("agent"),
  wait_agent: onPaths("agent"),

  // Pi and OpenCode
  read: onPaths("read"),
  write: onPaths("write"),
  edit: patch,
  multiedit: patch,
  patch,
  bash: shell,
  powershell: shell,
  grep: onPaths("search"),
  find: onPaths("search"),
  ls: onPaths("search"),
  list: onPaths("search"),
  glob: onPaths("search"),
  search: onPaths("search"),
  browser: onPaths("web"),
  webfetch: onPaths("web"),
  web_search: onPaths("web"),
  websearch: onPaths("web"),
  task: onPaths("agent"),
  subagent: onPaths("agent"),

  // OpenHands
  execute_bash: shell,
  run: shell,
  str_replace_editor: editor,
  edit_file: onPaths("edit"),
  browse: onPaths("web"),
};

/**
 * What a recorded call does, by the names that Claude Code, Codex CLI, Pi, OpenCode, SWE-agent and OpenHands give their
 * tools; `other` for a tool that none of them has.
 */
export function classifyCall(toolName: string, args: JsonObject): CallFacts {
  const reading = Object.hasOwn(readings, toolName) ? readings[toolName] : undefined;
  return reading === undefined ? { kind: "other", paths: pathArguments(args) } : reading(args);
}

/** What a file is known by in a replay: the last two parts of its path, since recorders write it in several ways. */
export function fileName(path: string): string {
  return path
    .split(/[\\/]+/u)
    .filter((part) => part !== "" && part !== ".")
    .slice(-2)
    .join("/");
}

function onPaths(kind: CallKind): Reading {
  const changes = kind === "write" || kind === "edit";
  return (args) => factsOf(kind, pathArguments(args), changes);
}

function factsOf(kind: CallKind, paths: readonly string[], changes: boolean): CallFacts {
  const [writtenPath] = paths;
  return changes && writtenPath !== undefined ? { kind, paths, writtenPath } : { kind, paths };
}

const pathFields = ["file_path", "path", "filePath", "notebook_path", "paths", "dir_path"];

function pathArguments(args: JsonObject): readonly string[] {
  const given = pathFields.flatMap((field): readonly (JsonValue | undefined)[] => {
    const value = args[field];
    return Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  });
  const paths = given.filter((value): value is string => typeof value === "string" && value !== "");
  return [...new Set(paths)];
}

function shell(args: JsonObject): CallFacts {
  const action = isJsonObject(args["action"]) ? args["action"] : {};
  const command = args["command"] ?? args["cmd"] ?? action["command"];
  if (typeof command === "string") return agentCommand(command) ?? commandFacts(command);
  if (!Array.isArray(command)) return { kind: "command", paths: [] };
  const words = command.filter((word): word is string => typeof word === "string");
  return commandFacts(words.map(quoted).join(" "));
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** SWE-agent's own commands, which stand where a shell's do. */
function agentCommand(command: string): CallFacts | undefined {
  const [name, ...operands] = (command.split("\n", 1)[0] ?? "").trim().split(/\s+/u);
  switch (name) {
    case "open":
      return { kind: "read", paths: operands.slice(0, 1) };
    case "goto":
    case "scroll_up":
    case "scroll_down":
      return { kind: "read", paths: [] };
    case "create":
      return factsOf("write", operands.slice(0, 1), true);
    case "edit":
      return { kind: "edit", paths: [] };
    case "search_dir":
    case "search_file":
    case "find_file":
      return { kind: "search", paths: operands.slice(1) };
    case "submit":
      return { kind: "other", paths: [] };
    default:
      return undefined;
  }
}

/** The tool that Anthropic calls a text editor, which has a command for each thing that it does. */
function editor(args: JsonObject): CallFacts {
  const paths = pathArguments(args);
  switch (args["command"]) {
    case "view":
      return { kind: "read", paths };
    case "create":
      return factsOf("write", paths, true);
    default:
      return factsOf("edit", paths, true);
  }
}

/** A patch in the form of `apply_patch`, or an edit whose path is an argument of its own. */
function patch(args: JsonObject): CallFacts {
  const text = args["input"] ?? args["patch"] ?? args["patchText"];
  const named = [...pathArguments(args), ...(typeof text === "string" ? changedPaths(text) : [])];
  return factsOf("edit", [...new Set(named)], true);
}

function changedPaths(text: string): readonly string[] {
  const patched = patchedPaths(text);
  // Forks of Pi name the file of an edit after a section sign.
  return patched.length > 0
    ? patched
    : [...text.matchAll(/^§(.+)$/gmu)].map((match) => match[1] ?? "");
}

/** A script that calls tools, as newer releases of Codex write them: what it does is what the tools in it do. */
function script(args: JsonObject): CallFacts {
  const source = typeof args["input"] === "string" ? args["input"] : "";
  const strings = scriptStrings(source);
  const patches = strings.filter(({ text }) => text.startsWith("*** Begin Patch"));
  if (patches.length > 0) {
    return factsOf(
      "edit",
      patches.flatMap(({ text }) => patchedPaths(text)),
      true,
    );
  }
  const commands = strings.filter(({ name }) => name === "cmd").map(({ text }) => text);
  return commandFacts(commands.join("\n"));
}
