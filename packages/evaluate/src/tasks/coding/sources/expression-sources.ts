import type { TaskFiles } from "../../../model/task.ts";
import type { Seeded } from "../../seeded.ts";
import { errorsSource, packageSource, runnerSource } from "./plain-sources.ts";

/** A repository that parses and evaluates formulas. The power operator is left-associative, which is wrong. */
export function expressionSources(company: string, choices: Seeded): TaskFiles {
  return {
    "package.json": packageSource(`${company}-formulas`, "Evaluates formulas of customers."),
    "README.md": `# ${company} formulas\n\n\`src/tokens.js\` splits a formula, \`src/parser.js\` makes a tree of it, \`src/evaluate.js\` computes its value, and \`src/format.js\` prints it. Names are looked up in \`src/variables.js\` and \`src/functions.js\`. Tests: \`node test/run.js\`.\n`,
    "src/errors.js": errorsSource,
    "src/tokens.js": tokensSource,
    "src/parser.js": parserSource,
    "src/evaluate.js": evaluateSource,
    "src/format.js": formatSource,
    "src/functions.js": functionsSource,
    "src/variables.js": variablesSource,
    "data/formulas.txt": formulas(choices),
    "scripts/samples.js": samplesSource,
    "test/run.js": runnerSource,
    "test/formulas.cases.js": casesSource,
  };
}

/** Formulas of customers: many with small numbers, and some with powers. */
function formulas(choices: Seeded): string {
  const number = (): string => String(choices.integer(1, 9));
  const term = (): string =>
    choices.pick([
      number(),
      `(${number()} + ${number()})`,
      `max(${number()}, ${number()})`,
      `${number()} * ${number()}`,
      `round(${number()} / ${number()})`,
    ]);
  const lines = Array.from({ length: 150 }, () => {
    const operator = choices.pick([" + ", " - ", " * "]);
    return Array.from({ length: choices.integer(2, 4) }, term).join(operator);
  });
  return `${["2 ^ 3 ^ 2", ...lines, "-2 ^ 2", "2 ^ -1"].join("\n")}\n`;
}

const tokensSource = String.raw`import { UsageError } from "./errors.js";

// A token has a type (number, name or sign), its text, and the place where it begins.

const patterns = [
  ["number", /\d+(?:\.\d+)?/y],
  ["name", /[a-z][a-z0-9_]*/y],
  ["sign", /[-+*/^(),]/y],
];

export function tokens(text) {
  const found = [];
  let place = 0;
  while (place < text.length) {
    if (/\s/.test(text[place])) {
      place += 1;
      continue;
    }
    const token = tokenAt(text, place);
    if (token === undefined) {
      throw new UsageError("unexpected " + JSON.stringify(text[place]) + " at " + place);
    }
    found.push(token);
    place += token.text.length;
  }
  return found;
}

function tokenAt(text, place) {
  for (const [type, pattern] of patterns) {
    pattern.lastIndex = place;
    const match = pattern.exec(text);
    if (match !== null) return { type, text: match[0], place };
  }
  return undefined;
}
`;

