import { objectId, type ObjectBody } from "@self-context-manager/objects";
import { expect, it } from "vitest";
import { summaryCosts } from "../../src/inspect/session-costs.ts";

const body: ObjectBody = {
  id: objectId("session-1"),
  type: "session",
  content: null,
  locked: true,
  provenance: { origin: "one", generator: "system" },
};
const spent = { calls: 2, input: 900, output: 80 };

it("reads what a session says of its summaries", () => {
  const turns = { one: "s1", two: "s2" };

  expect(summaryCosts({ ...body, summaries: { turns, spent } })).toEqual({ turns: 2, ...spent });
  expect(
    summaryCosts({ ...body, summaries: { turns, spent: { ...spent, cost: 0.5, model: "m" } } }),
  ).toEqual({ turns: 2, ...spent, cost: 0.5, model: "m" });
});

it.each([
  ["no summaries", undefined],
  ["a damaged field", "many"],
  ["no costs", { turns: {} }],
  ["costs of another form", { turns: {}, spent: { calls: "2", input: 1, output: 1 } }],
])("reads nothing of a session with %s", (_name, summaries) => {
  expect(summaryCosts({ ...body, summaries })).toBeUndefined();
});
