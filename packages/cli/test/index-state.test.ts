import { objectId, type ObjectStore, sealObject } from "@self-context-manager/objects";
import { expect, test } from "vitest";

import { indexState, stateText } from "../src/index-state.ts";
import { temporaryStore, withStore } from "./temporary-store.ts";

async function commit(store: ObjectStore, round: number): Promise<void> {
  const provenance = { origin: "a test", generator: "human" } as const;
  const body = { type: "note", locked: false, content: `round ${round}`, provenance };
  await store.commit([
    { object: sealObject({ ...body, id: objectId("a") }) },
    { object: sealObject({ ...body, id: objectId("b") }) },
  ]);
}

test("the state of an index counts the versions before its position, and all of the store", async () => {
  await using place = await temporaryStore();
  await withStore(place, async (store) => {
    const empty = await indexState(store, undefined);
    for (let round = 1; round <= 4; round += 1) await commit(store, round);
    const { position } = await store.changesSince(undefined, { limit: 3 });

    expect(empty).toEqual({ read: 0, all: 0 });
    expect(await indexState(store, undefined)).toEqual({ read: 0, all: 8 });
    expect(await indexState(store, position)).toEqual({ read: 3, all: 8 });
    expect(stateText({ read: 3, all: 8 })).toBe("37 % of the store is read (3 of 8 versions)");
  });
});
