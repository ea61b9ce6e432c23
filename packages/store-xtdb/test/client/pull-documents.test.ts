import { expect, test } from "vitest";

import type { CallBudget } from "../../src/client/call-budget.ts";
import type { NodeClient } from "../../src/client/node-client.ts";
import { pullDocuments } from "../../src/client/pull-documents.ts";

const budget: CallBudget = {
  remaining: () => 1_000,
  tries: true,
  failure: undefined,
  since: undefined,
};

test("a document that only the index has is damage", async () => {
  const client = {
    query: async () => [
      ["a", { "xt/id": "a" }],
      ["b", null],
    ],
  } as unknown as NodeClient;

  await expect(pullDocuments(client, ["a", "b"], budget)).rejects.toMatchObject({
    name: "DamageError",
    message: "document b is missing, but the index names it",
  });
});
