// Runs each test without mutants first, to see which it reaches, and then once with each of these that is not found yet.
// A test that fails then has found the mutant. All happens in one process for each file of tests.
import { configureGlobal, readConfigureGlobal } from "fast-check";
import { type RunnerTestCase, type SerializedConfig, TestRunner } from "vitest";

import { foundIn, mutantLog } from "./mutant-log.ts";

/** What the compiled mutants call. */
interface MutantGlobals {
  isMutant: (id: number) => boolean;
  onTurn: () => void;
}

/** What a test did with a mutant, or without any. */
type Outcome = "passed" | "failure" | "time";

/** Tests that need more processor time try only what the others do not find. */
const slowMilliseconds = 50;

/** A mutant is tried by this many slow tests. More of them hardly find anything, and would take most of the time. */
const mostSlowTries = 12;

/** A test with a mutant may take this long, and this many times as long as without one. It can be a busy machine. */
const patience = { milliseconds: 10_000, times: 20 };

// The tests can replace both.
const now = performance.now.bind(performance);
const startTimer = setTimeout;

class OutOfTime extends Error {}

let active: number | undefined;
let reached = new Set<number>();
let deadline = 0;

const globals: MutantGlobals = {
  isMutant(id) {
    if (active === undefined) reached.add(id);
    return id === active;
  },
  onTurn() {
    if (active !== undefined && now() > deadline) throw new OutOfTime();
  },
};
Object.assign(globalThis, globals);
// A test that measures its time would fail on a busy machine.
performance.now = () => 0;

const log = mutantLog(process.env["SCM_MUTANTS"] ?? "");
const isSlowRun = process.env["SCM_MUTANTS_SLOW"] === "1";

export default class MutantRunner extends TestRunner {
  readonly #found: Set<number>;
  readonly #done: Set<string>;
  readonly #slow: Set<string>;
  readonly #slowTries = new Map<number, number>();
  #isSpoilt = false;
  #hasTried = false;

  constructor(config: SerializedConfig) {
    super(config);
    const lines = log.read();
    const namesOf = (type: "done" | "slow"): Set<string> =>
      new Set(lines.flatMap((line) => (line.type === type ? [`${line.file}\0${line.test}`] : [])));
    this.#found = new Set(foundIn(lines).keys());
    this.#done = namesOf("done");
    this.#slow = namesOf("slow");
    for (const line of lines)
      if (line.type === "try" && this.#slow.has(`${line.file}\0${line.test}`)) this.#count(line.id);
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const place = { file: test.file.filepath, test: test.fullName };
    const key = `${place.file}\0${place.test}`;
    if (this.#isSpoilt || this.#done.has(key) || this.#slow.has(key) !== isSlowRun) return;
    // Only whether a property holds is of interest, not its smallest counterexample.
    configureGlobal({ ...readConfigureGlobal(), endOnFailure: true });
    reached = new Set();
    const started = now();
    const usage = process.cpuUsage();
    if ((await attempt(test)) !== "passed") {
      this.#isSpoilt = this.#hasTried;
      log.write({ type: this.#hasTried ? "spoilt" : "unsound", ...place });
      return;
    }
    const took = now() - started;
    const { user, system } = process.cpuUsage(usage);
    if ((user + system) / 1000 > slowMilliseconds && !isSlowRun) {
      log.write({ type: "slow", ...place });
      return;
    }
    for (const id of reached) {
      if (this.#found.has(id) || (this.#slowTries.get(id) ?? 0) >= mostSlowTries) continue;
      if (isSlowRun) this.#count(id);
      this.#hasTried = true;
      log.write({ type: "try", id, ...place });
      const outcome = await attempt(test, id, patience.milliseconds + patience.times * took);
      if (outcome === "passed") {
        log.write({ type: "survived", id, ...place });
        continue;
      }
      this.#found.add(id);
      log.write({ type: "found", id, by: outcome, ...place });
      if (outcome === "time" || (await attempt(test)) !== "passed") {
        this.#isSpoilt = true;
        log.write({ type: "spoilt", ...place });
        return;
      }
    }
    log.write({ type: "done", ...place });
  }

  #count(id: number): void {
    this.#slowTries.set(id, (this.#slowTries.get(id) ?? 0) + 1);
  }
}

async function attempt(
  test: RunnerTestCase,
  id?: number,
  milliseconds = 600_000,
): Promise<Outcome> {
  active = id;
  deadline = now() + milliseconds;
  const end = Promise.withResolvers<Outcome>();
  const timer = startTimer(() => end.resolve("time"), milliseconds);
  const outcome = await Promise.race([outcomeOf(test), end.promise]);
  clearTimeout(timer);
  active = undefined;
  return outcome;
}

async function outcomeOf(test: RunnerTestCase): Promise<Outcome> {
  try {
    await TestRunner.getTestFn(test)();
    return "passed";
  } catch {
    return now() > deadline ? "time" : "failure";
  }
}
