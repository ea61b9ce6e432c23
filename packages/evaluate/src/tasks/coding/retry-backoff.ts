import type { Task } from "../../model/task.ts";
import { seeded } from "../seeded.ts";
import { answer, edit, read, run, taskDraft, write } from "../task-draft.ts";
import { designNote } from "./design-note.ts";
import { hiddenTests } from "./hidden-tests.ts";
import { reportTurns } from "./report-turns.ts";
import { schedulerSources, schedulerTests } from "./sources/scheduler-sources.ts";

/** A feature: failed jobs are tried again by the constants of a design note that was read an hour ago. */
export function retryBackoff(seed: number): Task {
  const name = "coding/retry-backoff";
  const choices = seeded(seed, name);
  const draft = taskDraft({
    name,
    family: "coding",
    seed,
    title: "Add retries to a scheduler by the constants of a note that was read seven turns before",
  });
  const values = {
    first: choices.integer(131, 389),
    factor: choices.integer(3, 5),
    longest: choices.integer(6100, 9800),
    attempts: choices.integer(6, 9),
  };
  for (const [path, text] of Object.entries(schedulerSources(choices.word())))
    draft.file(path, text);
  draft.file(
    "docs/retries.md",
    designNote(choices, "Retries of jobs", {
      title: "Delays",
      lines: [
        `- The first retry of a job is ${String(values.first)} ms after its failure.`,
        `- The delay of each further retry is ${String(values.factor)} times the delay before it.`,
        `- No delay is longer than ${String(values.longest)} ms.`,
        `- After ${String(values.attempts)} attempts in total the job has failed for good, and it is not tried again.`,
      ],
    }),
  );
  const recover = [read("docs/retries.md")];
  const fact = (id: keyof typeof values, pattern: string): string =>
    draft.fact({ id, pattern, value: String(values[id]), source: "docs/retries.md", recover });
  const first = fact("first", String.raw`first retry of a job is (\d+) ms`);
  const factor = fact("factor", String.raw`further retry is (\d+) times`);
  const longest = fact("longest", String.raw`No delay is longer than (\d+) ms`);
  const attempts = fact("attempts", String.raw`After (\d+) attempts in total`);
  const report = reportTurns(draft, choices);

  draft.prompt(
    "Please read `docs/retries.md` and `src/scheduler.js`. We add the retries at the end of the day; until then there is other work. Say “ready” when you have read both.",
    read("docs/retries.md"),
    read("src/scheduler.js"),
    answer("Ready."),
  );
  report(0);
  draft.prompt(
    "`summarize` in `src/summary.js` counts a job that is waiting as failed. Correct it: waiting jobs have a count of their own, `waiting`.",
    read("src/summary.js"),
    edit("src/summary.js", oldCounts, newCounts),
    run("node test/run.js"),
    answer("Waiting jobs have a count of their own."),
  );
  report(1);
  report(2);
  draft.prompt(
    "Which error does `addJob` of `src/store.js` throw for a name that exists already? Answer with its class name.",
    read("src/store.js"),
    answer("It throws a ConflictError."),
  );
  report(3);
  draft.prompt(
    "Now the retries, by the note about retries that you read at the beginning. Write `delayOf(attempt)` in `src/backoff.js`: the milliseconds to wait before this attempt (the first attempt is 1 and has a delay of 0, attempt 2 is the first retry), and `undefined` if there is no such attempt. In `src/scheduler.js`, a job that fails gets the state `waiting`, and runs again when its delay is over; when no attempt is left, its state is `failed` as today.",
    write(
      "src/backoff.js",
      backoff
        .replace("FIRST", first)
        .replace("FACTOR", factor)
        .replace("LONGEST", longest)
        .replace("ATTEMPTS", attempts),
    ),
    edit(
      "src/scheduler.js",
      'import { openHeap } from "./heap.js";\n',
      'import { delayOf } from "./backoff.js";\nimport { openHeap } from "./heap.js";\n',
    ),
    edit("src/scheduler.js", oldFailure, newFailure),
    run("node test/run.js"),
    answer("Failed jobs wait and are tried again."),
  );

  hiddenTests(draft, "retries", schedulerTests(values));
  return draft.task();
}

const oldCounts = `  const [done, failed] = partition(jobs, (job) => job.state === "done");
  return { total: jobs.length, done: done.length, failed: failed.length };
`;

const newCounts = `  const count = (state) => jobs.filter((job) => job.state === state).length;
  return { total: jobs.length, done: count("done"), failed: count("failed"), waiting: count("waiting") };
`;

const backoff = `// The delays of docs/retries.md.

const first = FIRST;
const factor = FACTOR;
const longest = LONGEST;
const attempts = ATTEMPTS;

export function delayOf(attempt) {
  if (attempt > attempts) return undefined;
  return attempt <= 1 ? 0 : Math.min(longest, first * factor ** (attempt - 2));
}
`;

const oldFailure = `      store.setState(job.name, "failed");
`;

const newFailure = `      const delay = delayOf(job.attempts + 1);
      store.setState(job.name, delay === undefined ? "failed" : "waiting");
      if (delay !== undefined) queue.add({ name: job.name, at: clock.now() + delay });
`;
