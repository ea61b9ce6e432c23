import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

// @boundaries-ignore The tests of all packages share it.
import { moduleCache } from "../tools/module-cache.ts";
// @boundaries-ignore The same limits hold for all tests.
import { patience } from "../tools/patience.ts";
// @boundaries-ignore The tests of all packages decide it in the same way.
import { runsEveryForm, testScale } from "../packages/store-contract/src/scale.ts";

/** The tasks of turbo.json: a family of files, with everything that its tests read. */
const { tasks } = JSON.parse(readFileSync(join(import.meta.dirname, "turbo.json"), "utf8")) as {
  readonly tasks: Readonly<Record<string, { readonly inputs?: readonly string[] }>>;
};

/** The task whose script runs. */
const task = process.env["npm_lifecycle_event"] ?? "";

/** The files of its family. Without a family, all files. */
const family = tasks[task]?.inputs?.filter((input) => /^test\/.*\.test\.ts$/u.test(input));

/**
 * Patterns of long-only files, each with the packages whose change makes them run in `npm test` too. Without a package
 * they run only in the long run, because they download what they test.
 */
const longOnly = JSON.parse(
  readFileSync(join(import.meta.dirname, "long-only.json"), "utf8"),
) as Readonly<Record<string, readonly string[]>>;

/** Families whose files leave nothing behind, so they share a worker and its modules. */
const shareModules: readonly string[] = [
  "test:agents",
  "test:inspector",
  "test:pi",
  "test:pi-more",
  "test:sessions",
];

export default defineConfig({
  resolve: { conditions: ["@self-context-manager/source"] },
  ssr: { resolve: { conditions: ["@self-context-manager/source"] } },
  test: {
    include: [...(family ?? ["test/**/*.test.ts"])],
    exclude: Object.entries(longOnly)
      .filter(([, packages]) => !testScale.isLong && !packages.some(runsEveryForm))
      .map(([pattern]) => pattern),
    isolate: !shareModules.includes(task),
    ...moduleCache,
    setupFiles: ["../tools/property-seed.ts"],
    globalSetup: ["../packages/store-xtdb/test/global-setup.ts"],
    ...patience,
  },
});
