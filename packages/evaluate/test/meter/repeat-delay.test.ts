import { expect, it, test } from "vitest";

import { repeatDelay } from "../../src/meter/repeat-delay.ts";

const busy = (headers: Record<string, string> = {}, body = "", status = 429) => ({
  status,
  headers,
  body,
});
const now = Date.parse("2026-01-01T00:00:00Z");

test.each([
  ["in seconds", busy({ "retry-after": "7" }), 7_000],
  ["in milliseconds", busy({ "retry-after-ms": "1500", "retry-after": "2" }), 1_500],
  ["as a date", busy({ "retry-after": "Thu, 01 Jan 2026 00:00:09 GMT" }), 9_000],
  ["as Google does", busy({}, '{"error":{"details":[{"retryDelay":"13.5s"}]}}'), 13_500],
])("waits as long as the provider asks for %s", (_, answer, delay) => {
  expect(repeatDelay(answer, 0, now)).toBe(delay);
});

it("waits twice as long with each attempt, up to a minute", () => {
  const delays = [0, 1, 2, 3, 4, 5].map((attempt) => repeatDelay(busy({}, "", 529), attempt, now));

  expect(delays).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
});

test.each([
  ["of another kind", busy({}, "", 500)],
  ["that lasts longer than clients wait", busy({ "retry-after": "3600" })],
  ["of an account without money", busy({}, '{"error":{"code":"insufficient_quota"}}')],
  ["that the provider says not to repeat", busy({ "x-should-retry": "false" })],
])("does not repeat an error %s", (_, answer) => {
  expect(repeatDelay(answer, 0, now)).toBeUndefined();
});
