// Fails if a published package depends, directly or indirectly, on a package whose licence is not
// permissive. It reads the installed packages, so it needs no network. It skips optional peers (the
// hosts), which the user chooses, and development dependencies, which are not shipped.
import { existsSync, readFileSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

const permissive = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "Unlicense",
]);

const packages = join(import.meta.dirname, "..", "packages");
const pending = readdirSync(packages).map((name) => join(packages, name));
/** @type {Set<string>} */
const seen = new Set();
/** @type {string[]} */
const problems = [];

for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
  if (seen.has(folder) || !existsSync(join(folder, "package.json"))) continue;
  seen.add(folder);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const licence = String(manifest.license ?? "no licence");
  const choices = licence.replace(/[()]/g, "").split(" OR ");
  if (!choices.some((choice) => choice.split(" AND ").every((one) => permissive.has(one)))) {
    problems.push(`${manifest.name}@${manifest.version}: ${licence} is not permissive`);
  }
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    const dependency = find(name, folder);
    if (dependency === undefined) problems.push(`${manifest.name}: ${name} is not installed`);
    else pending.push(dependency);
  }
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`${seen.size} packages with their production dependencies, all permissive`);

/**
 * Finds a package as Node finds it for an import in a folder.
 * @param {string} name
 * @param {string} from
 * @returns {string | undefined}
 */
function find(name, from) {
  const candidate = join(from, "node_modules", name);
  if (existsSync(candidate)) return realpathSync(candidate);
  return dirname(from) === from ? undefined : find(name, dirname(from));
}
