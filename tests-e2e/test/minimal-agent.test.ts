import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const scope = "@self-context-manager/";
const folder = mkdtempSync(join(tmpdir(), "scm-agent-"));
const modules = join(folder, "node_modules");

const tarballOf = (name: string): string => join(root, "packages", name, "pack", "package.tgz");

function manifestIn(place: string): Manifest {
  return JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
}

/** Unpacks a package and its dependencies, so that no import leads back to the sources. */
function install(name: string): void {
  const place = join(modules, scope, name);
  if (existsSync(place)) return;
  mkdirSync(place, { recursive: true });
  const unpacked = spawnSync("tar", ["-xzf", tarballOf(name), "-C", place, "--strip-components=1"]);
  expect(unpacked.status).toBe(0);
  for (const dependency of Object.keys(manifestIn(place).dependencies ?? {})) {
    if (dependency.startsWith(scope)) install(dependency.slice(scope.length));
    else if (!existsSync(join(modules, dependency)))
      symlinkSync(
        join(root, "packages", name, "node_modules", dependency),
        join(modules, dependency),
        "junction",
      );
  }
}

// `npm test` packs the packages before it runs this file. A run of only this file may find no packed packages.
describe.skipIf(!existsSync(tarballOf("core")))(
  "the minimal agent, on the packages as packed",
  () => {
    beforeAll(() => {
      const example = join(root, "examples", "minimal-agent");
      for (const name of ["package.json", "src"])
        cpSync(join(example, name), join(folder, name), { recursive: true });
      for (const dependency of Object.keys(manifestIn(example).dependencies ?? {}))
        install(dependency.slice(scope.length));
    });

    afterAll(() => {
      rmSync(folder, { recursive: true });
    });

    it("reads a file, sees its content, and deactivates it", () => {
      const run = spawnSync(process.execPath, ["src/index.ts"], { cwd: folder, encoding: "utf8" });

      expect(run.stderr).toBe("");
      expect(run.stdout.split("\n")).toEqual([
        "call 1, messages in view: 1",
        "ls",
        "call 2, messages in view: 3",
        expect.stringMatching(
          /^f1 package\.json: indexed, version 2; already in the pool; active/u,
        ),
        "call 3, messages in view: 5",
        "f1 package.json is inactive; its text stays until the epoch ends; activate f1 restores it.",
        "call 4, messages in view: 7",
        "in view until its epoch ends",
        "",
      ]);
    });

    it("depends only on published versions", () => {
      const versions = ["compose", "core", "store-memory", "store-sqlite", "watcher"].flatMap(
        (name) => Object.values(manifestIn(join(modules, scope, name)).dependencies ?? {}),
      );

      expect(versions.length).toBeGreaterThan(0);
      expect(versions.filter((version) => !/^[\^~]?\d/u.test(version))).toEqual([]);
    });
  },
);
