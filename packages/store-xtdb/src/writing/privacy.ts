import { randomBytes } from "node:crypto";

import type { CallBudget } from "../client/call-budget.ts";
import type { NodeClient } from "../client/node-client.ts";
import type { KeptPrivacy } from "../xtdb-documents/rewrite-documents.ts";
import type { XtdbDocuments } from "../xtdb-documents/xtdb-documents.ts";
import { giveWay } from "./transactions.ts";

/** Returns the key of the store and the forgotten texts. The first call makes the key. */
export async function keptPrivacy(
  client: NodeClient,
  { rewrites }: XtdbDocuments,
  budget: CallBudget,
): Promise<KeptPrivacy> {
  for (let losses = 1; ; losses += 1) {
    const document = await client.entity(rewrites.privacyId, budget);
    if (document !== undefined) return rewrites.readPrivacy(document);
    const made: KeptPrivacy = { key: randomBytes(32).toString("hex"), forgotten: [] };
    const { txId, held } = await client.submit(
      [
        ["match", rewrites.privacyId, null],
        ["put", rewrites.privacy(made)],
      ],
      budget,
    );
    if (held ?? (await client.isCommitted(txId, budget))) return made;
    await giveWay(losses, budget, client.url);
  }
}
