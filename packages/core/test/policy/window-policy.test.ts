import { objectId } from "@self-context-manager/objects";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PolicyObject } from "../../src/policy/activation-policy.ts";
import { windowPolicy } from "../../src/policy/window-policy.ts";

/** Numbers of tool calls in each turn. Every call is still active. */
const counts = fc.array(fc.nat(12), { minLength: 1, maxLength: 8 });

function candidatesOf(perTurn: readonly number[]): readonly PolicyObject[] {
  return perTurn.flatMap((count, turn) =>
    Array.from({ length: count }, (_, index) => ({
      id: objectId(`t${turn}.${index + 1}`),
      key: `t${turn}.${index + 1}`,
      type: "toolcall",
      used: { turn, call: index + 1 },
      tokens: 1_000,
    })),
  );
}

function staying(
  perTurn: readonly number[],
  options?: Parameters<typeof windowPolicy>[0],
): readonly string[] {
  const candidates = candidatesOf(perTurn);
  const leaving = new Set(
    windowPolicy(options).leaving({
      candidates,
      turn: perTurn.length - 1,
      callsInTurn: (turn) => perTurn[turn] ?? 0,
      recent: [],
      sentTokens: 0,
    }),
  );
  return candidates.filter(({ id }) => !leaving.has(id)).map(({ id }) => id);
}

describe("the specification's window", () => {
  it("keeps the last 5 tool calls of each of the last 3 turns", () => {
    fc.assert(
      fc.property(counts, (perTurn) => {
        const lists = perTurn.map((count, turn) =>
          Array.from({ length: count }, (_, index) => `t${turn}.${index + 1}`),
        );

        expect(staying(perTurn)).toEqual(lists.slice(-3).flatMap((calls) => calls.slice(-5)));
      }),
    );
  });

  it("accepts other numbers", () => {
    fc.assert(
      fc.property(
        counts,
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 8 }),
        (perTurn, calls, turns) => {
          const lists = perTurn.map((count, turn) =>
            Array.from({ length: count }, (_, index) => `t${turn}.${index + 1}`),
          );

          expect(staying(perTurn, { calls, turns })).toEqual(
            lists.slice(-turns).flatMap((all) => all.slice(-calls)),
          );
        },
      ),
    );
  });

  it("keeps files until they are deactivated", () => {
    const file = {
      id: objectId("f"),
      key: "f1",
      type: "file",
      used: { turn: 0, call: 0 },
      tokens: 1,
    };

    const leaving = windowPolicy().leaving({
      candidates: [file],
      turn: 99,
      callsInTurn: () => 99,
      recent: [],
      sentTokens: 0,
    });

    expect(leaving).toEqual([]);
  });

  it.each([{ calls: 0 }, { calls: 1.5 }, { turns: -1 }, { turns: Number.NaN }])(
    "refuses %j",
    (options) => {
      expect(() => windowPolicy(options)).toThrow(RangeError);
    },
  );
});

it("keeps all active objects and all arguments at the end of an epoch", () => {
  const policy = windowPolicy();

  const kept = policy.staysAtSweep([])({ key: "t1", tokens: 900 });
  const args = policy.keepsArguments([])({ key: "t1/args", tokens: 900 });

  expect([kept, args]).toEqual([true, true]);
});
