import { runStoreChild } from "@self-context-manager/testkit/store-child";

import { openSqliteStore } from "../src/index.ts";

await runStoreChild(() => openSqliteStore({ path: process.argv[2] ?? "" }));
