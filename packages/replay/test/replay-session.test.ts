import { openContextSession } from "@self-context-manager/core";
import { openRehearsal } from "@self-context-manager/core/rehearsal";
import { memoryStore } from "@self-context-manager/store-memory";
import * as fc from "fast-check";
import { expect, test } from "vitest";

// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../tools/property-runs.ts";
import { replayReport } from "../src/index.ts";
import type { RecordedMessage } from "../src/read/recorded-session.ts";
import { fullRun, replayDependencies } from "../src/strategies/full-run.ts";
import { defaultParts, strategyNames } from "../src/strategies/strategies.ts";
import {
  madeRows,
  replaySession,
  result,
  says,
  sessionOf,
  user,
  calls,
  words,
} from "./made-sessions.ts";

test("a rehearsal sends the same messages as the session, for any session", async () => {
  await fc.assert(
    fc.asyncProperty(madeRows(40), async (rows) => {
      const dependencies = replayDependencies(memoryStore(), defaultParts());
      const host = { harness: "replay", sessionId: "one" };
      const session = await openContextSession(dependencies, host);
      const sent: unknown[] = [];
      for await (const { view } of fullRun(session, rows, {})) sent.push(view.messages);

      const stored = await openRehearsal(dependencies, host);
      const rehearsal = stored.begin({ ...dependencies, ...defaultParts() });
      const again: unknown[] = [];
      for (let call = 0; call < stored.callCount; call += 1)
        again.push((await rehearsal.view({})).messages);

      expect(again).toEqual(sent);
    }),
    { numRuns: propertyRuns(12) },
  );
});

test("for any session the strategies keep their rules", async () => {
  await fc.assert(
    fc.asyncProperty(madeRows(45), async (rows) => {
      const figures = await replaySession(sessionOf(rows));
      const profile = figures?.profiles["A"];
      if (figures === undefined || profile === undefined) throw new Error("no figures");

      expect(Object.keys(profile)).toEqual([...strategyNames]);
      const plain = profile["append-only"];
      expect([plain.miss.missed, plain.miss.missedPlus, plain.epochs]).toEqual([0, 0, 0]);
      expect([plain.chargedCost, plain.rangedCost]).toEqual([plain.cost, plain.cost]);
      const { bound, masking, epoch } = profile;
      expect([bound.miss.missed, bound.miss.missedPlus]).toEqual([0, 0]);
      expect(bound.cost).toBeLessThanOrEqual(plain.cost + 1e-6);
      expect(masking.tokens).toBeLessThanOrEqual(plain.tokens);
      for (const { cost, chargedCost, rangedCost } of [masking, epoch].filter(
        ({ miss }) => miss.missedPlus === 0,
      ))
        expect([chargedCost, rangedCost]).toEqual([cost, cost]);
      // Without a cache, because with one masking is billed in its favour.
      const { masking: uncached } = figures.profiles["N"] ?? {};
      expect(uncached?.chargedCost).toBeGreaterThanOrEqual(uncached?.cost ?? Infinity);
      expect(figures.times).toHaveLength(figures.calls);
    }),
    { numRuns: propertyRuns(6) },
  );
});

test("masking hides an output after ten more results, and asking for it again costs", async () => {
  const rows = [user("go"), ...reads(14), says(words("r0x", 12))];

  const figures = await replaySession(sessionOf(rows));

  // Without a cache, because with one masking is billed in its favour.
  const { masking, "append-only": plain } = figures?.profiles["N"] ?? {};
  expect(masking?.miss).toMatchObject({ used: 1, missed: 1, grams: 5, missedGrams: 5 });
  expect(plain?.miss).toMatchObject({ used: 1, missed: 0 });
  expect(masking?.chargedCost).toBeGreaterThan(masking?.cost ?? 0);
});

test("lines of a long output cost less than the output", async () => {
  const lines = Array.from({ length: 400 }, (_, line) => words(`l${line}x`, 10)).join("\n");
  const first = [calls("a", "read", { path: "a.ts" }), result("a", "read", lines)];
  const quoted = says(words("l200x", 10));

  const figures = await replaySession(sessionOf([user("go"), ...first, ...reads(14), quoted]));

  const { masking } = figures?.profiles["N"] ?? {};
  expect(masking?.miss).toMatchObject({ used: 1, missed: 1 });
  expect(masking?.rangedCost).toBeGreaterThan(masking?.cost ?? Infinity);
  expect(masking?.rangedCost).toBeLessThan((masking?.chargedCost ?? 0) - 10_000);
});

test("batched masking keeps the prompt for twenty results", async () => {
  const figures = await replaySession(sessionOf([user("go"), ...reads(45), says("done")]));

  expect(figures?.profiles["A"]?.["masking-batched"].epochs).toBe(2);
  expect(figures?.profiles["A"]?.masking.epochs).toBe(35);
});

