import { expect, it } from "vitest";
import { nextPoint, stageCommit } from "../../src/store-kit/stage-commit.ts";
import { pointOf, versionOf, writeOf } from "../store-versions.ts";

const at = pointOf(9);
const noObject = () => undefined;

it("stages new versions in the order of their ids and returns them in the order of the writes", () => {
  const latest = versionOf("b", 4);

  const { staged, versions } = stageCommit(
    [writeOf("b", { content: "new" }), writeOf("a")],
    (id) => (id === "b" ? latest : undefined),
    at,
  );

  expect(staged.map(({ body, version }) => [body.id, version])).toEqual([
    ["a", 1],
    ["b", 5],
  ]);
  expect(versions).toEqual([
    { id: "b", version: 5, at, changed: true },
    { id: "a", version: 1, at, changed: true },
  ]);
});

it("stages nothing for a write that equals the latest version", () => {
  const latest = versionOf("a", 4);

  const { staged, versions } = stageCommit([writeOf("a")], () => latest, at);

  expect(staged).toEqual([]);
  expect(versions).toEqual([{ id: "a", version: 4, at: latest.at, changed: false }]);
});

it("refuses a write that expects another version", () => {
  const write = { ...writeOf("a"), expect: 2 };

  expect(() => stageCommit([write], noObject, at)).toThrow(
    expect.objectContaining({
      code: "VERSION_CONFLICT",
      message: "object a is at version 0, not 2",
    }),
  );
});

it("gives the next transaction the clock's time, or the last transaction's time if that is later", () => {
  const last = { tx_id: 3, tx_time: "2026-01-01T00:00:00.000Z" };
  const start = Date.parse(last.tx_time);

  expect(nextPoint(last, { now: () => start + 5.7 })).toEqual({
    tx_id: 4,
    tx_time: "2026-01-01T00:00:00.005Z",
  });
  expect(nextPoint(last, { now: () => start - 5 })).toEqual({ ...last, tx_id: 4 });
});
