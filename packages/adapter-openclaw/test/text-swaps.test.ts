import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { textSwaps, type TextSwaps } from "../src/text-swaps.ts";
import type { TextSwap } from "../src/turn-view.ts";

const swap = (from: string, to = from, role = "toolResult"): TextSwap => ({ from, to, role });

/** Passes the texts of one request and returns what is sent. `run`: null if the host names none. */
async function sent(
  swaps: TextSwaps,
  texts: readonly string[],
  run: string | null = "run",
): Promise<readonly string[]> {
  const passed = texts.map((text) => swaps.replace(text, run ?? undefined));
  await Promise.resolve();
  return passed;
}

describe("the texts of a request", () => {
  it("are replaced in their order", async () => {
    const swaps = textSwaps();
    swaps.expect("run", [swap("go", "go", "user"), swap("a", "[t1]"), swap("a"), swap("b", "B")]);

    expect(await sent(swaps, ["[12:00] go", "a", "a", "b"])).toEqual([
      "[12:00] go",
      "[t1]",
      "a",
      "B",
    ]);
    expect(swaps.outcome("run")).toMatchObject({ isSeen: true, missed: 0 });
  });

  it("are replaced again when the request is sent again", async () => {
    const swaps = textSwaps();
    swaps.expect("run", [swap("a", "[t1]")]);

    expect(await sent(swaps, ["a"])).toEqual(["[t1]"]);
    expect(await sent(swaps, ["a"])).toEqual(["[t1]"]);
  });

  it("stay as others made them", async () => {
    const swaps = textSwaps();
    swaps.expect("run", [swap("secret", "[t1]"), swap("b", "B")]);

    expect(await sent(swaps, ["[redacted]", "b", "a carrier"])).toEqual([
      "[redacted]",
      "B",
      "a carrier",
    ]);
    expect(swaps.outcome("run")).toMatchObject({ isSeen: true, missed: 1 });
  });

  it("are replaced once if a transform is applied twice", () => {
    const swaps = textSwaps();
    const later = swap("go now", "[t2]");
    swaps.expect("run", [swap("go", "go now"), swap("a", "a b"), swap("c", "[t1]"), later]);
    const twice = (text: string): string => swaps.replace(swaps.replace(text, "run"), "run");

    expect(["go", "a", "c", "go now"].map(twice)).toEqual(["go now", "a b", "[t1]", "[t2]"]);
    expect(swaps.outcome("run")).toMatchObject({ missed: 0 });
  });

  it("are those of their run, also if two runs have the same texts", async () => {
    const swaps = textSwaps();
    swaps.expect("one", [swap("go"), swap("a", "[t1]")]);
    swaps.expect("two", [swap("go"), swap("a", "[t2]")]);

    expect(await sent(swaps, ["go", "a"], "two")).toEqual(["go", "[t2]"]);
    expect(await sent(swaps, ["go", "a"], "one")).toEqual(["go", "[t1]"]);
  });

  it("are found by the first one if the host names no run, and stay if it could be of several", async () => {
    const swaps = textSwaps();
    swaps.expect("one", [swap("go"), swap("a", "[t1]")]);
    expect(await sent(swaps, ["go", "a"], null)).toEqual(["go", "[t1]"]);
    expect(await sent(swaps, ["go", "a"], "a run without a view")).toEqual(["go", "a"]);

    swaps.expect("two", [swap("go"), swap("a", "[t2]")]);
    expect(await sent(swaps, ["go", "a"], null)).toEqual(["go", "a"]);
    expect(swaps.outcome("two")).toMatchObject({ isSeen: true, missed: 1, isComplete: false });
  });

  it("are recognised if the host's mark of a cut has another number", async () => {
    const cut = (count: number): string =>
      `${"line\n".repeat(50)}[... ${count} more characters truncated; rerun with narrower args if needed]`;
    const swaps = textSwaps();
    swaps.expect("run", [swap(cut(40_971), "[t1]")]);

    expect(await sent(swaps, [cut(32_073)])).toEqual(["[t1]"]);
  });

  it.each([
    ["the beginning", "[... 90 more characters truncated; rerun with narrower args if needed]"],
    ["a short mark", "[... 4 chars truncated; narrow args]"],
    ["a mark that is cut itself", "[... 4711 chars truncated; narrow ar"],
    [
      "the beginning and the end",
      "\n\n⚠️ [... middle content omitted — showing head and tail ...]\n\nexit code 1[... 9 more characters truncated; rerun]",
    ],
  ])("are sent whole if the host has cut a result to %s", async (_name, mark) => {
    const long = "line\n".repeat(100);
    const swaps = textSwaps();
    swaps.expect("run", [swap("go", "go", "user"), swap("other"), swap(long), swap(long, "[t1]")]);

    const passed = await sent(swaps, ["1:00 go", "other", `line\nli${mark}`, mark]);

    expect(passed).toEqual(["1:00 go", "other", long, "[t1]"]);
    expect(swaps.outcome("run")).toMatchObject({ missed: 0 });
  });

  it("are sent whole if the host has left out a result, and only results", async () => {
    const elided =
      "[tool result elided: aggregate tool-result budget exceeded; rerun the command if the output is needed]";
    const swaps = textSwaps();
    swaps.expect("run", [swap("go", "go", "user"), swap("a", "f1 a"), swap("b")]);

    expect(await sent(swaps, ["1:00 go", elided, elided])).toEqual(["1:00 go", "f1 a", "b"]);
    expect(await sent(swaps, ["1:00 go", "else [... 3 chars truncated; narrow args]"])).toEqual([
      "1:00 go",
      "else [... 3 chars truncated; narrow args]",
    ]);
  });

  it("stay the same without a plan, and after the run", async () => {
    const swaps = textSwaps();
    expect(await sent(swaps, ["a"])).toEqual(["a"]);
    swaps.expect("run", [swap("a", "[t1]")]);
    swaps.forget("run");
    expect(await sent(swaps, ["a"])).toEqual(["a"]);
    expect(swaps.outcome("run")).toBeUndefined();
  });

  it("are all replaced for any texts, whatever the host adds between them", async () => {
    const words = fc.constantFrom("a", "b", "c", "dd");
    const item = fc.record({ from: words, isSwapped: fc.boolean(), added: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 12 }), async (items) => {
        const swaps = textSwaps();
        const plan = items.map(({ from, isSwapped }, index) =>
          swap(from, isSwapped ? `[t${index}]` : from),
        );
        swaps.expect("run", plan);
        const texts = items.flatMap(({ from, added }) => (added ? ["carrier", from] : [from]));
        const wanted = items.flatMap(({ added }, index) => {
          const to = plan[index]?.to ?? "";
          return added ? ["carrier", to] : [to];
        });

        expect(await sent(swaps, texts)).toEqual(wanted);
      }),
    );
  });
});
