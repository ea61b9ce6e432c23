import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const scope = "@self-context-manager/";

const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** The names that a list in braces contains, without `type` and with the name before `as`. */
function namesIn(list: string): readonly string[] {
  return list
    .split(",")
    .map((name) => name.trim().replace(/^type\s+/u, ""))
    .map((name) => name.split(/\s+as\s+/u)[0] ?? "")
    .filter((name) => name !== "");
}

interface Imported {
  /** The package with its door, such as `core/host`. */
  readonly from: string;
  readonly names: readonly string[];
}

/** The imports of packages of this repository in a text. */
function importsIn(text: string): readonly Imported[] {
  const statement = /import\s+(?:type\s+)?\{([^}]*)\}\s*from\s*"@self-context-manager\/([^"]+)"/gu;
  return [...text.matchAll(statement)].map(([, list = "", from = ""]) => ({
    from,
    names: namesIn(list),
  }));
}

/** The names that the file of a door exports. */
function exportsOf(door: string): ReadonlySet<string> {
  const [name = "", ...rest] = door.split("/");
  const manifest = JSON.parse(read(`packages/${name}/package.json`)) as {
    readonly exports: Readonly<Record<string, { readonly [condition: string]: string }>>;
  };
  const source = manifest.exports[[".", ...rest].join("/")]?.[`${scope}source`];
  if (source === undefined) throw new Error(`${door} is no door of a package`);
  const code = read(join("packages", name, source));
  const lists = [...code.matchAll(/export\s+(?:type\s+)?\{([^}]*)\}/gu)];
  const single = [
    ...code.matchAll(/export (?:default |async )?(?:const|function\*?|type|interface) (\w+)/gu),
  ];
  return new Set([
    ...lists.flatMap(([, list = ""]) => namesIn(list)),
    ...single.map(([, exported = ""]) => exported),
  ]);
}

const pages = [
  ...globSync("{docs,packages,examples}/**/*.md", {
    cwd: root,
    exclude: (name) => /node_modules|dist|pack$/u.test(name),
  }),
  "README.md",
];

describe("an import in a document", () => {
  test.each(pages.filter((page) => importsIn(read(page)).length > 0))(
    "of %s names an export",
    (page) => {
      const missing = importsIn(read(page)).flatMap(({ from, names }) => {
        const exported = exportsOf(from);
        return names.filter((name) => !exported.has(name)).map((name) => `${from}: ${name}`);
      });

      expect(missing).toEqual([]);
    },
  );

  it("in the table of what a connection does, each name is one of its functions", () => {
    const [, table = ""] = read("docs/architecture/harness-adapter.md").split(
      "### What a connection does",
    );
    const rows = [...(table.split("While the store")[0] ?? "").matchAll(/^\| ([^|]+) \|/gmu)];
    const names = rows.flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`(\w+)`/gu)].map(([, name = ""]) => name),
    );
    const declared = read("packages/core/src/adapters/connection.ts");
    const members = new Set(
      [...declared.matchAll(/^ {2}(?:readonly )?(\w+)[<(?:]/gmu)].map(([, name]) => name),
    );

    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !members.has(name))).toEqual([]);
  });

  it("is seen", () => {
    expect(importsIn('import { a, type B as C } from "@self-context-manager/core/host";')).toEqual([
      { from: "core/host", names: ["a", "B"] },
    ]);
  });
});

describe.each([
  "core",
  "core/host",
  "core/layout",
  "core/inspect",
  "core/rehearsal",
  "links",
  "tracker",
])("the door %s", (door) => {
  it("exports no value that nobody outside its package uses", () => {
    const [name = ""] = door.split("/");
    const files = globSync("{packages,tests-e2e,bench,examples}/**/*.{ts,md}", {
      cwd: root,
      exclude: (part) => /node_modules|dist|pack$/u.test(part),
    }).filter((file) => !file.startsWith(`packages/${name}/`));
    const used = new Set(
      [...files, ...pages].flatMap((file) =>
        importsIn(read(file)).flatMap(({ from, names }) => (from === door ? names : [])),
      ),
    );
    const values = [...exportsOf(door)].filter((one) => /^[a-z]/u.test(one));

    expect(values.filter((one) => !used.has(one))).toEqual([]);
  });

  it("exports only what has a doc comment", () => {
    expect(withoutComment(door)).toEqual([]);
  });
});

/** The exports of a door whose declaration has no doc comment. */
function withoutComment(door: string): readonly string[] {
  const [name = "", inner = "index"] = door.split("/");
  const file = `packages/${name}/src/${inner === "index" ? "index.ts" : `doors/${inner}.ts`}`;
  const folder = join(root, dirname(file));
  const lists = /export\s+(?:type\s+)?\{([^}]*)\}\s*from\s*"(\.[^"]+)"/gu;
  return [...read(file).matchAll(lists)].flatMap(([, list = "", path = ""]) => {
    const code = readFileSync(join(folder, path), "utf8");
    return namesIn(list).filter((one) => {
      const declared = `export (?:async )?(?:const|function\\*?|type|interface) ${one}\\b`;
      return !new RegExp(`\\*/\\n${declared}`, "u").test(code);
    });
  });
}
