import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { openMeter } from "../../src/meter/meter.ts";
import type { Spending } from "../../src/meter/spending.ts";
import { accessTo, ask, question } from "./meter-samples.ts";
import { completion, openPricingServer, sendJson } from "./pricing-server.ts";

/** Words by which Pi recognises errors that pass. It repeats requests that end with them. */
const passing =
  /overloaded|rate.?limit|too many requests|429|500|502|503|504|520|524|unavailable|server.?error|internal.?error|returned.?error|network|connection|websocket|fetch failed|upstream|reset|hang up|ended without|timed? out|timeout|terminated|retry|try your/iu;

describe("a budget", () => {
  it("needs the prices of the model", async () => {
    await using meter = await openMeter({ budget: 1 });
    const { prices: _, ...access } = accessTo("http://127.0.0.1:1");

    expect(() => meter.openRun({ access })).toThrow(
      expect.objectContaining({
        code: "EVALUATE_MODEL",
        message: expect.stringContaining("prices"),
      }),
    );
  });

  it("that is spent stops every run with 402, in words that hosts do not take for an error that passes", async () => {
    await using provider = await openPricingServer((out) => sendJson(out, completion(5, 0)));
    await using meter = await openMeter({ budget: 10 });
    await using one = meter.openRun({ access: accessTo(provider.url) });
    await using other = meter.openRun({ access: accessTo(provider.url) });

    const statuses: number[] = [];
    for (const { access } of [one, other, one, other])
      statuses.push((await ask(access, question("Go"))).status);
    const refused = await ask(one.access, question("Go"));
    const message = await refused.text();

    expect(statuses).toEqual([200, 200, 402, 402]);
    expect([meter.spent, meter.isBudgetSpent]).toEqual([10, true]);
    expect([one.stopped, other.stopped]).toEqual(["budget", "budget"]);
    expect([one.refused, other.refused]).toEqual([2, 1]);
    expect(message).toMatch(/out of budget/u);
    expect(message).not.toMatch(passing);
  });

  it("counts a call without reported usage by the most that it can have cost, and marks it", async () => {
    const { usage: _, ...withoutUsage } = completion(1, 1) as Record<string, unknown>;
    await using provider = await openPricingServer((out) => sendJson(out, withoutUsage));
    await using meter = await openMeter({ budget: 1_000_000 });
    await using run = meter.openRun({ access: accessTo(provider.url) });
    const body = JSON.stringify(question("Go", { max_tokens: 7 }));

    await ask(run.access, body);

    expect(run.calls).toMatchObject([{ dollars: body.length + 1_000 + 7, isBound: true }]);
    expect(meter.spent).toBe(body.length + 1_000 + 7);
  });

  it("counts an answer that breaks off by the most that it can have cost", async () => {
    const usage = { input_tokens: 5, output_tokens: 1 };
    const start = `data: ${JSON.stringify({ type: "message_start", message: { usage } })}\n\n`;
    await using provider = await openPricingServer((out) => {
      out.writeHead(200, { "content-type": "text/event-stream" });
      out.write(start, () => out.destroy());
    });
    await using meter = await openMeter({ budget: 1_000_000 });
    await using run = meter.openRun({ access: accessTo(provider.url) });

    const response = await ask(run.access, question("Go"), { path: "/messages" });
    await response.text().catch(() => undefined);

    expect(run.calls).toMatchObject([
      { isBound: true, isIncomplete: true, usage: { input: 5, output: 1 } },
    ]);
    expect(meter.spent).toBeGreaterThan(1_000);
  });

  it("is reported for each call before it is sent and after its end", async () => {
    const spent: Spending[] = [];
    await using provider = await openPricingServer((out, _, index) => {
      spent.push({ call: "sent", bound: index });
      sendJson(out, completion(5, 1));
    });
    await using meter = await openMeter({ spend: (spending) => spent.push(spending) });
    await using run = meter.openRun({ access: accessTo(provider.url) });
    const body = JSON.stringify(question("Go"));

    await ask(run.access, body);

    const call = expect.stringMatching(/^run-\w+\/1$/u);
    expect(spent).toEqual([
      { call, bound: body.length + 1_000 + 10 },
      { call: "sent", bound: 0 },
      { call, dollars: 6 },
    ]);
    expect(spent[2]?.call).toBe(spent[0]?.call);
  });

  it("refuses requests whose price is unknown: of other models, and of other kinds", async () => {
    await using provider = await openPricingServer((out) => sendJson(out, completion(1, 1)));
    await using meter = await openMeter({ budget: 1_000_000 });
    await using run = meter.openRun({ access: accessTo(provider.url) });

    const responses = await Promise.all([
      ask(run.access, question("Go", { model: "model-2" })),
      ask(run.access, {}, { path: "/models/model-2:generateContent" }),
      ask(run.access, {}, { path: "/embeddings" }),
    ]);

    expect(responses.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(provider.requests).toEqual([]);
  });

  it("is exceeded by at most one call, with parallel runs on a slow provider, also after a resume", async () => {
    const bodyBytes = JSON.stringify(question("Go")).length;
    const most = bodyBytes + 1_000 + 10;
    const answer = fc.record({ cost: fc.integer({ min: 0, max: most }), turns: fc.nat(3) });
    let answers: readonly { readonly cost: number; readonly turns: number }[] = [];
    let next = 0;
    let paid = 0;
    let dearest = 0;
    await using provider = await openPricingServer(async (out) => {
      const { cost, turns } = answers[next++ % answers.length] ?? { cost: 0, turns: 0 };
      for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
      paid += cost;
      dearest = Math.max(dearest, cost);
      sendJson(out, completion(cost, 0));
    });

    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 * most }),
        fc.array(answer, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 4 }),
        async (budget, given, parallel) => {
          [answers, next, paid, dearest] = [given, 0, 0, 0];
          let spent = 0;
          for (const calls of [2, 5]) {
            await using meter = await openMeter({ budget, spent });
            const runs = Array.from({ length: parallel }, () =>
              meter.openRun({ access: accessTo(provider.url) }),
            );
            await Promise.all(
              runs.map(async ({ access }) => {
                for (let call = 0; call < calls; call += 1)
                  await (await ask(access, question("Go"))).text();
              }),
            );
            spent = meter.spent;
            const ofCalls = runs.flatMap((run) => run.calls.map(({ dollars = 0 }) => dollars));
            expect(ofCalls.length).toBeLessThanOrEqual(parallel * calls);
          }

          expect(spent).toBe(paid);
          expect(spent).toBeLessThanOrEqual(budget + dearest);
        },
      ),
      { numRuns: 25 },
    );
  });
});
