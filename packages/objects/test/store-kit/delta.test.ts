import * as fc from "fast-check";
import { expect, it } from "vitest";
// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../../tools/property-runs.ts";
import { canonicalJson } from "../../src/model/canonical-json.ts";
import { grownText } from "../../src/model/growing-text.ts";
import type { JsonValue } from "../../src/model/json.ts";
import { applyDelta } from "../../src/store-kit/delta-apply.ts";
import { applyDeltas } from "../../src/store-kit/delta-chain.ts";
import { type Delta, encodeDelta, encodeWhole } from "../../src/store-kit/delta-encode.ts";
import { deepFreeze } from "../../src/store-kit/stored-form.ts";
import { sharedSpan } from "../../src/store-kit/text-span.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("~", "~#1", "~~x", "", "\u{1f600}", "\u{1f601}", "__proto__"),
  fc
    .tuple(fc.string({ unit: "grapheme" }), fc.nat(3000))
    .map(([start, count]) => start + "long ".repeat(count)),
);
const field = fc.oneof(
  fc.constantFrom("turns", "content", "a", "b", "1", "0", "__proto__"),
  fc.string(),
);
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    text,
    fc.constantFrom<JsonValue>(null, true, 0, 1.5),
    fc.oneof(fc.maxSafeInteger(), fc.nat(9), fc.double({ noNaN: true, noDefaultInfinity: true })),
    fc.array(fc.oneof(fc.maxSafeInteger(), fc.nat(9)), { maxLength: 6 }),
    fc.array(tie("value"), { maxLength: 6 }),
    fc
      .uniqueArray(fc.tuple(field, tie("value")), { selector: ([name]) => name, maxLength: 5 })
      .map(toObject),
  ),
}));

/** A value and its successors. Each shares parts with the previous one, as the same objects or as equal ones. */
const history = fc
  .tuple(value, fc.array(fc.tuple(value, fc.nat(), fc.boolean()), { maxLength: 8 }))
  .map(([first, steps]) => {
    const versions = [first];
    for (const [next, choice, isCopied] of steps) {
      const grown = grow(versions.at(-1) ?? null, next, choice);
      versions.push(isCopied ? (JSON.parse(JSON.stringify(grown)) as JsonValue) : grown);
    }
    return versions;
  });

it("rebuilds every version of a history, with each UTF-16 unit and the order of fields", () => {
  fc.assert(
    fc.property(history, fc.boolean(), (versions, isFrozenBetween) => {
      if (isFrozenBetween) versions.forEach(deepFreeze);
      const chunks = chunkList();
      const deltas = versions.map((version, index) =>
        index === 0
          ? encodeWhole(version, chunks)
          : encodeDelta(versions[index - 1] ?? null, version, chunks)?.delta,
      );
      let current: JsonValue | undefined;
      for (const [index, delta] of deltas.entries()) {
        if (delta !== undefined)
          current = applyDelta(current, JSON.parse(JSON.stringify(delta)) as Delta, chunks);
        if (isFrozenBetween) deepFreeze(current);
        expect(JSON.stringify(current)).toBe(JSON.stringify(versions[index]));
      }
      const [first, ...rest] = deltas.flatMap((delta) =>
        delta === undefined ? [] : [JSON.parse(JSON.stringify(delta)) as Delta],
      );
      const start = first === undefined ? undefined : applyDelta(undefined, first, chunks);
      if (isFrozenBetween) deepFreeze(start);
      expect(JSON.stringify(applyDeltas(start, rest, chunks))).toBe(
        JSON.stringify(versions.at(-1)),
      );
    }),
    { numRuns: propertyRuns(800) },
  );
});

it("rebuilds texts that changed near their ends or in another field", () => {
  const line = fc.string({ unit: "grapheme", maxLength: 30 });
  const texts = fc.array(fc.tuple(fc.nat(60), line, fc.boolean()), { maxLength: 20 });
  fc.assert(
    fc.property(texts, fc.boolean(), (steps, isFrozen) => {
      const chunks = chunkList();
      const versions: JsonValue[] = [{ content: "a".repeat(40), turns: [] }];
      for (const [lost, gained, isField] of steps) {
        const { content } = versions.at(-1) as { readonly content: string };
        const kept = content.slice(0, Math.max(20, content.length - lost)).toWellFormed();
        const end = isField ? "" : content.slice(-20).toWellFormed();
        versions.push({
          content: kept + gained + end,
          turns: [],
          ...(isField ? { title: gained } : {}),
        });
      }
      const deltas = versions.slice(1).flatMap((version, index) => {
        const delta = encodeDelta(versions[index] ?? null, version, chunks)?.delta;
        return delta === undefined ? [] : [JSON.parse(JSON.stringify(delta)) as Delta];
      });
      const start = structuredClone(versions[0] ?? null);
      if (isFrozen) deepFreeze(start);

      const last = applyDeltas(start, deltas, chunks);

      expect(JSON.stringify(last)).toBe(JSON.stringify(versions.at(-1)));
    }),
    { numRuns: propertyRuns(300) },
  );
});

