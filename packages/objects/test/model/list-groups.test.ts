import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  commonLength,
  continued,
  divided,
  forgetGroups,
  groupLength,
  groupsLike,
  groupsMade,
  groupsOf,
  joined,
  listOfGroups,
} from "../../src/model/list-groups.ts";
import { objectId } from "../../src/model/object-id.ts";
import { sealObject } from "../../src/model/sealed-object.ts";

const items = (count: number): readonly { readonly at: number }[] =>
  Array.from({ length: count }, (_, at) => ({ at }));

const sealed = (rows: readonly string[]): string =>
  sealObject({
    id: objectId("view"),
    type: "view",
    locked: true,
    content: null,
    provenance: { origin: "test", generator: "system" },
    entries: rows,
  }).hashes.object_hash;

describe("groupsOf", () => {
  it("returns groups that are all full except the last one", () => {
    expect(groupsOf(items(130)).map(({ length }) => length)).toEqual([64, 64, 2]);
  });

  it("returns the same group for the same items in another list", () => {
    const list = items(100);

    const [before, now] = [groupsOf(list), groupsOf([...list, { at: 100 }])];

    expect(now[0]).toBe(before[0]);
    expect(now[1]).not.toBe(before[1]);
    expect(now.flat()).toEqual([...list, { at: 100 }]);
  });

  it("returns other groups for a list with the same last items and others before them", () => {
    const list = items(64);
    groupsOf(list);

    expect(groupsOf([{ at: -1 }, ...list.slice(1)]).flat()[0]).toEqual({ at: -1 });
  });

  it("follows a list to which items are added", () => {
    const list = [...items(64)];
    groupsOf(list);
    list.push({ at: 64 });

    expect(groupsOf(list).flat()).toEqual(list);
  });
});

/** Steps that make lists from one another: how many items stay, and how many are added. */
const steps = fc.array(
  fc.record({ kept: fc.nat(300), added: fc.nat(150), forgets: fc.boolean() }),
  { maxLength: 12 },
);

describe("continued", () => {
  it("has the items and the groups of the same list that was made without another", () => {
    fc.assert(
      fc.property(steps, (all) => {
        let list: readonly { readonly at: number }[] = [];
        for (const { kept, added, forgets } of all) {
          if (forgets) forgetGroups();
          const count = Math.min(kept, list.length);
          const more = items(added);
          const expected = [...list.slice(0, count), ...more];

          list = continued(list, more, count);

          expect(list).toEqual(expected);
          expect(groupsOf(list)).toEqual(divided(expected));
          expect(groupsOf(list)[0]).toBe(divided(expected)[0]);
        }
      }),
    );
  });
});

describe("commonLength", () => {
  it("counts the items with which two lists begin", () => {
    fc.assert(
      fc.property(
        fc.nat(300),
        fc.nat(200),
        fc.nat(200),
        fc.boolean(),
        (same, one, other, knows) => {
          const begin = items(same);
          const [left, right] = [
            [...begin, ...items(one)],
            [...begin, ...items(other)],
          ];

          const groups = knows ? groupsOf(left) : groupsLike(left, []);

          expect(commonLength(groups, groupsOf(right))).toBe(same);
        },
      ),
    );
  });
});

describe("joined", () => {
  it("has the items of its groups, whatever lists were made before", () => {
    fc.assert(
      fc.property(steps, (all) => {
        let list: readonly { readonly at: number }[] = items(70);
        for (const { kept, added } of all) {
          list = [...list.slice(0, Math.max(1, kept)), ...items(added)];
          const made = joined(groupsOf(list));

          expect(made).toEqual(list);
          expect(made).not.toBe(list);
          expect(groupsOf(made)).toEqual(groupsOf(list));
          // The receiver owns the list, and can change it.
          made.splice(0, 3);
        }
      }),
    );
  });
});

describe("groupsLike", () => {
  it("returns the former group for the same items, and another for others", () => {
    const rows = Array.from({ length: 130 }, (_, at) => `row ${at}`);
    const former = groupsLike(rows, []);

    const now = groupsLike(rows.with(70, "other"), former);

    expect(now[0]).toBe(former[0]);
    expect(now[1]?.[6]).toBe("other");
    expect(now[2]).toBe(former[2]);
  });
});

describe("listOfGroups", () => {
  it("has the hash of the same list without groups", () => {
    for (const count of [0, 1, groupLength, groupLength + 1, 1_000, 9_000]) {
      const rows = Array.from({ length: count }, (_, at) => `a${at}.0 ${at}`);
      const first = listOfGroups(groupsLike(rows, []));

      expect(sealed(first)).toBe(sealed(rows));
      expect(sealed([...first])).toBe(sealed(rows));
      expect(sealed(listOfGroups([rows.slice(0, 3), rows.slice(3)]))).toBe(sealed(rows));
    }
  });

  it("is checked as the same list without groups", () => {
    expect(() => sealed(listOfGroups([["row"], ["\uD800"]]))).toThrow("lone surrogate");
  });

  it("cannot be changed", () => {
    const list = listOfGroups([["row"]]);

    expect(Object.isFrozen(list)).toBe(true);
    expect(groupsMade([...list])).toBeUndefined();
  });
});