const parserSource = String.raw`import { UsageError } from "./errors.js";
import { tokens } from "./tokens.js";

/**
 * Makes a tree of a formula. The order of the operators, from the weakest: + and -, * and /, ^, and
 * a sign before a value.
 */
export function parse(text) {
  const list = tokens(text);
  let index = 0;

  const isNext = (...texts) => list[index] !== undefined && texts.includes(list[index].text);
  const take = () => {
    const token = list[index];
    if (token === undefined) throw new UsageError("the formula ends too early: " + text);
    index += 1;
    return token;
  };
  const expect = (wanted) => {
    const token = take();
    if (token.text !== wanted) {
      throw new UsageError("expected " + wanted + " at " + token.place + ", found " + token.text);
    }
  };

  const leftToRight = (inner, ...operators) => () => {
    let left = inner();
    while (isNext(...operators)) {
      const operator = take().text;
      left = { type: "operation", operator, left, right: inner() };
    }
    return left;
  };

  const power = () => {
    let left = signed();
    while (isNext("^")) {
      take();
      left = { type: "operation", operator: "^", left, right: signed() };
    }
    return left;
  };

  const signed = () => {
    if (!isNext("-")) return primary();
    take();
    return { type: "sign", value: signed() };
  };

  const primary = () => {
    const token = take();
    if (token.type === "number") return { type: "number", value: Number(token.text) };
    if (token.text === "(") {
      const inner = sum();
      expect(")");
      return inner;
    }
    if (token.type !== "name") {
      throw new UsageError("expected a value at " + token.place + ", found " + token.text);
    }
    return isNext("(") ? { type: "call", name: token.text, values: values() } : { type: "name", name: token.text };
  };

  const values = () => {
    expect("(");
    const found = [];
    while (!isNext(")")) {
      if (found.length > 0) expect(",");
      found.push(sum());
    }
    expect(")");
    return found;
  };

  // A product is made of powers with or without a sign.
  const product = leftToRight(() => (isNext("-") ? signed() : power()), "*", "/");
  const sum = leftToRight(product, "+", "-");

  const tree = sum();
  if (index < list.length) throw new UsageError("unexpected " + list[index].text + " at " + list[index].place);
  return tree;
}
`;

const evaluateSource = String.raw`import { UsageError } from "./errors.js";
import { functions } from "./functions.js";
import { parse } from "./parser.js";
import { valueOf } from "./variables.js";

const operations = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => {
    if (right === 0) throw new UsageError("a division by zero");
    return left / right;
  },
  "^": (left, right) => left ** right,
};

export function evaluate(text, variables = new Map()) {
  return valueOfTree(parse(text), variables);
}

export function valueOfTree(tree, variables) {
  switch (tree.type) {
    case "number":
      return tree.value;
    case "name":
      return valueOf(tree.name, variables);
    case "sign":
      return -valueOfTree(tree.value, variables);
    case "operation":
      return operations[tree.operator](
        valueOfTree(tree.left, variables),
        valueOfTree(tree.right, variables),
      );
    case "call": {
      const called = Object.hasOwn(functions, tree.name) ? functions[tree.name] : undefined;
      if (called === undefined) throw new UsageError("no function " + tree.name);
      return called(...tree.values.map((value) => valueOfTree(value, variables)));
    }
    default:
      throw new TypeError("no tree of type " + tree.type);
  }
}
`;

const formatSource = String.raw`// Prints a tree as a formula, with brackets around every operation, so it is read in one way only.

export function format(tree) {
  switch (tree.type) {
    case "number":
      return String(tree.value);
    case "name":
      return tree.name;
    case "sign":
      return "-" + format(tree.value);
    case "operation":
      return "(" + format(tree.left) + " " + tree.operator + " " + format(tree.right) + ")";
    case "call":
      return tree.name + "(" + tree.values.map(format).join(", ") + ")";
    default:
      throw new TypeError("no tree of type " + tree.type);
  }
}

export function namesIn(tree) {
  switch (tree.type) {
    case "name":
      return [tree.name];
    case "sign":
      return namesIn(tree.value);
    case "operation":
      return [...namesIn(tree.left), ...namesIn(tree.right)];
    case "call":
      return tree.values.flatMap(namesIn);
    default:
      return [];
  }
}
`;

const functionsSource = String.raw`import { UsageError } from "./errors.js";

// The functions that formulas can call. A wrong number of arguments is an error of the customer.

const exactly = (count, compute) => (...values) => {
  if (values.length !== count) {
    throw new UsageError("expected " + count + " values, found " + values.length);
  }
  return compute(...values);
};

const atLeast = (count, compute) => (...values) => {
  if (values.length < count) {
    throw new UsageError("expected at least " + count + " values, found " + values.length);
  }
  return compute(...values);
};

export const functions = {
  abs: exactly(1, Math.abs),
  floor: exactly(1, Math.floor),
  max: atLeast(1, Math.max),
  mean: atLeast(1, (...values) => values.reduce((sum, value) => sum + value, 0) / values.length),
  min: atLeast(1, Math.min),
  round: exactly(1, Math.round),
  sqrt: exactly(1, (value) => {
    if (value < 0) throw new UsageError("the root of a negative value");
    return Math.sqrt(value);
  }),
  // New functions are added above this line.
};
`;

