import {
  configFromEnvironment,
  openStore,
  type StoreKind,
  storeKinds,
  systemClock,
} from "@self-context-manager/compose";
import type { ObjectStore } from "@self-context-manager/core";

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
  if (config.store === "sqlite" && !named.create && !(await isThere(at))) {
    throw new CliError(
      `there is no store at ${at}; name another with --at or SCM_STORE, or run an agent with self-context-manager first, which makes it`,
    );
  }
  return await openStore({ store: config.store, at, clock: systemClock });
}

function storeKind(given: string): StoreKind {
  const kind = storeKinds.find((name) => name === given);
  if (kind !== undefined) return kind;
  throw new UsageError(
    `--store is ${JSON.stringify(given)}; it must be ${storeKinds.join(" or ")} (a store's path goes to --at)`,
  );
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    // Whatever else is wrong with the path, opening the store says it better.
    return !(error instanceof Error && "code" in error && error.code === "ENOENT");
  }
}
