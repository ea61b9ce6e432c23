import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "@self-context-manager/objects";
import type { Check, CheckResult, Task } from "../model/task.ts";
import { hiddenWithCanary } from "./canary.ts";
import { copyFiles } from "./prepare-workspace.ts";
import { runCommand } from "./run-command.ts";
import { readInside, writeInside } from "./workspace-path.ts";

export interface CheckOptions {
  /** The workspace as the agent left it. It is only read. */
  readonly workspace: string;
  /** The last text of the assistant by the index in `steps` of its prompt. */
  readonly answers: ReadonlyMap<number, string>;
  /** A folder for the copy in which the commands run. What is made in it is deleted. */
  readonly scratch: string;
}

/** Runs the checks of a task, in their order. To be called after the agent's process has ended. */
export async function checkTask(
  task: Task,
  options: CheckOptions,
): Promise<readonly CheckResult[]> {
  await mkdir(options.scratch, { recursive: true });
  const place = await mkdtemp(join(options.scratch, "check-"));
  try {
    const needsCopy = task.checks.some(({ type }) => type === "command");
    const fault = needsCopy ? await makeCopy(task, options.workspace, place) : undefined;
    const results: CheckResult[] = [];
    for (const check of task.checks) {
      const outcome =
        check.type === "command"
          ? (failed(fault) ?? (await ofCommand(check, place)))
          : await ofText(check, options);
      results.push({ name: check.name, ...outcome });
    }
    return results;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Returns why the hidden files cannot be written, such as a file at the path of their folder. */
async function makeCopy(task: Task, workspace: string, place: string): Promise<string | undefined> {
  const copy = join(place, "workspace");
  await mkdir(join(place, "home"));
  await copyFiles(workspace, copy);
  try {
    for (const [path, text] of Object.entries(hiddenWithCanary(task))) {
      await writeInside(copy, path, text);
    }
    return undefined;
  } catch (error) {
    return `the checker's files cannot be written: ${messageOf(error).replaceAll(place, "")}`;
  }
}

function failed(evidence: string | undefined): Outcome | undefined {
  return evidence === undefined ? undefined : { isPassed: false, evidence };
}

async function ofText(
  check: Exclude<Check, { readonly type: "command" }>,
  { workspace, answers }: CheckOptions,
): Promise<Outcome> {
  if (check.type === "answer") return ofAnswer(check, answers.get(check.step));
  // A folder on the way that became a link to the outside is as good as no file.
  return ofFile(check, await readInside(workspace, check.path).catch(() => undefined));
}

type Outcome = Omit<CheckResult, "name">;

async function ofCommand(
  check: Extract<Check, { readonly type: "command" }>,
  place: string,
): Promise<Outcome> {
  const seconds = check.seconds ?? 60;
  const { code, output, isLate } = await runCommand(check.command, {
    folder: join(place, "workspace", check.folder ?? ""),
    home: join(place, "home"),
    seconds,
  });
  if (code === 0 && check.prints !== undefined && !output.includes(check.prints)) {
    const absent = JSON.stringify(check.prints);
    return {
      isPassed: false,
      evidence: `exit code 0, but the output lacks ${absent}: ${tellingLine(output)}`,
    };
  }
  if (code === 0) return { isPassed: true, evidence: "the command ended with exit code 0" };
  if (isLate)
    return { isPassed: false, evidence: `the command did not end within ${String(seconds)} s` };
  const end =
    code === undefined ? "the command did not run to its end" : `exit code ${String(code)}`;
  return { isPassed: false, evidence: `${end}: ${tellingLine(output.replaceAll(place, ""))}` };
}

/** The last line of an output that names an error, or its last line. */
function tellingLine(output: string): string {
  const lines = output
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const telling = lines.findLast((line) =>
    /\b[A-Za-z]*Error\b.*:|^not ok\b|\bFAILED\b|^E\s/u.test(line),
  );
  return short(telling ?? lines.at(-1) ?? "no output");
}

function ofAnswer(
  check: Extract<Check, { readonly type: "answer" }>,
  answer: string | undefined,
): Outcome {
  if (answer === undefined || answer.trim() === "")
    return { isPassed: false, evidence: `step ${String(check.step)} has no answer` };
  return ofParts(check, answer, loose);
}

function ofFile(
  check: Extract<Check, { readonly type: "file" }>,
  text: string | undefined,
): Outcome {
  const { path, content } = check;
  if (content === null) {
    return text === undefined
      ? { isPassed: true, evidence: `${path} does not exist` }
      : { isPassed: false, evidence: `${path} exists; it was expected to be absent` };
  }
  if (text === undefined) return { isPassed: false, evidence: `${path} does not exist` };
  if (content !== undefined && text.trimEnd() !== content.trimEnd())
    return {
      isPassed: false,
      evidence: `${path} differs from what was expected: ${difference(text, content)}`,
    };
  return ofParts(check, text, (part) => part);
}

/** The first line that differs. */
function difference(text: string, expected: string): string {
  const [lines, wanted] = [text.trimEnd().split("\n"), expected.trimEnd().split("\n")];
  const index = Array.from({ length: Math.max(lines.length, wanted.length) }).findIndex(
    (_, line) => lines[line] !== wanted[line],
  );
  return `line ${String(index + 1)} is ${quoted(lines[index])}, not ${quoted(wanted[index])}`;
}

function quoted(line: string | undefined): string {
  return line === undefined ? "absent" : JSON.stringify(short(line));
}

interface Wanted {
  readonly includes?: readonly string[];
  readonly excludes?: readonly string[];
}

function ofParts(
  { includes = [], excludes = [] }: Wanted,
  text: string,
  form: (text: string) => string,
): Outcome {
  const formed = form(text);
  const absent = includes.find((part) => !formed.includes(form(part)));
  const present = excludes.find((part) => formed.includes(form(part)));
  const found = short(text.replaceAll(/\s+/gu, " "));
  if (absent !== undefined)
    return { isPassed: false, evidence: `expected ${JSON.stringify(absent)}, found: ${found}` };
  if (present !== undefined)
    return { isPassed: false, evidence: `expected no ${JSON.stringify(present)}, found: ${found}` };
  return {
    isPassed: true,
    evidence: `found ${includes.map((part) => JSON.stringify(part)).join(", ") || "as expected"}`,
  };
}

/** A text without differences of case and of white space. */
function loose(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/gu, " ").trim();
}

function short(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
