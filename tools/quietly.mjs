// Runs a command and prints its output only if it fails: `node tools/quietly.mjs pnpm build`.
import { spawnSync } from "node:child_process";

const [command = "", ...commandArguments] = process.argv.slice(2);
const run = spawnSync(command, commandArguments, { encoding: "utf8", maxBuffer: 2 ** 28 });
if (run.error) throw run.error;
if (run.status !== 0) console.error(`${run.stdout}${run.stderr}`);
process.exitCode = run.status ?? 1;
