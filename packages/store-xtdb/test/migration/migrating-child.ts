import { migrateXtdbStore } from "../../src/index.ts";

// Migrates a store until it is killed: `migrating-child.ts URL SPACE`.
const [, , url = "", space = ""] = process.argv;
await migrateXtdbStore({ url, space, timeout: 60_000 });
