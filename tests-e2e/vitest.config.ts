import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["@self-context-manager/source"] },
  ssr: { resolve: { conditions: ["@self-context-manager/source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    // As in the unit tests: most of the time is waiting for Pi and for databases.
    maxWorkers: process.env["SCM_LONG"] === undefined ? "100%" : 1,
  },
});
