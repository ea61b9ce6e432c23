import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import assert from "node:assert/strict";

/** The part of a `package.json` that is read. */
export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** The top folder of the checkout. */
export const checkout: string = fileURLToPath(new URL("../../", import.meta.url));

const scope = "@self-context-manager/";

function tarballOf(name: string): string {
  return join(checkout, "packages", name, "pack", "package.tgz");
}

/** Whether the packages are packed. `npm test` packs them before it runs the end-to-end tests. */
export function arePacked(): boolean {
  return existsSync(tarballOf("core"));
}

export function manifestIn(place: string): Manifest {
  return JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
}

/** Returns the place of a package of this repository in a folder. */
export function placeIn(folder: string, name: string): string {
  return join(folder, "node_modules", scope, name);
}

/** Unpacks packages and their dependencies in a folder, so that no import leads back to the sources. */
export function installPacked(folder: string, dependencies: readonly string[]): void {
  for (const dependency of dependencies)
    if (dependency.startsWith(scope)) install(folder, dependency.slice(scope.length));
}

function install(folder: string, name: string): void {
  const place = placeIn(folder, name);
  if (existsSync(place)) return;
  mkdirSync(place, { recursive: true });
  const unpacked = spawnSync("tar", ["-xzf", tarballOf(name), "-C", place, "--strip-components=1"]);
  assert.equal(unpacked.status, 0, `unpacking ${name}`);
  const dependencies = Object.keys(manifestIn(place).dependencies ?? {});
  installPacked(folder, dependencies);
  for (const dependency of dependencies)
    if (!dependency.startsWith(scope)) linkPackage(folder, name, dependency);
}

/** Links a package of the registry that a package of this repository uses. */
export function linkPackage(folder: string, name: string, dependency: string): void {
  const place = join(folder, "node_modules", dependency);
  if (existsSync(place)) return;
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(join(checkout, "packages", name, "node_modules", dependency), place, "junction");
}
