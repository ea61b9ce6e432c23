import { describe, expect, it } from "vitest";

import { allItems, everyItem } from "../../src/index.ts";

/** A query for the numbers from 1 to 5, two of them in each page; `asked` gets the places at which a page begins. */
function pages(asked: (string | undefined)[]) {
  return async ({ after }: { readonly after?: string }) => {
    asked.push(after);
    const first = Number(after ?? 0) + 1;
    const items = [first, first + 1].filter((number) => number <= 5);
    return { items, ...(first + 1 < 5 ? { next: String(first + 1) } : {}) };
  };
}

describe("an answer in pages", () => {
  it("has the items of all pages in their order", async () => {
    expect(await allItems(pages([]))).toEqual([1, 2, 3, 4, 5]);
  });

  it("is read only as far as its items are taken", async () => {
    const asked: (string | undefined)[] = [];

    for await (const item of everyItem(pages(asked))) if (item === 3) break;

    expect(asked).toEqual([undefined, "2"]);
  });
});
