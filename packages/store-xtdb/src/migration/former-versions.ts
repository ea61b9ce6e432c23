import {
  applyDelta,
  bodyCache,
  deepFreeze,
  type Delta,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ObjectBody,
  type ObjectHashes,
  type ObjectId,
  type StoredVersion,
  wholeVersion,
} from "@self-context-manager/objects";

import { attributeText, type Chunks, keyOfAttribute, keysIn } from "../documents/chunks.ts";
import type { CallBudget, Document, NodeClient } from "../client/node-client.ts";
import { pullDocuments } from "../client/pull-documents.ts";
import { DamageError } from "../client/xtdb-errors.ts";

/**
 * Reads the versions of a store of schema 1 or 2, in which the document of a version has its metadata as one text.
 *
 * They are read as of a transaction of XTDB, because the migration replaces their documents one after another.
 */
export interface FormerVersions {
  /** Returns up to `limit` versions after the given number of versions, in the order of their commits. */
  after(count: number, limit: number, budget: CallBudget): Promise<readonly StoredVersion[]>;
}

interface FormerVersion {
  readonly id: ObjectId;
  readonly version: number;
  readonly base: number;
  readonly size: number;
  readonly body: string;
  readonly delta: string | undefined;
  readonly hashes: ObjectHashes;
  readonly at: StoredVersion["at"];
}

/** The bulk fields of the last version of an object that was read. */
interface Last {
  readonly version: number;
  readonly bulk: JsonObject;
  readonly size: number;
}

/** Returns a reader of the store with the given name, as of a transaction of XTDB. */
export function formerVersions(
  client: NodeClient,
  chunks: Chunks,
  space: string,
  txId: number,
): FormerVersions {
  const lasts = bodyCache<Last>(32_000_000);
  const name = (attribute: string): string => `${space}/${attribute}`;

  function versionOf(document: Document): FormerVersion {
    const text = (attribute: string): string => {
      const value = document[name(attribute)];
      if (typeof value === "string") return value;
      throw new DamageError(`document ${String(document["xt/id"])} has no ${name(attribute)}`);
    };
    const count = (attribute: string): number => {
      const value = document[name(attribute)];
      if (typeof value === "number") return value;
      throw new DamageError(`document ${String(document["xt/id"])} has no ${name(attribute)}`);
    };
    const delta = document[name("delta")];
    return {
      id: text("of") as ObjectId,
      version: count("version"),
      base: count("base"),
      size: count("size"),
      body: text("body"),
      delta: typeof delta === "string" ? delta : undefined,
      hashes: Object.freeze({
        ...(JSON.parse(text("hashes")) as object),
        content_hash: text("content"),
      }) as ObjectHashes,
      at: Object.freeze({ tx_id: count("tx"), tx_time: text("time") }),
    };
  }

  /** Returns the deltas of a version that lead from the last one that was read to it, with their texts. */
  async function deltasOf(
    one: FormerVersion,
    known: ReadonlyMap<string, FormerVersion>,
    start: number,
    budget: CallBudget,
  ): Promise<readonly (string | undefined)[]> {
    const ids: string[] = [];
    for (let at = start + 1; at < one.version; at += 1)
      ids.push(`${space}/version/${at}/${one.id}`);
    const missing = ids.filter((id) => !known.has(id));
    const read = new Map(known);
    for (const [id, document] of await pullDocuments(client, missing, budget, { at: { txId } }))
      read.set(id, versionOf(document));
    return [...ids, undefined].map((id) => {
      const found = id === undefined ? one : read.get(id);
      if (found === undefined) throw new DamageError(`document ${id} is missing`);
      return found.delta;
    });
  }

  async function wholeOf(
    one: FormerVersion,
    known: ReadonlyMap<string, FormerVersion>,
    budget: CallBudget,
  ): Promise<StoredVersion> {
    const last = lasts.get(one.id);
    const start =
      last !== undefined && last.version >= one.base && last.version < one.version
        ? last
        : { version: one.base - 1, bulk: {} };
    const deltas = await deltasOf(one, known, start.version, budget);
    const attributes = [one.body, ...deltas];
    const long = await chunks.load(
      attributes.flatMap((text) => keyOfAttribute(text) ?? []),
      budget,
    );
    const parsed = deltas.flatMap((text) =>
      text === undefined ? [] : [JSON.parse(attributeText(text, long)) as Delta],
    );
    const keys = new Set<string>();
    for (const delta of parsed) keysIn(delta, keys);
    const reader = await chunks.load(keys, budget);
    let bulk: JsonValue = start.bulk;
    for (const delta of parsed) bulk = applyDelta(bulk, delta, reader);
    if (!isJsonObject(bulk))
      throw new DamageError(`version ${one.version} of object ${one.id} is not a JSON object`);
    deepFreeze(bulk);
    const body = JSON.parse(attributeText(one.body, long)) as ObjectBody;
    const { hashes, version, at } = one;
    const stored = wholeVersion(body, bulk, { hashes, version, at });
    lasts.set(one.id, { version, bulk, size: one.size });
    return stored;
  }

  return {
    async after(count, limit, budget) {
      const rows = await client.query(
        `{:find [n (pull v [*])] :in [a b] :where [[v :${name("arrival")} n] [(> n a)] [(<= n b)]]}`,
        [count, count + limit],
        budget,
        { txId },
      );
      const byArrival = new Map(
        rows.map(([arrival, document]) => [Number(arrival), versionOf(document as Document)]),
      );
      const found = [...byArrival]
        .sort(([one], [other]) => one - other)
        .map(([, version]) => version);
      const known = new Map(found.map((one) => [`${space}/version/${one.version}/${one.id}`, one]));
      const versions: StoredVersion[] = [];
      for (const one of found) versions.push(await wholeOf(one, known, budget));
      return versions;
    },
  };
}
