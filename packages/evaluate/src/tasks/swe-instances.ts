import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type JsonValue, messageOf, sha256 } from "@self-context-manager/objects";
import { EvaluateError } from "../model/evaluate-error.ts";
import type { Check, Task, TaskFiles, TaskStep } from "../model/task.ts";
import {
  type Decode,
  listOf,
  objectWith,
  type Place,
  refuse,
  text,
  textLike,
  within,
} from "./decode.ts";
import { patchedFiles } from "./patched-files.ts";

export interface SweOptions {
  /** The command of the tests. The word `{tests}` is replaced by the names of the tests, one argument each. */
  readonly testCommand: string;
  /** The seconds after which the tests of one list are ended. Absent: 900. */
  readonly seconds?: number;
  /** Whether all instances are one task: the prompts of one session, each for a folder of its own. */
  readonly isOneSession?: boolean;
}

interface Instance {
  readonly id: string;
  readonly repository: string;
  readonly commit: string;
  readonly statement: string;
  readonly hidden: TaskFiles;
  readonly failToPass: readonly string[];
  readonly passToPass: readonly string[];
}

/**
 * The tasks of a folder with `instances.jsonl` or `instances.json`, and the clones of their repositories in
 * `repos/OWNER__NAME`. The fields are those of SWE-bench; hints are not used, as its rules demand. Throws `EvaluateError`.
 */
export async function loadSweInstances(
  folder: string,
  options: SweOptions,
): Promise<readonly Task[]> {
  const command = commandOf(options.testCommand);
  const { rows, file } = await readRows(folder);
  const instances: Instance[] = [];
  for (const [index, row] of rows.entries())
    instances.push(await instanceOf(row, { file, field: `[${String(index)}]` }, folder));
  const [first] = instances;
  if (first === undefined) throw new EvaluateError("EVALUATE_TASK", `${file} has no instance`);
  return options.isOneSession === true
    ? [sessionTask(instances, command, options)]
    : instances.map((instance) => singleTask(instance, command, options));
}

type Command = (tests: readonly string[]) => readonly [string, ...string[]];

/** Quotes around a word keep its spaces. */
function commandOf(testCommand: string): Command {
  const words = [...testCommand.matchAll(/"([^"]*)"|'([^']*)'|\S+/gu)].map(
    ([word, double, single]) => double ?? single ?? word,
  );
  const [name] = words;
  if (name === undefined || name === "{tests}" || !words.includes("{tests}")) {
    throw new EvaluateError(
      "EVALUATE_PLAN",
      `the test command ${JSON.stringify(testCommand)} needs a program and the word {tests}, such as: python -m pytest {tests}`,
    );
  }
  return (tests) => [
    name,
    ...words.slice(1).flatMap((word) => (word === "{tests}" ? tests : [word])),
  ];
}

async function readRows(
  folder: string,
): Promise<{ readonly rows: readonly JsonValue[]; readonly file: string }> {
  for (const name of ["instances.jsonl", "instances.json"]) {
    const file = join(folder, name);
    const content = await readFile(file, "utf8").catch(() => undefined);
    if (content === undefined) continue;
    if (name.endsWith(".json")) {
      const value = parsed(content, file);
      return { rows: listOf<JsonValue>((row) => row ?? null)(value, { file, field: "" }), file };
    }
    const lines = content.split("\n").filter((line) => line.trim() !== "");
    return {
      rows: lines.map((line, index) => parsed(line, `${file}, row ${String(index + 1)}`)),
      file,
    };
  }
  throw new EvaluateError(
    "EVALUATE_TASK",
    `${folder} has neither instances.jsonl nor instances.json; put the instances there, one object for each`,
  );
}

function parsed(json: string, where: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(json);
    return value;
  } catch (cause) {
    throw new EvaluateError("EVALUATE_TASK", `${where} is not JSON: ${messageOf(cause)}`, {
      cause,
    });
  }
}

