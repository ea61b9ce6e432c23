import { fieldsOf } from "@self-context-manager/objects";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

import { hostError } from "./host-error.ts";
import { installedPackage } from "./installed-package.ts";

/** An installed release of Pi. */
export interface PiInstallation {
  readonly version: string;
  /** The folder of its package. */
  readonly folder: string;
  /** The command line without arguments: Node and a script, or a program. */
  readonly command: readonly [string, ...string[]];
  /** Whether it sends `agent_settled` when a run is at rest. Before, the last event is `agent_end`. */
  readonly settles: boolean;
  /** Whether it has `--exclude-tools`. */
  readonly excludesTools: boolean;
  /** Whether `$NAME` in `models.json` is a variable. Before, the bare name was one. */
  readonly readsDollar: boolean;
}

const packageNames: readonly string[] = [
  "@earendil-works/pi-coding-agent",
  "@mariozechner/pi-coding-agent",
];

/** The oldest release that hosts are tested with. */
const oldest = "0.73.1";

/**
 * Finds Pi. `cli`: its package folder, its script or its program. Default: `pi` in the search path, then the installed
 * packages. Throws `EvaluateError` with `EVALUATE_HOST`.
 */
export function piInstallation(
  options: { readonly cli?: string; readonly node?: string } = {},
): PiInstallation {
  const script = options.cli === undefined ? foundScript() : scriptAt(options.cli);
  const { version, folder } = packageOf(script);
  if (isBefore(version, oldest))
    throw hostError(`Pi at ${script} is ${version}; install ${oldest} or newer`);
  return {
    version,
    folder,
    command: /\.[cm]?js$/u.test(script) ? [options.node ?? process.execPath, script] : [script],
    settles: !isBefore(version, "0.80.4"),
    excludesTools: !isBefore(version, "0.77.0"),
    readsDollar: !isBefore(version, "0.77.0"),
  };
}

function foundScript(): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const program = folders.map((folder) => join(folder, "pi")).find(isFile);
  if (program !== undefined) return realpathSync(program);
  for (const name of packageNames) {
    const manifest = installedPackage(name);
    if (manifest !== undefined) return scriptAt(dirname(manifest));
  }
  throw hostError(
    `Pi is not installed: there is no pi in PATH, and neither package ${packageNames.join(" nor ")}; ` +
      `run npm install -g ${packageNames[0]}, or name its folder with --host-path`,
  );
}

/** The script of a package folder, or the file itself. */
function scriptAt(given: string): string {
  const manifest = join(given, "package.json");
  if (!isFile(manifest)) {
    if (isFile(given)) return realpathSync(given);
    throw hostError(`${given} is neither Pi's script nor its package folder`);
  }
  const script = fieldsOf(fieldsOf(readJson(manifest))["bin"])["pi"];
  if (typeof script !== "string")
    throw hostError(`${manifest} has no program pi, so it is not the package of Pi`);
  return realpathSync(join(given, script));
}

/** The nearest folder with a `package.json` of Pi, and its version. A program with Pi compiled into it has one beside it. */
function packageOf(script: string): { readonly version: string; readonly folder: string } {
  for (let folder = dirname(script); ; folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    const fields = isFile(manifest) ? fieldsOf(readJson(manifest)) : {};
    const { version } = fields;
    if (fieldsOf(fields["bin"])["pi"] !== undefined && typeof version === "string")
      return { version, folder };
    if (folder === dirname(folder))
      throw hostError(`no package.json of Pi belongs to ${script}; name the folder of its package`);
  }
}

/** Compares the numbers of two versions. A pre-release counts as its release. */
function isBefore(version: string, other: string): boolean {
  const [one = [], two = []] = [version, other].map((text) =>
    text.split("-", 1).join("").split(".").map(Number),
  );
  const at = one.findIndex((number, index) => number !== two[index]);
  return at !== -1 && (one[at] ?? 0) < (two[at] ?? 0);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw hostError(`${path} cannot be read as JSON`, error);
  }
}
