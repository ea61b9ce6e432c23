import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, matchesGlob, relative } from "node:path";
import { describe, expect, it, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const tests = join(root, "tests-e2e");
const scope = "@self-context-manager/";

interface Task {
  readonly dependsOn: readonly string[];
  readonly inputs: readonly string[];
}

function readJson(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, file), "utf8")) as Record<string, unknown>;
}

/** The families of tests: tasks that Turborepo does not repeat while their inputs are the same. */
const families = Object.entries(
  readJson("tests-e2e/turbo.json")["tasks"] as Readonly<Record<string, Task>>,
).filter(([name]) => name.startsWith("test:"));

const files = globSync("test/*.test.ts", { cwd: tests });

function filesOf({ inputs }: Task): readonly string[] {
  return files.filter((file) => inputs.some((input) => matchesGlob(file, input)));
}

/** The folder of each package of the workspace, by its name. */
const folders = new Map(
  globSync("{packages/*,examples/*,bench,tests-e2e}/package.json", { cwd: root }).map((file) => [
    String(readJson(file)["name"]),
    dirname(file),
  ]),
);

/** The packages with the sources that a task waits for, and all packages that these depend on. */
function reachedFrom(names: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const folder = folders.get(name);
    if (folder === undefined || reached.has(name)) continue;
    reached.add(name);
    const manifest = readJson(join(folder, "package.json"));
    for (const kind of ["dependencies", "devDependencies", "peerDependencies"])
      waiting.push(...Object.keys(Object(manifest[kind])));
  }
  return reached;
}

/** The files that a file imports, with all files that these import; types do not count. */
function importedBy(file: string, seen: Set<string> = new Set()): ReadonlySet<string> {
  if (seen.has(file) || !existsSync(file)) return seen;
  seen.add(file);
  const code = readFileSync(file, "utf8");
  for (const [, path = ""] of code.matchAll(
    /(?:\bfrom|^import|\bimport\()\s*"(\.{1,2}\/[^"]+)"/gmu,
  ))
    importedBy(join(dirname(file), path), seen);
  return seen;
}

/** The packages that a file imports at run time. */
function packagesIn(file: string): readonly string[] {
  const code = readFileSync(file, "utf8");
  const statement = /import (?!type )[^;]*?from "(@self-context-manager\/[a-z-]+)/gu;
  return [...code.matchAll(statement)].map(([, name = ""]) => name);
}

test("each end-to-end test is in one family", () => {
  const found = families.flatMap(([, task]) => filesOf(task));

  expect(found.toSorted()).toEqual(files.toSorted());
});

test("each long-only file is one of those that a changed package makes run", () => {
  const patterns = Object.entries(readJson("tests-e2e/long-only.json"));
  const long = files.filter((file) => file.endsWith(".long.test.ts"));

  const found = long.map((file) => patterns.filter(([pattern]) => matchesGlob(file, pattern)));
  expect(found.map(({ length }) => length)).toEqual(long.map(() => 1));
  const packages = patterns.flatMap(([, names]) => names as readonly string[]);
  expect(packages.filter((name) => !folders.has(`${scope}${name}`))).toEqual([]);
});

describe.each(families)("the family %s", (name, task) => {
  it("has a script", () => {
    const { scripts } = readJson("tests-e2e/package.json");

    expect(Object(scripts)).toHaveProperty([name], "vitest run");
  });

  it("runs again when a file that its tests import has changed", () => {
    const imported = new Set(filesOf(task).flatMap((file) => [...importedBy(join(tests, file))]));
    const reached = reachedFrom(task.dependsOn.map((one) => one.replace("#sources", "")));
    const inputs = task.inputs.map((input) =>
      input.startsWith("$TURBO_ROOT$/")
        ? input.slice("$TURBO_ROOT$/".length)
        : join("tests-e2e", input),
    );

    const unseen = [...imported]
      .map((file) => relative(root, file))
      .filter((file) => !inputs.some((input) => matchesGlob(file, input)))
      .filter((file) => ![...reached].some((one) => file.startsWith(`${folders.get(one)}/src/`)));
    expect(unseen).toEqual([]);
    const packages = [...imported].filter((file) => file.endsWith(".ts")).flatMap(packagesIn);
    expect([...new Set(packages)].filter((one) => !reached.has(one))).toEqual([]);
  });

  it("runs again when a package has changed whose long-only tests it has", () => {
    const reached = reachedFrom(task.dependsOn.map((one) => one.replace("#sources", "")));
    const isReached = (names: readonly string[]): boolean =>
      names.length === 0 || names.some((one) => reached.has(`${scope}${one}`));
    const asked = filesOf(task)
      .flatMap((file) => [...importedBy(join(tests, file))])
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => [...readFileSync(file, "utf8").matchAll(/\brunsEveryForm\("([^"]+)"\)/gu)])
      .map(([, one = ""]) => [one]);
    const named = Object.entries(readJson("tests-e2e/long-only.json"))
      .filter(([pattern]) => filesOf(task).some((file) => matchesGlob(file, pattern)))
      .map(([, names]) => names as readonly string[]);

    expect([...asked, ...named].filter((names) => !isReached(names))).toEqual([]);
  });
});

test("the imports of a file are seen", () => {
  expect(reachedFrom([`${scope}store-sqlite`])).toContain(`${scope}objects`);
  expect(importedBy(join(tests, "test", "stores-xtdb.test.ts")).size).toBeGreaterThan(3);
});