async function instanceOf(row: JsonValue, place: Place, folder: string): Promise<Instance> {
  const fields = objectWith(row, place);
  const read = <Value>(name: string, decode: Decode<Value>): Value =>
    decode(fields[name], within(place, name));
  const id = read("instance_id", textLike(/^\w[\w.-]*$/u, "letters, digits, `_`, `-` and `.`"));
  const repo = read("repo", textLike(/^[\w.-]+\/[\w.-]+$/u, "OWNER/NAME"));
  const commit = read("base_commit", textLike(/^[0-9a-f]{40}$/u, "the full hash of a commit"));
  const repository = join(folder, "repos", repo.replace("/", "__"));
  const clone = await stat(repository).catch(() => undefined);
  if (clone?.isDirectory() !== true) {
    throw new EvaluateError(
      "EVALUATE_TASK",
      `instance ${id} needs a clone of ${repo} in ${repository}; clone it there with git`,
    );
  }
  return {
    id,
    repository,
    commit,
    statement: read("problem_statement", textLike(/\S/u, "a text that is not empty")),
    hidden: await patchedFiles(repository, commit, read("test_patch", text)),
    failToPass: read("FAIL_TO_PASS", tests),
    passToPass: read("PASS_TO_PASS", tests),
  };
}

/** The published data have the lists as texts of JSON. */
const tests: Decode<readonly string[]> = (value, place) => {
  if (typeof value !== "string") return listOf(text)(value, place);
  const list = value.trim().startsWith("[")
    ? parsed(value, `${place.file}: field ${place.field}`)
    : undefined;
  return list === undefined ? refuse(place, value, "a list of tests") : listOf(text)(list, place);
};

function singleTask(instance: Instance, command: Command, options: SweOptions): Task {
  const { id, repository, commit, hidden } = instance;
  return {
    ...base,
    name: `external/${id}`,
    title: titleOf(instance),
    workspace: { files: {}, repositories: [{ path: "", url: repository, commit }] },
    steps: [promptOf(instance)],
    checks: checksOf(instance, command, options),
    hidden,
    limits: { calls: callsOfOne, minutes: minutesOfOne },
  };
}

function sessionTask(instances: readonly Instance[], command: Command, options: SweOptions): Task {
  const names = instances.map(({ id }) => id).join("\n");
  return {
    ...base,
    name: `external/session-of-${String(instances.length)}-${sha256(names).slice(0, 8)}`,
    title: `${String(instances.length)} instances in one session`,
    workspace: {
      files: {},
      repositories: instances.map(({ id, repository, commit }) => ({
        path: id,
        url: repository,
        commit,
      })),
    },
    steps: instances.map((instance) => promptOf(instance, instance.id)),
    checks: instances.flatMap((instance) => checksOf(instance, command, options, instance.id)),
    hidden: Object.fromEntries(
      instances.flatMap(({ id, hidden }) =>
        Object.entries(hidden).map(([path, content]) => [`${id}/${path}`, content]),
      ),
    ),
    limits: {
      calls: callsOfOne * instances.length,
      minutes: minutesOfOne * instances.length,
    },
  };
}

const base = { family: "external", version: 1, seed: 0, facts: [] } as const;

// Published runs of agents on these instances use 30 to 100 calls.
const callsOfOne = 150;
const minutesOfOne = 60;

function titleOf({ id, statement }: Instance): string {
  const line = statement.trim().split("\n")[0] ?? "";
  const short = line.length > 100 ? `${line.slice(0, 99)}…` : line;
  return `${id}: ${short}`;
}

/** The prompt is fixed: a change of it is a new version of the tasks. */
function promptOf({ statement }: Instance, folder?: string): TaskStep {
  const place =
    folder === undefined
      ? "the repository in the working folder"
      : `the repository in the folder \`${folder}\` of the working folder`;
  return {
    type: "prompt",
    text: `Solve the following issue of ${place}. Change the code of the repository; its tests need no change. Tests that you cannot see decide if the issue is solved. Finish when you are sure.\n\n<issue>\n${statement.trim()}\n</issue>`,
  };
}

function checksOf(
  { failToPass, passToPass }: Instance,
  command: Command,
  { seconds = 900 }: SweOptions,
  folder?: string,
): readonly Check[] {
  const lists = [
    ["tests that failed", failToPass],
    ["tests that passed", passToPass],
  ] as const;
  return lists
    .filter(([, names]) => names.length > 0)
    .map(([name, names]) => ({
      type: "command",
      name: folder === undefined ? name : `${folder}: ${name}`,
      command: command(names),
      seconds,
      ...(folder !== undefined && { folder }),
    }));
}
