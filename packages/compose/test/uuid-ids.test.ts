import { expect, test } from "vitest";

import { uuidIds } from "../src/uuid-ids.ts";

test("ids are UUIDv7 with the clock's time", () => {
  const ids = uuidIds({ now: () => 0x0123456789ab });

  expect(ids.next()).toMatch(/^01234567-89ab-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u);
});

test("each id is greater than the one before, even while the clock stops or is set back an hour", () => {
  let now = 1_700_000_000_000;
  const ids = uuidIds({ now: () => now });

  const made = Array.from({ length: 2000 }, (_, index) => {
    if (index === 1000) now -= 3_600_000;
    return ids.next();
  });

  expect(made).toEqual([...made].sort());
  expect(new Set(made).size).toBe(2000);
});
