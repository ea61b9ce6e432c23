import { type WatcherLaw, watcherLaws } from "@self-context-manager/store-contract";
import { AssertionError } from "node:assert/strict";
import { describe, expect, it } from "vitest";

import { watcherFaults } from "../src/watcher/faults.ts";

/** How long a scenario waits for a report that a faulty watcher never sends, in milliseconds. */
const deadline = 800;

const laws = Object.keys(watcherLaws) as WatcherLaw[];

it("has a fault for every law of Watcher", () => {
  expect(Object.keys(watcherFaults).toSorted()).toEqual(laws.toSorted());
  for (const faults of Object.values(watcherFaults)) expect(Object.keys(faults)).not.toEqual([]);
});

async function failureOf(scenario: Promise<void>): Promise<unknown> {
  return await scenario.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe.each(laws)("%s", (law) => {
  it.each(Object.entries(watcherFaults[law]))(
    "is broken by a watcher that %s",
    async (_, openWatcher) => {
      expect(await failureOf(watcherLaws[law](openWatcher, { deadline }))).toBeInstanceOf(
        AssertionError,
      );
    },
  );
});
