// `npm start`: runs the extension in a real Pi session. The session itself is in tests-e2e/src/demo.
import { join } from "node:path";
import { parseArgs } from "node:util";

import { runDemo } from "../tests-e2e/src/demo/run-demo.ts";
import { runReal } from "../tests-e2e/src/demo/run-real.ts";

const usage = `npm start -- [options]
  --store KIND            sqlite (default), or xtdb: a node of this machine, which needs Java 17 and Maven
  --at PLACE              the store's file; for XTDB a folder or a node's URL
                          (default: .demo/store.sqlite, .demo/real.sqlite with --model, .demo/xtdb for XTDB)
  --pi VERSION            a supported release of Pi for the scripted session
  --model PROVIDER/MODEL  a real model instead of the scripted one; its key is read from the environment`;

/** @param {string} line */
function print(line) {
  console.log(line);
}

try {
  const { values } = parseArgs({
    options: {
      store: { type: "string", default: "sqlite" },
      at: { type: "string" },
      pi: { type: "string" },
      model: { type: "string" },
      help: { type: "boolean" },
    },
  });
  const { store } = values;
  if (store !== "sqlite" && store !== "xtdb")
    throw new RangeError(`--store is ${JSON.stringify(store)}; it must be sqlite or xtdb`);
  // The result of a run with a real model must not be overwritten by the next demo.
  const file = values.model === undefined ? "store.sqlite" : "real.sqlite";
  const usual = store === "xtdb" ? "xtdb" : file;
  const at = values.at ?? join(process.cwd(), ".demo", usual);
  if (values.help) print(usage);
  else if (values.model !== undefined) await runReal({ model: values.model, store, at, print });
  else await runDemo({ store, at, print, ...(values.pi === undefined ? {} : { pi: values.pi }) });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
