import { readdirSync, readFileSync } from "node:fs";
import { cp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "tsup";

/** The list of the bundled files, which tsup writes. */
const metafile = join("dist", "metafile-esm.json");

/** OpenClaw copies a plugin without its dependencies, so one file has them all. The host resolves its own modules. */
export default defineConfig({
  entry: ["src/plugin.ts"],
  format: "esm",
  target: "es2024",
  platform: "node",
  // tsup removes the prefix `node:` by default, and a module `sqlite` does not exist.
  removeNodeProtocol: false,
  // The package yaml requires modules of Node, which a module has no function for.
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
  noExternal: [/^(?!openclaw\/|node:)/u],
  external: [/^openclaw\//u, "fsevents"],
  metafile: true,
  clean: true,
  silent: true,
  onSuccess: async () => {
    // The store in XTDB looks for the sources of its node beside its own file.
    const store = fileURLToPath(
      import.meta.resolve("@self-context-manager/store-xtdb/package.json"),
    );
    await cp(join(dirname(store), "node"), join("dist", "node"), {
      recursive: true,
      filter: (path) => !path.includes("node_modules"),
    });
    await writeFile(join("dist", "THIRD-PARTY-LICENSES.txt"), licences());
    await rm(metafile);
  },
});

/** Returns the licences of the packages whose code is in the bundle. */
function licences(): string {
  const { inputs } = JSON.parse(readFileSync(metafile, "utf8")) as {
    readonly inputs: Readonly<Record<string, unknown>>;
  };
  const folders = Object.keys(inputs).flatMap(
    (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/u.exec(file)?.[0] ?? [],
  );
  return [...new Set(folders)].toSorted().map(licence).join("\n\n");
}

function licence(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly name: string;
    readonly version: string;
  };
  const file = readdirSync(folder).find((one) => /^licen[cs]e/iu.test(one));
  if (file === undefined) throw new Error(`the package ${name} has no licence file`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
}
