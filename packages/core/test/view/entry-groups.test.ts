import { continued } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";

import { firstMarked, marked, rawTokens } from "../../src/view/entry-groups.ts";
import type { ViewEntry } from "../../src/view/view-entry.ts";

const shows = [{ of: "t1", version: 1, form: "whole" }] as const;
const place = { turn: 0, step: 0, call: 0, of: "t1", version: 1 };

const kinds: readonly ViewEntry[] = [
  { type: "user", turn: 0, tokens: 3 },
  { type: "assistant", turn: 0, step: 0, tokens: 5 },
  { type: "result", ...place, form: "shown", shows, tokens: 7 },
  { type: "result", ...place, form: "bare", tokens: 11 },
  { type: "result", turn: 0, step: 0, call: 0, form: "bare", tokens: 13 },
  { type: "notice", text: "a", tokens: 17 },
];

const entries: readonly ViewEntry[] = Array.from({ length: 9_000 }, (_, at) => ({
  ...(kinds[(at * 7) % kinds.length] as ViewEntry),
}));

describe("marked", () => {
  it.each([
    ["content", (entry: ViewEntry) => "shows" in entry],
    ["answers", ({ type }: ViewEntry) => type === "assistant"],
    ["notices", ({ type }: ViewEntry) => type === "notice"],
    ["waiting", (entry: ViewEntry) => entry.type === "result" && entry.of === undefined],
  ] as const)("returns the places of all entries with the mark %s", (mark, test) => {
    const expected = entries.flatMap((entry, at) => (test(entry) ? [at] : []));

    expect(marked(entries, mark)).toEqual(expected);
    expect(firstMarked(entries, mark, (_, at) => at > 5_000)).toBe(
      expected.find((at) => at > 5_000) ?? -1,
    );
  });
});

describe("a list that continues another", () => {
  it("has the places of its own entries", () => {
    const next = continued(entries, [kinds[5] as ViewEntry], 4_100);

    const notices = marked(next, "notices");

    expect(notices.at(-1)).toBe(4_100);
    expect(notices.slice(0, -1)).toEqual(marked(entries, "notices").filter((at) => at < 4_100));
  });
});

describe("rawTokens", () => {
  it("sums the tokens of a part of a list", () => {
    for (const [from, to] of [
      [0, 200],
      [0, 64],
      [3, 64],
      [64, 128],
      [10, 20],
      [60, 140],
      [150, 150],
      [4_000, 9_000],
    ] as const) {
      const sum = entries.slice(from, to).reduce((total, { tokens }) => total + tokens, 0);

      expect(rawTokens(entries, from, to)).toBe(sum);
    }
  });
});
