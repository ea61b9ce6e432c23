import { existsSync, globSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

const packages = join(import.meta.dirname, "..", "..", "packages");
const names = readdirSync(packages).filter((name) =>
  existsSync(join(packages, name, "package.json")),
);

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly exports: Record<string, string | Record<string, string>>;
  readonly publishConfig: { readonly exports: unknown };
  readonly scripts: unknown;
  readonly dependencies?: Record<string, string>;
  readonly engines: { readonly node: string };
  readonly [key: string]: unknown;
}

function read(name: string, file: string): string {
  return readFileSync(join(packages, name, file), "utf8");
}

function manifestOf(name: string): Manifest {
  return JSON.parse(read(name, "package.json"));
}

/** The published form of an exports map: without the condition that leads to the sources. */
function published(exports: Manifest["exports"]): unknown {
  return JSON.parse(
    JSON.stringify(exports, (key, value: unknown) =>
      key === "@self-context-manager/source" ? undefined : value,
    ),
  );
}

const core = manifestOf("core");

/** Whether a package has a page for browsers, which has a build of its own. */
function hasPage(name: string): boolean {
  return existsSync(join(packages, name, "page"));
}

/** A plugin that its host copies without dependencies is one bundle without types, and nothing imports it. */
const bundles = names.filter((name) => "openclaw" in manifestOf(name));
const libraries = names.filter((name) => !bundles.includes(name));

describe.each(libraries)("%s", (name) => {
  const manifest = manifestOf(name);

  test.each(["tsconfig.json", "tsconfig.build.json", "vitest.config.ts"])(
    "has the same %s as core",
    (file) => {
      expect(read(name, file)).toBe(read("core", file));
    },
  );

  test.skipIf(hasPage(name))("has the same tsup.config.ts as core, except for its entries", () => {
    const withoutEntries = (text: string): string => text.replace(/entry: \[.*\]/, "entry: []");

    expect(withoutEntries(read(name, "tsup.config.ts"))).toBe(
      withoutEntries(read("core", "tsup.config.ts")),
    );
  });

  test("has the same general manifest fields as every package", () => {
    expect(manifest).toMatchObject({
      name: `@self-context-manager/${name}`,
      version: core.version,
      license: "MIT",
      type: "module",
      files: expect.arrayContaining(["dist"]),
      scripts: core.scripts,
      engines: { node: expect.stringMatching(/^>=\d+\.\d+$/) },
      publishConfig: { access: "public", exports: published(manifest.exports) },
    });
  });

  test("exports each entry from its source, and from dist when published", () => {
    const entries = Object.values(manifest.exports).filter((entry) => typeof entry === "object");

    expect(entries.length).toBeGreaterThan(0);
    for (const entry of entries) {
      const source = entry["@self-context-manager/source"] ?? "";
      const built = source.replace("./src/", "./dist/").replace(/\.ts$/, "");
      expect(Object.entries(entry)).toEqual([
        ["@self-context-manager/source", source],
        ["types", `${built}.d.ts`],
        ["default", `${built}.js`],
      ]);
      expect(existsSync(join(packages, name, source))).toBe(true);
    }
  });

  test("depends on the test kits only for development", () => {
    const kits = ["@self-context-manager/store-contract", "@self-context-manager/testkit"];
    const dependencies = Object.keys(manifest.dependencies ?? {});

    // The kit of harnesses opens stores by the places of the other kit.
    expect(dependencies.filter((one) => kits.includes(one))).toEqual(
      name === "testkit" ? kits.slice(0, 1) : [],
    );
  });
});

describe.each(bundles)("the bundle %s", (name) => {
  const manifest = manifestOf(name);

  test.each(["tsconfig.json", "vitest.config.ts"])("has the same %s as core", (file) => {
    expect(read(name, file)).toBe(read("core", file));
  });

  test("has the general manifest fields and no dependencies", () => {
    expect(manifest).toMatchObject({
      name: `@self-context-manager/${name}`,
      version: core.version,
      license: "MIT",
      type: "module",
      files: expect.arrayContaining(["dist"]),
      engines: { node: expect.stringMatching(/^>=\d+\.\d+$/) },
      publishConfig: { access: "public" },
    });
    expect(manifest.dependencies).toBeUndefined();
  });
});

test.each(names)("%s has a boundaries tag and a README that begins with its name", (name) => {
  expect(JSON.parse(read(name, "turbo.json"))).toEqual({
    extends: ["//"],
    tags: [expect.any(String)],
  });
  const title = new RegExp(`^# ${manifestOf(name).name}\\n\\n[A-Z].+`, "u");
  expect(read(name, "README.md")).toMatch(title);
});

test("the archive of each package is checked", () => {
  const turbo = readFileSync(join(packages, "..", "turbo.json"), "utf8");

  const packed = [...turbo.matchAll(/"@self-context-manager\/([a-z-]+)#pack"/gu)];
  expect(packed.map(([, name]) => name)).toEqual(names.toSorted());
});

test("each tsconfig is part of the type check", () => {
  const root = join(packages, "..");
  const scripts = Object(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts);
  const together = readFileSync(join(root, "tsconfig.sources.json"), "utf8");
  const included = [...together.matchAll(/^ +"(.+)",?$/gmu)].flatMap(([, one = ""]) =>
    globSync(one, { cwd: root }),
  );
  const files = globSync("{packages/*,packages/*/*,examples/*,bench,tests-e2e}/tsconfig.json", {
    cwd: root,
  });

  for (const file of files.filter((one) => !String(scripts.typecheck).includes(one))) {
    const {
      extends: base,
      include,
      ...other
    } = JSON.parse(readFileSync(join(root, file), "utf8")) as {
      readonly extends: string;
      readonly include: readonly string[];
    };
    const folder = dirname(file);
    expect({ file, base: join(folder, base), other }).toEqual({
      file,
      base: "tsconfig.base.json",
      other: {},
    });
    expect(included).toEqual(
      expect.arrayContaining(
        include.map((one) => join(folder, one)).filter((one) => existsSync(join(root, one))),
      ),
    );
  }
});
