import { runStoreChild } from "@self-context-manager/store-contract/store-child";

import { openSqliteStore } from "../src/index.ts";

await runStoreChild(() => openSqliteStore({ path: process.argv[2] ?? "" }));
