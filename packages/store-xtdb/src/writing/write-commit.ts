import { metadataVersion } from "@self-context-manager/objects";
import { randomUUID } from "node:crypto";

import type { CallBudget } from "../client/call-budget.ts";
import type { Operation } from "../client/node-client.ts";
import { noteArrived } from "../reading/memory.ts";
import type { ChunkCollection } from "../xtdb-documents/chunks.ts";
import type { BasisParts } from "./commit-basis.ts";
import { sendCommit } from "./send-commit.ts";
import type { PlannedTransaction, WritePlan } from "./write-plan.ts";

/** A commit that is ready to be sent: its plan, the texts of the plan, and further operations. */
export interface PreparedCommit extends Pick<PlannedTransaction, "basis" | "versions" | "before"> {
  readonly plan: WritePlan;
  readonly collection: ChunkCollection;
  readonly further: readonly Operation[];
}

/** Writes a plan as the next commit. Returns false if another commit came first. */
export async function writeCommit(
  { basis, versions, before, plan, collection, further }: PreparedCommit,
  { client, names, heads, memory }: Pick<BasisParts, "client" | "names" | "heads" | "memory">,
  budget: CallBudget,
): Promise<boolean> {
  const { seq } = plan.clock;
  const next = basis.clock.seq + 1;
  const nonce = randomUUID();
  const operations: Operation[] = [
    ["match", names.commitId(next), null],
    ...[...basis.assumed].map((id): Operation => ["match", id, null]),
    // Each commit has a document, by which a state as of its transaction is found.
    ...(before === undefined
      ? []
      : [["put", names.commit({ ...plan.clock, seq: next, at: before }, nonce)] as const]),
    ["put", names.commit(plan.clock, nonce)],
    ["put", names.clock(plan.clock)],
    ...collection.documents().map((document): Operation => ["put", document]),
    ...plan.operations,
    ...further,
  ];
  // If the commit failed or its outcome is unknown, the memory stays as it is: a commit based on it will fail its match
  // and read a fresh basis.
  if (!(await sendCommit(operations, { seq: next, nonce }, { client, names }, budget)))
    return false;
  // A read in the meantime may have noticed a rewrite.
  if (plan.clock.generation !== memory.clock.generation) return true;
  collection.committed();
  noteArrived(memory, basis.clock.arrivals, versions.map(metadataVersion));
  // A read in the meantime may have recorded a later commit.
  if (seq > memory.clock.seq) memory.clock = plan.clock;
  for (const head of plan.heads) heads.set(head.stored.body.id, head);
  return true;
}
