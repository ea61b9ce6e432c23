import { expect, it } from "vitest";
import type { ObjectId } from "../../src/model/object-id.ts";
import type { StoredVersion } from "../../src/model/stored-version.ts";
import { checkNicknames, type ObjectChange } from "../../src/store-kit/check-nicknames.ts";
import { versionOf } from "../store-versions.ts";

/** Checks changes against a store with the given versions. */
function check(changes: readonly ObjectChange[], stored: readonly StoredVersion[]): void {
  checkNicknames(changes, {
    owner: (nickname) => stored.find(({ body }) => body.nickname === nickname)?.body.id,
    isObject: (id) => stored.some(({ body }) => body.id === (id as ObjectId)),
  });
}

function named(id: string, nickname?: string): StoredVersion {
  return versionOf(id, 1, nickname === undefined ? {} : { nickname });
}

function added(id: string, nickname?: string): ObjectChange {
  return { before: undefined, after: named(id, nickname) };
}

const stored = [named("a", "one"), named("b", "two")];

it.each<readonly [string, readonly ObjectChange[]]>([
  [
    "objects exchange nicknames in one transaction",
    [
      { before: stored[0], after: named("a", "two") },
      { before: stored[1], after: named("b", "one") },
    ],
  ],
  ["an object keep its nickname", [{ before: stored[0], after: named("a", "one") }]],
  [
    "another object take a removed nickname",
    [{ before: stored[1], after: named("b") }, added("c", "two")],
  ],
  [
    "an object have an id that was a nickname until now",
    [added("one"), { before: stored[0], after: named("a", "three") }],
  ],
])("lets %s", (_, changes) => {
  expect(() => check(changes, stored)).not.toThrow();
});

it.each<readonly [string, readonly ObjectChange[], string]>([
  [
    "a nickname that another object has",
    [added("c", "one")],
    "object c cannot have the nickname one: object a has it",
  ],
  [
    "one nickname for two objects of a transaction",
    [added("c", "three"), added("d", "three")],
    "object d cannot have the nickname three: object c has it",
  ],
  [
    "a nickname that is the id of a stored object",
    [added("c", "a")],
    "object c cannot have the nickname a: it is the id of an object",
  ],
  [
    "a nickname that is the id of a new object",
    [added("c", "d"), added("d")],
    "object c cannot have the nickname d: it is the id of an object",
  ],
  [
    "a new object whose id is a nickname",
    [added("one")],
    "object a cannot have the nickname one: it is the id of an object",
  ],
])("refuses %s", (_, changes, message) => {
  expect(() => check(changes, stored)).toThrow(
    expect.objectContaining({ code: "NICKNAME_TAKEN", message }),
  );
});
