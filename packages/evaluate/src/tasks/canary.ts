import { extname } from "node:path";
import { sha256 } from "@self-context-manager/objects";
import type { Task, TaskFiles } from "../model/task.ts";
import { taskHash } from "./task-hash.ts";

/** A text that occurs only in the hidden files of a task, as the checker writes them. */
export function canaryOf(task: Task): string {
  return `scm-canary-${sha256(`canary ${taskHash(task)}`).slice(0, 32)}`;
}

/** Whether a text, such as a request, has the canary of a task: then the agent reached the checker's files. */
export function hasSeenCanary(task: Task, text: string): boolean {
  return text.includes(canaryOf(task));
}

/**
 * The hidden files as the checker writes them: with the canary in a comment at the end of each file whose language has
 * comments of a line, and in a file of its own.
 */
export function hiddenWithCanary(task: Task): TaskFiles {
  const canary = canaryOf(task);
  const marked = Object.entries(task.hidden).map(([path, text]) => {
    const comment = comments[extname(path)];
    const line = comment === undefined ? "" : `${comment} ${canary}\n`;
    return [path, line === "" || text.endsWith("\n") ? text + line : `${text}\n${line}`] as const;
  });
  return marked.length === 0
    ? {}
    : { ...Object.fromEntries(marked), "evaluation-canary.txt": `${canary}\n` };
}

const comments: Readonly<Record<string, string>> = {
  ".js": "//",
  ".mjs": "//",
  ".cjs": "//",
  ".ts": "//",
  ".go": "//",
  ".rs": "//",
  ".java": "//",
  ".py": "#",
  ".sh": "#",
  ".rb": "#",
  ".toml": "#",
  ".yml": "#",
  ".yaml": "#",
};
