import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

import { prepareNode } from "../../src/node/index.ts";
import { runProgram } from "../../src/node/run-program.ts";
import { buildTimeout, lacking } from "./tools-at-hand.ts";

test.skipIf(lacking !== undefined)(
  "the node submits again only after a deadlock in its database",
  async () => {
    const { java, classPath } = await prepareNode();
    const tests = fileURLToPath(new URL("deadlocks_test.clj", import.meta.url));

    const outcome = await runProgram(java.command, ["-cp", classPath, "clojure.main", tests]);

    expect(`${outcome?.stdout}${outcome?.stderr}`).toContain("0 failures, 0 errors");
    expect(outcome?.code).toBe(0);
  },
  buildTimeout,
);
