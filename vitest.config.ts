import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: ["packages/*", "tools"],
    // Many tests wait for databases and processes of their own. Long runs make load themselves, and are alone.
    maxWorkers: process.env["SCM_LONG"] === undefined ? "100%" : 1,
  },
});
