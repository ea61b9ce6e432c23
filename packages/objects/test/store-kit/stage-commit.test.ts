import { expect, it } from "vitest";
import { stageCommit } from "../../src/store-kit/stage-commit.ts";
import { pointOf, versionOf, writeOf } from "../store-versions.ts";

const at = pointOf(9);
const time = { last: pointOf(8), clock: { now: () => Date.parse(at.tx_time) } };
const noObject = () => undefined;

it("stages new versions in the order of their ids and returns them in the order of the writes", () => {
  const latest = versionOf("b", 4);

  const { staged, versions } = stageCommit(
    [writeOf("b", { content: "new" }), writeOf("a")],
    (id) => (id === "b" ? latest : undefined),
    time,
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

  const { staged, versions } = stageCommit([writeOf("a")], () => latest, time);

  expect(staged).toEqual([]);
  expect(versions).toEqual([{ id: "a", version: 4, at: latest.at, changed: false }]);
});

it("refuses a write that expects another version", () => {
  const write = { ...writeOf("a"), expect: 2 };

  expect(() => stageCommit([write], noObject, time)).toThrow(
    expect.objectContaining({
      code: "VERSION_CONFLICT",
      message: "object a is at version 0, not 2",
    }),
  );
});

const day = 24 * 60 * 60 * 1000;
const last = { tx_id: 3, tx_time: "2026-01-01T00:00:00.000Z" };
const start = Date.parse(last.tx_time);

it.each([
  ["the clock's time", start + 5.7, start + 5],
  ["the last time, if the clock is behind", start - 5, start],
  ["the last time, if the clock is a day behind", start - day, start],
  ["the clock's time, if it is more than a day behind", start - day - 1, start - day - 1],
  ["the last moment of the year 2200", Date.UTC(2201, 0, 1) - 1, Date.UTC(2201, 0, 1) - 1],
  ["the last time, if the clock is after the year 2200", Date.UTC(2201, 0, 1), start],
  ["the last time, if the clock is before 1970", -1, start],
  ["the last time, if the clock gives no number", NaN, start],
  ["the last time, if the clock gives no date", 8.64e15 + 1, start],
])("a transaction has %s", (_, now, expected) => {
  const { at: next } = stageCommit([], noObject, { last, clock: { now: () => now } });

  expect(next).toEqual({ tx_id: 4, tx_time: new Date(expected).toISOString() });
});

it("a version is not before the former one of its object by a day or less", () => {
  const ahead = { ...last, tx_time: "2150-01-01T00:00:00.000Z" };
  const former = (id: string, time: number) => ({
    ...versionOf(id, 1),
    at: { tx_id: 1, tx_time: new Date(time).toISOString() },
  });
  const latest = new Map([
    ["a", former("a", start + 1000)],
    ["b", former("b", start + day + 500)],
    ["c", former("c", start + 9 * day)],
  ]);
  const clock = { now: () => start };
  const timeOf = (...ids: readonly string[]) =>
    stageCommit(
      ids.map((id) => writeOf(id)),
      (id) => latest.get(id),
      { last: ahead, clock },
    ).at.tx_time;

  expect(timeOf()).toBe(last.tx_time);
  expect(timeOf("a")).toBe("2026-01-01T00:00:01.000Z");
  expect(timeOf("b", "a")).toBe("2026-01-02T00:00:00.500Z");
  expect(timeOf("b")).toBe(last.tx_time);
  expect(timeOf("c")).toBe(last.tx_time);
});
