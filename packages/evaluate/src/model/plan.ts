import type { Arm } from "./arm.ts";
import type { RunRecord } from "./run-record.ts";
import type { TaskFamily } from "./task.ts";

/** What an evaluation compares, written before the first run. Its hash identifies it in the report. */
export interface Plan {
  readonly protocol: number;
  /** The version of the context manager; for a checkout with the hash of its sources. */
  readonly version: string;
  /** `pi 1.5.2`. */
  readonly host: string;
  /** `provider/id`. */
  readonly model: string;
  /** The first arm is the baseline: every other arm is compared with it. */
  readonly arms: readonly Arm[];
  readonly tasks: readonly PlannedTask[];
  readonly seeds: readonly number[];
  /** How much smaller the share of solved tasks may be, as a fraction: 0.05 is 5 points. */
  readonly margin: number;
  /** The level of all intervals: 0.95. */
  readonly confidence: number;
}

export interface PlannedTask {
  readonly name: string;
  readonly family: TaskFamily;
  readonly title: string;
  /** The SHA-256 of the task by seed, in hex. */
  readonly hashes: Readonly<Record<string, string>>;
}

/** A plan with the runs that exist. */
export interface Results {
  readonly plan: Plan;
  /** The SHA-256 of the plan as canonical JSON, in hex. */
  readonly planHash: string;
  /** Whether the plan was written with `--preregister` before any run, and when. */
  readonly preregistered?: string;
  readonly records: readonly RunRecord[];
}
