import { objectStoreContract } from "@self-context-manager/store-contract";

import { sqlitePlace } from "./sqlite-place.ts";

objectStoreContract({
  name: "sqlite",
  supports: { durable: true, shared: true, losable: true, lockable: true },
  createPlace: sqlitePlace,
});
