import type { Task } from "../../model/task.ts";
import { seeded } from "../seeded.ts";
import { answer, edit, read, run, taskDraft, write } from "../task-draft.ts";
import { hiddenTests } from "./hidden-tests.ts";
import { reportTurns } from "./report-turns.ts";
import { limiterSources, limiterTests } from "./sources/limiter-sources.ts";

/** A feature by a table that another program changes after the agent has read it. */
export function planLimits(seed: number): Task {
  const name = "coding/plan-limits";
  const choices = seeded(seed, name);
  const draft = taskDraft({
    name,
    family: "coding",
    seed,
    title: "Write the limits of customers' plans from a page that others changed meanwhile",
  });
  const company = choices.word();
  const plans = Array.from({ length: 4 }, (_, index) => ({
    plan: choices.word(),
    burst: choices.integer(20, 60) + index * 61,
    rate: choices.integer(11, 29) + index * 30,
  }));
  const changed = choices.shuffle([0, 1, 2, 3]).slice(0, 2);
  const later = plans.map((plan, index) =>
    changed.includes(index)
      ? {
          ...plan,
          burst: plan.burst + choices.integer(2, 19),
          rate: plan.rate + choices.integer(1, 9),
        }
      : plan,
  );
  const page = (rows: typeof plans): string =>
    `# Plans of ${company}\n\nThe limits count calls of one customer. The burst is the most calls at once, and the rate is the calls of one minute after that. Sales keeps this page.\n\n| plan | burst | rate |\n| --- | --- | --- |\n${rows.map(({ plan, burst, rate }) => `| ${plan} | ${String(burst)} | ${String(rate)} |\n`).join("")}\nA customer without a plan has the first plan of this table.\n`;
  for (const [path, text] of Object.entries(limiterSources(company))) draft.file(path, text);
  draft.file("docs/plans.md", page(plans));
  const recover = [read("docs/plans.md")];
  const source = "docs/plans.md";
  const facts = later.map(({ plan, burst, rate }) => ({
    plan,
    burst: draft.fact({
      id: `burst-${plan}`,
      pattern: String.raw`\| ${plan} \| (\d+) \|`,
      value: String(burst),
      source,
      recover,
    }),
    rate: draft.fact({
      id: `rate-${plan}`,
      pattern: String.raw`\| ${plan} \| \d+ \| (\d+) \|`,
      value: String(rate),
      source,
      recover,
    }),
  }));
  const report = reportTurns(draft, choices);

  draft.prompt(
    "Read `docs/plans.md` and `src/bucket.js`. Which plan do customers without a plan have?",
    read("docs/plans.md"),
    read("src/bucket.js"),
    answer(`They have the plan ${plans[0]?.plan ?? ""}.`),
  );
  report(0);
  draft.prompt(
    "A bucket can have more tokens than its burst after a long pause. Correct `src/bucket.js`.",
    edit("src/bucket.js", oldRefill, newRefill),
    run("node test/run.js"),
    answer("The tokens stop at the burst."),
  );
  draft.change({ "docs/plans.md": page(later) });
  report(1);
  report(2);
  draft.prompt(
    "Sales has worked on `docs/plans.md` in the last hour. Write `src/plans.js` by the page as it is now: `limitsOf(plan)` returns `{ burst, rate }` with the numbers of the page, the plan of customers without one for `undefined`, and throws a `NotFoundError` for a plan that does not exist.",
    read("docs/plans.md"),
    write(
      "src/plans.js",
      plansSource
        .replace(
          "PLANS",
          facts
            .map(({ plan, burst, rate }) => `  ${plan}: { burst: ${burst}, rate: ${rate} },`)
            .join("\n"),
        )
        .replace("FIRST", plans[0]?.plan ?? ""),
    ),
    run("node test/run.js"),
    answer("`limitsOf` has the limits of the page."),
  );
  report(3);
  const asked = facts[changed[0] ?? 0];
  const step = draft.prompt(
    `How many calls at once does a customer with the plan ${asked?.plan ?? ""} have? Only the number.`,
    answer(asked?.burst ?? ""),
  );

  hiddenTests(draft, "limits", limiterTests(later));
  draft.answers(step, "the burst of a plan", [String(later[changed[0] ?? 0]?.burst)]);
  return draft.task();
}

const oldRefill = `    tokens += (passed * rate) / 60_000;
`;

const newRefill = `    tokens = Math.min(burst, tokens + (passed * rate) / 60_000);
`;

const plansSource = `import { NotFoundError } from "./errors.js";

// The table of docs/plans.md.
const limits = {
PLANS
};

/** The limits of a plan, or of the plan that customers without one have. */
export function limitsOf(plan = "FIRST") {
  if (!Object.hasOwn(limits, plan)) throw new NotFoundError("plan", plan);
  return limits[plan];
}
`;
