import type { TaskFiles } from "../../../model/task.ts";
import type { Seeded } from "../../seeded.ts";
import {
  collectionsSource,
  csvSource,
  errorsSource,
  packageSource,
  runnerSource,
  tableSource,
} from "./plain-sources.ts";

/** The kinds of records. Each has a module, and each record names one of the next kind. */
export const freightKinds: readonly string[] = [
  "customer",
  "carrier",
  "depot",
  "dock",
  "driver",
  "pallet",
  "route",
  "shipment",
  "tariff",
  "truck",
  "yard",
];

interface FreightRecord {
  readonly id: string;
  readonly name: string;
  readonly weight: number;
  /** The id of a record of the next kind. */
  readonly partner: string;
}

export type FreightRecords = Readonly<Record<string, readonly FreightRecord[]>>;

export function freightRecords(choices: Seeded, kinds: readonly string[]): FreightRecords {
  return Object.fromEntries(
    kinds.map((kind, index) => [
      kind,
      [1, 2, 3].map((number) => ({
        id: `${kind}-${String(number)}`,
        name: choices.word(),
        weight: choices.integer(10, 900),
        partner: `${nextKind(kinds, index)}-${String(choices.integer(1, 3))}`,
      })),
    ]),
  );
}

function nextKind(kinds: readonly string[], index: number): string {
  return kinds[(index + 1) % kinds.length] ?? "";
}

/** A module of one kind, with the lines that use the function `lookup`. */
export interface FreightModule {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
}

export function freightModule(kinds: readonly string[], index: number): FreightModule {
  const kind = kinds[index] ?? "";
  const partner = nextKind(kinds, index);
  const made = index % 2 === 0 ? evenModule(kind, partner) : oddModule(kind, partner);
  const text = made.replaceAll("KIND", kind).replaceAll("PARTNER", partner);
  const lines = text.split("\n").filter((line) => line.includes("lookup"));
  return { path: `src/${kind}s.js`, text, lines };
}

const evenModule = (
  kind: string,
  partner: string,
): string => String.raw`import { sumBy } from "./collections.js";
import { lookup } from "./registry.js";

// A KIND with its PARTNER.

export function describe(id) {
  const record = lookup("KIND", id);
  return record.name + " [" + record.id + "], " + record.weight + " kg";
}

export function ${partner}Of(id) {
  const own = lookup("KIND", id);
  return lookup("PARTNER", own.partner);
}

export function weightOf(ids) {
  return sumBy(ids, (id) => lookup("KIND", id).weight);
}

export function heaviest(ids) {
  const weights = ids.map((id) => ({ id, weight: weightOf([id]) }));
  const order = weights.toSorted((one, other) => other.weight - one.weight);
  return order[0]?.id;
}

export function summary(ids) {
  const lines = ids.map((id) => describe(id) + " with " + ${partner}Of(id).name);
  return [...lines, "${kind}s: " + ids.length + ", " + weightOf(ids) + " kg"].join("\n");
}
`;

const oddModule = (
  kind: string,
  partner: string,
): string => String.raw`import { isUsageError } from "./errors.js";
import { lookup } from "./registry.js";

/** Whether there is such a KIND. */
export function exists(id) {
  try {
    lookup("KIND", id);
    return true;
  } catch (error) {
    if (isUsageError(error)) return false;
    throw error;
  }
}

export function describe(id) {
  const { name, weight } = lookup("KIND", id);
  return name + " [" + id + "], " + weight + " kg";
}

export function ${partner}Of(id) {
  const own = lookup("KIND", id);
  return lookup("PARTNER", own.partner);
}

export function compare(one, other) {
  const first = lookup("KIND", one);
  const second = lookup("KIND", other);
  if (first.weight !== second.weight) return first.weight < second.weight ? one : other;
  return first.name < second.name ? one : other;
}

export function summary(ids) {
  const known = ids.filter(exists);
  const lines = known.map((id) => describe(id) + " with " + ${partner}Of(id).name);
  return [...lines, "${kind}s: " + known.length + " of " + ids.length].join("\n");
}
`;

/** The other files of the repository. */
export function freightSources(company: string, records: FreightRecords): TaskFiles {
  const kinds = Object.keys(records);
  return {
    "package.json": packageSource(`${company}-freight`, "Records of a freight company."),
    "README.md": `# ${company} freight\n\nAll records are in \`data/records.json\`. \`src/registry.js\` finds them, and each kind has a module of its own. Tests: \`node test/run.js\`.\n`,
    "data/records.json": `${JSON.stringify(records, undefined, 2)}\n`,
    "src/collections.js": collectionsSource,
    "src/csv.js": csvSource,
    "src/errors.js": errorsSource,
    "src/table.js": tableSource,
    "src/registry.js": registrySource,
    "test/run.js": runnerSource,
    "test/modules.cases.js": casesSource(kinds),
  };
}

const registrySource = String.raw`import { readFileSync } from "node:fs";
import { join } from "node:path";
import { NotFoundError } from "./errors.js";

const file = join(import.meta.dirname, "..", "data", "records.json");
const records = JSON.parse(readFileSync(file, "utf8"));

/** Returns a record of a kind by its id. */
export function lookup(kind, id) {
  const record = records[kind]?.find((one) => one.id === id);
  if (record === undefined) throw new NotFoundError(kind, id);
  return record;
}

export function kinds() {
  return Object.keys(records);
}

export function idsOf(kind) {
  return (records[kind] ?? []).map((record) => record.id);
}
`;

const casesSource = (kinds: readonly string[]): string => `import assert from "node:assert/strict";
import { idsOf } from "../src/registry.js";

const kinds = ${JSON.stringify(kinds)};

export const cases = Object.fromEntries(
  kinds.map((kind) => [
    "the module of a " + kind + " describes its records",
    async () => {
      const { summary } = await import("../src/" + kind + "s.js");
      assert.equal(summary(idsOf(kind)).split("\\n").length, 4);
    },
  ]),
);
`;

export function freightTests(
  named: string,
  kinds: readonly string[],
  records: FreightRecords,
): string {
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import * as registry from "../src/registry.js";

const kinds = ${JSON.stringify(kinds)};
const records = ${JSON.stringify(records)};

test("the registry has the new function and not the old one", () => {
  assert.equal(typeof registry.${named}, "function");
  assert.equal("lookup" in registry, false);
  const { id, name } = records[kinds[0]][1];
  assert.equal(registry.${named}({ kind: kinds[0], id }).name, name);
  assert.throws(() => registry.${named}({ kind: kinds[0], id: "none" }), /no \\w+ none/);
});

test("each module works", async () => {
  for (const [index, kind] of kinds.entries()) {
    const module = await import("../src/" + kind + "s.js");
    const other = kinds[(index + 1) % kinds.length];
    for (const record of records[kind]) {
      const partner = records[other].find((one) => one.id === record.partner);
      assert.equal(module.describe(record.id), record.name + " [" + record.id + "], " + record.weight + " kg");
      assert.deepEqual(module[other + "Of"](record.id), partner);
    }
    if (module.exists !== undefined) assert.equal(module.exists("none"), false);
    if (module.heaviest !== undefined) {
      const heaviest = records[kind].toSorted((one, another) => another.weight - one.weight)[0];
      assert.equal(module.heaviest(records[kind].map(({ id }) => id)), heaviest.id);
    }
  }
});
`;
}
