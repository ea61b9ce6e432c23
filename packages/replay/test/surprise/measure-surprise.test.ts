import * as fc from "fast-check";
import { expect, test } from "vitest";

// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../../tools/property-runs.ts";
import type { RecordedMessage } from "../../src/read/recorded-session.ts";
import { measureCalls } from "../../src/surprise/measure-surprise.ts";
import { openResults } from "../../src/surprise/result-file.ts";
import { promptText, sessionCalls, type SurpriseCall } from "../../src/surprise/session-calls.ts";
import { surpriseViews } from "../../src/surprise/surprise-views.ts";
import { calls, madeRows, result, says, sessionOf, user, words } from "../made-sessions.ts";
import { countedLikelihood, countingModel } from "./made-models.ts";

const everything = { least: 0, most: 1_000_000 };

test("an answer that quotes an output is more surprising under a view without the output", async () => {
  const found = await callsOf(readsThenQuote(12, "r0x"));
  const { calls: measured } = await measureCalls(
    countingModel(),
    found,
    await openResults(undefined),
    { calls: 100 },
  );

  const last = measured.at(-1);
  expect(last?.views.get("masking")).toMatchObject({ quoting: "gone-sharp" });
  expect(last?.views.get("masking")?.left).toBeGreaterThan(0);
  expect(last?.views.get("masking")?.difference).toBeGreaterThan(0.1);
});

test("an answer that quotes what both views show is not more surprising without other outputs", async () => {
  const found = await callsOf(readsThenQuote(12, "r11x"));
  const { calls: measured } = await measureCalls(
    countingModel(),
    found,
    await openResults(undefined),
    { calls: 100 },
  );

  const last = measured.at(-1);
  expect(last?.views.get("masking")).toMatchObject({ quoting: "in-view" });
  // Fewer words in the prompt give each word that is left a larger share.
  expect(last?.views.get("masking")?.difference).toBeLessThan(0);
});

test("the difference is that of the two likelihoods per token, by hand", async () => {
  const found = await callsOf(readsThenQuote(12, "r0x"));
  const one = found.at(-1);
  const view = one?.views.get("masking");
  if (one === undefined || view === undefined) throw new Error("there is no call");

  const { calls: measured } = await measureCalls(
    countingModel(),
    [one],
    await openResults(undefined),
    { calls: 1 },
  );

  const plain = countedLikelihood(promptText(one.plain), one.answer);
  const other = countedLikelihood(promptText(view), one.answer);
  expect(measured[0]?.surprise).toBeCloseTo(-plain.nats / plain.tokens, 12);
  expect(measured[0]?.views.get("masking")?.difference).toBeCloseTo(
    (plain.nats - other.nats) / plain.tokens,
    12,
  );
});

test("equal views have a difference of exactly 0 and are evaluated once", async () => {
  const found = await callsOf(readsThenQuote(12, "r0x"));
  const one = found.at(-1);
  if (one === undefined) throw new Error("there is no call");
  const views = new Map([
    ["masking" as const, one.plain],
    ["pooled" as const, one.plain],
  ]);
  const model = countingModel();

  const { calls: measured } = await measureCalls(
    model,
    [{ ...one, views }],
    await openResults(undefined),
    { calls: 1 },
  );

  expect(measured[0]?.views.get("masking")?.difference).toBe(0);
  expect(measured[0]?.views.get("pooled")?.difference).toBe(0);
  expect(model.prompts).toHaveLength(1);
});

test("a call whose prompt is longer than the model's window is counted and not cut", async () => {
  const found = await callsOf(readsThenQuote(12, "r0x"));
  const longest = found.at(-1);
  if (longest === undefined) throw new Error("there is no call");
  const model = countingModel({ window: 500 });

  const { calls: measured, tooLong } = await measureCalls(
    model,
    [longest],
    await openResults(undefined),
    { calls: 1 },
  );

  expect([measured, tooLong, model.prompts]).toEqual([[], 1, []]);
});

test("a run that is ended returns the calls that are complete", async () => {
  const found = await callsOf(readsThenQuote(14, "r0x"));
  const ending = new AbortController();

  const { calls: measured } = await measureCalls(
    countingModel(),
    found,
    await openResults(undefined),
    {
      calls: 100,
      signal: ending.signal,
      onProgress: ({ done }) => {
        if (done === 2) ending.abort();
      },
    },
  );

  expect(found.length).toBeGreaterThan(2);
  expect(measured).toHaveLength(2);
});

test("calls with a plain view above the limit are counted and not replayed", async () => {
  const rows = readsThenQuote(12, "r0x");
  const all = await sessionCalls(sessionOf(rows), { views: ["masking"], ...everything });
  const limit = all.calls[0]?.plainTokens ?? 0;

  const some = await sessionCalls(sessionOf(rows), { views: ["masking"], least: 0, most: limit });

  expect(all.tooLong).toBe(0);
  expect(some.calls.map(({ call }) => call)).toEqual([all.calls[0]?.call]);
  expect(some.tooLong).toBe(all.calls.length - 1);
});

test("the views of a call do not depend on the rows after it", async () => {
  const rows = readsThenQuote(12, "r0x");
  const all = await sessionCalls(sessionOf(rows), { views: surpriseViews, ...everything });
  const first = all.calls[0];
  const limit = first?.plainTokens ?? 0;

  const some = await sessionCalls(sessionOf(rows), { views: surpriseViews, least: 0, most: limit });

  expect(some.calls[0]).toEqual(first);
});

test("for any session every view has a text, and the plain view lacks nothing", async () => {
  await fc.assert(
    fc.asyncProperty(madeRows(24), async (rows) => {
      const found = await sessionCalls(sessionOf(rows), { views: surpriseViews, ...everything });

      for (const { plain, views, answer } of found.calls) {
        expect([...views.keys()]).toEqual(surpriseViews);
        expect(["in-view", "nothing"]).toContain(plain.quoting);
        expect(plain.left).toBe(0);
        expect(answer).not.toBe("");
      }
    }),
    { numRuns: propertyRuns(5) },
  );
});

async function callsOf(rows: readonly RecordedMessage[]): Promise<readonly SurpriseCall[]> {
  return (await sessionCalls(sessionOf(rows), { views: ["masking"], ...everything })).calls;
}

/** So many outputs, and an answer with words of one of them. */
function readsThenQuote(count: number, quoted: string): readonly RecordedMessage[] {
  const reads = Array.from({ length: count }, (_, index) => [
    calls(`c${index}`, "read", { path: `dir/f${index}.ts` }),
    result(`c${index}`, "read", words(`r${index}x`, 60)),
  ]);
  return [user("go"), ...reads.flat(), says(words(quoted, 30))];
}
