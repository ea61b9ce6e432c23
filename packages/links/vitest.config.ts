import { defineProject } from "vitest/config";

export default defineProject({
  resolve: { conditions: ["@self-context-manager/source"] },
  ssr: { resolve: { conditions: ["@self-context-manager/source"] } },
  test: { include: ["test/**/*.test.ts"], setupFiles: ["../../tools/property-seed.ts"] },
});
