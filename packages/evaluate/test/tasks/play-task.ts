import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Move, Task } from "../../src/model/task.ts";

/** What happened when the moves of a task were done with everything in view. */
export interface PlayedTask {
  /** Facts that were not what a reader of the whole text would believe, and moves that were impossible. */
  readonly faults: readonly string[];
  readonly answers: ReadonlyMap<number, string>;
  readonly prompts: number;
  readonly calls: number;
  /** Of all that was said, called and put out. */
  readonly characters: number;
  /** The lengths of the outputs. */
  readonly outputs: readonly number[];
  /** The numbers of words of the prompts. */
  readonly promptWords: readonly number[];
}

/** Does the moves of a task in a folder. Each fact is read from the text so far, as a model with all of it would do. */
export function playTask(
  task: Task,
  folder: string,
  wrong: ReadonlySet<string> = new Set(),
): PlayedTask {
  const faults: string[] = [];
  const answers = new Map<number, string>();
  const outputs: number[] = [];
  const promptWords: number[] = [];
  const patterns = new Map(
    task.facts.map((fact) => [fact.id, { fact, pattern: new RegExp(fact.pattern, "gmu") }]),
  );
  let seen = "";
  let earlier = 0;
  let calls = 0;

  const put = (path: string, text: string | null): void => {
    const target = join(folder, path);
    if (text === null) {
      rmSync(target);
      return;
    }
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  };
  const filled = (text: string, step: number): string =>
    text.replaceAll(/\{\{([\w-]+)\}\}/gu, (mark, id: string) => {
      const known = patterns.get(id);
      if (known === undefined) {
        faults.push(`step ${String(step)}: no fact ${id}`);
        return mark;
      }
      const value = [...seen.matchAll(known.pattern)].at(-1)?.[1];
      if (value !== known.fact.value)
        faults.push(
          `step ${String(step)}: ${id} is ${String(value)}, not ${known.fact.value} (${known.fact.pattern})`,
        );
      return wrong.has(id) ? "wrong" : known.fact.value;
    });
  const output = (move: Exclude<Move, { readonly type: "answer" }>, step: number): string => {
    switch (move.type) {
      case "read":
        return readFileSync(join(folder, move.path), "utf8");
      case "write":
        put(move.path, filled(move.content, step));
        return "";
      case "edit": {
        const text = readFileSync(join(folder, move.path), "utf8");
        const parts = text.split(filled(move.oldText, step));
        if (parts.length !== 2)
          faults.push(
            `step ${String(step)}: ${move.path} has ${String(parts.length - 1)} times ${move.oldText}`,
          );
        put(move.path, parts.join(filled(move.newText, step)));
        return "";
      }
      case "run": {
        const ended = spawnSync("sh", ["-c", filled(move.command, step)], {
          cwd: folder,
          encoding: "utf8",
        });
        if (ended.status !== 0) faults.push(`step ${String(step)}: ${move.command} failed`);
        return ended.stdout;
      }
    }
  };

  for (const [path, text] of Object.entries(task.workspace.files)) put(path, text);
  for (const [index, step] of task.steps.entries()) {
    if (step.type === "session") {
      earlier += seen.length;
      seen = "";
    }
    if (step.type === "change")
      for (const [path, text] of Object.entries(step.files)) put(path, text);
    if (step.type !== "prompt") continue;
    seen += `${step.text}\n`;
    promptWords.push(step.text.split(/\s+/u).length);
    for (const move of step.moves ?? []) {
      calls += 1;
      if (move.type === "answer") {
        const said = filled(move.text, index);
        answers.set(index, said);
        seen += `${said}\n`;
        continue;
      }
      const shown = output(move, index);
      outputs.push(shown.length);
      seen += `${filled(JSON.stringify(move), index)}\n${shown}\n`;
    }
  }
  return {
    faults: [...new Set(faults)],
    answers,
    prompts: answers.size,
    calls,
    characters: earlier + seen.length,
    outputs,
    promptWords,
  };
}
