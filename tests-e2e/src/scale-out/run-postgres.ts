// Do two agents on two nodes of XTDB share objects through one PostgreSQL, and does a killed node catch up?
// Needs Java, Maven and PostgreSQL on this machine; run it by hand:
//
//   npm run dev -- exec pnpm --filter @self-context-manager/tests-e2e scale-out-postgres
import { startNode } from "@self-context-manager/store-xtdb";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { keepMeasured } from "../measured.ts";
import { freePort } from "./free-port.ts";
import { startPostgres } from "./local-postgres.ts";
import { runTwoNodes } from "./two-nodes.ts";

const folder = await mkdtemp(join(tmpdir(), "scm-scale-out-"));
try {
  await using postgres = await startPostgres(folder);
  const ports = new Map<string, number>();
  const token = randomUUID();
  const results = await runTwoNodes(folder, async (name) => {
    const port = ports.get(name) ?? (await freePort());
    ports.set(name, port);
    const { jdbcUrl, user } = postgres;
    const dataFolder = join(folder, name);
    const storage = { kind: "postgres", jdbcUrl, user } as const;
    return await startNode({ dataFolder, port, token, storage });
  });
  keepMeasured("scale-out-postgres", { database: postgres.version, ...results });
} finally {
  await rm(folder, { recursive: true, force: true });
}
