import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alignNames, alignWithin } from "../../src/history/align-names.ts";

const name = fc.constantFrom("a", "b", "c");
const names = fc.array(name, { maxLength: 12 });

function aligned(list: string, known: string, prefers?: "beginning" | "end"): string {
  return alignNames(list.split(""), known.split(""), prefers)
    .map((at) => (at === undefined ? "-" : String(at)))
    .join("");
}

describe("the names of a host's list", () => {
  it.each([
    ["an appended message", "abc", "ab", "01-"],
    ["the same list", "ab", "ab", "01"],
    ["a list that lost its beginning", "bcd", "abc", "12-"],
    ["repeated words in a list that lost its beginning", "abab", "ababab", "2345"],
    ["another continuation", "abx", "abcd", "01-"],
    ["another continuation with a known word", "abxd", "abcd", "01--"],
    ["a hole", "abde", "abcde", "0134"],
    ["an inserted message", "xab", "ab", "-01"],
    ["an inserted message with a known word", "bab", "ab", "-01"],
    ["an inserted message in the middle", "axbc", "abc", "0-12"],
    ["nothing known", "xy", "ab", "--"],
    ["an empty list", "", "ab", ""],
  ])("are found for %s", (_, list, known, places) => {
    expect(aligned(list, known)).toBe(places);
  });

  it("are found at the beginning after a report that the user went back", () => {
    expect(aligned("ab", "abab")).toBe("23");
    expect(aligned("ab", "abab", "beginning")).toBe("01");
  });

  it("are found in the middle at the last place of their longest beginning", () => {
    expect(alignWithin(["b", "c", "x"], "abcdbce".split(""))).toEqual([4, 5, undefined]);
    expect(alignWithin(["x"], ["a", "b", "c"])).toEqual([undefined]);
  });

  it("keep their order and are equal to the known ones, each of which is found once", () => {
    fc.assert(
      fc.property(names, names, fc.boolean(), (list, known, isEnd) => {
        for (const places of [
          alignNames(list, known, isEnd ? "end" : "beginning"),
          alignWithin(list, known),
        ]) {
          expect(places).toHaveLength(list.length);
          const found = places.flatMap((at) => at ?? []);
          expect(found).toEqual([...new Set(found)].toSorted((left, right) => left - right));
          const isSame = places.map((at, index) => at === undefined || known[at] === list[index]);
          expect(isSame).not.toContain(false);
        }
      }),
    );
  });

  it("are all found in a list to which messages were appended, and in one that only lost its beginning", () => {
    fc.assert(
      fc.property(names, names, fc.nat(12), (known, more, lost) => {
        const places = alignNames([...known, ...more], known);
        expect(places.slice(0, known.length)).toEqual([...known.keys()]);

        const rest = known.slice(lost);
        expect(alignNames(rest, known)).toEqual(
          rest.map((_, index) => known.length - rest.length + index),
        );
      }),
    );
  });
});
