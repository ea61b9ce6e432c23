import { expect, it } from "vitest";

import { hashRule } from "../../src/model/hashes.ts";
import { checkedVersion } from "../../src/store-kit/checked-version.ts";
import { noteVersion } from "../store-versions.ts";

const damage = (what: string): Error => new Error(what);

it("returns a version whose hashes are those of its fields", () => {
  const stored = noteVersion("a", 1, 1, "text");

  expect(checkedVersion(stored, damage)).toBe(stored);
});

it("throws the damage of a version with other fields, each time", () => {
  const stored = noteVersion("a", 2, 2, "text");
  const changed = { ...stored, body: Object.freeze({ ...stored.body, content: "other" }) };

  for (let time = 0; time < 2; time += 1)
    expect(() => checkedVersion(changed, damage)).toThrow(
      "version 2 of object a was changed or damaged since it was stored: content_hash is",
    );
});

it("does not compare hashes of a newer rule", () => {
  const stored = noteVersion("a", 1, 1, "text");
  const newer = { ...stored, hashes: { ...stored.hashes, hash_rule: hashRule + 1 } };

  expect(
    checkedVersion({ ...newer, body: { ...stored.body, content: "x" } }, damage),
  ).toBeDefined();
});
