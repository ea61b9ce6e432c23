import { array, assert, constantFrom, nat, oneof, property, record, constant } from "fast-check";
import { objectId, type ObjectId } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";

import { poolOrder } from "../../src/state/pool-order.ts";
import type { PoolEntry, PoolRow } from "../../src/view/pool-entry.ts";

const entryOf = (id: ObjectId, key: string): PoolEntry => {
  const row: PoolRow = Object.freeze({ id, handle: "t1", key });
  return { id, handle: row.handle, row, stored: {} as PoolEntry["stored"] };
};

const move = oneof(
  { weight: 8, arbitrary: record({ type: constant("join" as const), count: nat(40) }) },
  record({ type: constantFrom("change" as const, "leave" as const), at: nat(1_000) }),
);

describe("poolOrder", () => {
  it("has the rows and the ids of the entries in their order, whatever changes", () => {
    assert(
      property(array(move, { maxLength: 30 }), array(nat(1_000)), (moves, left) => {
        const entries = new Map<ObjectId, PoolEntry>();
        const order = poolOrder();
        let made = 0;
        const put = (id: ObjectId): void => {
          made += 1;
          const entry = entryOf(id, `k${made}`);
          entries.set(id, entry);
          order.put(entry.row);
        };
        for (const one of moves) {
          const ids = [...entries.keys()];
          if (one.type === "join")
            for (let at = 0; at < one.count; at += 1) put(objectId(`o${made}`));
          else {
            const id = ids[one.at % Math.max(1, ids.length)];
            if (id === undefined) continue;
            if (one.type === "change") put(id);
            else {
              entries.delete(id);
              order.forget();
            }
          }
          const all = [...entries.keys()];
          const without = new Set(left.flatMap((at) => all[at % Math.max(1, all.length)] ?? []));

          expect(order.rows(entries).flat()).toEqual([...entries.values()].map(({ row }) => row));
          expect(order.idsWithout(entries, without)).toEqual(all.filter((id) => !without.has(id)));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("keeps the groups before the first change", () => {
    const entries = new Map<ObjectId, PoolEntry>();
    const order = poolOrder();
    for (let at = 0; at < 200; at += 1) {
      const entry = entryOf(objectId(`o${at}`), `k${at}`);
      entries.set(entry.id, entry);
      order.put(entry.row);
    }
    const before = order.rows(entries);
    const changed = entryOf(objectId("o70"), "other");
    entries.set(changed.id, changed);
    order.put(changed.row);

    const now = order.rows(entries);

    expect(now[0]).toBe(before[0]);
    expect(now[1]).not.toBe(before[1]);
    expect(now[2]).toBe(before[2]);
  });
});
