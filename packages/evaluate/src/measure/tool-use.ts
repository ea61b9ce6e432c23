import { basename } from "node:path";

import type { MeteredAnswer } from "../model/metered-answer.ts";
import type { Task } from "../model/task.ts";

/** A tool call of the model, and where in the run it was. */
export interface UsedTool {
  /** The index of the model call, from 0. */
  readonly call: number;
  /** The index in the task's steps of the prompt whose turn it belongs to. */
  readonly step: number;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Returns the tool calls of all answers in order. Arguments that are no JSON object count as empty. */
export function usedTools(
  answers: readonly { readonly step: number; readonly answer: MeteredAnswer }[],
): readonly UsedTool[] {
  return answers.flatMap(({ step, answer }, call) =>
    answer.toolCalls.map((one) => ({
      call,
      step,
      name: one.name,
      arguments: objectIn(one.arguments),
    })),
  );
}

/** What a run read and ran again. */
export interface RepeatedWork {
  /** Reads of a path, or of the same lines of it, that were read before and have not changed since. */
  readonly rereads: number;
  /** Commands that were run before, with no change of a file in between. */
  readonly reruns: number;
}

/**
 * Counts what was done again without a change in between. A change is a write or an edit of the path, a change by
 * another program, or a command that names the file; a patch without a path changes any file. For a command, each write, edit and change of any file counts.
 */
export function repeatedWork(tools: readonly UsedTool[], task: Task): RepeatedWork {
  let rereads = 0;
  let reruns = 0;
  let step = -1;
  const read = new Map<string, Set<string>>();
  const run = new Set<string>();
  const change = (path: string | undefined): void => {
    run.clear();
    for (const known of read.keys())
      if (path === undefined || isSamePlace(known, path)) read.delete(known);
  };
  for (const tool of tools) {
    for (; step < tool.step; step += 1) {
      const entered = task.steps[step + 1];
      if (entered?.type === "change") Object.keys(entered.files).forEach(change);
    }
    const path = textIn(tool.arguments, "path", "file_path", "filePath");
    const command = textIn(tool.arguments, "command", "cmd");
    if (isRead(tool.name) && path !== undefined) {
      const lines = JSON.stringify([tool.arguments["offset"], tool.arguments["limit"]]);
      const known = read.get(tidy(path)) ?? new Set();
      if (known.has(lines)) rereads += 1;
      read.set(tidy(path), known.add(lines));
    } else if (isWrite(tool.name)) {
      change(path);
    } else if (isShell(tool.name) && command !== undefined) {
      if (run.has(command)) reruns += 1;
      run.add(command);
      for (const known of read.keys()) if (command.includes(basename(known))) read.delete(known);
    }
  }
  return { rereads, reruns };
}

/** Counts the calls of the context manager's tools, without the prefix that they have beside tools of equal names. */
export function contextToolCounts(tools: readonly UsedTool[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of tools) {
    const own = contextToolName(name);
    if (own !== undefined) counts[own] = (counts[own] ?? 0) + 1;
  }
  return counts;
}

/** Returns the name of a context tool without its prefix; undefined for any other tool. */
export function contextToolName(name: string): string | undefined {
  const own = name.replace(/^context_/u, "");
  return contextTools.has(own) ? own : undefined;
}

const contextTools: ReadonlySet<string> = new Set([
  "activate",
  "deactivate",
  "pin",
  "unpin",
  "find_objects",
]);

/** Whether a tool shows something again or looks for it. */
export function isLook({ name }: UsedTool): boolean {
  const own = contextToolName(name);
  if (own !== undefined) return own === "activate" || own === "find_objects";
  return isRead(name) || isShell(name) || ["grep", "find", "ls", "glob"].includes(name);
}

function isRead(name: string): boolean {
  return name === "read" || name === "read_file";
}

function isWrite(name: string): boolean {
  return ["write", "edit", "write_file", "apply_patch"].includes(name);
}

function isShell(name: string): boolean {
  return ["bash", "exec", "shell"].includes(name);
}

/** Whether two paths name one file. One of them may be relative to the workspace. */
function isSamePlace(known: string, path: string): boolean {
  const changed = tidy(path);
  if (known.startsWith("/") === changed.startsWith("/")) return known === changed;
  return known.endsWith(`/${changed}`) || changed.endsWith(`/${known}`);
}

function tidy(path: string): string {
  return path.replace(/^\.\//u, "");
}

function textIn(
  given: Readonly<Record<string, unknown>>,
  ...names: readonly string[]
): string | undefined {
  for (const name of names) {
    const value = given[name];
    if (typeof value === "string") return value;
  }
  return undefined;
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    // A model can write arguments that are no JSON. The host then answers with an error.
    return {};
  }
}
