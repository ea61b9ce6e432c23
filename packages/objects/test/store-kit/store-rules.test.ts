import { describe, expect, test } from "vitest";
import { objectId } from "../../src/model/object-id.ts";
import { sealObject } from "../../src/model/sealed-object.ts";
import type { StoredVersion } from "../../src/model/stored-version.ts";
import type { Scalar } from "../../src/ports/object-store.ts";
import {
  checkFollows,
  checkLimit,
  checkRepeated,
  checkSameVersion,
  checkWrites,
  compareText,
  fieldConditions,
  meetsCondition,
  normalTime,
  requestDigest,
} from "../../src/store-kit/store-rules.ts";
import { fileSample, staticSample } from "../samples.ts";
import { versionOf } from "../store-versions.ts";

const sealed = sealObject(fileSample());
const { id } = sealed.body;

describe("the order of texts", () => {
  test.each([
    ["a", "b"],
    ["a", "aa"],
    ["", "a"],
    ["Z", "a"],
    ["\uFFFD", "\u{1F600}"],
    ["\uE000", "\u{10000}"],
    ["\u{1F600}", "\u{1F601}"],
  ])("is that of their UTF-8 bytes: %j before %j", (one, other) => {
    expect(compareText(one, other)).toBeLessThan(0);
    expect(compareText(other, one)).toBeGreaterThan(0);
    expect(Buffer.compare(Buffer.from(one), Buffer.from(other))).toBe(-1);
  });

  test("is 0 for equal texts", () => {
    expect(compareText("a\u{1F600}", "a\u{1F600}")).toBe(0);
  });
});

describe("a time", () => {
  test("is normalised to milliseconds and UTC", () => {
    expect(normalTime("2026-02-20T12:00:00+02:00")).toBe("2026-02-20T10:00:00.000Z");
  });

  test("in another format is refused with its text, which is cut if it is long", () => {
    expect(() => normalTime(`noon${"!".repeat(200)}`)).toThrow(
      new RangeError(`a time is written in ISO 8601; got "noon${"!".repeat(76)}"`),
    );
  });
});

describe("the writes of a commit", () => {
  test("may expect no version, or a whole number from 0 on", () => {
    expect(() => checkWrites([{ object: sealed }])).not.toThrow();
    expect(() => checkWrites([{ object: sealed, expect: 0 }])).not.toThrow();
    expect(() => checkWrites([{ object: sealed, expect: 7 }])).not.toThrow();
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 60])("may not expect the version %d", (expected) => {
    expect(() => checkWrites([{ object: sealed, expect: expected }])).toThrow(
      new RangeError(`object ${id} is expected at version ${expected}, which no version can be`),
    );
  });

  test("may not contain an object twice", () => {
    expect(() => checkWrites([{ object: sealed }, { object: sealed }])).toThrow(
      new TypeError(`object ${id} occurs twice in one commit; write it once`),
    );
  });

  test("have different digests for different expected versions", () => {
    const digests = [{}, { expect: 0 }, { expect: 1 }].map((rest) =>
      requestDigest([{ object: sealed, ...rest }]),
    );

    expect(new Set(digests).size).toBe(3);
  });
});

test.each([0, -1, 1.5, Number.NaN])("a limit of %d is refused", (limit) => {
  expect(() => checkLimit(limit)).toThrow(`a limit is a whole number above 0; got ${limit}`);
});

test("a limit of one is allowed", () => {
  expect(checkLimit(1)).toBe(1);
});

describe("a query", () => {
  test("reads a field name with dots as a path of inner fields", () => {
    expect(fieldConditions({ where: { "provenance.origin": "x" } })).toEqual([
      { field: "provenance.origin", path: ["provenance", "origin"], value: "x" },
    ]);
  });

  test.each(["content", "turns", "args", "blocks.0"])(
    "cannot ask for %s, which is loaded with the content",
    (field) => {
      expect(() => fieldConditions({ where: { [field]: "x" } })).toThrow(
        new TypeError(`field ${field} is loaded only with the content and cannot be queried`),
      );
    },
  );

  test("cannot compare a field with a list", () => {
    const value = [] as unknown as Scalar;

    expect(() => fieldConditions({ where: { path: value } })).toThrow(
      new TypeError("field path can only be compared with a text, a number, a boolean or null"),
    );
  });

  test.each<readonly [string, Scalar, boolean]>([
    ["path", "/work/a.ts", true],
    ["path", "/work/b.ts", false],
    ["provenance.generator", "human", true],
    ["provenance.nothing", null, true],
    ["nickname", null, true],
    ["path.length", null, true],
    ["chat_ref.id", staticSample().id, false],
    ["toString", null, true],
  ])("finds equal values of an object's own fields: %s = %j is %j", (field, value, expected) => {
    const body = fileSample({ chat_ref: staticSample() });
    const [condition] = fieldConditions({ where: { [field]: value } });

    expect(condition && meetsCondition(body, condition)).toBe(expected);
  });
});

