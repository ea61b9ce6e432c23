import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

// `turbo boundaries` holds a package to the tags of everything it reaches, so whatever reaches
// `compose` must there be allowed the stores too. This is the stricter half: direct edges only.
const allowed: Record<string, readonly string[]> = {
  objects: [],
  core: ["objects"],
  testkit: ["objects", "core"],
  store: ["objects", "testkit"],
  watcher: ["objects", "testkit"],
  compose: ["core", "store", "watcher"],
  adapter: ["core", "compose", "testkit"],
  replay: ["core", "compose", "store", "watcher", "testkit"],
  cli: ["core", "compose", "replay"],
};

const packages = join(import.meta.dirname, "..", "..", "packages");
const scope = "@self-context-manager/";

function readJson(name: string, file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(packages, name, file), "utf8"));
}

function tagOf(name: string): string {
  return String(readJson(name, "turbo.json")["tags"]);
}

test.each(readdirSync(packages))("%s depends only on the layers below it", (name) => {
  const manifest = readJson(name, "package.json");
  const own = Object.keys({
    ...Object(manifest["dependencies"]),
    ...Object(manifest["devDependencies"]),
  }).filter((dependency) => dependency.startsWith(scope));

  const tags = own.map((dependency) => tagOf(dependency.slice(scope.length)));

  expect(allowed[tagOf(name)]).toEqual(expect.arrayContaining(tags));
});
