// Checks the archive of each package as its users get it: its manifest with publint, and with @arethetypeswrong/core that
// imports find the code and the types. A problem is printed, and the exit code is 1. Packages are for import only, so how
// `require` and old resolutions see them does not count.
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

const packages = join(import.meta.dirname, "..", "packages");
const ignored = ["node10", "node16-cjs"];
let problems = 0;

for (const name of readdirSync(packages)) {
  const folder = join(packages, name);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const archive = readFileSync(join(folder, "pack", "package.tgz"));
  for (const problem of [
    ...(await manifestProblems(archive)),
    // A plugin that its host copies has no types, and nothing imports it.
    ...("openclaw" in manifest ? [] : await typeProblems(archive)),
  ]) {
    problems += 1;
    console.error(`${name}: ${problem}`);
  }
}
if (problems > 0) process.exitCode = 1;

/** @param {Buffer} archive */
async function manifestProblems(archive) {
  const tarball = new Uint8Array(archive).buffer;
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
  return messages
    .filter(({ type }) => type !== "suggestion")
    .map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
}

/** @param {Buffer} archive */
async function typeProblems(archive) {
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(archive)));
  if (analysis.types === false) return ["it has no types"];
  return analysis.problems
    .filter((problem) => !("resolutionKind" in problem && ignored.includes(problem.resolutionKind)))
    .map((problem) => JSON.stringify(problem));
}
