import {
  configFromEnvironment,
  openStore,
  type StoreKind,
  storeKinds,
  systemClock,
} from "@self-context-manager/compose";
import type { ObjectStore } from "@self-context-manager/core";

import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";

import { CliError, UsageError } from "./cli-errors.ts";

/** What names a store: options first, then the environment. */
export interface NamedStore {
  readonly kind: string | undefined;
  readonly at: string | undefined;
  readonly create: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
}

/** Opens the store that options and environment name. Looking for one that is not there never makes one. */
export async function openNamedStore(named: NamedStore): Promise<ObjectStore> {
  const told = named.kind === undefined ? undefined : storeKind(named.kind);
  const config = configFromEnvironment(
    told === undefined ? named.environment : { ...named.environment, SCM_STORE_KIND: told },
  );
  const at = named.at === undefined ? config.at : resolve(named.folder, named.at);
  if (config.store === "sqlite" && !named.create) await checkThere(at);
  return await openStore({ store: config.store, at, clock: systemClock });
}

function storeKind(given: string): StoreKind {
  const kind = storeKinds.find((name) => name === given);
  if (kind !== undefined) return kind;
  throw new UsageError(
    `--store is ${JSON.stringify(given)}; it must be ${storeKinds.join(" or ")} (a store's path goes to --at)`,
  );
}

/** Refuses a path where nothing is, and an empty file: opening would make a store of either. */
async function checkThere(path: string): Promise<void> {
  const facts = await look(path);
  if (facts === undefined) {
    throw new CliError(
      `there is no store at ${path}; name another with --at or SCM_STORE, or run an agent with self-context-manager first, which makes it`,
    );
  }
  if (facts !== "unknown" && facts.isFile() && facts.size === 0) {
    throw new CliError(
      `${path} is an empty file and no store; name another with --at or SCM_STORE`,
    );
  }
}

async function look(path: string): Promise<Stats | "unknown" | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    // Whatever else is wrong with the path, opening the store says it better.
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return isMissing ? undefined : "unknown";
  }
}
