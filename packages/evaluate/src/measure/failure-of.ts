import type { CheckResult, Fact, Task } from "../model/task.ts";
import type { FactSeen, Failure, RunEnd } from "../model/run-record.ts";
import { hasWhole } from "../model/whole-words.ts";
import { isLook, type UsedTool } from "./tool-use.ts";

export interface FailureInput {
  readonly task: Task;
  readonly end: RunEnd;
  /** The error of the host or the provider that ended the run, if one did. */
  readonly error?: string;
  readonly checks: readonly CheckResult[];
  readonly facts: readonly FactSeen[];
  readonly tools: readonly UsedTool[];
  /** The last text of the assistant by the index of the prompt in the steps. */
  readonly answers: ReadonlyMap<number, string>;
}

/**
 * Returns why a run was not solved; undefined if all checks passed. The first rule that applies decides:
 *
 * 1. The run did not finish: `call-limit`, `time-limit`, `host-error` or `provider-error`.
 * 2. The answer says that the agent does not know: `could-not-find` if the turn looked for something, else `gave-up`.
 * 3. A fact that the failed turn needs was in its requests only with another value: `stale`.
 * 4. Such a fact was in none of its requests: `could-not-find` if the turn looked for something, else `did-not-look`.
 * 5. The answer has the value of another fact of the task: `wrong-object`.
 * 6. There is no answer: `gave-up`. Anything else is `other`.
 */
export function failureOf(input: FailureInput): Failure | undefined {
  const { task, end, error, checks } = input;
  if (end !== "finished" && end !== "budget")
    return { kind: end, evidence: error ?? `the run ended with ${end}` };
  const failed = checks.find(({ isPassed }) => !isPassed);
  if (failed === undefined) return undefined;
  const check = task.checks.find(({ name }) => name === failed.name);
  const steps = check?.type === "answer" ? [check.step] : promptsWithFacts(task);
  for (const step of steps) {
    const kind = kindAt(step, input);
    if (kind !== undefined) return { kind, evidence: failed.evidence, step };
  }
  return { kind: "other", evidence: failed.evidence };
}

/** The prompts that need facts, the last one first. A file or a command does not say which turn made it wrong. */
function promptsWithFacts({ facts }: Task): readonly number[] {
  return [...new Set(facts.flatMap(({ neededAt }) => neededAt))].toSorted((a, b) => b - a);
}

function kindAt(step: number, input: FailureInput): Failure["kind"] | undefined {
  const { task, facts, answers } = input;
  const hasLooked = input.tools.some((tool) => tool.step === step && isLook(tool));
  const answer = answers.get(step) ?? "";
  if (saysUnknown(answer)) return hasLooked ? "could-not-find" : "gave-up";
  const needed = facts.filter((one) => one.step === step && one.seen === "never");
  if (needed.some(({ isStale }) => isStale)) return "stale";
  if (needed.length > 0) return hasLooked ? "could-not-find" : "did-not-look";
  const own = task.facts.filter(({ neededAt }) => neededAt.includes(step));
  if (
    own.length > 0 &&
    task.facts.some((fact) => isOther(fact, own) && hasWhole(answer, fact.value))
  )
    return "wrong-object";
  return answer.trim() === "" ? "gave-up" : undefined;
}

function isOther(fact: Fact, own: readonly Fact[]): boolean {
  return own.every(({ id, value }) => id !== fact.id && value !== fact.value);
}

/** Whether an answer says that the agent does not know. */
function saysUnknown(answer: string): boolean {
  return /\b(?:I (?:do not|don['’]t|cannot|can['’]t|could not|couldn['’]t) (?:know|find|see|recall|remember|determine)|not able to (?:find|determine)|no record of)\b/iu.test(
    answer,
  );
}
