#!/usr/bin/env node
// Starts the built command with a Node version that it supports. It must run on any Node, so it uses no newer syntax.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const packageFolder = join(dirname(fileURLToPath(import.meta.url)), "..");
const main = join(packageFolder, "dist", "main.js");
const range = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")).engines.node;

if (!existsSync(main)) fail("scm is not built yet: run `npm start` or `npm test` in the checkout.");
else if (satisfies(process.versions.node, range)) await import(pathToFileURL(main).href);
else {
  const node = pinnedNode();
  if (node === undefined)
    fail(
      `scm needs Node ${range}; this is Node ${process.versions.node}. Run it with a newer Node.`,
    );
  else {
    const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: "inherit" });
    // A signal to this process alone is meant for the command, which closes its store.
    process.on("SIGINT", (signal) => child.kill(signal));
    process.on("SIGTERM", (signal) => child.kill(signal));
    process.on("SIGHUP", (signal) => child.kill(signal));
    child.on("error", (error) => fail(`scm could not start ${node}: ${error.message}`));
    child.on("exit", (code) => {
      process.exitCode = code ?? 1;
    });
  }
}

/** The Node that the checkout's bootstrap installed; undefined outside a checkout. */
function pinnedNode() {
  const record = join(packageFolder, "..", "..", "node_modules", ".toolchain", "paths.json");
  if (!existsSync(record)) return undefined;
  const node = JSON.parse(readFileSync(record, "utf8")).node;
  return existsSync(node) ? node : undefined;
}

/**
 * @param {string} version
 * @param {string} minimum has the form `>=22.22`, the only one in this project's `engines`
 */
function satisfies(version, minimum) {
  const have = version.split(".").map(Number);
  const want = minimum.replace(">=", "").split(".").map(Number);
  for (let at = 0; at < 3; at += 1) {
    const difference = (have[at] ?? 0) - (want[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
