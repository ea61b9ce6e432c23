import { objectId, sealObject, silentLogger } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { expect, it } from "vitest";

import { documentUpkeep, type UpkeepOptions } from "../src/document-upkeep.ts";
import { linkParser, put } from "./written-notes.ts";

/** Timers of which only those run for which somebody waits, as at the end of a process. */
function timers(): Pick<UpkeepOptions, "later"> & { readonly unawaited: (() => void)[] } {
  const unawaited: (() => void)[] = [];
  return {
    unawaited,
    later(run, _milliseconds, { isAwaited }) {
      if (isAwaited) setImmediate(run);
      else unawaited.push(run);
    },
  };
}

it("ends an update that pauses when it is disposed of, although no timer comes", async () => {
  await using store = memoryStore();
  const { later, unawaited } = timers();
  const upkeep = documentUpkeep({ store, parser: linkParser(), logger: silentLogger, later });
  upkeep.request();
  unawaited.shift()?.();
  await Promise.resolve();

  await upkeep[Symbol.asyncDispose]();

  expect(await upkeep.upToDate()).toBe(false);
});

/** An upkeep whose timers run by hand, and how often it asked the store for changes. */
function countedUpkeep() {
  const store = memoryStore();
  let asked = 0;
  const counting = Object.assign(Object.create(store) as typeof store, {
    changesSince: async () => {
      asked += 1;
      return await store.changesSince();
    },
  });
  const { later, unawaited } = timers();
  const options = { parser: linkParser(), logger: silentLogger, later };
  const upkeep = documentUpkeep({ store: counting, ...options });
  const nextTimer = async (): Promise<void> => {
    unawaited.shift()?.();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  };
  return { upkeep, nextTimer, asked: () => asked };
}

it("makes a requested update only when no other one was requested for a time", async () => {
  const { upkeep, nextTimer, asked } = countedUpkeep();
  await using _ = upkeep;
  upkeep.request();
  upkeep.request();
  await nextTimer();
  // An update makes a pause before it asks.
  await nextTimer();
  expect(asked()).toBe(0);

  await nextTimer();
  expect(asked()).toBe(1);
});

it("makes a requested update although others are requested all the time", async () => {
  const { upkeep, nextTimer, asked } = countedUpkeep();
  await using _ = upkeep;
  upkeep.request();
  for (let calls = 0; calls < 20 && asked() === 0; calls += 1) {
    upkeep.request();
    await nextTimer();
  }

  expect(asked()).toBe(1);
});

it("brings an index up to date behind an update that pauses, although no timer comes", async () => {
  await using store = memoryStore();
  await put(store, "a", "[[b]]");
  const { later, unawaited } = timers();
  await using upkeep = documentUpkeep({ store, parser: linkParser(), logger: silentLogger, later });
  upkeep.request();
  unawaited.shift()?.();
  await Promise.resolve();

  expect(await upkeep.upToDate()).toBe(true);
  expect(await store.documents.links("links")).toHaveLength(1);
});

it("lets other work come between the steps of an update for which somebody waits", async () => {
  await using store = memoryStore();
  const notes = Array.from({ length: 1_500 }, (_, index) =>
    sealObject({
      id: objectId(`n${index}`),
      type: "note",
      locked: false,
      provenance: { origin: "a test", generator: "agent" },
      content: "text",
    }),
  );
  await store.commit(notes.map((object) => ({ object })));
  await using upkeep = documentUpkeep({
    store,
    parser: linkParser(),
    logger: silentLogger,
    later: timers().later,
  });
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);

  await upkeep.upToDate();
  isDone = true;

  expect(turns).toBeGreaterThan(2);
});

it("says that the index is behind when an update takes longer than a caller waits", async () => {
  const store = memoryStore();
  let end: () => void = () => {};
  const slow = Object.assign(Object.create(store) as typeof store, {
    changesSince: async () => {
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      return { versions: [], position: "0" };
    },
  });
  await using upkeep = documentUpkeep({
    store: slow,
    parser: linkParser(),
    logger: silentLogger,
    later: (run, milliseconds) => void setTimeout(run, milliseconds / 1_000),
  });

  expect(await upkeep.upToDate()).toBe(false);
  end();
});
