// `npm start`: shows managed context in a session of a host, or compares it with plain Pi by a model of the user's. The
// sessions themselves are in tests-e2e/src/demo.
import { join } from "node:path";
import { parseArgs } from "node:util";

import { checkSettings } from "../tests-e2e/src/demo/check-settings.ts";
import { openClawDemoHost } from "../tests-e2e/src/demo/openclaw-demo-host.ts";
import { piDemoHost } from "../tests-e2e/src/demo/pi-demo-host.ts";
import { runDemo } from "../tests-e2e/src/demo/run-demo.ts";
import { runModel } from "../tests-e2e/src/demo/run-model.ts";

const usage = `npm start -- [options]
  --host HOST             pi (default), or openclaw: a gateway, which the first run installs (640 MB)
  --store KIND            sqlite (default), or xtdb: a node of this machine, which needs Java 17 and Maven
  --at PLACE              the store's file; for XTDB a folder or a node's URL; with --model the folder of the results
                          (default: .demo/store.sqlite, .demo/xtdb for XTDB, a folder in .demo/evaluation)
  --pi VERSION            a supported release of Pi; only with the host pi
  --model PROVIDER/MODEL  compare plain Pi and managed context by this model on three short tasks, as scm evaluate run
                          does; its key is read from the environment; forgetful is a model without a key and costs
  --budget USD            the most dollars that the model may cost in all runs together (default: 2; off for a model
                          whose prices are not known)`;

/** @param {string} line */
function print(line) {
  console.log(line);
}

try {
  const { values } = parseArgs({
    options: {
      host: { type: "string", default: "pi" },
      store: { type: "string" },
      at: { type: "string" },
      pi: { type: "string" },
      model: { type: "string" },
      budget: { type: "string" },
      help: { type: "boolean" },
    },
  });
  const { host, store = "sqlite", model, budget } = values;
  if (host !== "pi" && host !== "openclaw")
    throw new RangeError(`--host is ${JSON.stringify(host)}; it must be pi or openclaw`);
  const ofPi = Object.keys(values).filter((name) => name === "pi" || name === "model");
  if (host === "openclaw" && ofPi.length > 0)
    throw new RangeError(
      `--${ofPi[0]} is an option of the host pi; it cannot be used with --host openclaw`,
    );
  if (store !== "sqlite" && store !== "xtdb")
    throw new RangeError(`--store is ${JSON.stringify(store)}; it must be sqlite or xtdb`);
  if (model !== undefined && values.store !== undefined)
    throw new RangeError(
      "--store is an option of the scripted session; it cannot be used with --model",
    );
  if (model === undefined && budget !== undefined)
    throw new RangeError("--budget is an option of --model; add it");
  if (values.help) print(usage);
  else if (model !== undefined)
    process.exitCode = await runModel({ model, pi: values.pi, at: values.at, budget });
  else {
    checkSettings(process.env);
    const at =
      values.at ?? join(process.cwd(), ".demo", store === "xtdb" ? "xtdb" : "store.sqlite");
    const demoHost = host === "openclaw" ? openClawDemoHost : piDemoHost(values.pi);
    await runDemo({ host: demoHost, store, at, print });
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
