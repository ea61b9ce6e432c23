import { defineProject } from "vitest/config";

import { moduleCache } from "./module-cache.ts";
import { patience } from "./patience.ts";

export default defineProject({
  test: {
    name: "tools",
    include: ["test/**/*.test.ts"],
    // The tests read files and leave nothing behind.
    isolate: false,
    ...moduleCache,
    ...patience,
  },
});
