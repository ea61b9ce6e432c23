import {
  configFromEnvironment,
  isNodeUrl,
  openDocuments,
  type OpenedDocuments,
  openStore,
  type StoreKind,
  storeKinds,
  storeMask,
  type StorePlace,
  systemClock,
} from "@self-context-manager/compose";
import type { ObjectStore } from "@self-context-manager/core";
import { defined, type TextMask } from "@self-context-manager/objects";

import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { setFlagsFromString } from "node:v8";

import { CliError, UsageError } from "./cli-errors.ts";

/** The parameters that determine a store: options first, then the environment. */
export interface NamedStore {
  readonly kind: string | undefined;
  readonly at: string | undefined;
  readonly create?: boolean;
  readonly patient?: boolean;
  readonly readsOnce?: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  /** Receives a text for the user about the store's files. */
  readonly note?: (text: string) => void;
}

/** Milliseconds for one transaction while a whole store is moved. */
const longWait = 120_000;

/** Opens the store that options and environment name. A store that does not exist is created only with `create`. */
export async function openNamedStore(named: NamedStore): Promise<ObjectStore> {
  const { config, at } = placed(named);
  await checkPlace(named);
  const xtdb = named.patient === true ? { ...config.xtdb, timeout: longWait } : config.xtdb;
  const cacheCharacters = named.readsOnce === true ? fewCharacters : undefined;
  if (named.readsOnce === true) freeMemoryEarly();
  const others = defined({ notify: named.note, cacheCharacters });
  return await openStore({ store: config.store, at, clock: systemClock, xtdb, ...others });
}

/** Characters of latest versions in memory for a command that reads each version once. */
const fewCharacters = 500_000;

/**
 * Lets V8 collect what is no longer used before it asks the system for more memory. Otherwise a reading of a large store
 * needs some hundred megabytes for what it has read already.
 */
function freeMemoryEarly(): void {
  setFlagsFromString("--optimize-for-size");
}

/** The kind and the place of the store that options and environment name. Without `create`, it must exist. */
export async function namedPlace(named: NamedStore): Promise<StorePlace> {
  const { config, at } = placed(named);
  await checkPlace(named);
  return { store: config.store, at, xtdb: config.xtdb };
}

async function checkPlace(named: NamedStore): Promise<void> {
  const { config, at } = placed(named);
  await checkKind(config.store, at);
  if (named.create !== true) await checkStore(config.store, at);
}

/** Opens the search index of the open store that options and environment name. */
export async function openNamedDocuments(
  named: NamedStore,
  store: ObjectStore,
): Promise<OpenedDocuments> {
  const { config, at } = placed(named);
  return await openDocuments(
    store,
    { store: config.store, at, xtdb: config.xtdb },
    named.environment,
  );
}

/** Returns what replaces secrets in texts that a command stores; undefined if nothing does. */
export function maskOf(named: NamedStore): TextMask | undefined {
  const { config, at } = placed(named);
  return storeMask({ store: config.store, at, xtdb: config.xtdb }, config);
}

/** The place of the store that options and environment name, for messages. */
export function placeOf(named: NamedStore): string {
  const { config, at } = placed(named);
  return config.store === "memory" ? "memory" : at;
}

function placed(named: NamedStore): {
  readonly config: ReturnType<typeof configFromEnvironment>;
  readonly at: string;
} {
  const kind = named.kind === undefined ? undefined : storeKind(named.kind);
  const givenAt = defined({ SCM_STORE: named.at });
  if (kind === "sqlite" && isNodeUrl(named.at ?? named.environment["SCM_STORE"] ?? ""))
    throw noFile(named.at ?? named.environment["SCM_STORE"] ?? "");
  const config = configFromEnvironment({
    ...named.environment,
    ...givenAt,
    ...defined({ SCM_STORE_KIND: kind }),
  });
  if (named.at === "")
    throw new UsageError("--at is empty; give the store's path, or the URL of an XTDB node");
  const isPath = named.at !== undefined && !isNodeUrl(named.at);
  const at = isPath ? resolve(named.folder, named.at ?? "") : (named.at ?? config.at);
  return { config, at };
}

function noFile(url: string): UsageError {
  return new UsageError(
    `${url} is a URL, and a SQLite store is a file; for a store in XTDB, give --store xtdb or leave it out`,
  );
}

function storeKind(given: string): StoreKind {
  const kind = storeKinds.find((name) => name === given);
  if (kind !== undefined) return kind;
  throw new UsageError(
    `--store is ${JSON.stringify(given)}; it must be ${storeKinds.join(" or ")} (use --at for a store's path)`,
  );
}

async function checkStore(kind: StoreKind, at: string): Promise<void> {
  if (kind === "sqlite") await checkThere(at);
  if (kind === "xtdb" && !isNodeUrl(at) && (await look(at)) === undefined) {
    throw new CliError(
      `there is no folder of an XTDB node at ${at}; name another with --at or SCM_STORE, or start a node with scm xtdb start`,
    );
  }
}

/** Refuses a place that clearly belongs to a store of another kind. */
async function checkKind(kind: StoreKind, at: string): Promise<void> {
  if (kind === "memory" || isNodeUrl(at)) return;
  const facts = await look(at);
  if (facts === undefined || facts === "unknown") return;
  if (kind === "sqlite" && facts.isDirectory()) {
    throw new UsageError(
      `${at} is a folder, and a SQLite store is a file; if it is the folder of an XTDB node, add --store xtdb`,
    );
  }
  if (kind === "xtdb" && !facts.isDirectory()) {
    throw new UsageError(
      `${at} is a file, and a store in XTDB has a folder or a node's URL; if it is a SQLite store, leave out --store xtdb`,
    );
  }
}

/** Refuses a path that does not exist, and an empty file: opening either would create a store. */
async function checkThere(path: string): Promise<void> {
  const facts = await look(path);
  if (facts === undefined) {
    throw new CliError(
      `there is no store at ${path}; name another with --at or SCM_STORE, or run an agent with self-context-manager first, which creates the store`,
    );
  }
  if (facts !== "unknown" && facts.isFile() && facts.size === 0) {
    throw new CliError(
      `${path} is an empty file, not a store; name another with --at or SCM_STORE`,
    );
  }
}

async function look(path: string): Promise<Stats | "unknown" | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    // For any other fault of the path, opening the store gives a better message.
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return isMissing ? undefined : "unknown";
  }
}
