import { afterAll, beforeAll } from "vitest";

import { startNode } from "../../src/node/index.ts";
import { joinSharedNode } from "../shared-node.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { buildTimeout } from "./tools-at-hand.ts";
import { type Wire, wire } from "./wire.ts";

/**
 * Asks the node that the tests share, or with `isOwn` a new, empty one, which ends with the tests of the block.
 *
 * The requests and answers in these tests were recorded from XTDB's own HTTP server, which was started from the sources
 * of 1.24.5. That server does not run here: the tests compare the node of this package with the recorded answers.
 */
export function wireNode({ isOwn = false }: { readonly isOwn?: boolean } = {}): Wire {
  const held = new AsyncDisposableStack();
  let on: Wire;

  beforeAll(async () => {
    if (isOwn) {
      const { path } = held.use(await temporaryFolder());
      const options = { dataFolder: path, indexFolder: "memory", quick: true };
      on = wire(held.use(await startNode(options)));
    } else {
      on = wire(held.use(await joinSharedNode()));
    }
  }, buildTimeout);

  afterAll(async () => await held.disposeAsync());

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
