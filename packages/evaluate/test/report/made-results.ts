import { armHash } from "../../src/arms/arm-hash.ts";
import type { Arm } from "../../src/model/arm.ts";
import type { Plan, Results } from "../../src/model/plan.ts";
import type { FailureKind, RunRecord } from "../../src/model/run-record.ts";
import type { TaskFamily } from "../../src/model/task.ts";
import { randomNumbers } from "../../src/statistics/random-numbers.ts";

/** How an arm of made results differs from the others. */
interface MadeArm {
  readonly name: string;
  readonly title?: string;
  /** The factor of the tokens and dollars. */
  readonly cost?: number;
  /** The factor of the chance that a run is solved. */
  readonly solved?: number;
}

interface MadeOptions {
  readonly arms?: readonly MadeArm[];
  readonly tasks?: number;
  readonly seeds?: number;
  /** Of the random numbers. */
  readonly seed?: number;
  readonly isPriced?: boolean;
}

const families: readonly TaskFamily[] = ["coding", "long-episode", "memory", "interference"];

const kinds: readonly FailureKind[] = ["did-not-look", "could-not-find", "stale", "gave-up"];

const usualArms: readonly MadeArm[] = [
  { name: "plain", title: "The host alone." },
  { name: "default", title: "The context manager with its defaults.", cost: 0.6 },
];

/** Results with known differences, made with a seed. */
export function madeResults(options: MadeOptions = {}): Results {
  const { arms = usualArms, tasks = 24, seeds = 2, seed = 1, isPriced = true } = options;
  const plan = madePlan(arms, tasks, seeds);
  const random = randomNumbers(seed);
  const records = plan.tasks.flatMap((task) => {
    const ease = 0.6 + 0.4 * random();
    const size = 20 ** random();
    return plan.seeds.flatMap((taskSeed) =>
      arms.map((arm): RunRecord => {
        const isSolved = random() < ease * (arm.solved ?? 1);
        const calls = Math.ceil(10 * size * (0.7 + 0.6 * random()));
        const tokens = Math.ceil(calls * 9000 * (arm.cost ?? 1));
        const isSeen = random() < (arm.solved ?? 1);
        const kind = kinds[Math.floor(random() * kinds.length)] ?? "other";
        return {
          key: `${arm.name}-${task.name}-${taskSeed}`,
          arm: arm.name,
          armHash: armHash(armOf(arm)),
          task: task.name,
          taskHash: task.hashes[String(taskSeed)] ?? "",
          seed: taskSeed,
          model: plan.model,
          host: plan.host,
          protocol: plan.protocol,
          version: plan.version,
          family: task.family,
          began: "2026-11-30T12:00:00.000Z",
          end: "finished",
          isSolved,
          checks: [{ name: "answer", isPassed: isSolved, evidence: "expected 42, got 17" }],
          ...(!isSolved && { failure: { kind, evidence: "expected 42, got 17", step: 3 } }),
          figures: {
            input: Math.ceil(tokens * 0.1),
            cacheRead: Math.ceil(tokens * 0.8),
            cacheWrite: Math.ceil(tokens * 0.1),
            output: calls * 200,
            ...(isPriced && { dollars: tokens * 0.000_001 }),
            calls,
            turns: Math.ceil(calls / 4),
            seconds: calls * 3,
            peakInput: Math.ceil(40_000 * (arm.cost ?? 1)),
            overWindow: 0,
            rereads: Math.floor(random() * 4),
            reruns: Math.floor(random() * 2),
            contextTools: arm.name === "plain" ? {} : { activate: Math.floor(random() * 5) },
            contextToolsUsed: 0,
          },
          facts: [{ fact: "port", step: 4, seen: isSeen ? "at-once" : "never", isStale: false }],
          faults: [],
        };
      }),
    );
  });
  return { plan, planHash: "0123456789abcdef".repeat(4), records };
}

function madePlan(arms: readonly MadeArm[], tasks: number, seeds: number): Plan {
  const seedList = Array.from({ length: seeds }, (_, index) => index + 1);
  return {
    protocol: 1,
    version: "0.1.0",
    host: "pi 1.5.2",
    model: "made/model-1",
    arms: arms.map(({ name, title = `The arm ${name}.` }): Arm => ({
      name,
      title,
      isManaged: name !== "plain",
      environment: {},
    })),
    tasks: Array.from({ length: tasks }, (_, index) => {
      const family = families[index % families.length] ?? "coding";
      return {
        name: `${family}/task-${index + 1}`,
        family,
        title: `Made task ${index + 1}.`,
        hashes: Object.fromEntries(seedList.map((seed) => [String(seed), `hash ${index} ${seed}`])),
      };
    }),
    seeds: seedList,
    margin: 0.05,
    confidence: 0.95,
  };
}

function armOf({ name, title = `The arm ${name}.` }: MadeArm): Arm {
  return { name, title, isManaged: name !== "plain", environment: {} };
}
