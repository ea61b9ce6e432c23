import { runsEveryForm } from "@self-context-manager/store-contract";
import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";

/** A Pi release that the adapter supports, under the alias that the workspace installs it by. */
export interface PiVersion {
  readonly version: string;
  readonly alias: string;
  /** Whether the release sends `agent_settled` when a run is at rest. Otherwise the last event is `agent_end`. */
  readonly settles: boolean;
  /** The path, within the package, of the module that the SDK is imported from. */
  readonly sdk: string;
}

export interface PiInstallation {
  readonly packageFolder: string;
  readonly cli: string;
  readonly sdk: string;
}

/** The supported releases, oldest first. */
export const everyPiVersion: readonly PiVersion[] = [
  { version: "0.73.1", alias: "pi-0-73", settles: false, sdk: "dist/index.js" },
  { version: "0.87.1", alias: "pi-0-87", settles: true, sdk: "dist/index.js" },
  // The unbundled entry needs packages that the registry lacks. The shipped bundle contains them.
  { version: "1.5.2", alias: "pi-1-5", settles: true, sdk: "dist/bundle/index.js" },
];

const runsAll = runsEveryForm("adapter-pi");

/** The releases that tests run on: all in a long run, otherwise the newest. */
export const piVersions: readonly PiVersion[] = runsAll ? everyPiVersion : everyPiVersion.slice(-1);

/** The releases that a session in each mode runs on: all in a long run, otherwise the oldest and the newest. */
export const endPiVersions: readonly PiVersion[] = everyPiVersion.filter(
  (_, index) => runsAll || index === 0 || index === everyPiVersion.length - 1,
);

/** Returns the files of an installed release. Checks that the installed version is the expected one. */
export const piInstallation = (pi: PiVersion): PiInstallation => {
  // Not `require.resolve`, because Pi's exports name neither its package.json nor a require condition.
  const manifestPath = findPackageJSON(pi.alias, import.meta.url);
  if (manifestPath === undefined) {
    throw new Error(`${pi.alias} is not installed; run npm start or npm test first`);
  }
  const manifest: { readonly version?: string; readonly bin?: { readonly pi?: string } } =
    JSON.parse(readFileSync(manifestPath, "utf8"));
  if (manifest.version !== pi.version || manifest.bin?.pi === undefined) {
    throw new Error(`${pi.alias} is ${manifest.version ?? "unknown"}, not ${pi.version}`);
  }

  const packageFolder = dirname(manifestPath);
  return {
    packageFolder,
    cli: join(packageFolder, manifest.bin.pi),
    sdk: join(packageFolder, pi.sdk),
  };
};
