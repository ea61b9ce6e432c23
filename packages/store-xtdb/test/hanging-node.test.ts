import { StoreError } from "@self-context-manager/objects";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";

import { openXtdbStore } from "../src/index.ts";

/** Opens a server on this machine; disposal ends it with all its connections. */
async function openServer(answer: RequestListener): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** Longer than a test may take, in milliseconds: only a store that has no patience of its own waits so long. */
const endless = 3_600_000;

const patience = (milliseconds: number) => {
  let isBlocked = false;
  return {
    left: () => (isBlocked ? 0 : milliseconds),
    blocked: () => void (isBlocked = true),
    worked: () => void (isBlocked = false),
  };
};

it("does not wait longer than its patience for a node that accepts requests and never answers", async () => {
  await using server = await openServer(() => undefined);

  const failure = await openXtdbStore({
    url: server.url,
    timeout: endless,
    patience: patience(1_200),
  }).catch((error: unknown) => error);

  expect(StoreError.is(failure, "STORE_UNAVAILABLE")).toBe(true);
});

it("tries a node that cannot be reached no longer than its patience", async () => {
  const closed = await openServer(() => undefined);
  await closed[Symbol.asyncDispose]();

  const failure = await openXtdbStore({
    url: closed.url,
    timeout: endless,
    patience: patience(0),
  }).catch((error: unknown) => error);

  expect(StoreError.is(failure, "STORE_UNAVAILABLE")).toBe(true);
});

it("waits for an answer that takes long while the node's status is answered", async () => {
  const transit = { "content-type": "application/transit+json" };
  await using server = await openServer(({ url = "" }, response) => {
    const isStatus = url.startsWith("/_xtdb/status");
    const body = isStatus ? '["^ ","~:version","1.24.0"]' : '["^ "]';
    const isQuery = url.startsWith("/_xtdb/query");
    const answer = (): void =>
      void response.writeHead(isStatus || isQuery ? 200 : 404, transit).end(isQuery ? "[]" : body);
    setTimeout(answer, isStatus ? 0 : 1_500);
  });

  await using store = await openXtdbStore({ url: server.url, patience: patience(1_000) });

  expect(store.name).toBe("xtdb");
});
