import { canonicalJson, type JsonValue, sha256 } from "@self-context-manager/objects";

import { armHash } from "../arms/arm-hash.ts";
import type { Arm } from "../model/arm.ts";
import { EvaluateError } from "../model/evaluate-error.ts";
import type { Plan, PlannedTask } from "../model/plan.ts";
import type { RunParts } from "../model/run-record.ts";
import type { Task } from "../model/task.ts";
import { taskHash } from "../tasks/task-hash.ts";

/**
 * The version of the protocol: how prompts are sent, what the hosts are given, and what is measured. Results of two
 * versions are not compared.
 */
const protocol = 1;

export interface PlanOptions {
  readonly arms: readonly Arm[];
  readonly tasks: TasksBySeed;
  /** `provider/id`. */
  readonly model: string;
  /** `pi 1.5.2`. */
  readonly host: string;
  /** The version of the context manager. */
  readonly version: string;
  /** Default: 0.05. */
  readonly margin?: number;
}

/** The tasks of each seed. Every seed has the same tasks by name. */
export type TasksBySeed = ReadonlyMap<number, readonly Task[]>;

/** Makes the plan of an evaluation. Throws `EvaluateError` with `EVALUATE_PLAN` if it would compare nothing. */
export function makePlan(options: PlanOptions): Plan {
  const { arms, tasks, model, host, version, margin = 0.05 } = options;
  const names = arms.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new EvaluateError("EVALUATE_PLAN", `the arm ${twice} is named twice; name it once`);
  if (arms.length === 0 || tasks.size === 0 || [...tasks.values()].some((one) => one.length === 0))
    throw new EvaluateError("EVALUATE_PLAN", "a plan needs an arm, a task and a seed");
  if (!(margin > 0 && margin < 1))
    throw new EvaluateError(
      "EVALUATE_PLAN",
      `the margin is ${margin}; it must be a fraction between 0 and 1, such as 0.05 for 5 points`,
    );
  return {
    protocol,
    version,
    host,
    model,
    arms,
    tasks: plannedTasks(tasks),
    seeds: [...tasks.keys()],
    margin,
    confidence: 0.95,
  };
}

function plannedTasks(tasks: TasksBySeed): readonly PlannedTask[] {
  const [first = []] = tasks.values();
  return first.map(({ name, family, title }) => {
    const hashes = [...tasks].map(([seed, all]) => {
      const found = all.filter((task) => task.name === name);
      const [task] = found;
      if (task === undefined || found.length > 1)
        throw new EvaluateError(
          "EVALUATE_PLAN",
          `there are ${found.length} tasks with the name ${name} and seed ${seed}; there must be one`,
        );
      return [String(seed), taskHash(task)] as const;
    });
    return { name, family, title, hashes: Object.fromEntries(hashes) };
  });
}

/** Returns the SHA-256 of a plan, in hex. */
export function planHash(plan: Plan): string {
  return hashOf(plan);
}

/** A run of a plan that is a result once it is done. */
export interface PlannedRun {
  readonly key: string;
  readonly arm: Arm;
  readonly parts: RunParts;
}

/**
 * Returns the runs of a plan in the order in which they are done: the arms of one task and seed follow each other, so
 * that the runs that are compared have the same surroundings, and an interrupted evaluation has whole pairs.
 */
export function plannedRuns(plan: Plan): readonly PlannedRun[] {
  const { seeds, tasks, arms, model, host, protocol: version } = plan;
  return seeds.flatMap((seed) =>
    tasks.flatMap(({ name, hashes }) =>
      arms.map((arm) => {
        const parts: RunParts = {
          arm: arm.name,
          armHash: armHash(arm),
          task: name,
          taskHash: hashes[String(seed)] ?? "",
          seed,
          model,
          host,
          protocol: version,
          version: plan.version,
        };
        return { key: keyOf(parts), arm, parts };
      }),
    ),
  );
}

/** Returns the key of a run: the first 16 hex digits of the SHA-256 of its parts. */
export function keyOf(parts: RunParts): string {
  return hashOf(parts).slice(0, 16);
}

function hashOf(value: object): string {
  const json: JsonValue = JSON.parse(JSON.stringify(value));
  return sha256(canonicalJson(json));
}
