import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  usualOperation,
} from "@self-context-manager/objects";
import { type CallFacts, type CallKind, commandFacts, patchedPaths } from "./call-kind.ts";
import { knownTool } from "./known-tools.ts";
import { scriptStrings } from "./script-strings.ts";

/**
 * Returns what a call does by its tool's name and its arguments. Harnesses have different tools, so adapters can pass
 * their own function. The result must depend only on the arguments of the function, because a session asks once for
 * each call.
 */
export type ToolFacts = (toolName: string, args: JsonObject) => CallFacts;

/** Returns the facts of a call by the usual names of tools and arguments. */
export const usualToolFacts: ToolFacts = (toolName, args) => {
  const contextTool = usualOperation(toolName);
  // Its `path` is a part of a path, and names no file.
  if (contextTool === "find_objects") return { kind: "search", paths: [], contextTool };
  const facts = hostFacts(toolName, args);
  return contextTool === undefined ? facts : { ...facts, contextTool };
};

function hostFacts(toolName: string, args: JsonObject): CallFacts {
  const tool = knownTool(toolName);
  if (tool === undefined) return { kind: "other", paths: pathArguments(args) };
  switch (tool.form) {
    case "command-line":
      return shellFacts(args);
    case "script":
      return typeof args["input"] === "string" ? scriptFacts(args["input"]) : shellFacts(args);
    case "editor":
      return editorFacts(args);
    case "patch":
      return factsOf(tool.kind, [...pathArguments(args), ...patchArguments(args)]);
    case "paths":
      return factsOf(tool.kind, pathArguments(args));
    default:
      return tool.form satisfies never;
  }
}

/** Whether a tool can be one that reads files. An editor reads with the command `view`. */
export function canReadFiles(toolFacts: ToolFacts, toolName: string): boolean {
  return toolFacts(toolName, { path: "file", command: "view" }).kind === "read";
}

/**
 * Returns a function with the same results that computes the facts of each call only once. Several parts of a session
 * ask for them with the same arguments.
 */
export function keptFacts(factsOf: ToolFacts): ToolFacts {
  const kept = new WeakMap<JsonObject, { readonly toolName: string; readonly facts: CallFacts }>();
  return (toolName, args) => {
    const known = kept.get(args);
    if (known?.toolName === toolName) return known.facts;
    const facts = factsOf(toolName, args);
    kept.set(args, { toolName, facts });
    return facts;
  };
}

/** Returns facts in which the first path of a write or an edit is the file that it changes. */
function factsOf(kind: CallKind, named: readonly string[]): CallFacts {
  const paths = [...new Set(named)];
  const [writtenPath] = paths;
  const isChange = kind === "write" || kind === "edit";
  return isChange && writtenPath !== undefined ? { kind, paths, writtenPath } : { kind, paths };
}

const pathFields = ["path", "file_path", "filePath", "notebook_path", "paths", "dir_path"];

/** Returns the paths among the arguments, by the usual names of arguments. */
function pathArguments(args: JsonObject): readonly string[] {
  const given = pathFields.flatMap((field): readonly (JsonValue | undefined)[] => {
    const value = args[field];
    return Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  });
  const paths = given.filter((value): value is string => typeof value === "string" && value !== "");
  return [...new Set(paths)];
}

/** Returns the facts of a command that is given as a line or as a list of words. */
function shellFacts(args: JsonObject): CallFacts {
  const action = isJsonObject(args["action"]) ? args["action"] : {};
  const command = args["command"] ?? args["cmd"] ?? action["command"];
  if (typeof command === "string") return lineFacts(command);
  if (!Array.isArray(command)) return { kind: "command", paths: pathArguments(args) };
  const words = command.filter((word): word is string => typeof word === "string");
  return lineFacts(words.map(quoted).join(" "));
}

function lineFacts(commandLine: string): CallFacts {
  return { ...commandFacts(commandLine), commandLine };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Returns the facts of a call of Anthropic's text editor tool, whose `command` argument states what it does. */
function editorFacts(args: JsonObject): CallFacts {
  const paths = pathArguments(args);
  switch (args["command"]) {
    case "view":
      return factsOf("read", paths);
    case "create":
      return factsOf("write", paths);
    default:
      return factsOf("edit", paths);
  }
}

/** Returns the files that the text of a patch names. */
function patchArguments(args: JsonObject): readonly string[] {
  const text = args["patch"] ?? args["input"] ?? args["patchText"];
  if (typeof text !== "string") return [];
  const patched = patchedPaths(text);
  // Forks of Pi name the file of an edit after a section sign.
  return patched.length > 0
    ? patched
    : [...text.matchAll(/^§(.+)$/gmu)].map((match) => match[1] ?? "");
}

/**
 * Returns the facts of a script that calls tools, as newer releases of Codex write them. A script does what its tools
 * do.
 */
function scriptFacts(source: string): CallFacts {
  const strings = scriptStrings(source);
  const patches = strings.filter(({ text }) => text.startsWith("*** Begin Patch"));
  if (patches.length > 0) {
    return factsOf(
      "edit",
      patches.flatMap(({ text }) => patchedPaths(text)),
    );
  }
  const commands = strings.filter(({ name }) => name === "cmd").map(({ text }) => text);
  return lineFacts(commands.join("\n"));
}
