import { expect, it } from "vitest";
import type { JsonValue } from "../../src/model/json.ts";
import {
  type ChainEnd,
  chainLink,
  type CountingChunkWriter,
} from "../../src/store-kit/chain-link.ts";
import { applyDelta } from "../../src/store-kit/delta-apply.ts";
import type { Delta } from "../../src/store-kit/delta-encode.ts";
import { bulkOf } from "../../src/store-kit/stored-body.ts";
import { versionOf } from "../store-versions.ts";

function writtenChunks(): CountingChunkWriter & { readonly texts: string[] } {
  const texts: string[] = [];
  return {
    texts,
    write: (text) => texts.push(text) - 1,
    written: () => texts.join("").length,
  };
}

/** Returns the link of each version in a chain with these contents, and whether its delta rebuilds the version. */
function chainOf(contents: readonly string[]) {
  const chunks = writtenChunks();
  let end: ChainEnd | undefined;
  let value: JsonValue | undefined;
  const links = contents.map((content, index) => {
    const stored = versionOf("a", index + 1, { content });
    const link = chainLink(end, stored, chunks);
    const { delta, ...place } = link;
    end = { stored, ...place };
    if (delta !== undefined) {
      const start = link.base === stored.version ? undefined : value;
      value = applyDelta(start, JSON.parse(delta) as Delta, {
        read: (key) => chunks.texts[Number(key)] ?? "",
      });
    }
    return { link, isRight: JSON.stringify(value) === JSON.stringify(bulkOf(stored.body)) };
  });
  return links;
}

it("stores the first version whole and the next as a delta on the same base", () => {
  const [first, second] = chainOf(["one two three four five", "one two three four five six"]);

  expect(first?.link).toMatchObject({ base: 1, weight: 0 });
  expect(second?.link).toMatchObject({ base: 1, weight: second?.link.delta?.length });
  expect([first?.isRight, second?.isRight]).toEqual([true, true]);
});

it("stores no delta if the bulk fields are equal", () => {
  const [first, second] = chainOf(["same", "same"]);

  expect(second?.link).toEqual({ ...first?.link, delta: undefined });
});

it("stores a version whole if a version is missing before it", () => {
  const chunks = writtenChunks();
  const first = versionOf("a", 1, { content: "one two three four five" });
  const end = { stored: first, ...chainLink(undefined, first, chunks) };

  const link = chainLink(
    end,
    versionOf("a", 3, { content: "one two three four five six" }),
    chunks,
  );

  expect(link).toMatchObject({ base: 3, weight: 0 });
});

it("counts long texts in the weight of a delta", () => {
  const [, second] = chainOf(["short", "x".repeat(5_000)]);

  expect(second?.link.base).toBe(1);
  expect(second?.link.weight).toBe(5_000 + (second?.link.delta?.length ?? 0));
});

it("stores a version whole again if its deltas exceed three times its size plus 8,192 characters", () => {
  const texts = Array.from("abcdefghijklmnopqrstuvwx", (letter) => letter.repeat(1_000));
  const links = chainOf(texts);

  const bases = new Set(links.map(({ link }) => link.base));
  expect(bases.size).toBeGreaterThan(1);
  for (const { link, isRight } of links) {
    expect(link.weight).toBeLessThanOrEqual(3 * link.size + 8_192);
    expect(isRight).toBe(true);
  }
});