const variablesSource = String.raw`import { NotFoundError, UsageError } from "./errors.js";

const constants = new Map([
  ["pi", Math.PI],
  ["dozen", 12],
]);

export function valueOf(name, variables) {
  const value = variables.get(name) ?? constants.get(name);
  if (value === undefined) throw new NotFoundError("variable", name);
  return value;
}

export function readVariables(text) {
  const variables = new Map();
  for (const line of text.split("\n")) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const match = /^([a-z][a-z0-9_]*)\s*=\s*(-?\d+(?:\.\d+)?)$/.exec(line.trim());
    if (match === null) throw new UsageError("not a variable: " + line);
    variables.set(match[1], Number(match[2]));
  }
  return variables;
}
`;

const samplesSource = String.raw`import { readFileSync } from "node:fs";
import { evaluate } from "../src/evaluate.js";
import { format } from "../src/format.js";
import { parse } from "../src/parser.js";

const formulas = readFileSync("data/formulas.txt", "utf8").split("\n").filter((line) => line !== "");
// Everything goes to one stream, because two arrive in another order each time.
try {
  for (const formula of formulas) {
    console.log(formula.padEnd(50) + " " + String(evaluate(formula)).padEnd(20) + " " + format(parse(formula)));
  }
} catch (error) {
  console.log(error.stack);
  process.exitCode = 1;
}
`;

const casesSource = String.raw`import assert from "node:assert/strict";
import { evaluate } from "../src/evaluate.js";
import { format } from "../src/format.js";
import { parse } from "../src/parser.js";

export const cases = {
  "products come before sums": () => assert.equal(evaluate("1 + 2 * 3 - 4 / 2"), 5),
  "brackets come first": () => assert.equal(evaluate("(1 + 2) * 3"), 9),
  "a sign can be repeated": () => assert.equal(evaluate("1 - --2"), -1),
  "a function has values": () => assert.equal(evaluate("max(1, mean(4, 8), 2)"), 6),
  "a power is computed": () => assert.equal(evaluate("2 ^ 5"), 32),
  "a variable is looked up": () => assert.equal(evaluate("x * dozen", new Map([["x", 2]])), 24),
  "a tree is printed": () => assert.equal(format(parse("1 - 2 - -x")), "((1 - 2) - -x)"),
  "a formula has an end": () => assert.throws(() => parse("1 +"), /ends too early/),
  "nothing follows a formula": () => assert.throws(() => parse("1 2"), /unexpected 2 at 2/),
};
`;

export function expressionTests(named: string, factor: number): string {
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { evaluate } from "../src/evaluate.js";

test("a power is right-associative, and binds stronger than a sign before it", () => {
  const expected = {
    "2 ^ 3 ^ 2": 512,
    "-2 ^ 2": -4,
    "2 ^ -1": 0.5,
    "3 * -2 ^ 2": -12,
    "(-2) ^ 2": 4,
    "2 ^ 2 * 3": 12,
    "2 ^ -2 ^ 2": 0.0625,
  };
  for (const [formula, value] of Object.entries(expected)) assert.equal(evaluate(formula), value, formula);
});

test("the function has its weights in their order", () => {
  assert.ok(Math.abs(evaluate("${named}(10, 20, 70)") - (${String(factor)} * 10 + 150) / ${String(factor + 5)}) < 1e-9);
  assert.throws(() => evaluate("${named}(1, 2)"), /expected 3 values/);
});
`;
}
