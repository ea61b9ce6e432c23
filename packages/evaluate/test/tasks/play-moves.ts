import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { CheckResult, Fact, Move, Task } from "../../src/model/task.ts";
import { applyChange } from "../../src/tasks/apply-change.ts";
import { checkTask } from "../../src/tasks/check-task.ts";
import { filled, namedFacts } from "../../src/tasks/placeholders.ts";
import { aFolder } from "./a-folder.ts";

export interface Played {
  readonly results: readonly CheckResult[];
  /** Moves that could not be done, and facts whose value is not what the text before them shows. */
  readonly faults: readonly string[];
  /** All texts of the conversation, in order. */
  readonly shown: readonly ShownText[];
}

export interface ShownText {
  readonly kind: "prompt" | "move" | "output";
  readonly step: number;
  readonly text: string;
}

/**
 * Does the moves of a task in a folder of its own, and checks the result. `values` are used for facts instead of their
 * right ones. Without `moves`, every turn is answered with an empty promise.
 */
export async function playMoves(
  task: Task,
  options: {
    readonly values?: ReadonlyMap<string, string>;
    readonly moves?: boolean;
    /** Leaves out commands whose output has no fact. They are most of the time. */
    readonly isShort?: boolean;
  } = {},
): Promise<Played> {
  await using place = await aFolder();
  const workspace = join(place.path, "workspace");
  await mkdir(workspace);
  // Without Git, since the moves of these tasks do not use it and each command takes its time.
  await applyChange({ type: "change", files: task.workspace.files }, workspace);
  const faults: string[] = [];
  const answers = new Map<number, string>();
  const shown: ShownText[] = [];
  let begin = 0;
  const facts = new Map(task.facts.map((fact) => [fact.id, fact]));
  for (const [index, step] of task.steps.entries()) {
    if (step.type === "change") await applyChange(step, workspace);
    if (step.type === "session") begin = shown.length;
    if (step.type !== "prompt") continue;
    shown.push({ kind: "prompt", step: index, text: step.text });
    if (options.moves === false) answers.set(index, "I will look at it.");
    else
      for (const given of step.moves ?? []) {
        const where = `step ${String(index)}, ${given.type}`;
        for (const id of namedFacts(JSON.stringify(given))) {
          const fact = facts.get(id);
          // What cannot be had again is known only from a store of all sessions.
          const from = fact?.recover === undefined ? 0 : begin;
          const fault = factFault(fact, shown.slice(from).map(textOf).join("\n"), index);
          if (fault !== undefined) faults.push(`${where}: ${id} ${fault}`);
        }
        const move = filled(given, (id) => options.values?.get(id) ?? facts.get(id)?.value ?? "");
        shown.push({ kind: "move", step: index, text: Object.values(move).join("\n") });
        if (move.type === "answer") answers.set(index, move.text);
        else if (options.isShort !== true || move.type !== "run" || !factless.test(move.command)) {
          const done = await doMove(move, workspace);
          shown.push({ kind: "output", step: index, text: done.output });
          if (done.fault !== undefined) faults.push(`${where}: ${done.fault}`);
        }
      }
  }
  const results = await checkTask(task, { workspace, answers, scratch: join(place.path, "check") });
  return { results, faults, shown };
}

const textOf = (part: ShownText): string => part.text;

const factless = /^node (?:test\/run|scripts\/report)\.js/u;

/** Why a model that sees the whole text would not find the right value, or undefined if it would. */
function factFault(fact: Fact | undefined, shown: string, step: number): string | undefined {
  if (fact === undefined) return "is not a fact";
  const value = [...shown.matchAll(new RegExp(fact.pattern, "gmu"))].at(-1)?.[1];
  if (value !== fact.value) return `is seen as ${String(value)}, not ${fact.value}`;
  return fact.neededAt.includes(step) ? undefined : "is not listed as needed here";
}

interface Done {
  readonly output: string;
  readonly fault?: string;
}

async function doMove(
  move: Exclude<Move, { readonly type: "answer" }>,
  workspace: string,
): Promise<Done> {
  if (move.type === "run") return runMove(move.command, workspace);
  const path = join(workspace, move.path);
  if (move.type === "write") {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, move.content);
    return { output: "" };
  }
  const content = await readFile(path, "utf8").catch(() => undefined);
  if (content === undefined) return { output: "", fault: `${move.path} does not exist` };
  if (move.type === "read") return { output: content };
  const parts = content.split(move.oldText);
  if (parts.length !== 2)
    return {
      output: "",
      fault: `${move.path} contains ${String(parts.length - 1)} times ${move.oldText}`,
    };
  await writeFile(path, parts.join(move.newText));
  return { output: "" };
}

async function runMove(command: string, workspace: string): Promise<Done> {
  const PATH = [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
  const child = spawn("sh", ["-c", `exec 2>&1; ${command}`], {
    cwd: workspace,
    env: { PATH, HOME: workspace },
    stdio: ["ignore", "pipe", "ignore"],
  });
  // A test run that fails is a finding and not a fault.
  const output = await text(child.stdout);
  return output === "" ? { output, fault: `no output of ${command}` } : { output };
}
