import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["@self-context-manager/source"] },
  ssr: { resolve: { conditions: ["@self-context-manager/source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["../tools/property-seed.ts"],
    // Only a test that hangs reaches it. Two gateways that start at the same time need a minute on a slow machine.
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
