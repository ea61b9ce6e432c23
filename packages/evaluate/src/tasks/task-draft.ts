import type { Check, Fact, Move, Task, TaskFamily, TaskStep } from "../model/task.ts";
import { namedFacts } from "./placeholders.ts";

/** A task while it is written step by step. */
export interface TaskDraft {
  /** Adds a file that the work begins with. */
  file(path: string, content: string): void;
  /** Adds a file that only the checks have. */
  hide(path: string, content: string): void;
  /** Adds a prompt with the moves of its turn, and returns the index of its step. */
  prompt(text: string, ...moves: readonly Move[]): number;
  /** Another program changes files. `null` deletes one. */
  change(files: Readonly<Record<string, string | null>>): void;
  /** A new session begins. */
  session(): void;
  /** Adds a fact. The prompts that need it are those with its id in a move. Returns the id in braces. */
  fact(fact: DraftedFact): string;
  check(check: Check): void;
  /** Checks the last answer of the turn of a prompt. */
  answers(
    step: number,
    name: string,
    includes: readonly string[],
    excludes?: readonly string[],
  ): void;
  /** The number of prompts so far. */
  prompts(): number;
  task(): Task;
}

interface DraftedFact {
  readonly id: string;
  readonly pattern: string;
  readonly value: string;
  readonly source: string;
  readonly recover?: readonly Move[];
}

export interface DraftedTask {
  readonly name: string;
  readonly family: TaskFamily;
  readonly seed: number;
  readonly title: string;
}

export const read = (path: string): Move => ({ type: "read", path });
export const run = (command: string): Move => ({ type: "run", command });
export const answer = (text: string): Move => ({ type: "answer", text });
export const write = (path: string, content: string): Move => ({ type: "write", path, content });
export const edit = (path: string, oldText: string, newText: string): Move => ({
  type: "edit",
  path,
  oldText,
  newText,
});

/** Begins a task. Its limits follow from the number of its moves. */
export function taskDraft({ name, family, seed, title }: DraftedTask): TaskDraft {
  const files: Record<string, string> = {};
  const hidden: Record<string, string> = {};
  const steps: TaskStep[] = [];
  const facts: DraftedFact[] = [];
  const checks: Check[] = [];
  let calls = 0;
  let prompts = 0;

  return {
    file(path, content) {
      files[path] = content;
    },
    hide(path, content) {
      hidden[path] = content;
    },
    prompt(text, ...moves) {
      // Parts of a prompt can be empty.
      steps.push({ type: "prompt", text: text.replaceAll(/ {2,}/gu, " ").trim(), moves });
      calls += moves.length;
      prompts += 1;
      return steps.length - 1;
    },
    change(changed) {
      steps.push({ type: "change", files: changed });
    },
    session() {
      steps.push({ type: "session" });
    },
    fact(fact) {
      facts.push(fact);
      return `{{${fact.id}}}`;
    },
    check(check) {
      checks.push(check);
    },
    answers(step, checkName, includes, excludes) {
      checks.push({
        type: "answer",
        name: checkName,
        step,
        includes,
        ...(excludes === undefined ? {} : { excludes }),
      });
    },
    prompts: () => prompts,
    task: () => ({
      name,
      family,
      version: 1,
      seed,
      title,
      workspace: { files },
      steps,
      facts: withNeeds(facts, steps),
      checks: [...checks, ...uncheckedAnswers(facts, steps, checks)],
      hidden,
      // An agent that looks around first, or tries again after a mistake, needs a multiple of the shortest way.
      limits: { calls: calls * 3, minutes: Math.max(15, Math.ceil(calls / 4)) },
    }),
  };
}

/** The facts that moves name, with the indexes of the prompts of these moves. */
function withNeeds(facts: readonly DraftedFact[], steps: readonly TaskStep[]): readonly Fact[] {
  const neededAt = new Map<string, Set<number>>();
  for (const [index, step] of steps.entries()) {
    if (step.type !== "prompt" || step.moves === undefined) continue;
    for (const id of namedFacts(JSON.stringify(step.moves))) {
      const needs = neededAt.get(id) ?? new Set<number>();
      neededAt.set(id, needs.add(index));
    }
  }
  return facts.flatMap((fact) => {
    const needs = neededAt.get(fact.id);
    return needs === undefined ? [] : [{ ...fact, neededAt: [...needs] }];
  });
}

/** Checks of the answers that quote facts and that no other check looks at. */
function uncheckedAnswers(
  facts: readonly DraftedFact[],
  steps: readonly TaskStep[],
  checks: readonly Check[],
): readonly Check[] {
  const values = new Map(facts.map(({ id, value }) => [id, value]));
  const checked = new Set(checks.flatMap((check) => (check.type === "answer" ? check.step : [])));
  return steps.flatMap((step, index): readonly Check[] => {
    const move = step.type === "prompt" ? step.moves?.at(-1) : undefined;
    if (move?.type !== "answer" || checked.has(index)) return [];
    const includes = [...namedFacts(move.text)].flatMap((id) => values.get(id) ?? []);
    const name = `the answer at step ${String(index)}`;
    return includes.length === 0 ? [] : [{ type: "answer", name, step: index, includes }];
  });
}
