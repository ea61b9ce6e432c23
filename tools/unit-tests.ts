import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { defineProject, type UserProjectConfigExport } from "vitest/config";

import { moduleCache } from "./module-cache.ts";
import { patience } from "./patience.ts";
import { everyCase } from "./property-runs.ts";
import { runsEveryForm } from "../packages/store-contract/src/scale.ts";

const root = join(import.meta.dirname, "..");

/** The configuration of the tests of a package, given its folder. */
export function unitTests(folder: string): UserProjectConfigExport {
  const setup = join(folder, "test", "global-setup.ts");
  const runsAll = runsEveryForm(basename(folder));
  return defineProject({
    // The same root for all packages: it is part of the key of a transformed module.
    root,
    resolve: { conditions: ["@self-context-manager/source"] },
    ssr: { resolve: { conditions: ["@self-context-manager/source"] } },
    test: {
      name: `@self-context-manager/${basename(folder)}`,
      dir: folder,
      include: ["test/**/*.test.ts"],
      // Long-only files run in a long run, and if their package has changed.
      exclude: runsAll ? [] : ["**/*.long.test.ts"],
      env: { [everyCase]: runsAll ? "1" : "0" },
      setupFiles: [join(import.meta.dirname, "property-seed.ts")],
      globalSetup: existsSync(setup) ? [setup] : [],
      ...patience,
      // A file leaves nothing behind that another file could see, and modules are evaluated once per worker.
      isolate: false,
      ...moduleCache,
    },
  });
}
