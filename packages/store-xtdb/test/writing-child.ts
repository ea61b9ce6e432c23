import { writeSync } from "node:fs";

import { openLocalXtdbStore } from "../src/index.ts";
import { writeEntries } from "./writing.ts";

// Writes to the store of the local node until it is killed, and prints the acknowledged entries:
// `writing-child.ts FOLDER NAME`.
const [, , dataFolder = "", name = ""] = process.argv;
const store = await openLocalXtdbStore({
  dataFolder,
  quick: true,
  linger: 300,
  timeout: 120_000,
});
await writeEntries(
  store,
  name,
  // Synchronous, so that each written line arrives, whenever the process is killed.
  (entry, hash) => void writeSync(1, `${JSON.stringify([entry, hash])}\n`),
  () => false,
);
