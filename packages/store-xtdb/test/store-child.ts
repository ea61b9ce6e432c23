import { runStoreChild } from "@self-context-manager/store-contract/store-child";

import { openXtdbStore } from "../src/index.ts";

const [, , url = "", token = "", space = ""] = process.argv;

await runStoreChild(() => openXtdbStore({ url, token, space, timeout: 60_000 }));
