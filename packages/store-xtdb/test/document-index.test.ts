import { objectId } from "@self-context-manager/objects";
import { expect, it } from "vitest";

import type { CallBudget } from "../src/client/call-budget.ts";
import type { NodeClient } from "../src/client/node-client.ts";
import type { Memory } from "../src/reading/memory.ts";
import { emptyClock, xtdbDocuments } from "../src/xtdb-documents/xtdb-documents.ts";
import { documentQueries } from "../src/writing/document-index.ts";

const entry = {
  names: { id: objectId("note"), aliases: [] },
  version: 1,
  contentHash: "0",
  keys: { names: ["note"], links: [], tags: [] },
};

const memory: Memory = {
  clock: emptyClock,
  since: 0,
  recent: { after: 0, versions: [] },
  rewrites: { generation: 0, journal: undefined },
};

/** A client beside which another one always commits first, until the time of the call is over. */
function losing(losses: number): NodeClient & { readonly submitted: () => number } {
  let submitted = 0;
  const client: Partial<NodeClient> = {
    url: "http://127.0.0.1:1",
    entity: async () => await Promise.resolve(undefined),
    query: async () => await Promise.resolve([]),
    submit: async () => {
      submitted += 1;
      return await Promise.resolve({ txId: submitted, held: submitted > losses });
    },
  };
  return { ...(client as NodeClient), submitted: () => submitted };
}

function budgetOf(client: { readonly submitted: () => number }, most: number): CallBudget {
  return {
    remaining: () => most - client.submitted(),
    tries: true,
    failure: undefined,
    since: undefined,
  };
}

it("keeps entries after it has lost to other clients several times", async () => {
  const client = losing(7);
  const index = documentQueries({ client, names: xtdbDocuments("scm"), memory });

  await index.keep("parser", [entry], "9", budgetOf(client, 100));

  expect(client.submitted()).toBe(8);
});

it("rejects instead of leaving entries out if other clients always commit first", async () => {
  const client = losing(Number.POSITIVE_INFINITY);
  const index = documentQueries({ client, names: xtdbDocuments("scm"), memory });

  const kept = index.keep("parser", [entry], "9", budgetOf(client, 3));

  await expect(kept).rejects.toMatchObject({ code: "STORE_BUSY" });
});