describe("a restored version", () => {
  const version = (
    number: number,
    tx: number,
    time = "2026-02-20T10:00:00.000Z",
  ): StoredVersion => ({
    body: { ...sealed.body, id: objectId(id) },
    hashes: sealed.hashes,
    version: number,
    at: { tx_id: tx, tx_time: time },
  });

  test("is accepted if it is the next version and later", () => {
    expect(() => checkFollows(undefined, version(1, 5))).not.toThrow();
    expect(() => checkFollows(version(1, 5), version(2, 6))).not.toThrow();
  });

  test("is refused if it would leave a gap", () => {
    expect(() => checkFollows(version(1, 5), version(3, 6))).toThrow(
      `object ${id} is at version 1; 3 would leave a gap`,
    );
    expect(() => checkFollows(undefined, version(2, 6))).toThrow(
      `object ${id} is at version 0; 2 would leave a gap`,
    );
  });

  test("is accepted after a gap if gaps are allowed, and never inside one", () => {
    expect(() => checkFollows(version(1, 5), version(3, 6), { gaps: true })).not.toThrow();
    expect(() => checkFollows(undefined, version(2, 6), { gaps: true })).not.toThrow();
    expect(() => checkFollows(version(3, 6), version(2, 5), { gaps: true })).toThrow(
      `object ${id} is at version 3 and lacks version 2, which cannot be added`,
    );
  });

  test.each([
    ["transaction", version(2, 5)],
    ["time", version(2, 6, "2026-02-20T09:59:59.999Z")],
  ])("is refused if it is older by its %s", (_, restored) => {
    expect(() => checkFollows(version(1, 5), restored)).toThrow(
      `version 2 of object ${id} is older than version 1`,
    );
  });

  test("can be a day older than the former one, and has limits", () => {
    const former = version(1, 5, "2026-02-20T10:00:00.000Z");
    const follow = (restored: StoredVersion) => () => checkFollows(former, restored);

    expect(follow(version(2, 6, "2026-02-19T10:00:00.000Z"))).toThrow("is older than version 1");
    expect(follow(version(2, 6, "2026-02-19T09:59:59.999Z"))).not.toThrow();
    expect(follow(version(2, 2 ** 52))).not.toThrow();
    for (const restored of [
      version(2, 2 ** 52 + 1),
      version(2, NaN),
      version(2, 6, "2201-01-01T00:00:00.000Z"),
      version(2, 6, "+275760-09-13T00:00:00.000Z"),
      version(2, 6, "1969-12-31T23:59:59.999Z"),
      version(2, 6, "yesterday"),
    ])
      expect(follow(restored)).toThrow("a transaction has a number up to 4503599627370496");
  });
});

test("a repeated request is accepted only with the same writes", () => {
  expect(() => checkRepeated("r", "d1", "d1")).not.toThrow();
  expect(() => checkRepeated("r", "d1", "d2")).toThrow(
    expect.objectContaining({ code: "REQUEST_CONFLICT" }),
  );
});

test("a restored version is recognised by its hash, its transaction and its time", () => {
  const stored = versionOf("a", 2);
  const { at } = stored;
  const conflict = expect.objectContaining({ code: "HISTORY_CONFLICT" });
  const spelledShort = { ...at, tx_time: at.tx_time.replace("Z", "+00:00") };

  expect(() => checkSameVersion(stored, { ...stored, at: spelledShort })).not.toThrow();
  expect(() => checkSameVersion(undefined, stored)).toThrow(conflict);
  expect(() => checkSameVersion(versionOf("a", 2, { content: "x" }), stored)).toThrow(conflict);
  for (const other of [{ tx_id: 9 }, { tx_time: "2026-01-02T00:00:00.000Z" }]) {
    expect(() => checkSameVersion({ ...stored, at: { ...at, ...other } }, stored)).toThrow(
      conflict,
    );
  }
});
