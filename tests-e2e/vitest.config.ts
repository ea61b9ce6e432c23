import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["@self-context-manager/source"] },
  ssr: { resolve: { conditions: ["@self-context-manager/source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["../tools/property-seed.ts"],
    testTimeout: 60_000,
  },
});
