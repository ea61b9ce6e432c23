import { normalTime, type ObjectId, type VersionSelector } from "@self-context-manager/objects";

import type { CallBudget } from "../client/call-budget.ts";
import type { NodeClient } from "../client/node-client.ts";
import type { AttributeName } from "../xtdb-documents/document-values.ts";
import type { XtdbDocuments } from "../xtdb-documents/xtdb-documents.ts";

/** The greatest number that XTDB's index keeps exactly. */
export const largest: number = Number.MAX_SAFE_INTEGER;

/** Returns the number of the version of an object that a selector means. */
export type ChooseVersion = (
  id: ObjectId,
  at: VersionSelector,
  budget: CallBudget,
) => Promise<number | undefined>;

export function chooseVersion(client: NodeClient, names: XtdbDocuments): ChooseVersion {
  const name = (attribute: AttributeName): string => names.attribute(attribute);

  /** Returns the number of an object's last version that meets a condition on its document `v`. */
  async function lastVersion(
    id: ObjectId,
    condition: string,
    value: string | number,
    budget: CallBudget,
  ): Promise<number | undefined> {
    const rows = await client.query(
      `{:find [(max n)] :in [o x] :where [[v :${name("of")} o] [v :${name("version")} n] ${condition}]}`,
      [names.objectId(id), value],
      budget,
    );
    const [version] = rows[0] ?? [];
    return typeof version === "number" ? version : undefined;
  }

  async function lastVersionAt(
    id: ObjectId,
    time: string,
    budget: CallBudget,
  ): Promise<number | undefined> {
    const rows = await client.query(
      `{:find [n t] :in [o] :where [[v :${name("of")} o] [v :${name("version")} n] [v :${name("time")} t]]}`,
      [names.objectId(id)],
      budget,
    );
    // Compared here, because the texts of times before the year 0 and after 9999 are not in the order of the times.
    const numbers = rows.flatMap(([number, at]) =>
      Date.parse(String(at)) <= Date.parse(time) ? [Number(number)] : [],
    );
    return numbers.length === 0 ? undefined : Math.max(...numbers);
  }

  return async (id, at, budget) => {
    if ("version" in at) return at.version;
    if ("contentHash" in at)
      return await lastVersion(id, `[v :${name("content")} x]`, at.contentHash, budget);
    if ("txId" in at) {
      const txId = Math.min(Math.floor(at.txId), largest);
      if (!(txId >= 0)) return undefined;
      return await lastVersion(id, `[v :${name("tx")} t] [(<= t x)]`, txId, budget);
    }
    return await lastVersionAt(id, normalTime(at.txTime), budget);
  };
}
