import { defineProject } from "vitest/config";

import { moduleCache } from "./module-cache.ts";
import { patience } from "./patience.ts";

export default defineProject({
  // As for the packages: a tool that imports one runs before the packages are built.
  resolve: { conditions: ["@self-context-manager/source"] },
  ssr: { resolve: { conditions: ["@self-context-manager/source"] } },
  test: {
    name: "tools",
    include: ["test/**/*.test.ts"],
    // The tests read files and leave nothing behind.
    isolate: false,
    ...moduleCache,
    ...patience,
  },
});
