import type { TaskFiles } from "../../../model/task.ts";
import {
  collectionsSource,
  csvSource,
  errorsSource,
  heapSource,
  journalSource,
  packageSource,
  runnerSource,
  tableSource,
  validateSource,
} from "./plain-sources.ts";

/** A repository that runs jobs at their times, without retries. */
export function schedulerSources(company: string): TaskFiles {
  return {
    "package.json": packageSource(`${company}-jobs`, "Runs jobs at their times."),
    "README.md": `# ${company} jobs\n\n\`src/scheduler.js\` runs the jobs of \`src/store.js\` at their times. The clock is given, so tests need not wait. Plans for retries are in \`docs/retries.md\`. Tests: \`node test/run.js\`.\n`,
    "src/collections.js": collectionsSource,
    "src/csv.js": csvSource,
    "src/errors.js": errorsSource,
    "src/heap.js": heapSource,
    "src/journal.js": journalSource,
    "src/table.js": tableSource,
    "src/validate.js": validateSource,
    "src/backoff.js": "// The delays between two attempts of a job. There are no retries yet.\n",
    "src/clock.js": clockSource,
    "src/store.js": storeSource,
    "src/scheduler.js": schedulerSource,
    "src/summary.js": summarySource,
    "test/run.js": runnerSource,
    "test/scheduler.cases.js": casesSource,
  };
}

const clockSource = String.raw`// A clock that only moves when it is asked to. Times are milliseconds since its start.

export function steppedClock(start = 0) {
  let now = start;
  return {
    now: () => now,
    moveTo(time) {
      if (time < now) throw new RangeError("the clock cannot go back to " + time);
      now = time;
    },
  };
}

export function realClock() {
  const began = Date.now();
  return { now: () => Date.now() - began, moveTo() {} };
}
`;

const storeSource = String.raw`import { ConflictError, NotFoundError } from "./errors.js";
import { optional, requireValid, text, whole } from "./validate.js";

const shape = {
  name: text({ most: 60, pattern: /^[a-z][a-z0-9-]*$/ }),
  at: whole({ least: 0 }),
  run: (value) => (typeof value === "function" ? undefined : "is not a function"),
  group: optional(text({ most: 30 })),
};

const states = ["planned", "running", "waiting", "done", "failed"];

export function openStore() {
  const jobs = new Map();
  const jobOf = (name) => {
    const job = jobs.get(name);
    if (job === undefined) throw new NotFoundError("job", name);
    return job;
  };
  return {
    addJob(job) {
      requireValid(job, shape, "job");
      if (jobs.has(job.name)) throw new ConflictError("the job exists already", job.name);
      jobs.set(job.name, { ...job, state: "planned", attempts: 0 });
    },
    job: (name) => ({ ...jobOf(name) }),
    jobs: () => [...jobs.values()].map((job) => ({ ...job })),
    setState(name, state) {
      if (!states.includes(state)) throw new RangeError("no state " + state);
      jobOf(name).state = state;
    },
    countAttempt(name) {
      const job = jobOf(name);
      job.attempts += 1;
      return job.attempts;
    },
  };
}
`;

const schedulerSource = String.raw`import { describe } from "./errors.js";
import { openHeap } from "./heap.js";

/**
 * Runs the jobs of a store in the order of their times. The clock is moved to the time of each job,
 * so a stepped clock needs no waiting.
 */
export function openScheduler({ store, clock, journal }) {
  const queue = openHeap((one, other) => one.at < other.at);

  const runOne = async ({ name, at }) => {
    clock.moveTo(Math.max(at, clock.now()));
    store.setState(name, "running");
    store.countAttempt(name);
    const job = store.job(name);
    try {
      await job.run({ attempt: job.attempts, now: clock.now() });
      store.setState(job.name, "done");
      journal.info("done", { job: job.name, at: clock.now() });
    } catch (error) {
      store.setState(job.name, "failed");
      journal.error("failed", { job: job.name, at: clock.now(), reason: describe(error) });
    }
  };

  return {
    plan(job) {
      store.addJob(job);
      queue.add({ name: job.name, at: job.at });
    },
    size: () => queue.size(),
    async runUntil(time) {
      while (queue.size() > 0 && queue.peek().at <= time) await runOne(queue.take());
      clock.moveTo(Math.max(time, clock.now()));
    },
    async runAll() {
      while (queue.size() > 0) await runOne(queue.take());
    },
  };
}
`;

