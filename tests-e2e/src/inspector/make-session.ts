// Records the inspector's test session in a folder, which must not exist yet: its store, a damaged copy of the store, and
// the agent's workspace.
//
//   npm run dev -- exec pnpm --filter @self-context-manager/tests-e2e make-session FOLDER
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";

import { damagedCopy } from "./damaged-copy.ts";
import { recordSession } from "./recorded-session.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new TypeError("give the path of a new folder");
// pnpm runs a script in the folder of its package.
const path = resolve(process.env["INIT_CWD"] ?? ".", folder);
await mkdir(path);
const started = performance.now();
const recorded = await recordSession(path);
const damaged = await damagedCopy(recorded.storePath);
const seconds = Math.round((performance.now() - started) / 100) / 10;
process.stdout.write(`${JSON.stringify({ ...recorded, damaged, seconds }, undefined, 2)}\n`);
process.exit();
