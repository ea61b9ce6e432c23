import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type JsonValue, messageOf } from "@self-context-manager/objects";
import { EvaluateError } from "../model/evaluate-error.ts";
import type { Task, TaskFiles, TaskRepository } from "../model/task.ts";
import { decodeTask } from "./decode-task.ts";
import { taskFault } from "./task-fault.ts";

/**
 * The tasks of a folder, sorted by name. A folder with a `task.json` is a task; any other folder is searched. Throws
 * `EvaluateError` with `EVALUATE_TASK`.
 */
export async function loadTasks(path: string): Promise<readonly Task[]> {
  const folders = await taskFolders(resolve(path));
  if (folders.length === 0) {
    throw new EvaluateError(
      "EVALUATE_TASK",
      `${path} contains no task: neither it nor a folder in it has a file task.json`,
    );
  }
  const found = new Map<string, string>();
  const tasks: Task[] = [];
  for (const folder of folders) {
    const task = await loadTask(folder);
    const other = found.get(task.name);
    if (other !== undefined) {
      throw new EvaluateError(
        "EVALUATE_TASK",
        `${join(folder, "task.json")}: field name is ${JSON.stringify(task.name)}, as in ${other}; use another name`,
      );
    }
    found.set(task.name, join(folder, "task.json"));
    tasks.push(task);
  }
  return tasks.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Reads one task: `task.json`, the files of its workspace in `files/`, and the hidden files in `hidden/`. */
export async function loadTask(folder: string): Promise<Task> {
  const file = join(folder, "task.json");
  const { workspace, ...rest } = decodeTask(await readJson(file), file);
  const task: Task = {
    ...rest,
    workspace: {
      files: await textsIn(join(folder, "files")),
      ...(workspace.folder !== undefined && { folder: resolve(folder, workspace.folder) }),
      ...(workspace.repositories !== undefined && {
        repositories: workspace.repositories.map((one) => resolved(one, folder)),
      }),
    },
    hidden: await textsIn(join(folder, "hidden")),
  };
  const fault = taskFault(task);
  if (fault !== undefined) throw new EvaluateError("EVALUATE_TASK", `${file}: ${fault}`);
  return task;
}

/** Follows no symbolic links, so the search ends. */
async function taskFolders(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw new EvaluateError(
      "EVALUATE_TASK",
      `the folder of tasks ${folder} cannot be read: ${messageOf(cause)}`,
      { cause },
    );
  });
  if (entries.some((entry) => entry.isFile() && entry.name === "task.json")) return [folder];
  const inner = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
  const lists = await Promise.all(inner.map(({ name }) => taskFolders(join(folder, name))));
  return lists.flat();
}

async function readJson(file: string): Promise<JsonValue> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new EvaluateError("EVALUATE_TASK", `${file} cannot be read: ${messageOf(cause)}`, {
      cause,
    });
  });
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch (cause) {
    throw new EvaluateError("EVALUATE_TASK", `${file} is not JSON: ${messageOf(cause)}`, { cause });
  }
}

/** The texts of a folder by their paths. A folder that does not exist has none. */
async function textsIn(folder: string, path = ""): Promise<TaskFiles> {
  const entries = await readdir(join(folder, path), { withFileTypes: true }).catch(() => []);
  const texts: [string, string][] = [];
  for (const entry of entries) {
    const inner = path === "" ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) {
      texts.push(...Object.entries(await textsIn(folder, inner)));
      continue;
    }
    const bytes = entry.isFile() ? await readFile(join(folder, inner)) : undefined;
    const text = bytes?.toString("utf8");
    if (text === undefined || !Buffer.from(text).equals(bytes ?? Buffer.of())) {
      throw new EvaluateError(
        "EVALUATE_TASK",
        `${join(folder, inner)} is not a file of UTF-8 text; put such files into a folder that \`workspace.folder\` names`,
      );
    }
    texts.push([inner, text]);
  }
  return Object.fromEntries(texts);
}

/** A URL has a scheme or, as SSH has it, a host before a colon; everything else is a path. */
function resolved(repository: TaskRepository, folder: string): TaskRepository {
  const isUrl = /^(?:[a-z][\w+.-]+:\/\/|[\w.-]+@?[\w.-]*:)/iu.test(repository.url);
  return isUrl ? repository : { ...repository, url: resolve(folder, repository.url) };
}
