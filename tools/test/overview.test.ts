import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";

interface Manifest {
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

const root = join(import.meta.dirname, "..", "..");
const scope = "@self-context-manager/";
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const names = readdirSync(join(root, "packages"));
const manifests = new Map(
  names.map((name) => [name, JSON.parse(read(`packages/${name}/package.json`)) as Manifest]),
);
const overview = read("docs/architecture/overview.md");
const packages = /## Packages\n(.*?)\n## /su.exec(overview)?.[1] ?? "";

/** Suites that a package runs in its tests and does not contain. */
const forTests = new Set(["testkit", "store-contract"]);

/** The packages of this repository that a package uses when it runs. A bundle contains what it is developed with. */
function usedBy(name: string): readonly string[] {
  const manifest = manifests.get(name) ?? {};
  const { dependencies, peerDependencies, devDependencies } = manifest;
  const bundled = "openclaw" in manifest ? devDependencies : {};
  return Object.keys({ ...dependencies, ...peerDependencies, ...bundled })
    .filter((one) => one.startsWith(scope))
    .map((one) => one.slice(scope.length))
    .filter((one) => !("openclaw" in manifest && forTests.has(one)))
    .toSorted();
}

/** The names of the doors of a package as they are imported, without the scope. */
function doorsOf(name: string): readonly string[] {
  return Object.keys(manifests.get(name)?.exports ?? {})
    .filter((door) => door !== "./package.json")
    .map((door) => join(name, door));
}

/** The lines of a picture that name packages, from the bottom. */
function floorsIn(text: string): readonly (readonly string[])[] {
  const picture = /```\n(.*?)```/su.exec(text)?.[1] ?? "";
  return picture
    .split("\n")
    .map((line) => line.match(/[a-z][a-z-]*/gu) ?? [])
    .filter((line) => line.length > 0)
    .toReversed();
}

/** The floor on which each package is if it is directly above the highest package that it uses. */
function floors(): readonly (readonly string[])[] {
  const floorOf = (name: string): number =>
    Math.max(0, ...usedBy(name).map((one) => 1 + floorOf(one)));
  const result: string[][] = [];
  for (const name of names) (result[floorOf(name)] ??= []).push(name);
  return result;
}

const sorted = (lists: readonly (readonly string[])[]): unknown =>
  lists.map((list) => list.toSorted());

/** The cells of the rows that begin with a name in backquotes, as texts. */
function rowsIn(text: string): readonly (readonly string[])[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** The names in backquotes, without blocks of code. */
const quoted = (text = ""): readonly string[] =>
  [...text.replaceAll(/```.*?```/gsu, "").matchAll(/`([^`\n]+)`/gu)].map(([, one = ""]) => one);

describe("the overview", () => {
  it("draws each package on the floor above those that it uses", () => {
    expect(sorted(floorsIn(packages))).toEqual(sorted(floors()));
  });

  it("has a row for each package, with the packages that it uses", () => {
    const rows = rowsIn(packages).map(([name, , uses]) => [
      quoted(name)[0],
      quoted(uses).toSorted(),
    ]);

    expect(Object.fromEntries(rows)).toEqual(
      Object.fromEntries(names.map((name) => [name, usedBy(name)])),
    );
    expect(rows).toHaveLength(names.length);
  });

  it("names each door of each package, and no other", () => {
    const doors = names.flatMap(doorsOf);
    const named = quoted(overview).filter((one) => names.includes(one.split("/")[0] ?? ""));

    expect(doors.filter((door) => !named.includes(door))).toEqual([]);
    expect(named.filter((one) => !doors.includes(one))).toEqual([]);
  });
});

/** The doors that the rows of a README begin with. */
function doorsIn(readme: string): readonly string[] {
  return rowsIn(readme)
    .map(([cell = ""]) => quoted(cell)[0] ?? "")
    .filter((one) => one.startsWith(scope))
    .map((one) => one.slice(scope.length));
}

test.each(names.filter((name) => doorsOf(name).length > 1))(
  "the README of %s has a row for each of its doors",
  (name) => {
    expect(doorsIn(read(`packages/${name}/README.md`)).toSorted()).toEqual(
      doorsOf(name).toSorted(),
    );
  },
);

test("a package on a wrong floor and a wrong row are seen", () => {
  expect(floorsIn("```\n a   b-c\n  │\n d\n```")).toEqual([["d"], ["a", "b-c"]]);
  expect(rowsIn("| `a` | text | `b` |\n| ---- |\n")).toEqual([["`a`", "text", "`b`"]]);
  expect(doorsIn("| `@self-context-manager/core/none` | nobody |\n")).toEqual(["core/none"]);
});
