/** A call of the model, with a sentence before it. Each host has a tool for each kind of call. */
export type ShortCall = { readonly says: string } & (
  | { readonly runs: string }
  | { readonly reads: string }
  | { readonly edits: string; readonly from: string; readonly to: string }
  | { readonly writes: string; readonly text: string }
);

/** A turn: the prompt, the model's calls, one in each answer, and its last answer. */
export interface ShortTurn {
  readonly prompt: string;
  readonly calls: readonly ShortCall[];
  readonly answer: string;
}

/** The greatest cost of the session with managed context, divided by its cost in the plain host. */
export const mostOfPlain = 1.08;

const cart = `/** The total of a cart, with the tax of the buyer's country. Prices are whole cents. */
import { taxOf } from "./tax.mjs";

/** An item: its price in cents, and how many of it were ordered. Returns the price of all of them. */
export function priceOf(item) {
  if (!Number.isInteger(item.price)) throw new TypeError(\`\${item.price} is no price in cents\`);
  return item.price;
}

export function total(items, country) {
  const net = items.reduce((sum, item) => sum + priceOf(item), 0);
  return net + taxOf(country, net);
}

/** Returns the items of both carts. The counts of an item that is in both are added. */
export function merged(one, other) {
  const items = new Map(one.map((item) => [item.name, item]));
  for (const item of other) {
    const known = items.get(item.name);
    items.set(item.name, known === undefined ? item : { ...item, count: item.count + known.count });
  }
  return [...items.values()];
}

/** Returns the items without those that nobody ordered, the dearest first. */
export function sorted(items) {
  const ordered = items.filter((item) => item.count > 0);
  return ordered.toSorted((one, other) => other.price - one.price || one.name.localeCompare(other.name));
}

/** Returns how much is missing until nothing has to be paid for the delivery: from 50.00 on, without the tax. */
export function missingForFreeDelivery(items) {
  return Math.max(0, 5_000 - items.reduce((sum, item) => sum + priceOf(item), 0));
}

/** Returns the cart after a part of it was sent back. Throws \`RangeError\` for more than was ordered. */
export function without(items, returned) {
  const left = new Map(items.map((item) => [item.name, item]));
  for (const { name, count } of returned) {
    const known = left.get(name);
    if (known === undefined || known.count < count)
      throw new RangeError(\`the cart has \${known?.count ?? 0} of \${name}, not \${count}\`);
    left.set(name, { ...known, count: known.count - count });
  }
  return [...left.values()].filter((item) => item.count > 0);
}

/** Returns a line for each item, and one for the total. */
export function receipt(items, country) {
  const lines = items.map((item) => \`\${item.name.padEnd(20)} \${(priceOf(item) / 100).toFixed(2)}\`);
  return [...lines, \`\${"total".padEnd(20)} \${(total(items, country) / 100).toFixed(2)}\`].join("\\n");
}
`;

const tax = `/** Taxes in percent. A country that is not listed has none. */
const rates = {
  cz: 21,
  de: 19,
  es: 21,
  fr: 20,
  hu: 27,
  it: 22,
  pl: 23,
};

/** Returns the tax on a net price, rounded to the nearest cent. */
export function taxOf(country, net) {
  return Math.round((net * (rates[country] ?? 0)) / 100);
}
`;

const cartTest = `import assert from "node:assert/strict";
import { test } from "node:test";

import { merged, missingForFreeDelivery, priceOf, receipt, sorted, total, without } from "../src/cart.mjs";

const bread = { name: "bread", price: 100, count: 3 };
const milk = { name: "milk", price: 120, count: 1 };

test("counts each item", () => {
  assert.equal(total([bread], "de"), 357);
});

test("has no tax without a country", () => {
  assert.equal(total([milk]), 120);
});

test("refuses a price that is not in cents", () => {
  assert.throws(() => priceOf({ price: 1.2, count: 1 }), TypeError);
});

test("adds the counts of an item that is in two carts", () => {
  const [item] = merged([bread], [{ ...bread, count: 2 }]);
  assert.equal(item.count, 5);
});

test("sorts the dearest item first, and leaves out what nobody ordered", () => {
  const names = sorted([bread, milk, { name: "tea", price: 300, count: 0 }]).map(({ name }) => name);
  assert.deepEqual(names, ["milk", "bread"]);
});

test("takes back a part of what was ordered, and not more", () => {
  const [item] = without([bread, milk], [{ name: "bread", count: 2 }, { name: "milk", count: 1 }]);
  assert.deepEqual(item, { ...bread, count: 1 });
  assert.throws(() => without([milk], [{ name: "milk", count: 2 }]), /the cart has 1 of milk, not 2/);
});

test("knows how much is missing until the delivery is free", () => {
  assert.equal(missingForFreeDelivery([milk]), 4_880);
  assert.equal(missingForFreeDelivery([{ ...milk, count: 50 }]), 0);
});

test("prints a line for each item and for the total", () => {
  assert.equal(receipt([milk], "de").split("\\n").length, 2);
});
`;

