import { expect, it } from "vitest";
import type { ObjectId } from "../../src/model/object-id.ts";
import type { StoredVersion } from "../../src/model/stored-version.ts";
import { checkNicknames, type ObjectChange } from "../../src/store-kit/check-nicknames.ts";
import { versionOf } from "../store-versions.ts";

/** Checks changes against a store with the given versions. */
function check(changes: readonly ObjectChange[], stored: readonly StoredVersion[] = []): void {
  checkNicknames(changes, {
    owner: (nickname) => stored.find(({ body }) => body.nickname === nickname)?.body.id,
    isObject: (id) => stored.some(({ body }) => body.id === (id as ObjectId)),
  });
}

function named(id: string, nickname?: string): StoredVersion {
  return versionOf(id, 1, nickname === undefined ? {} : { nickname });
}

function taken(message: string) {
  return expect.objectContaining({ code: "NICKNAME_TAKEN", message });
}

it("lets objects exchange nicknames in one transaction", () => {
  const stored = [named("a", "one"), named("b", "two")];
  const changes = [
    { before: stored[0], after: named("a", "two") },
    { before: stored[1], after: named("b", "one") },
  ];

  expect(() => check(changes, stored)).not.toThrow();
});

it("lets an object keep its nickname, and lets another object take a removed nickname", () => {
  const stored = [named("a", "one"), named("b", "two")];

  expect(() => check([{ before: stored[0], after: named("a", "one") }], stored)).not.toThrow();
  const changes = [
    { before: stored[1], after: named("b") },
    { before: undefined, after: named("c", "two") },
  ];
  expect(() => check(changes, stored)).not.toThrow();
});

it("refuses a nickname that another object has", () => {
  const stored = [named("a", "one")];

  expect(() => check([{ before: undefined, after: named("b", "one") }], stored)).toThrow(
    taken("object b cannot have the nickname one: object a has it"),
  );
});

it("refuses one nickname for two objects of a transaction", () => {
  const changes = [
    { before: undefined, after: named("a", "one") },
    { before: undefined, after: named("b", "one") },
  ];

  expect(() => check(changes)).toThrow(
    taken("object b cannot have the nickname one: object a has it"),
  );
});

it("refuses a nickname that is the id of an object, stored or new", () => {
  const reason = "object b cannot have the nickname a: it is the id of an object";
  const change = { before: undefined, after: named("b", "a") };

  expect(() => check([change], [named("a")])).toThrow(taken(reason));
  expect(() => check([change, { before: undefined, after: named("a") }])).toThrow(taken(reason));
});

it("refuses a new object whose id is a nickname", () => {
  const stored = [named("b", "a")];

  expect(() => check([{ before: undefined, after: named("a") }], stored)).toThrow(
    taken("object b cannot have the nickname a: it is the id of an object"),
  );
  expect(() =>
    check(
      [
        { before: undefined, after: named("a") },
        { before: stored[0], after: named("b", "c") },
      ],
      stored,
    ),
  ).not.toThrow();
});
