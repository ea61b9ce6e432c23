import { afterAll, beforeAll } from "vitest";

import { startNode, type StartedNode } from "../../src/node/index.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { buildTimeout } from "./tools-at-hand.ts";
import { type Wire, wire } from "./wire.ts";

/**
 * Starts a node for the tests of a block, and ends it with them.
 *
 * The requests and answers in these tests were recorded from XTDB's own HTTP server, which was started from the sources
 * of 1.24.5. That server does not run here: the tests compare the node of this package with the recorded answers.
 */
export function wireNode(): Wire {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let node: StartedNode;
  let on: Wire;

  beforeAll(async () => {
    folder = await temporaryFolder();
    node = await startNode({ dataFolder: folder.path, indexFolder: "memory", quick: true });
    on = wire(node.url);
  }, buildTimeout);

  afterAll(async () => {
    await node?.stop();
    await folder?.[Symbol.asyncDispose]();
  });

  return {
    get url() {
      return on.url;
    },
    send: (asked) => on.send(asked),
    json: (path) => on.json(path),
    transit: (path) => on.transit(path),
    edn: (path) => on.edn(path),
    post: (route, type, body) => on.post(route, type, body),
    submit: (...ops) => on.submit(...ops),
    put: (document) => on.put(document),
    isCommitted: (txId) => on.isCommitted(txId),
  };
}
