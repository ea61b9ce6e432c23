import { expect, test } from "vitest";

import { callPatience } from "../src/call-patience.ts";

test("all calls together wait less than two seconds, and later ones not until the store has written", () => {
  let now = 50;
  const patience = callPatience(() => now);

  const atFirst = patience.left();
  patience.blocked();
  now += 1_000;
  patience.blocked();
  const halfway = patience.left();
  now += 100_000;
  const later = patience.left();
  patience.worked();

  expect([atFirst, halfway, later, patience.left()]).toEqual([1_600, 600, 0, 1_600]);
});