const taxTest = `import assert from "node:assert/strict";
import { test } from "node:test";

import { taxOf } from "../src/tax.mjs";

const taxes = { cz: 210, de: 190, es: 210, fr: 200, hu: 270, it: 220, pl: 230 };

for (const [country, expected] of Object.entries(taxes)) {
  test(\`the tax of \${country}\`, () => {
    assert.equal(taxOf(country, 1_000), expected);
  });
}

test("is rounded to the nearest cent", () => {
  assert.equal(taxOf("hu", 11), 3);
  assert.equal(taxOf("hu", 9), 2);
});

test("is nothing in a country that is not listed", () => {
  assert.equal(taxOf("xx", 1_000), 0);
});
`;

const readme = `# Cart

Reckons what a customer of the shop has to pay. The shop's server imports \`src/cart.mjs\` and nothing
else of this folder.

- \`src/cart.mjs\` adds the prices of all items, each as often as it was ordered.
- \`src/tax.mjs\` has the tax of each country, in percent. Taxes are rounded to the nearest cent. A
  country that is not listed has none.

Prices are whole cents, so no total has a rounding error of its own. \`sh test.sh\` runs the tests.

## Prices

A price is a whole number of cents, without the tax. \`priceOf\` refuses anything else, because a price
in euros once reached a customer as one hundredth of itself. An item has a name, a price and a
count. Two items of one name are the same item,
so carts are merged and sent back by name.

## Carts

No function changes a cart that it gets. \`merged\` and \`without\` return a new one, \`sorted\` a list for
the screen, and \`receipt\` the text that is printed and sent to the customer. A cart without items
costs nothing, and its receipt has one line. The delivery is free from 50.00 on, which the screen of
the cart shows as a bar; what it costs below that is known to the server only.

## Receipts

The names of a receipt have 20 columns, because the printers of the shops have 32. A longer name
moves the price to the right. The total includes the tax, and the lines above it do not.

## A new country

Add its tax to \`src/tax.mjs\`, and the tax on 10.00 to \`test/tax.test.mjs\`. Nothing else knows the
countries.
`;

/** Stands for a run of the tests, with the same output on each machine. */
const testScript = `fault=0
grep -q 'item.price [*] item.count' src/cart.mjs && echo 'ok 1 - counts each item' || {
  fault=1
  echo 'not ok 1 - counts each item'
  echo '  failureType: testCodeFailure'
  echo '  error: Expected values to be strictly equal: 119 !== 357'
  echo '  expected: 357'
  echo '  actual: 119'
  echo '  operator: strictEqual'
  echo '  at test/cart.test.mjs:10:10'
}
echo 'ok 2 - has no tax without a country'
echo 'ok 3 - refuses a price that is not in cents'
echo 'ok 4 - adds the counts of an item that is in two carts'
echo 'ok 5 - sorts the dearest item first, and leaves out what nobody ordered'
echo 'ok 6 - takes back a part of what was ordered, and not more'
echo 'ok 7 - knows how much is missing until the delivery is free'
echo 'ok 8 - prints a line for each item and for the total'
test -f test/tax.test.mjs && for country in cz de es fr hu it pl; do echo "ok - the tax of $country"; done
test -f test/tax.test.mjs && echo 'ok - is rounded to the nearest cent'
test -f test/tax.test.mjs && echo 'ok - is nothing in a country that is not listed'
echo "# fail $fault"
`;

/** The files of the working folder. */
export const shortFiles: Readonly<Record<string, string>> = {
  "src/cart.mjs": cart,
  "src/tax.mjs": tax,
  "test/cart.test.mjs": cartTest,
  "test.sh": testScript,
};

