/** A small project with a bug that its test shows: what the agent of the demo works on. */
export const demoProject: Readonly<Record<string, string>> = {
  "README.md": "# Cart\n\nAdds up what a customer buys. Run `node --test` to test it.\n",
  "package.json": `${JSON.stringify({ name: "cart", type: "module", private: true }, undefined, 2)}\n`,
  "src/cart.mjs": `import { discounts } from "./discounts.mjs";

/** The items of one customer. */
export function cart() {
  const items = [];
  return {
    add(name, price, count = 1) {
      items.push({ name, price, count });
    },
    total(code) {
      const sum = items.reduce((all, item) => all + item.price, 0);
      return sum * (1 - (discounts[code] ?? 0));
    },
  };
}
`,
  "src/discounts.mjs": manyDiscounts(),
  "test/cart.test.mjs": `import assert from "node:assert/strict";
import { test } from "node:test";
import { cart } from "../src/cart.mjs";

test("an empty cart costs nothing", () => {
  assert.equal(cart().total(), 0);
});

test("the count of an item multiplies its price", () => {
  const one = cart();
  one.add("apple", 2, 3);
  assert.equal(one.total(), 6);
});

test("a code takes its share off", () => {
  const one = cart();
  one.add("pear", 10);
  assert.equal(one.total("SUMMER-10"), 9);
});
`,
};

/** The two things that the user asks, one after the other. */
export const demoPrompts: readonly string[] = [
  "The tests of this project fail. Find out why and fix it. Keep notes.",
  "What exactly did the first failing run say? Then tell me which discount codes there are.",
];

function manyDiscounts(): string {
  const seasons = ["SPRING", "SUMMER", "AUTUMN", "WINTER"];
  const rows = seasons.flatMap((season) =>
    Array.from({ length: 12 }, (_, index) => {
      const percent = (index + 1) * 5;
      return `  "${season}-${percent}": ${(percent / 100).toFixed(2)}, // ${percent} percent off in ${season.toLowerCase()}`;
    }),
  );
  return `/** Discount codes and the share that they take off. */\nexport const discounts = {\n${rows.join("\n")}\n};\n`;
}
