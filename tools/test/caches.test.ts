import { readFileSync, readdirSync } from "node:fs";
import { join, sep } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");

/** Kept values that are no `WeakMap`: a content is a string, which cannot be a weak key. */
const byText = ["objects/model/growing-text.ts", "objects/model/text-states.ts"];

/** The files of a package with a `WeakMap` or a `WeakSet` at module level, as the page names them. */
function cacheFiles(name: string): readonly string[] {
  const source = join(root, "packages", name, "src");
  return readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .filter((path) =>
      /^const [^;{]*?\bnew Weak(?:Map|Set)\b/mu.test(readFileSync(join(source, path), "utf8")),
    )
    .map((path) => `${name}/${path.replaceAll(sep, "/")}`);
}

/** The packages that decide what is stored and sent: each value that they keep has its reason on the page. */
const engine = ["objects", "links", "tracker", "core"];

test("the page of caches lists every file of the engine that has one at module level", () => {
  const page = readFileSync(join(root, "docs", "architecture", "caches.md"), "utf8");
  const rows = [...page.matchAll(/^\| `([\w-]+\/[^`]+\.ts)`/gmu)].map(([, path]) => path);

  expect(new Set(rows)).toEqual(new Set([...engine.flatMap(cacheFiles), ...byText]));
});