test("a session with fewer than two calls has no figures", async () => {
  expect(await replaySession(sessionOf([user("go"), says("done")]))).toBeUndefined();
});

test("the segments of a session are added up", async () => {
  const summary = { ...user("what was done"), compaction: true as const };
  const rows = [user("go"), ...reads(3), says("done"), summary, ...reads(4), says("done")];

  const figures = await replaySession(sessionOf(rows));

  expect([figures?.segments, figures?.calls]).toEqual([2, 9]);
  const report = replayReport(figures === undefined ? [] : [figures, figures]);
  expect(report.corpus).toMatchObject({ sessions: 2, segments: 4, calls: 18 });
  expect(report.profiles["A"]?.["append-only"].costRatio).toBe(1);
  expect(report.profiles["A"]?.epoch.worst).toBeUndefined();
});

function reads(count: number) {
  return Array.from({ length: count }, (_, index) => [
    calls(`c${index}`, "read", { path: `f${index}.ts` }),
    result(`c${index}`, "read", words(`r${index}x`, 60)),
  ]).flat();
}

test("a model that writes summaries of finished turns is billed for each, and changes no other figure", async () => {
  const talk = [says(words("talk", 900)), ...reads(3), says("done")];
  const rows = [user("go"), ...talk, user("and now"), says("done")];

  const profile = (await replaySession(sessionOf(rows)))?.profiles["A"];

  const { epoch, "epoch-summaries": summaries } = profile ?? {};
  const talkTokens = 900;
  expect((summaries?.cost ?? 0) - (epoch?.cost ?? 0)).toBeGreaterThan(talkTokens);
  expect([summaries?.miss, summaries?.epochs]).toEqual([epoch?.miss, epoch?.epochs]);
});

test("a turn with little talk is not summarized", async () => {
  const rows = [user("go"), ...reads(3), says("done"), user("and now"), says("done")];

  const profile = (await replaySession(sessionOf(rows)))?.profiles["A"];

  expect(profile?.["epoch-summaries"]?.cost).toBe(profile?.epoch.cost);
});

const minute = 60_000;

/** The same rows, with a pause before the answer to the prompt `after`. */
function timed(rows: readonly RecordedMessage[], after: string): readonly RecordedMessage[] {
  let time = 1_000_000;
  return rows.map((row) => {
    const said = row.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    time += row.role === "user" && said === after ? 10 * minute : 1000;
    return { ...row, timestamp: time };
  });
}

test("a session pays for a pause that is longer than the cache lives, and an epoch ends with it for nothing", async () => {
  const rows = [user("go"), ...reads(30), says("done"), user("and now"), ...reads(8), says("done")];

  const [without, paused] = await Promise.all(
    ["never", "and now"].map(async (after) => await replaySession(sessionOf(timed(rows, after)))),
  );

  const [plain, late] = [without, paused].map((one) => one?.profiles["A"]);
  expect(late?.["append-only"].cost).toBeGreaterThan((plain?.["append-only"].cost ?? 0) + 10_000);
  expect(late?.epoch.epochs).toBe((plain?.epoch.epochs ?? 0) + 1);
  expect(without?.profiles["G"]?.["append-only"].cost).toBe(
    paused?.profiles["G"]?.["append-only"].cost,
  );
});

test("strategies that wait for a cold cache change nothing before the pause, and leave out old outputs after it", async () => {
  const long = (count: number, at: string) =>
    Array.from({ length: count }, (_, index) => [
      calls(`${at}${index}`, "read", { path: `${at}${index}.ts` }),
      result(`${at}${index}`, "read", words(`${at}${index}x`, 2500)),
    ]).flat();
  const rows = [user("go"), ...long(12, "a"), says("done"), user("and now"), says("done")];

  const [without, paused] = await Promise.all(
    ["never", "and now"].map(
      async (after) => (await replaySession(sessionOf(timed(rows, after))))?.profiles["A"],
    ),
  );

  for (const name of ["clear-when-cold", "openclaw-pruning"] as const) {
    expect([name, without?.[name]?.epochs]).toEqual([name, 0]);
    expect([name, paused?.[name]?.epochs]).toEqual([name, 1]);
    expect(paused?.[name]?.tokens).toBeLessThan((paused?.["append-only"].tokens ?? 0) - 10_000);
  }
});

test("the tools and the instruction of the context manager are a part of each of its prompts", async () => {
  const rows = [user("go"), ...reads(2), says("done")];

  const { epoch, "append-only": plain } =
    (await replaySession(sessionOf(rows)))?.profiles["N"] ?? {};

  const own = (epoch?.tokens ?? 0) - (plain?.tokens ?? 0);
  expect(own / 3).toBeGreaterThan(200);
  expect(own / 3).toBeLessThan(1000);
});
