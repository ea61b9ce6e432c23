import { expect, it } from "vitest";

import { rateLimits } from "../../src/meter/rate-limits.ts";
import { testClock } from "./meter-samples.ts";

const { signal } = new AbortController();

it("sends no more requests than the limit in any minute, in order of arrival", async () => {
  const clock = testClock(0);
  const limits = rateLimits({ requestsPerMinute: 2, clock });
  const sent: [number, number][] = [];

  await Promise.all(
    [0, 1, 2, 3, 4].map(async (request) => {
      await limits.admit(0, signal);
      sent.push([request, clock.now()]);
    }),
  );

  expect(sent).toEqual([
    [0, 0],
    [1, 0],
    [2, 60_000],
    [3, 60_000],
    [4, 120_000],
  ]);
});

it("waits until the tokens of the last minute leave enough for a request", async () => {
  const clock = testClock(0);
  const limits = rateLimits({ tokensPerMinute: 100, clock });

  await limits.admit(60, signal);
  await clock.sleep(20_000, signal);
  await limits.admit(40, signal);
  await limits.admit(60, signal);

  expect(clock.now()).toBe(60_000);
});

it("counts the reported tokens instead of the estimate", async () => {
  const clock = testClock(0);
  const limits = rateLimits({ tokensPerMinute: 100, clock });

  (await limits.admit(100, signal))?.correct(10);
  await limits.admit(90, signal);

  expect(clock.now()).toBe(0);
});

it("sends a request that is larger than the limit alone in its minute", async () => {
  const clock = testClock(0);
  const limits = rateLimits({ tokensPerMinute: 100, clock });

  await limits.admit(1, signal);
  await limits.admit(500, signal);

  expect(clock.now()).toBe(60_000);
});

it("lets all requests wait for a pause of the provider", async () => {
  const clock = testClock(0);
  const limits = rateLimits({ clock });

  limits.pause(5_000);
  limits.pause(1_000);
  await Promise.all([limits.admit(0, signal), limits.admit(0, signal)]);

  expect(clock.sleeps).toEqual([5_000]);
});

it("gives up a request whose signal is aborted, without a place for it", async () => {
  const clock = testClock(0);
  const limits = rateLimits({ requestsPerMinute: 1, clock });

  const given = await limits.admit(0, AbortSignal.abort());
  await limits.admit(0, signal);

  expect([given, clock.now()]).toEqual([undefined, 0]);
});
