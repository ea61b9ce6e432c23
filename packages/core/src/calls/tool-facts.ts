import type { JsonObject, JsonValue } from "@self-context-manager/objects";
import { type CallFacts, type CallKind, commandFacts, patchedPaths } from "./call-kind.ts";

/**
 * Says what a call does by its tool's name and its arguments; each harness has tools of its own. The answer hangs on
 * these alone: a session asks once for each call.
 */
export type ToolFacts = (toolName: string, args: JsonObject) => CallFacts;

const kinds: Readonly<Record<string, CallKind>> = {
  read: "read",
  write: "write",
  edit: "edit",
  multiedit: "edit",
  patch: "edit",
  apply_patch: "edit",
  grep: "search",
  find: "search",
  glob: "search",
  ls: "search",
  list: "search",
  search: "search",
  bash: "command",
  shell: "command",
  powershell: "command",
  exec_command: "command",
  fetch: "web",
  webfetch: "web",
  web_fetch: "web",
  websearch: "web",
  web_search: "web",
  browse: "web",
  task: "agent",
  agent: "agent",
  subagent: "agent",
};

/** The facts of a call by the names that most harnesses give their tools, in any case of letters. */
export const usualToolFacts: ToolFacts = (toolName, args) => {
  const name = toolName.toLowerCase();
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  const command = args["command"] ?? args["cmd"];
  if (kind === "command" && typeof command === "string") return commandFacts(command);
  const patch = args["patch"] ?? args["input"];
  const patched = kind === "edit" && typeof patch === "string" ? patchedPaths(patch) : [];
  const paths = [...new Set([...pathArguments(args), ...patched])];
  const [writtenPath] = paths;
  const changes = kind === "write" || kind === "edit";
  return {
    kind: kind ?? "other",
    paths,
    ...(changes && writtenPath !== undefined ? { writtenPath } : {}),
  };
};

/** The same facts, found once for each call: several parts of a session ask for them, by the same arguments. */
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

/** The arguments that hold a path, by the names that tools give them. */
function pathArguments(args: JsonObject): readonly string[] {
  const given: unknown[] = [];
  for (const name of ["path", "file_path", "filePath", "paths"]) {
    const value = args[name];
    if (Array.isArray(value)) given.push(...(value as readonly JsonValue[]));
    else given.push(value);
  }
  return given.filter((value): value is string => typeof value === "string" && value !== "");
}
