import {
  chainLink,
  type ChainEnd,
  collectReferences,
  fieldRows,
  metadataOf,
  metadataText,
  type ObjectId,
  type StoredVersion,
} from "@self-context-manager/objects";

import { type ChunkCollection, chunks as chunkStore } from "../../src/documents/chunks.ts";
import { documents } from "../../src/documents/documents.ts";
import { nodeClient, type JsonDocument, type Operation } from "../../src/client/node-client.ts";
import { requests } from "../../src/client/requests.ts";

function edgesOf({ body }: StoredVersion, place: string): readonly string[] {
  return collectReferences(body).map(
    ({ reference }) => `${reference.ref} "${reference.id}"#${place}`,
  );
}

/**
 * Writes a store of schema 2, as the program before schema 3 did: the document of a version has its metadata as one text,
 * and that of an object has composite keys.
 *
 * Each list of versions is one commit. Returns when the node has indexed all of them.
 */
export async function writeFormerStore(
  url: string,
  space: string,
  commits: Iterable<readonly StoredVersion[]>,
): Promise<void> {
  const client = nodeClient(requests({ url }), { timeout: 60_000 });
  const chunks = chunkStore(client, documents(space));
  const name = (attribute: string): string => `${space}/${attribute}`;
  const ends = new Map<ObjectId, ChainEnd & { readonly place: number }>();
  const owners = new Map<string, ObjectId>();
  let [seq, arrivals, tx, time] = [0, 0, 0, new Date(0).toISOString()];

  function written(stored: StoredVersion, collection: ChunkCollection): readonly Operation[] {
    const { body, version, at, hashes } = stored;
    const { content_hash, ...otherHashes } = hashes;
    const before = ends.get(body.id);
    const { delta, ...chain } = chainLink(before, stored, collection);
    const place = before?.place ?? ends.size + 1;
    ends.set(body.id, { stored, place, ...chain });
    arrivals += 1;
    tx = Math.max(tx, at.tx_id);
    time = time > at.tx_time ? time : at.tx_time;
    const documentId = `${space}/version/${version}/${body.id}`;
    const padded = String(place).padStart(10, "0");
    const known = new Set(before === undefined ? [] : edgesOf(before.stored, padded));
    const edges = edgesOf(stored, padded).filter((edge) => !known.has(edge));
    const former = before?.stored.body.nickname;
    const names: Operation[] = [];
    if (former !== undefined && former !== body.nickname && owners.get(former) === body.id) {
      owners.delete(former);
      names.push(["delete", name(`nickname/${former}`)]);
    }
    if (body.nickname !== undefined && owners.get(body.nickname) !== body.id) {
      owners.set(body.nickname, body.id);
      names.push(["put", { "xt/id": name(`nickname/${body.nickname}`), [name("owner")]: body.id }]);
    }
    return [
      [
        "put",
        {
          "xt/id": documentId,
          [name("of")]: body.id,
          [name("version")]: version,
          [name("arrival")]: arrivals,
          [name("tx")]: at.tx_id,
          [name("time")]: at.tx_time,
          [name("content")]: content_hash,
          [name("hashes")]: JSON.stringify(otherHashes),
          [name("points")]: [`"${body.id}" tx ${at.tx_id}#${version}`],
          ...(edges.length === 0 ? {} : { [name("edge")]: edges }),
          [name("body")]: collection.attribute(metadataText(body)),
          ...(delta === undefined ? {} : { [name("delta")]: collection.attribute(delta) }),
          [name("base")]: chain.base,
          [name("weight")]: chain.weight,
          [name("size")]: chain.size,
        },
      ],
      [
        "put",
        {
          "xt/id": name(`object/${body.id}`),
          [name("id")]: body.id,
          [name("type")]: body.type,
          [name("place")]: place,
          [name("version")]: version,
          [name("latest")]: documentId,
          [name("listing")]: [...fieldRows(metadataOf(body))].map(
            ([field, value]) => `${field}=${value}#${padded}`,
          ),
        },
      ],
      ...names,
    ];
  }

  let last = 0;
  for (const versions of commits) {
    const collection = chunks.collect();
    const operations = versions.flatMap((stored) => written(stored, collection));
    seq += 1;
    const clock: JsonDocument = {
      "xt/id": name("clock"),
      [name("schema")]: 2,
      [name("seq")]: seq,
      [name("tx")]: tx,
      [name("time")]: time,
      [name("arrivals")]: arrivals,
      [name("objects")]: ends.size,
      [name("nonce")]: String(seq),
    };
    ({ txId: last } = await client.submit(
      [
        ["match", name(`commit/${seq}`), null],
        ["put", { "xt/id": name(`commit/${seq}`), [name("nonce")]: String(seq) }],
        ["put", clock],
        ...collection.documents().map((document): Operation => ["put", document]),
        ...operations,
      ],
      client.budget(),
      { wait: false },
    ));
    collection.committed();
  }
  if (last > 0) await client.isCommitted(last, client.budget());
}
