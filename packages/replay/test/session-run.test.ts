import { openContextSession } from "@self-context-manager/core";
import { openRehearsal } from "@self-context-manager/core/rehearsal";
import { defined } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import * as fc from "fast-check";
import { expect, test } from "vitest";

// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../tools/property-runs.ts";
import type { CallView, FetchedLines, StrategyRun, Visibility } from "../src/measure/call-view.ts";
import { type Evidence, evidenceOf, missingGrams, type UsedGram } from "../src/measure/evidence.ts";
import { promptTokens } from "../src/measure/call-view.ts";
import { fewestObjects, replaySegment } from "../src/measure/replay-segment.ts";
import { countText, messageOverhead } from "../src/measure/tokens.ts";
import type { RecordedMessage } from "../src/read/recorded-session.ts";
import { fullRun, replayDependencies } from "../src/strategies/full-run.ts";
import { messageCounter } from "../src/strategies/message-counter.ts";
import { sessionRun } from "../src/strategies/session-run.ts";
import { defaultParts, strategies, type StrategyName } from "../src/strategies/strategies.ts";
import { calls, result, says, user, words } from "./made-sessions.ts";

const overhead = 140;

/** The number of the first result: the arguments of its call are the object before it. */
const firstResult = 1;

test("for any session and strategy, what is fetched contains what was missed", async () => {
  await fc.assert(
    fc.asyncProperty(
      quotingRows(),
      fc.constantFrom("lines", "objects-and-talk"),
      async (rows, charge) => {
        const evidence = evidenceOf(rows);
        const run = await runsOf(rows, evidence);
        for (const { name } of strategies) {
          const watched = watching(run(name), evidence, (gram) =>
            charge === "lines" ? gram.isOutput : true,
          );
          await replaySegment(watched.run, callsIn(rows), evidence, { charge });

          expect([name, watched.stillMissing()]).toEqual([name, 0]);
        }
      },
    ),
    { numRuns: propertyRuns(6) },
  );
});

test("fetched lines of an output that was masked are a message, until it is masked again", async () => {
  const rows = [user("go"), ...reads(25), says("done")];
  const run = (await runsOf(rows, evidenceOf(rows)))("masking");
  const text = linesOfWords("r0", 100);
  const [first, second] = [linesIn(text, 11, 20), linesIn(text, 51, 60)];

  for (let call = 0; call < 15; call += 1) await run.view();
  const before = await run.view();
  const shownBefore = before.shown(firstResult);
  const once = await run.activate(firstResult, first);
  const shownOnce = once.shown(firstResult);
  const twice = await run.activate(firstResult, second);
  const shownTwice = twice.shown(firstResult);
  for (let call = 16; call < 25; call += 1) await run.view();
  const last = await run.view();

  expect([shownBefore, shownOnce]).toEqual(["none", [rangeOf(first)]]);
  expect(shownTwice).toEqual([rangeOf(first), rangeOf(second)]);
  expect(promptTokens(once) - promptTokens(before)).toBe(first.tokens + messageOverhead + overhead);
  expect(promptTokens(twice) - promptTokens(once)).toBe(second.tokens + messageOverhead + overhead);
  expect(last.shown(firstResult)).toBe("none");
});

test("in every layout the fetched lines alone are in view, and lines that touch are one range", async () => {
  const rows = [user("go"), ...reads(60), says("done")];
  const begin = await runsOf(rows, evidenceOf(rows));
  const text = linesOfWords("r0", 100);

  for (const name of ["masking", "pooled", "epoch"] as const) {
    const run = begin(name);
    await run.view();
    let { shown } = await run.view();
    for (let call = 2; call < 61 && shown(firstResult) !== "none"; call += 1)
      ({ shown } = await run.view());
    const before = shown(firstResult);
    const once = (await run.activate(firstResult, linesIn(text, 11, 20))).shown(firstResult);
    const twice = (await run.activate(firstResult, linesIn(text, 51, 60))).shown(firstResult);
    const touching = (await run.activate(firstResult, linesIn(text, 15, 30))).shown(firstResult);

    const [first, second] = [rangeOf(linesIn(text, 11, 20)), rangeOf(linesIn(text, 51, 60))];
    expect([name, before, once, twice, touching]).toEqual([
      name,
      "none",
      [first],
      [first, second],
      [rangeOf(linesIn(text, 11, 30)), second],
    ]);
  }
});