it.each([
  [4, 0],
  [0, 4],
  [2, 2],
  [-1, 0],
])("refuses a delta that keeps %d and %d units of a text of three", (prefix, suffix) => {
  const delta: Delta = [3, ["text", [1, prefix, suffix, "new"]], []];

  expect(() => applyDeltas({ text: "abc" }, [delta], chunkList())).toThrow(RangeError);
});

it("returns no delta for equal values", () => {
  fc.assert(
    fc.property(value, (one) => {
      expect(
        encodeDelta(one, JSON.parse(JSON.stringify(one)) as JsonValue, chunkList()),
      ).toBeUndefined();
    }),
  );
});

it("returns the growth of a value, so that sizes can be added up", () => {
  const before = { turns: [{ user: "one" }], content: "a".repeat(50) };
  const after = { turns: [{ user: "one" }, { user: "two" }], content: "a".repeat(80) };

  const grown = encodeDelta(before, after, chunkList());
  const back = encodeDelta(after, before, chunkList());

  expect(grown?.growth).toBeGreaterThan(40);
  expect(back?.growth).toBe(-(grown?.growth ?? 0));
});

it("contains only the new step if the last of many turns gains one", () => {
  const turns = Array.from({ length: 1000 }, (_, index) => ({
    user: `turn ${index}`,
    steps: [index],
  }));
  const last = { user: "turn 999", steps: [999, "new"] };

  const result = encodeDelta({ turns }, { turns: [...turns.slice(0, -1), last] }, chunkList());

  expect(JSON.stringify(result?.delta).length).toBeLessThan(120);
});

it("contains only the move if an item moves to the end of a list", () => {
  const list = Array.from({ length: 200 }, (_, index) => ({ id: `object ${index}` }));

  const result = encodeDelta(
    list,
    [...list.slice(0, 50), ...list.slice(51), list[50] ?? null],
    chunkList(),
  );

  expect(JSON.stringify(result?.delta).length).toBeLessThan(60);
});

it("contains only the differences of whole numbers", () => {
  const before = { sums: [1_000_000, 2_000_000, 7], sentAt: 1_700_000_000_000, rate: 0.1 };
  const after = { sums: [1_000_040, 2_000_900, 7], sentAt: 1_700_000_000_250, rate: 0.3 };

  const result = encodeDelta(before, after, chunkList());

  expect(result?.delta).toEqual([
    3,
    ["sums", [2, 0, 1, [3, 40, 900]], "sentAt", [4, 250], "rate", [0, 0.3]],
  ]);
});

it("finds the text that grownText added without comparing the texts", () => {
  const base = "🌍".repeat(20);
  const text = grownText(base, "more");

  expect(sharedSpan(base, text)).toEqual({ prefix: 40, suffix: 0, between: "more" });
  expect(sharedSpan("other", text)).toEqual({ prefix: 0, suffix: 0, between: text });
});

it("never splits a surrogate pair", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("\u{1f600}", "\u{1f601}", "\u{1f9ff}", "a")),
      fc.array(fc.constantFrom("\u{1f600}", "\u{1f601}", "a")),
      (one, other) => {
        const [before, after] = [one.join(""), other.join("")];
        const { prefix, suffix } = sharedSpan(before, after);
        expect(after.slice(prefix, after.length - suffix).isWellFormed()).toBe(true);
        expect(before.slice(0, prefix)).toBe(after.slice(0, prefix));
        expect(before.slice(before.length - suffix)).toBe(after.slice(after.length - suffix));
        expect(prefix + suffix).toBeLessThanOrEqual(Math.min(before.length, after.length));
      },
    ),
  );
});

function chunkList() {
  const texts: string[] = [];
  return {
    write: (long: string) => texts.push(long) - 1,
    read: (key: string) => texts[Number(key)] ?? "",
  };
}

function toObject(entries: readonly (readonly [string, JsonValue])[]): JsonValue {
  return Object.fromEntries(entries);
}

function grow(before: JsonValue, next: JsonValue, choice: number): JsonValue {
  if (typeof before === "string" && typeof next === "string") {
    const cut = choice % (before.length + 1);
    return (
      before.slice(0, cut) +
      next +
      (choice % 2 === 0 ? before.slice(cut) : "")
    ).toWellFormed();
  }
  if (Array.isArray(before)) {
    const list = before as readonly JsonValue[];
    const cut = choice % (list.length + 1);
    const changed = list[cut] === undefined ? next : grow(list[cut], next, choice >> 1);
    return [
      ...list.slice(0, cut),
      ...(choice % 3 === 0 ? [next] : [changed]),
      ...list.slice(choice % 5 === 0 ? cut : cut + 1),
    ];
  }
  if (typeof before === "object" && before !== null) {
    const entries = Object.entries(before) as [string, JsonValue][];
    const cut = choice % (entries.length + 1);
    const name = entries[cut]?.[0] ?? canonicalJson(next).slice(0, 5);
    const moved = choice % 7 === 0 ? entries.toReversed() : entries;
    return toObject([
      ...moved.filter(([other]) => choice % 3 !== 0 || other !== name),
      ...(choice % 2 === 0
        ? [[name, grow(entries[cut]?.[1] ?? null, next, choice >> 1)] as const]
        : []),
    ]);
  }
  return next;
}
