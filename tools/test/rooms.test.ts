import { readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { describe, expect, it, test } from "vitest";

// The rooms of a package, in order: a file imports only files of its own room and of rooms above
// it in the list, types included. The files directly in `src` are listed by name. `layouts/…` is
// two rooms, and neither imports the other.
const rooms: Readonly<Record<string, readonly string[]>> = {
  objects: [
    "errors",
    "task-queue",
    "model",
    "ports",
    "store-kit",
    "reading",
    "portability",
    "index",
  ],
  core: [
    "chat",
    "cost",
    "lines",
    "host",
    "calls",
    "forget",
    "policy",
    "view",
    "render",
    "layouts/pooled",
    "layouts/epoch",
    "state",
    "history",
    "session",
    "adapters",
    "inspect",
    "doors",
    "index",
  ],
  evaluate: [
    "model",
    "statistics",
    "loopback",
    "tasks",
    "meter",
    "models",
    "arms",
    "hosts",
    "measure",
    "report",
    "run",
    "doors",
    "index",
  ],
};

// The pages that list the rooms of a package.
const pagesWithRooms: Readonly<Record<string, readonly string[]>> = {
  objects: ["docs/architecture/overview.md", "packages/objects/README.md"],
  core: ["docs/architecture/overview.md", "packages/core/README.md"],
  evaluate: ["docs/architecture/evaluation.md"],
};

// Imports that the order would allow and that would tie two things which are chosen apart.
const apart: readonly (readonly [from: string, to: string])[] = [
  ["layouts/epoch", "layouts/pooled"],
  ["state", "layouts"],
  ["history", "layouts"],
  ["session", "layouts"],
  ["inspect", "layouts"],
];

interface Import {
  readonly from: string;
  readonly to: string;
}

const root = join(import.meta.dirname, "..", "..");
const packages = join(root, "packages");

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && statSync(join(folder, file)).isFile())
    .toSorted();
}

/** The imports and re-exports between files of one folder, types included. */
function importsIn(folder: string): readonly Import[] {
  return filesIn(folder).flatMap((from) =>
    importsOf(from, readFileSync(join(folder, from), "utf8")),
  );
}

function importsOf(from: string, code: string): readonly Import[] {
  const statement = /(?:\bfrom|^import|\bimport\()\s*"(\.{1,2}\/[^"]+\.ts)"/gmu;
  return [...code.matchAll(statement)].map(([, path = ""]) => ({
    from,
    to: normalize(join(dirname(from), path)),
  }));
}

/** The room of a file: the longest name of the list that its path begins with. */
function roomOf(file: string, order: readonly string[]): string | undefined {
  const path = file.replace(/\.ts$/u, "");
  return order.find((room) => path === room || path.startsWith(`${room}/`));
}

function breaksOf(imports: readonly Import[], order: readonly string[]): readonly string[] {
  return imports.flatMap(({ from, to }) => {
    const own = roomOf(from, order) ?? "";
    const other = roomOf(to, order) ?? "";
    const isUp = order.indexOf(other) > order.indexOf(own);
    const isApart = apart.some(([a, b]) => own === a && (other === b || other.startsWith(`${b}/`)));
    return isUp || isApart ? [`${from} imports ${to}`] : [];
  });
}

/** Circles of files, each as the path back to its first file. */
function circlesIn(imports: readonly Import[]): readonly string[] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to]);
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) circles.push([...path.slice(start), file].join(" → "));
    if (start >= 0 || done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return circles;
}

describe.each(Object.entries(rooms))("the rooms of %s", (name, order) => {
  const source = join(packages, name, "src");

  it("hold every file", () => {
    expect(filesIn(source).filter((file) => roomOf(file, order) === undefined)).toEqual([]);
  });

  it("each hold a file", () => {
    const used = new Set(filesIn(source).map((file) => roomOf(file, order)));

    expect(order.filter((room) => !used.has(room))).toEqual([]);
  });

  it("import only rooms above them", () => {
    expect(breaksOf(importsIn(source), order)).toEqual([]);
  });

  it("are listed in their order in the pages about the package", () => {
    const folders = order.filter((room) => statSync(join(source, room), { throwIfNoEntry: false }));

    for (const page of pagesWithRooms[name] ?? [])
      expect(foldersIn(page, folders)).toEqual(folders);
  });
});

/** The rooms that the rows of a page's tables begin with, as far as they are among those expected. */
function foldersIn(page: string, expected: readonly string[]): readonly string[] {
  const rows = readFileSync(join(root, page), "utf8").matchAll(/^\| `([\w/-]+)\/` /gmu);
  return [...rows].map(([, room = ""]) => room).filter((room) => expected.includes(room));
}

const folders = [...readdirSync(packages).map((name) => `packages/${name}/src`), "tests-e2e/src"];

test.each([...folders, "bench/src"])("%s has no circle of files", (folder) => {
  expect(circlesIn(importsIn(join(root, folder)))).toEqual([]);
});

test("a circle and an import against the order are seen", () => {
  const code = 'import type { A } from "../session/b.ts";\nexport { C } from "./c.ts";\n';
  const imports = [
    ...importsOf("policy/a.ts", code),
    ...importsOf(relative(".", "session/b.ts"), 'import { a } from "../policy/a.ts";'),
  ];

  expect(breaksOf(imports, rooms["core"] ?? [])).toEqual(["policy/a.ts imports session/b.ts"]);
  expect(circlesIn(imports)).toEqual(["policy/a.ts → session/b.ts → policy/a.ts"]);
});
