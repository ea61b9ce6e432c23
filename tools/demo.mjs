// `npm start`: shows managed context in a real session of a host. The session itself is in tests-e2e/src/demo.
import { join } from "node:path";
import { parseArgs } from "node:util";

import { checkSettings } from "../tests-e2e/src/demo/check-settings.ts";
import { openClawDemoHost } from "../tests-e2e/src/demo/openclaw-demo-host.ts";
import { piDemoHost } from "../tests-e2e/src/demo/pi-demo-host.ts";
import { runDemo } from "../tests-e2e/src/demo/run-demo.ts";
import { runReal } from "../tests-e2e/src/demo/run-real.ts";

const usage = `npm start -- [options]
  --host HOST             pi (default), or openclaw: a gateway, which the first run installs (640 MB)
  --store KIND            sqlite (default), or xtdb: a node of this machine, which needs Java 17 and Maven
  --at PLACE              the store's file; for XTDB a folder or a node's URL
                          (default: .demo/store.sqlite, .demo/real.sqlite with --model, .demo/xtdb for XTDB)
  --pi VERSION            a supported release of Pi for the scripted session; only with the host pi
  --model PROVIDER/MODEL  a real model instead of the scripted one; its key is read from the environment; only with
                          the host pi`;

/** @param {string} line */
function print(line) {
  console.log(line);
}

try {
  const { values } = parseArgs({
    options: {
      host: { type: "string", default: "pi" },
      store: { type: "string", default: "sqlite" },
      at: { type: "string" },
      pi: { type: "string" },
      model: { type: "string" },
      help: { type: "boolean" },
    },
  });
  const { host, store } = values;
  if (host !== "pi" && host !== "openclaw")
    throw new RangeError(`--host is ${JSON.stringify(host)}; it must be pi or openclaw`);
  const ofPi = Object.keys(values).filter((name) => name === "pi" || name === "model");
  if (host === "openclaw" && ofPi.length > 0)
    throw new RangeError(
      `--${ofPi[0]} is an option of the host pi; it cannot be used with --host openclaw`,
    );
  if (store !== "sqlite" && store !== "xtdb")
    throw new RangeError(`--store is ${JSON.stringify(store)}; it must be sqlite or xtdb`);
  // The result of a run with a real model must not be overwritten by the next demo.
  const file = values.model === undefined ? "store.sqlite" : "real.sqlite";
  const usual = store === "xtdb" ? "xtdb" : file;
  const at = values.at ?? join(process.cwd(), ".demo", usual);
  if (values.help !== true) checkSettings(process.env);
  if (values.help) print(usage);
  else if (values.model !== undefined) await runReal({ model: values.model, store, at, print });
  else {
    const demoHost = host === "openclaw" ? openClawDemoHost : piDemoHost(values.pi);
    await runDemo({ host: demoHost, store, at, print });
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
