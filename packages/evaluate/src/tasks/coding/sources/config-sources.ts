import type { TaskFiles } from "../../../model/task.ts";
import {
  collectionsSource,
  csvSource,
  errorsSource,
  packageSource,
  runnerSource,
  tableSource,
} from "./plain-sources.ts";

/** A repository that merges layers of settings. Two lists are merged item by item, which is wrong. */
export function configSources(company: string): TaskFiles {
  return {
    "package.json": packageSource(`${company}-settings`, "Settings in layers."),
    "README.md": `# ${company} settings\n\nSettings come from layers: defaults, a file, and later variables. \`src/merge.js\` merges them, \`src/settings.js\` reads the result, and \`src/explain.js\` shows from which layer a value is. Tests: \`node test/run.js\`.\n`,
    "src/collections.js": collectionsSource,
    "src/csv.js": csvSource,
    "src/errors.js": errorsSource,
    "src/table.js": tableSource,
    "src/explain.js": explainSource,
    "src/merge.js": mergeSource,
    "src/paths.js": pathsSource,
    "src/settings.js": settingsSource,
    "src/values.js": valuesSource,
    "test/run.js": runnerSource,
    "test/settings.cases.js": casesSource,
  };
}

const mergeSource = String.raw`// Merges layers of settings. The later layer wins; objects are merged field by field.

export function merge(...layers) {
  return layers.reduce((merged, layer) => mergeValues(merged, layer), {});
}

export function mergeValues(base, over) {
  if (over === undefined) return base;
  if (Array.isArray(base) && Array.isArray(over)) {
    const length = Math.max(base.length, over.length);
    return Array.from({ length }, (_, index) =>
      index < over.length ? mergeValues(base[index], over[index]) : base[index],
    );
  }
  if (!isObject(base) || !isObject(over)) return over;
  const merged = { ...base };
  for (const [name, value] of Object.entries(over)) {
    // A field with null in the later layer is removed.
    if (value === null) delete merged[name];
    else merged[name] = mergeValues(base[name], value);
  }
  return merged;
}

export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
`;

const pathsSource = String.raw`import { UsageError } from "./errors.js";
import { isObject } from "./merge.js";

// A path is a list of names, or a text with points: server.port.

export function pathOf(text) {
  const names = text.split(".");
  if (names.some((name) => name === "")) throw new UsageError("not a path: " + text);
  return names;
}

export function getAt(value, path) {
  return path.reduce((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
}

/** Returns a copy in which the value at the path is another one. */
export function setAt(target, [name, ...rest], value) {
  const inner = isObject(target) ? target : {};
  return { ...inner, [name]: rest.length === 0 ? value : setAt(inner[name], rest, value) };
}

export function pathsIn(value, path = []) {
  if (!isObject(value)) return [path];
  return Object.entries(value).flatMap(([name, inner]) => pathsIn(inner, [...path, name]));
}
`;

const settingsSource = String.raw`import { NotFoundError, UsageError } from "./errors.js";
import { merge } from "./merge.js";
import { getAt, pathOf } from "./paths.js";

export const defaults = {
  server: { port: 8080, host: "localhost", tags: ["standard"] },
  log: { level: "info", keep: 14 },
};

/** Settings of layers, the weakest first. */
export function openSettings(...layers) {
  const merged = merge(defaults, ...layers);
  const get = (text) => {
    const value = getAt(merged, pathOf(text));
    if (value === undefined) throw new NotFoundError("setting", text);
    return value;
  };
  const typed = (type) => (text) => {
    const value = get(text);
    if (typeof value !== type) throw new UsageError(text + " is not a " + type);
    return value;
  };
  return { get, text: typed("string"), number: typed("number"), flag: typed("boolean"), all: () => merged };
}
`;

const valuesSource = String.raw`// Values in texts: numbers, flags, and everything else as a text.

const flags = { true: true, yes: true, on: true, false: false, no: false, off: false };

export function readValue(text) {
  const trimmed = text.trim();
  if (/^-?\d+(?:\.\d+)?$/.test(trimmed)) return Number(trimmed);
  const flag = flags[trimmed.toLowerCase()];
  return flag === undefined ? text : flag;
}

export function formatValue(value) {
  if (Array.isArray(value)) return value.map(formatValue).join(", ");
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}
`;

