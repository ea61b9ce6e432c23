import { expect, test } from "vitest";

import { usualOperation } from "../../src/index.ts";

test.each([
  ["find_objects", "find_objects"],
  ["context_find_objects", "find_objects"],
  ["context_", undefined],
  ["write", undefined],
])("a tool with the name %s does %s", (name, operation) => {
  expect(usualOperation(name)).toBe(operation);
});
