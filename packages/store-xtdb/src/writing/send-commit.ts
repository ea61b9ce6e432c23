import { type CallBudget, unbound } from "../client/call-budget.ts";
import type { NodeClient, Operation } from "../client/node-client.ts";
import { RequestFailure } from "../client/xtdb-errors.ts";
import type { XtdbDocuments } from "../xtdb-documents/xtdb-documents.ts";

export interface SendCommitParts {
  readonly client: NodeClient;
  readonly names: XtdbDocuments;
}

/**
 * Submits a commit until the outcome is known. Returns false if another commit came first. The commit's document can be
 * created only once, so a transaction that was sent twice or arrives late takes effect at most once. The nonce in the
 * document identifies the client that created it.
 */
export async function sendCommit(
  operations: readonly Operation[],
  { seq, nonce }: { readonly seq: number; readonly nonce: string },
  { client, names }: SendCommitParts,
  budget: CallBudget,
): Promise<boolean> {
  async function madeBy(): Promise<string | undefined> {
    // No rewrite changes the documents of commits, and the outcome must not be lost to one.
    const document = await client.entity(names.commitId(seq), unbound(budget));
    return document === undefined ? undefined : String(names.read(document, "nonce"));
  }

  let isUnsure = false;
  for (let tries = 0; ; tries += 1) {
    try {
      const { txId, held } = await client.submit(operations, budget);
      if (held ?? (await client.isCommitted(txId, budget))) return true;
      return isUnsure && (await madeBy()) === nonce;
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error;
      isUnsure ||= error.mayHaveRun;
      await client.again(error, tries, budget);
    }
    if (!isUnsure) continue;
    const made = await madeBy();
    if (made !== undefined) return made === nonce;
  }
}
