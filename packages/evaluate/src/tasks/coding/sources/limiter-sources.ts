import type { TaskFiles } from "../../../model/task.ts";
import {
  collectionsSource,
  csvSource,
  errorsSource,
  journalSource,
  packageSource,
  runnerSource,
  tableSource,
} from "./plain-sources.ts";

/** A repository that limits the calls of customers. A bucket has no upper limit, which is wrong. */
export function limiterSources(company: string): TaskFiles {
  return {
    "package.json": packageSource(`${company}-limits`, "Limits for the calls of customers."),
    "README.md": `# ${company} limits\n\n\`src/bucket.js\` is one bucket of tokens, \`src/limiter.js\` has one for each customer, and \`src/usage.js\` counts. The plans are in \`docs/plans.md\`. Tests: \`node test/run.js\`.\n`,
    "src/bucket.js": bucketSource,
    "src/collections.js": collectionsSource,
    "src/csv.js": csvSource,
    "src/errors.js": errorsSource,
    "src/journal.js": journalSource,
    "src/limiter.js": limiterSource,
    "src/table.js": tableSource,
    "src/usage.js": usageSource,
    "test/run.js": runnerSource,
    "test/limits.cases.js": casesSource,
  };
}

const bucketSource = String.raw`import { UsageError } from "./errors.js";

/**
 * A bucket of tokens. It begins full, each call takes a token, and the rate is the tokens that come
 * back in a minute. Times are milliseconds, and are given with each call.
 */
export function openBucket({ burst, rate }, now = 0) {
  if (!(burst >= 1) || !(rate > 0)) throw new UsageError("a bucket needs a burst and a rate");
  let tokens = burst;
  let last = now;

  const refill = (time) => {
    const passed = Math.max(0, time - last);
    tokens += (passed * rate) / 60_000;
    last = Math.max(last, time);
  };

  return {
    /** Whether a call is allowed now. It takes a token if it is. */
    take(time) {
      refill(time);
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
    tokens(time) {
      refill(time);
      return tokens;
    },
    /** Milliseconds until the next call is allowed. */
    waitOf(time) {
      refill(time);
      return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * 60_000) / rate);
    },
  };
}
`;

const limiterSource = String.raw`import { openBucket } from "./bucket.js";

/** Limits the calls of many customers. Buckets that were not used for a while are forgotten. */
export function openLimiter({ limitsOf, journal, forgetAfter = 3_600_000 }) {
  const buckets = new Map();

  const bucketOf = (customer, plan, now) => {
    const known = buckets.get(customer);
    if (known !== undefined && known.plan === plan) return known;
    const made = { plan, bucket: openBucket(limitsOf(plan), now), usedAt: now };
    buckets.set(customer, made);
    return made;
  };

  return {
    allows(customer, plan, now) {
      const entry = bucketOf(customer, plan, now);
      entry.usedAt = now;
      const isAllowed = entry.bucket.take(now);
      if (!isAllowed) journal.warning("refused", { customer, wait: entry.bucket.waitOf(now) });
      return isAllowed;
    },
    sweep(now) {
      for (const [customer, entry] of buckets) {
        if (now - entry.usedAt > forgetAfter) buckets.delete(customer);
      }
      return buckets.size;
    },
  };
}
`;

const usageSource = String.raw`import { countBy, sortBy } from "./collections.js";
import { table } from "./table.js";

/** Counts calls by customer, those with the most calls first. */
export function usageOf(calls) {
  const counts = countBy(calls, (call) => call.customer);
  const refused = countBy(
    calls.filter((call) => !call.isAllowed),
    (call) => call.customer,
  );
  const rows = [...counts].map(([customer, count]) => ({
    customer,
    count,
    refused: refused.get(customer) ?? 0,
  }));
  return sortBy(rows, (row) => -row.count, (row) => row.customer);
}

export function formatUsage(calls) {
  const columns = [
    { title: "customer", value: (row) => row.customer },
    { title: "calls", value: (row) => row.count, align: "right" },
    { title: "refused", value: (row) => row.refused, align: "right" },
  ];
  return table(columns, usageOf(calls));
}
`;

const casesSource = String.raw`import assert from "node:assert/strict";
import { openBucket } from "../src/bucket.js";
import { openJournal } from "../src/journal.js";
import { openLimiter } from "../src/limiter.js";
import { usageOf } from "../src/usage.js";

export const cases = {
  "a bucket begins full, and is empty after its burst": () => {
    const bucket = openBucket({ burst: 2, rate: 60 });
    assert.deepEqual([0, 0, 0].map((time) => bucket.take(time)), [true, true, false]);
  },
  "tokens come back": () => {
    const bucket = openBucket({ burst: 1, rate: 60 });
    bucket.take(0);
    assert.equal(bucket.waitOf(400), 600);
    assert.equal(bucket.take(1000), true);
  },
  "customers have buckets of their own": () => {
    const limiter = openLimiter({ limitsOf: () => ({ burst: 1, rate: 1 }), journal: openJournal() });
    const calls = ["a", "b", "a"].map((customer) => limiter.allows(customer, "any", 0));
    assert.deepEqual(calls, [true, true, false]);
  },
  "the usage is counted": () => {
    const calls = ["a", "b", "b"].map((customer) => ({ customer, isAllowed: customer === "a" }));
    assert.deepEqual(usageOf(calls)[0], { customer: "b", count: 2, refused: 2 });
  },
};
`;

export function limiterTests(
  plans: readonly { readonly plan: string; readonly burst: number; readonly rate: number }[],
): string {
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { openBucket } from "../src/bucket.js";
import { limitsOf } from "../src/plans.js";

const plans = ${JSON.stringify(plans)};

test("a bucket never has more than its burst", () => {
  const bucket = openBucket({ burst: 5, rate: 600 });
  bucket.take(0);
  assert.equal(bucket.tokens(50), 4.5);
  assert.equal(bucket.tokens(600_000), 5);
});

test("the limits are those of the page", () => {
  for (const { plan, burst, rate } of plans) assert.deepEqual(limitsOf(plan), { burst, rate });
  assert.deepEqual(limitsOf(undefined), limitsOf(plans[0].plan));
  for (const plan of ["none", "toString"]) assert.throws(() => limitsOf(plan), { name: "NotFoundError" });
});
`;
}