const summarySource = String.raw`import { groupBy, partition } from "./collections.js";
import { bullet, section } from "./table.js";

/** Counts the jobs by their end. */
export function summarize(jobs) {
  const [done, failed] = partition(jobs, (job) => job.state === "done");
  return { total: jobs.length, done: done.length, failed: failed.length };
}

export function summarizeGroups(jobs) {
  const groups = groupBy(jobs, (job) => job.group ?? "none");
  return new Map([...groups].map(([group, members]) => [group, summarize(members)]));
}

export function formatSummary(jobs) {
  const lines = [...summarizeGroups(jobs)].map(
    ([group, counts]) => group + ": " + counts.done + " of " + counts.total + " done",
  );
  return section("Jobs", bullet(lines));
}
`;

const casesSource = String.raw`import assert from "node:assert/strict";
import { steppedClock } from "../src/clock.js";
import { openJournal } from "../src/journal.js";
import { openScheduler } from "../src/scheduler.js";
import { openStore } from "../src/store.js";

function open() {
  const [store, clock, journal] = [openStore(), steppedClock(), openJournal()];
  return { store, clock, journal, scheduler: openScheduler({ store, clock, journal }) };
}

export const cases = {
  "jobs run in the order of their times": async () => {
    const { scheduler } = open();
    const ran = [];
    for (const [name, at] of [["b", 20], ["a", 10], ["c", 20]]) {
      scheduler.plan({ name, at, run: () => void ran.push(name) });
    }
    await scheduler.runAll();
    assert.deepEqual(ran, ["a", "b", "c"]);
  },
  "a job runs at its time": async () => {
    const { scheduler, store } = open();
    scheduler.plan({ name: "later", at: 500, run: () => {} });
    await scheduler.runUntil(499);
    assert.equal(store.job("later").state, "planned");
    await scheduler.runUntil(500);
    assert.equal(store.job("later").state, "done");
  },
  "a name is used once": () => {
    const { scheduler } = open();
    scheduler.plan({ name: "one", at: 1, run: () => {} });
    assert.throws(() => scheduler.plan({ name: "one", at: 2, run: () => {} }), /exists already/);
  },
};
`;

export function schedulerTests(values: {
  readonly first: number;
  readonly factor: number;
  readonly longest: number;
  readonly attempts: number;
}): string {
  const delays = Array.from({ length: values.attempts - 1 }, (_, index) =>
    Math.min(values.longest, values.first * values.factor ** index),
  );
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { delayOf } from "../src/backoff.js";
import { steppedClock } from "../src/clock.js";
import { openJournal } from "../src/journal.js";
import { openScheduler } from "../src/scheduler.js";
import { openStore } from "../src/store.js";
import { summarize } from "../src/summary.js";

const delays = ${JSON.stringify(delays)};

test("the delays are those of the note", () => {
  assert.equal(delayOf(1), 0);
  assert.deepEqual(delays.map((_, index) => delayOf(index + 2)), delays);
  assert.equal(delayOf(delays.length + 2), undefined);
});

test("a job is tried until it works", async () => {
  const [store, clock, journal] = [openStore(), steppedClock(), openJournal()];
  const scheduler = openScheduler({ store, clock, journal });
  const times = [];
  const run = ({ attempt, now }) => {
    times.push(now);
    if (attempt < 3) throw new Error("not yet");
  };
  scheduler.plan({ name: "often", at: 100, run });
  await scheduler.runUntil(100);
  assert.equal(store.job("often").state, "waiting");
  assert.deepEqual(summarize(store.jobs()), { total: 1, done: 0, failed: 0, waiting: 1 });
  await scheduler.runAll();
  assert.equal(store.job("often").state, "done");
  assert.deepEqual(times, [100, 100 + delays[0], 100 + delays[0] + delays[1]]);
});

test("a job without an attempt left has failed", async () => {
  const [store, clock, journal] = [openStore(), steppedClock(), openJournal()];
  const scheduler = openScheduler({ store, clock, journal });
  let attempts = 0;
  scheduler.plan({
    name: "never",
    at: 0,
    run: () => {
      attempts += 1;
      throw new Error("no");
    },
  });
  await scheduler.runAll();
  assert.equal(attempts, delays.length + 1);
  assert.equal(store.job("never").state, "failed");
});
`;
}
