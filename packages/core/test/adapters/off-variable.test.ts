import { expect, test } from "vitest";

import { switchesOff } from "../../src/adapters/off-variable.ts";

test.each([undefined, "", "0", "false", "No", "OFF"])("%j leaves managed context on", (value) => {
  expect(switchesOff(value)).toBe(false);
});

test.each(["1", "true", "yes", "on"])("%j switches managed context off", (value) => {
  expect(switchesOff(value)).toBe(true);
});
