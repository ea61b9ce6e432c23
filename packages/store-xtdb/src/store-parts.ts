import { type BodyCache, bodyCache, defined, type Patience } from "@self-context-manager/objects";

import { chunks as chunkStore } from "./xtdb-documents/chunks.ts";
import { type BasisParts, basisReader, type BasisReader } from "./writing/commit-basis.ts";
import type { Memory } from "./reading/memory.ts";
import { xtdbDocuments, emptyClock } from "./xtdb-documents/xtdb-documents.ts";
import type { Head, Rebuilt } from "./reading/head.ts";
import { nodeClient } from "./client/node-client.ts";
import { pastVersions, type PastVersions } from "./reading/past-versions.ts";
import { type NodePlace, requests } from "./client/requests.ts";
import { versionReader } from "./reading/version-reader.ts";

/** The options of the connection to a store. */
export interface ConnectionOptions {
  /** The URL of the node, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** The store's name within the database. All its ids and its own attributes begin with it. Default: `scm`. */
  readonly space?: string;
  /** The bearer token that the node requires. A local node keeps it in the file `token` of its data folder. Default: none. */
  readonly token?: string;
  /** Milliseconds that a call may take, including repeated requests. Default: 10,000. */
  readonly timeout?: number;
  /** How long calls wait for a node that does not answer. Default: `timeout` for each. */
  readonly patience?: Patience;
  /**
   * Makes sure that the node runs and returns its URL and token, which can change after a crash: `ensure` of `joinNode`.
   * Default: none; both stay the same.
   */
  readonly relocate?: () => Promise<NodePlace>;
  /** Characters of latest versions that are kept in memory. Default: 32 million. */
  readonly cacheCharacters?: number;
}

/** The parts of a store that its operations share. */
export interface StoreParts extends BasisParts {
  readonly rebuilt: BodyCache<Rebuilt>;
  readonly past: PastVersions;
  readonly bases: BasisReader;
}

/** Connects the parts of a store. Nothing is asked yet, so the memory has the state of an empty store. */
export function storeParts(options: ConnectionOptions): StoreParts {
  const { token, timeout = 10_000, relocate, patience, cacheCharacters = 32_000_000 } = options;
  const names = xtdbDocuments(options.space ?? "scm");
  const sender = requests({ url: options.url, ...defined({ token }) }, names.rewrites.stateId);
  const client = nodeClient(sender, { timeout, ...defined({ relocate, patience }) });
  const heads = bodyCache<Head>(cacheCharacters);
  const rebuilt = bodyCache<Rebuilt>(cacheCharacters / 2);
  const chunks = chunkStore(client, names);
  const reader = versionReader({ client, names, chunks, heads, rebuilt });
  const past = pastVersions(client, names, reader);
  const rewrites = { generation: 0, journal: undefined };
  const recent = { after: 0, versions: [] };
  const memory: Memory = { clock: emptyClock, since: 0, recent, rewrites };
  const bases = basisReader({ client, names, chunks, reader, heads, memory });
  return { client, names, chunks, heads, rebuilt, reader, past, bases, memory };
}
