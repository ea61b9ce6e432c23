/** The countries whose taxes the project contains. Two of them round differently from the others. */
export const demoCountries: readonly string[] = [
  "at be bg cy cz de dk ee es fi fr gr hr hu ie it",
].flatMap((codes) => codes.split(" "));

const roundsOtherwise: ReadonlySet<string> = new Set(["cz", "hu"]);

/** Returns the path of a country's taxes. */
export function taxFile(country: string): string {
  return `src/taxes/${country}.mjs`;
}

/** The project that the agent of the demo works on. It is small and has a bug that its test shows. */
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
  ...Object.fromEntries(demoCountries.map((country) => [taxFile(country), taxes(country)])),
  "test/cart.test.mjs": `import assert from "node:assert/strict";
import { test } from "node:test";
import { cart } from "../src/cart.mjs";
import { discounts } from "../src/discounts.mjs";

test("an empty cart costs nothing", () => {
  assert.equal(cart().total(), 0);
});

test("the count of an item multiplies its price", () => {
  const one = cart();
  one.add("apple", 2, 3);
  assert.equal(one.total(), 6);
});

for (const [code, share] of Object.entries(discounts)) {
  for (const price of [10, 20, 40, 80, 160]) {
    test(\`the code \${code} takes \${share} of one pear for \${price} off\`, () => {
      const one = cart();
      one.add("pear", price);
      assert.equal(one.total(code), price * (1 - share));
    });
  }
}
`,
};

/** The user's prompts, in order. */
export const demoPrompts: readonly string[] = [
  "The tests of this project fail. Find out why and fix it. Keep notes.",
  "Do the taxes of all countries round the same way? Check each, and fix what differs.",
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

function taxes(country: string): string {
  const name = country.toUpperCase();
  const round = roundsOtherwise.has(country) ? "floor" : "round";
  const rows = Array.from(
    { length: 48 },
    (_, index) =>
      `  { group: "${name}-${index + 1}", rate: ${(0.04 + index / 400).toFixed(4)}, since: "20${String(10 + (index % 15)).padStart(2, "0")}-01-01" },`,
  );
  return `/** Tax rates of ${name} by group of goods. */\nexport const rates = [\n${rows.join("\n")}\n];\n\nexport function tax(sum, rate) {\n  return Math.${round}(sum * rate * 100) / 100;\n}\n`;
}
