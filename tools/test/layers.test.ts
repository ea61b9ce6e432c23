import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

interface Layers {
  readonly dependencies: readonly string[];
  /** The layers that its tests may use in addition. */
  readonly devDependencies: readonly string[];
}

// `turbo boundaries` checks a package against the tags of everything that it reaches, so a package that reaches
// `compose` must be allowed the stores too. This test is stricter: it checks direct dependencies only.
const allowed: Readonly<Record<string, Layers>> = {
  objects: { dependencies: [], devDependencies: [] },
  // The tests of these three use the store in memory.
  links: { dependencies: ["objects"], devDependencies: ["store"] },
  tracker: { dependencies: ["objects"], devDependencies: ["store"] },
  core: { dependencies: ["objects", "links", "tracker"], devDependencies: ["store", "parser"] },
  // The contracts of stores, files and watchers know nothing of core, so a change of core is none of theirs.
  contract: { dependencies: ["objects"], devDependencies: [] },
  testkit: { dependencies: ["objects", "tracker", "core", "contract"], devDependencies: [] },
  store: { dependencies: ["objects"], devDependencies: ["contract", "store"] },
  watcher: { dependencies: ["objects"], devDependencies: ["contract"] },
  parser: { dependencies: ["objects"], devDependencies: [] },
  // The tests of its scans use the store in memory.
  search: { dependencies: ["objects"], devDependencies: ["store"] },
  secrets: { dependencies: ["objects"], devDependencies: [] },
  compose: {
    dependencies: [
      "objects",
      "links",
      "tracker",
      "core",
      "store",
      "watcher",
      "parser",
      "search",
      "secrets",
    ],
    devDependencies: [],
  },
  inspector: { dependencies: ["objects", "links", "core"], devDependencies: ["store"] },
  // `compose` loads the store in XTDB only if it is installed. A package whose users can choose it has it as an optional
  // peer.
  adapter: {
    dependencies: ["core", "compose", "inspector", "store"],
    devDependencies: ["objects", "testkit"],
  },
  replay: {
    dependencies: ["objects", "core", "compose", "store", "watcher"],
    devDependencies: [],
  },
  // The hosts of an evaluation load the adapters; both are optional peers.
  evaluate: {
    dependencies: ["objects", "core", "compose", "inspector", "adapter"],
    devDependencies: [],
  },
  cli: {
    dependencies: [
      "objects",
      "links",
      "tracker",
      "core",
      "compose",
      "inspector",
      "evaluate",
      "replay",
      "store",
      "search",
      "secrets",
    ],
    devDependencies: [],
  },
};

const packages = join(import.meta.dirname, "..", "..", "packages");
const scope = "@self-context-manager/";

function readJson(name: string, file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(packages, name, file), "utf8"));
}

function tagOf(name: string): string {
  return String(readJson(name, "turbo.json")["tags"]);
}

function layersIn(dependencies: unknown): readonly string[] {
  return Object.keys(Object(dependencies))
    .filter((dependency) => dependency.startsWith(scope))
    .map((dependency) => tagOf(dependency.slice(scope.length)));
}

test.each(readdirSync(packages))("%s depends only on the layers below it", (name) => {
  const manifest = readJson(name, "package.json");
  const layers = allowed[tagOf(name)];

  expect(layers?.dependencies).toEqual(
    expect.arrayContaining([
      ...layersIn(manifest["dependencies"]),
      ...layersIn(manifest["peerDependencies"]),
    ]),
  );
  expect([...(layers?.dependencies ?? []), ...(layers?.devDependencies ?? [])]).toEqual(
    expect.arrayContaining([...layersIn(manifest["devDependencies"])]),
  );
});
