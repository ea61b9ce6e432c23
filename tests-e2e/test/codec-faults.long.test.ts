import { type CodecLaw, codecLaws } from "@self-context-manager/testkit";
import { AssertionError } from "node:assert/strict";
import { describe, expect, it } from "vitest";

import { codecFaults } from "../src/codec/faults.ts";

const laws = Object.keys(codecLaws) as CodecLaw[];

it("has a fault for every law of MessageCodec", () => {
  expect(Object.keys(codecFaults).toSorted()).toEqual(laws.toSorted());
  for (const faults of Object.values(codecFaults)) expect(Object.keys(faults)).not.toEqual([]);
});

describe.each(laws)("%s", (law) => {
  it.each(Object.entries(codecFaults[law]))("is broken by a codec that %s", (_, subject) => {
    expect(() => codecLaws[law](subject)).toThrow(AssertionError);
  });
});