/** Work of a few minutes in 20 calls with small outputs, in which nothing has to leave. */
export const shortTurns: readonly ShortTurn[] = [
  {
    prompt: `A customer wrote to us this morning. This is the receipt that she got for order 4711:

bread                1.00
milk                 1.20
total                2.62

She ordered three loaves of bread for 1.00 each and one bottle of milk for 1.20, in Germany. So she
should have paid 5.00 for three loaves, the milk and the tax of 19 %, and the receipt should say 3.00
for the bread. Yesterday another customer in France reported the same about two orders of tea, so it
is not a matter of the country. Find the mistake, correct it, and show me that the tests pass. If a
test was missing or wrong, tell me which one. Do not change anything else: the server of the shop
imports this folder as it is, and the next release is tomorrow. We have to write to both customers
today, so tell me also what they paid too little, in words that they understand: they do not know
what a function is, and they have not done anything wrong. The accountant gets the same text.

For your information, this is what the server does with the folder: it calls \`total\` when a customer
pays and \`receipt\` when the payment has arrived, an hour later at most, and it stores both results.
It never calls them again for the same order, so a receipt that was wrong stays wrong until somebody
sends a new one by hand. The orders of the last four weeks are in its database, 212 of them with more
than one piece of an item. I make the list of these customers myself, when I have your correction. If you need an example, the
order 4698 has three pieces of one item and nothing else, and its customer has not complained yet.`,
    calls: [
      { says: "I look at the files of the project first.", runs: "ls -R src test" },
      { says: "There is a script for the tests. I run it to see the failure.", runs: "sh test.sh" },
      { says: "One test fails, and it names the total. I read the cart.", reads: "src/cart.mjs" },
      { says: "Does anything use the count of an item?", runs: "grep -rn count src test" },
      {
        says: "Only the tests and a comment do. I look at what the tests expect.",
        runs: "cat test/cart.test.mjs",
      },
      {
        says: "The comment promises the price of all of them, so I correct `priceOf`, which the receipt and the free delivery use too.",
        edits: "src/cart.mjs",
        from: "  return item.price;",
        to: "  return item.price * item.count;",
      },
      {
        says: "I look at the lines that use it.",
        runs: "grep -n -A 2 priceOf src/*.mjs test/*.mjs",
      },
      { says: "I run the tests again.", runs: "sh test.sh" },
    ],
    answer:
      "`priceOf` returned the price of one item, whatever its count was. It multiplies by the count now, as its comment says, so the total and the receipt are right: three loaves for 1.00 and the milk for 1.20 cost 4.20, and with the German tax of 19 % the customer pays 5.00. The test *counts each item* was right and failed before; now all eight pass. For the customers: *Your receipt counted each kind of bread, milk or tea once, even if you ordered several of it. You received everything that you ordered and paid for one of each kind only. We made the mistake, and it is corrected. The order 4711 should have cost 5.00 instead of 2.62.* No test compares the lines of the receipt, only their number: that is why nobody saw it there. Nothing else has changed. For your list: an order was reckoned wrong if any of its items has a count above one, whatever the country is, and the difference is the price of the pieces that were not counted, with the tax of the country on it. Orders that came back in part before today were reckoned with the same mistake, so look at them too: the server has them in the same list, with a negative count, and the money that went back was too little by the same price. I have not looked for other mistakes in the folder.",
  },
  {
    prompt:
      "Good. Our accountant asked how we can be sure of the taxes, and I had no answer. They have no test of their own, and last year a change of the rounding reached the customers because of that. Write a test for each country, for the rounding in both directions, and for a country that is not listed. Round as the law of the country of the buyer says, which is to the nearest cent everywhere; if one of them is not, tell me instead of correcting it. Then write a short README for the next developer: what each file does, what a price is, how the tests are run, and what has to be done for a new country. The next developer comes from another shop and knows the language, but neither our printers nor our accountant, so write down what she would have to ask us: why prices are whole cents, who pays for the delivery, and what the shop's server does with a receipt once it was printed. One page is enough, and no drawing.",
    calls: [
      { says: "I read the taxes.", reads: "src/tax.mjs" },
      { says: "Who uses them?", runs: "grep -rn -B 2 -A 2 taxOf src test" },
      {
        says: "Only the cart. I write the tests in the form of the other file.",
        writes: "test/tax.test.mjs",
        text: taxTest,
      },
      { says: "I run all tests.", runs: "sh test.sh" },
      { says: "All pass. Now the README.", writes: "README.md", text: readme },
      { says: "I read it once more as a whole.", runs: "cat README.md" },
      { says: "At last I look at what is new.", runs: "ls . test" },
    ],
    answer:
      "`test/tax.test.mjs` tests the tax of each of the seven countries, the rounding in both directions, and a country that is not listed. All seventeen tests pass. The accountant can read the expected taxes in one line of the file: the tax on 10.00 in each country, in cents. `README.md` says what each file does, that prices are whole cents, and what a new country needs.",
  },
  {
    prompt:
      "From the first of January on we deliver to Austria, where the tax is 20 %. Add it, with its test, and tell me whether anything else in this folder has to know about it. The prices of the items stay as they are; only the tax is new.",
    calls: [
      {
        says: "I add the tax in the order of the list.",
        edits: "src/tax.mjs",
        from: "const rates = {\n",
        to: "const rates = {\n  at: 20,\n",
      },
      {
        says: "And its test.",
        edits: "test/tax.test.mjs",
        from: "const taxes = { ",
        to: "const taxes = { at: 200, ",
      },
    ],
    answer:
      "Austria is in `src/tax.mjs` with 20 %, and `test/tax.test.mjs` expects 2.00 on 10.00. Nothing else has to know: `src/cart.mjs` passes the country on to `taxOf` and asks for nothing else, the receipt prints totals only, and the README names no country. The tax counts as soon as the server imports the folder again, so wait with the release until the first of January, or leave the line out until then. A receipt for Austria has the same form as all others. An order that is sent back later is reckoned with the tax of the day on which it is sent back, because the folder keeps no dates: if the accountant needs the tax of the day of the order, `without` has to know it, and that is a change of its own.",
  },
];