test("fetched lines of arguments are in view and count alone", async () => {
  const content = linesOfWords("w", 300);
  const rows = [
    user("go"),
    calls("w", "write", { path: "a.ts", content }),
    result("w", "write", "ok"),
    ...reads(60),
    says("done"),
  ];
  const evidence = evidenceOf(rows);
  const argument = evidence.objects.findIndex(({ kind }) => kind === "arguments");
  const run = (await runsOf(rows, evidence))("epoch");
  const text = evidence.objects[argument]?.text ?? "";
  const lines = linesIn(text, 100, 140);

  let before = await run.view();
  for (let call = 1; call < 61 && before.shown(argument) !== "none"; call += 1)
    before = await run.view();
  const shownBefore = before.shown(argument);
  const after = await run.activate(argument, lines);

  expect(shownBefore).toBe("none");
  expect(after.shown(argument)).toEqual([rangeOf(lines)]);
  expect(promptTokens(after) - promptTokens(before)).toBe(lines.tokens + overhead);
});

/** Starts a run of a strategy over a stored segment. */
async function runsOf(
  rows: readonly RecordedMessage[],
  evidence: Evidence,
): Promise<(name: StrategyName) => StrategyRun> {
  const dependencies = replayDependencies(memoryStore(), defaultParts());
  const host = { harness: "replay", sessionId: "one" };
  const session = await openContextSession(dependencies, host);
  for await (const _ of fullRun(session, rows, {}));
  const stored = await openRehearsal(dependencies, host);
  const source = { stored, evidence, counter: messageCounter(), times: [] };
  return (name) => {
    const strategy = strategies.find((one) => one.name === name);
    if (strategy === undefined) throw new RangeError(`there is no strategy ${name}`);
    const parts = strategy.parts(source, rows);
    const rehearsal = stored.begin({ ...dependencies, ...parts });
    return sessionRun(source, rehearsal, {}, defined({ hooks: parts.hooks }));
  };
}

/** Counts the 8-grams that a run still misses after the last request of a call. */
function watching(
  run: StrategyRun,
  evidence: Evidence,
  isCharged: (gram: UsedGram) => boolean,
): { readonly run: StrategyRun; readonly stillMissing: () => number } {
  let call = -1;
  let open = 0;
  let sum = 0;
  const missing = ({ shown }: CallView) =>
    missingGrams(evidence.uses.get(call) ?? [], shown).filter(isCharged);
  return {
    stillMissing: () => sum,
    run: {
      async view() {
        call += 1;
        const view = await run.view();
        open = fewestObjects(missing(view)).length;
        return view;
      },
      async activate(object, lines) {
        const view = await run.activate(object, lines);
        open -= 1;
        if (open === 0) sum += missing(view).length;
        return view;
      },
    },
  };
}

interface MadeQuote {
  readonly lines: number;
  readonly of: number;
  readonly at: number;
  readonly isWrite: boolean;
}

/** Sessions with results of many lines, of which later messages quote some. */
function quotingRows(): fc.Arbitrary<readonly RecordedMessage[]> {
  const one: fc.Arbitrary<MadeQuote> = fc.record({
    lines: fc.integer({ min: 1, max: 150 }),
    of: fc.nat(40),
    at: fc.nat(4000),
    isWrite: fc.boolean(),
  });
  return fc.array(one, { minLength: 20, maxLength: 40 }).map((made) => {
    const rows: RecordedMessage[] = [user("do the work")];
    const texts: string[] = [];
    for (const [index, { lines, of, at, isWrite }] of made.entries()) {
      const old = (texts[of % Math.max(1, index)] ?? "").split(/\s+/u);
      const quoted = old.slice(at % old.length, (at % old.length) + 20).join(" ");
      const text = linesOfWords(`r${index}`, lines);
      texts.push(text);
      const id = `c${index}`;
      rows.push(
        isWrite
          ? calls(id, "write", { path: `f${index}.ts`, note: quoted, content: text })
          : calls(id, "bash", { command: `cat f${index}.ts`, note: quoted }),
        result(id, isWrite ? "write" : "bash", isWrite ? "ok" : text),
      );
    }
    return [...rows, says("done")];
  });
}

function reads(count: number): readonly RecordedMessage[] {
  return Array.from({ length: count }, (_, index) => [
    calls(`c${index}`, "read", { path: `f${index}.ts` }),
    result(`c${index}`, "read", linesOfWords(`r${index}`, 100)),
  ]).flat();
}

function linesOfWords(name: string, count: number): string {
  return Array.from({ length: count }, (_, line) => words(`${name}l${line}x`, 6)).join("\n");
}

function linesIn(text: string, from: number, to: number): FetchedLines {
  const lines = text.split("\n").map((line) => `${line}\n`);
  const start = lines.slice(0, from - 1).join("").length;
  const end = lines.slice(0, to).join("").length;
  return { from, to, start, end, tokens: countText(text.slice(start, end)) };
}

function rangeOf({ start, end }: FetchedLines): Exclude<Visibility, string>[number] {
  return { start, end };
}

function callsIn(rows: readonly RecordedMessage[]): number {
  return rows.filter(({ role }) => role === "assistant").length;
}
