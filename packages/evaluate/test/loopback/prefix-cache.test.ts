import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  automaticPrefixCache,
  markedPrefixCache,
  type PrefixCache,
  type PromptBlock,
} from "../../src/loopback/prefix-cache.ts";

const minute = 60_000;

/** With this minimum, one block is long enough to be kept. */
const whole = { minimum: 1000 };

/** Returns blocks of 1,000 tokens. A name with an exclamation mark has a breakpoint. */
const prompt = (...names: readonly string[]): readonly PromptBlock[] =>
  names.map((name) => ({
    text: name.replace("!", ""),
    tokens: 1000,
    ...(name.endsWith("!") ? { breakpoint: 5 * minute } : {}),
  }));

describe("a cache by Anthropic's rules", () => {
  test("writes up to the last breakpoint and bills the rest as plain input", () => {
    const cache = markedPrefixCache(whole);

    expect(cache.bill(prompt("a", "b!", "c"))).toEqual({ read: 0, written: 2000, input: 1000 });
  });

  test("reads the longest entry at the beginning of the prompt", () => {
    const cache = markedPrefixCache(whole);
    cache.bill(prompt("a!", "b", "c!"));

    expect(cache.bill(prompt("a", "b", "c", "d!"))).toEqual({
      read: 3000,
      written: 1000,
      input: 0,
    });
  });

  test("has no entry without a breakpoint, even for a long common prefix", () => {
    const cache = markedPrefixCache(whole);
    cache.bill(prompt("a!", "b", "c", "d!"));

    expect(cache.bill(prompt("a", "b", "c", "x!")).read).toBe(1000);
  });

  test("reads an earlier end before a change if it had a breakpoint and still has it", () => {
    const cache = markedPrefixCache(whole);
    cache.bill(prompt("s!", "b", "c!"));
    cache.bill(prompt("s!", "b", "c!", "d", "e!"));

    expect(cache.bill(prompt("s!", "b", "c!", "x", "y!"))).toEqual({
      read: 3000,
      written: 2000,
      input: 0,
    });
  });

  test("looks back over at most twenty blocks", () => {
    const block = (index: number): string => `b${index}`;
    const near = Array.from({ length: 20 }, (_, index) => block(index));
    const cache = markedPrefixCache(whole);
    cache.bill(prompt("a!"));

    expect(cache.bill(prompt("a", ...near.slice(1), "end!")).read).toBe(1000);
    expect(markedAfter("a!", ["a", ...near, "end!"]).read).toBe(0);
  });

  test("keeps no entry below the minimum", () => {
    const cache = markedPrefixCache({ minimum: 1001 });

    expect(cache.bill(prompt("a!"))).toEqual({ read: 0, written: 0, input: 1000 });
  });

  test("forgets an entry that was neither read nor marked for five minutes", () => {
    let time = 0;
    const cache = markedPrefixCache({ ...whole, now: () => time });
    cache.bill(prompt("a!"));
    time = 4 * minute;
    const kept = cache.bill(prompt("a!", "b!"));
    time = 9 * minute;
    const renewed = cache.bill(prompt("a!"));
    time = 14 * minute + 1;
    const lost = cache.bill(prompt("a!"));

    expect([kept.read, renewed.read, lost.read]).toEqual([1000, 1000, 0]);
  });
});

/** Returns the bill of a second prompt. */
function markedAfter(first: string, second: readonly string[]): ReturnType<PrefixCache["bill"]> {
  const cache = markedPrefixCache(whole);
  cache.bill(prompt(first));
  return cache.bill(prompt(...second));
}

describe("a cache by OpenAI's rules", () => {
  test("reads the common prefix in steps of 128 tokens", () => {
    const cache = automaticPrefixCache();
    const text = (tail: string): readonly PromptBlock[] => [
      { text: `${"a".repeat(8000)}${tail}`, tokens: 2000 + tail.length / 4 },
    ];
    cache.bill(text("b".repeat(400)));

    expect(cache.bill(text("c".repeat(400)))).toEqual({ read: 1920, written: 0, input: 180 });
  });

  test("reads no prompt of less than 1,024 tokens", () => {
    const cache = automaticPrefixCache();
    const short = [{ text: "a".repeat(4000), tokens: 1000 }];
    cache.bill(short);

    expect(cache.bill(short)).toEqual({ read: 0, written: 0, input: 1000 });
  });

  test("forgets an idle prompt", () => {
    let time = 0;
    const cache = automaticPrefixCache({ now: () => time });
    const long = [{ text: "a".repeat(8192), tokens: 2048 }];
    cache.bill(long);
    time = 5 * minute;
    const kept = cache.bill(long);
    time = 10 * minute + 1;

    expect([kept.read, cache.bill(long).read]).toEqual([2048, 0]);
  });
});

test("every token of a prompt is billed once by either set of rules", () => {
  const name = fc.constantFrom("a", "b", "c", "a!", "b!", "c!");
  const prompts = fc.array(fc.array(name, { minLength: 1, maxLength: 30 }), { maxLength: 8 });
  fc.assert(
    fc.property(prompts, (sent) => {
      for (const cache of [markedPrefixCache(whole), automaticPrefixCache()]) {
        for (const names of sent) {
          const { read, written, input } = cache.bill(prompt(...names));

          expect(read + written + input).toBe(names.length * 1000);
          expect(Math.min(read, written, input)).toBeGreaterThanOrEqual(0);
        }
      }
    }),
  );
});