const explainSource = String.raw`import { sortBy } from "./collections.js";
import { merge } from "./merge.js";
import { getAt, pathsIn } from "./paths.js";
import { table } from "./table.js";
import { formatValue } from "./values.js";

/** For each setting its value and the name of the last layer that has it. */
export function explain(layers) {
  const merged = merge(...layers.map((layer) => layer.values));
  const rows = pathsIn(merged).map((path) => {
    const layer = layers.findLast(({ values }) => getAt(values, path) !== undefined);
    return { path: path.join("."), value: getAt(merged, path), from: layer?.name ?? "none" };
  });
  return sortBy(rows, (row) => row.path);
}

export function formatExplanation(layers) {
  const columns = [
    { title: "setting", value: (row) => row.path },
    { title: "value", value: (row) => formatValue(row.value) },
    { title: "from", value: (row) => row.from },
  ];
  return table(columns, explain(layers));
}
`;

const casesSource = String.raw`import assert from "node:assert/strict";
import { explain } from "../src/explain.js";
import { merge } from "../src/merge.js";
import { openSettings } from "../src/settings.js";
import { readValue } from "../src/values.js";

export const cases = {
  "a later layer wins": () => assert.equal(openSettings({ server: { port: 1 } }).number("server.port"), 1),
  "null removes a field": () => assert.deepEqual(merge({ a: 1, b: 2 }, { a: null }), { b: 2 }),
  "a value has a type": () => assert.throws(() => openSettings().text("server.port"), /not a string/),
  "values are read": () => assert.deepEqual(["7", "on", "x"].map(readValue), [7, true, "x"]),
  "a value is explained": () => {
    const layers = [{ name: "one", values: { a: 1 } }, { name: "two", values: { a: 2 } }];
    assert.deepEqual(explain(layers), [{ path: "a", value: 2, from: "two" }]);
  },
};
`;

export function configTests(values: {
  readonly prefix: string;
  readonly list: string;
  readonly depth: number;
}): string {
  const { prefix, list, depth } = values;
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { fromEnvironment } from "../src/environment.js";
import { merge } from "../src/merge.js";
import { openSettings } from "../src/settings.js";

test("a later list replaces an earlier one", () => {
  const base = { tags: [1, 2, 3], inner: { tags: [{ a: 1 }] } };
  const over = { tags: [9], inner: { tags: [] } };
  assert.deepEqual(merge(base, over), over);
  assert.deepEqual(base, { tags: [1, 2, 3], inner: { tags: [{ a: 1 }] } });
  assert.deepEqual(merge({ a: 1 }, { a: [2] }), { a: [2] });
});

test("variables with the prefix are settings", () => {
  const environment = {
    PATH: "/bin",
    ${prefix}_SERVER__PORT: "9090",
    ${prefix}_LOG__COLOR: "off",
    ${prefix}X_LOG__KEEP: "1",
    ${prefix}_NAME: "a b",
  };
  assert.deepEqual(fromEnvironment(environment), {
    server: { port: 9090 },
    log: { color: false },
    name: "a b",
  });
  assert.equal(openSettings(fromEnvironment(environment)).number("server.port"), 9090);
});

test("the list is split at commas, at any level", () => {
  const environment = {
    ${prefix}_${list.toUpperCase()}: "one, 2",
    ${prefix}_A__${list.toUpperCase()}: "3",
    ${prefix}_OTHER: "1,2",
  };
  const expected = { ${list}: ["one", "2"], a: { ${list}: ["3"] }, other: "1,2" };
  assert.deepEqual(fromEnvironment(environment), expected);
});

test("a variable has at most its levels", () => {
  assert.ok(fromEnvironment({ ${prefix}_${levels(depth)}: "1" }).a);
  assert.throws(() => fromEnvironment({ ${prefix}_${levels(depth + 1)}: "1" }), { name: "UsageError" });
});
`;
}

/** A name of so many levels. */
function levels(count: number): string {
  return Array.from({ length: count }, () => "A").join("__");
}
