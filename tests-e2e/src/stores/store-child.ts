import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { runStoreChild } from "@self-context-manager/store-contract/store-child";

import { acknowledgingEarly, committingApart, rewritingApart } from "./faulty-stores.ts";

const [, , path = "", manner = ""] = process.argv;

await runStoreChild(async () => {
  switch (manner) {
    case "acknowledging-early":
      return acknowledgingEarly(await openSqliteStore({ path }));
    case "committing-apart":
      return committingApart(await openSqliteStore({ path }));
    case "rewriting-apart":
      return rewritingApart(await openSqliteStore({ path }));
    case "elsewhere":
      return openSqliteStore({ path: `${path}.elsewhere` });
    default:
      return openSqliteStore({ path });
  }
});
