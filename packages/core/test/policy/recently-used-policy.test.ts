import { objectId } from "@self-context-manager/objects";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallKind } from "../../src/calls/call-kind.ts";
import type { PolicyObject } from "../../src/policy/activation-policy.ts";
import { recentlyUsedPolicy } from "../../src/policy/recently-used-policy.ts";

function object(key: string, kind?: CallKind, tokens = 1_000): PolicyObject {
  const known = { id: objectId(key), key, type: "toolcall", used: { turn: 0, call: 0 }, tokens };
  return kind === undefined ? known : { ...known, kind };
}

const keys = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `t${index + 1}`);

function staying(
  candidates: readonly PolicyObject[],
  recent: readonly string[],
  policy = recentlyUsedPolicy(),
): readonly string[] {
  const asked = { candidates, turn: 0, callsInTurn: () => 0, recent, sentTokens: 0 };
  const leaving = new Set(policy.leaving(asked));
  return candidates.filter(({ id }) => !leaving.has(id)).map(({ key }) => key);
}

describe("recently used", () => {
  it("keeps the 26 objects used last active, and 3 of them at a sweep, or 2 that are large", () => {
    const recent = keys(60);
    const large = recent.filter((key) =>
      recentlyUsedPolicy().staysAtSweep(recent)(object(key, "command", 50_000)),
    );
    const all = recent.map((key) => object(key, "search"));

    expect(staying(all, recent)).toEqual(recent.slice(-26));
    expect(
      recent.filter((key) => recentlyUsedPolicy().staysAtSweep(recent)(object(key, "search"))),
    ).toEqual(recent.slice(-3));
    expect(large).toEqual(recent.slice(-2));
  });

  it("deactivates objects that are not in the order of use, whatever their age", () => {
    expect(staying([object("t1", "search"), object("t2", "search")], ["t2"])).toEqual(["t2"]);
  });

  it.each([
    ["file", undefined, "f1", 39],
    ["reading", "read", "t1", 39],
    ["search", "search", "t1", 26],
    ["sub-agent's report", "agent", "t1", 78],
    ["command's output", "command", "t1", 13],
  ] as const)("reaches further or less far back for a %s", (_, kind, key, rank) => {
    const others = keys(96).slice(2);
    const at = (place: number): readonly string[] => [key, ...others.slice(0, place - 1)];

    expect(staying([object(key, kind)], at(rank))).toEqual([key]);
    expect(staying([object(key, kind)], at(rank + 1))).toEqual([]);
  });

  it("keeps large arguments longer than results", () => {
    const recent = ["t1/args", ...keys(53).slice(1)];
    const keeps = (used: readonly string[]): boolean =>
      recentlyUsedPolicy().keepsArguments(used)({ key: "t1/args", tokens: 1_000 });

    expect(recent).toHaveLength(53);
    expect(keeps(recent)).toBe(false);
    expect(keeps(recent.slice(0, 52))).toBe(true);
  });

  it("counts the size: four times the tokens must be twice as recent", () => {
    const recent = keys(90);
    const stays = recentlyUsedPolicy({ alive: 24, kept: 8 }).staysAtSweep(recent);
    const kept = (tokens: number): number =>
      recent.filter((key) => stays(object(key, "search", tokens))).length;
    const alive = (tokens: number): number =>
      staying(
        recent.map((key) => object(key, "search", tokens)),
        recent,
        recentlyUsedPolicy({ alive: 24 }),
      ).length;

    expect([kept(250), kept(1_000), kept(4_000)]).toEqual([16, 8, 4]);
    expect([alive(250), alive(1_000), alive(4_000)]).toEqual([48, 24, 12]);
    expect(alive(50)).toBe(alive(100));
  });

  it("never removes an object before one of the same kind and size that was used earlier", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(90), (alive, count) => {
        const recent = keys(count);
        const kept = staying(
          recent.map((key) => object(key, "web")),
          recent,
          recentlyUsedPolicy({ alive, kept: 1 }),
        );

        expect(kept).toEqual(recent.slice(-alive));
      }),
    );
  });

  it.each([{ alive: 0 }, { alive: 257 }, { alive: 2.5 }, { kept: 0 }, { alive: 4, kept: 5 }])(
    "refuses %o",
    (options) => {
      expect(() => recentlyUsedPolicy(options)).toThrow(RangeError);
    },
  );
});
