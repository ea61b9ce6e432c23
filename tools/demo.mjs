// The main job on real input: `npm start`. The session itself is in tests-e2e/src/demo.
import { join } from "node:path";
import { parseArgs } from "node:util";

import { runDemo } from "../tests-e2e/src/demo/run-demo.ts";
import { runReal } from "../tests-e2e/src/demo/run-real.ts";

const usage = `npm start -- [options]
  --at FILE               where the store lies (.demo/store.sqlite)
  --pi VERSION            a supported release of Pi for the scripted session
  --model PROVIDER/MODEL  a real model in the place of the scripted one; its key from the environment`;

/** @param {string} line */
function print(line) {
  console.log(line);
}

try {
  const { values } = parseArgs({
    options: {
      at: { type: "string" },
      pi: { type: "string" },
      model: { type: "string" },
      help: { type: "boolean" },
    },
  });
  const at = values.at ?? join(process.cwd(), ".demo", "store.sqlite");
  if (values.help) print(usage);
  else if (values.model !== undefined) await runReal({ model: values.model, at, print });
  else await runDemo({ at, print, ...(values.pi === undefined ? {} : { pi: values.pi }) });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
