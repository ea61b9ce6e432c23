import {
  meetsSelector,
  type ObjectId,
  type StoredVersion,
  type VersionSelector,
} from "@self-context-manager/objects";

import type { CallBudget } from "../client/call-budget.ts";
import type { NodeClient } from "../client/node-client.ts";
import { DamageError } from "../client/xtdb-errors.ts";
import type { XtdbDocuments } from "../xtdb-documents/xtdb-documents.ts";
import { checkFollowing, numbersOf } from "./past-versions.ts";
import type { VersionReader } from "./version-reader.ts";

export interface CheckChoiceParts {
  readonly client: NodeClient;
  readonly names: XtdbDocuments;
  readonly reader: Pick<VersionReader, "versions">;
}

/** Throws `DamageError` if an index named a version that the selector does not mean. */
export function checkChosen(
  { version, at, body, hashes }: StoredVersion,
  selector: VersionSelector,
): void {
  if (!meetsSelector({ version, at, contentHash: hashes.content_hash }, selector))
    throw new DamageError(`an index is wrong for object ${body.id}`);
}

/**
 * Rejects with `DamageError` if a later version of an object than the chosen one should have been chosen, and a damaged
 * document hid it. `chosen` is the number of that version; 0 if none was found.
 */
export async function checkChoice(
  id: ObjectId,
  at: VersionSelector,
  chosen: number,
  { client, names, reader }: CheckChoiceParts,
  budget: CallBudget,
): Promise<void> {
  const document = await client.entity(names.objectId(id), budget);
  const latest = document === undefined ? 0 : names.readObject(document).version;
  if ("version" in at ? chosen !== 0 || at.version > latest : chosen >= latest) return;
  const after = "version" in at ? at.version - 1 : chosen;
  const numbers = await numbersOf(id, [after + 1, latest], client, names, budget);
  if (numbers.at(-1) !== latest)
    throw new DamageError(`version ${latest} of object ${id} is missing`);
  // Versions are in the order of their commits. Only a content can come again at any later one.
  const wanted = "contentHash" in at ? numbers : numbers.slice(0, 1);
  const found = await reader.versions(
    wanted.map((number) => names.versionId(id, number)),
    budget,
  );
  const later = [...found].sort((one, other) => one.version - other.version);
  // A version that was asked for by its number and is not there has to be one of a gap.
  checkFollowing(later, after);
  // A version that is asked for by its number can be committed between the two reads.
  const isHidden = !("version" in at) && later.some((version) => meetsSelector(version, at));
  if (later.length !== wanted.length || isHidden)
    throw new DamageError(`a version of object ${id} after ${after} cannot be found`);
}
