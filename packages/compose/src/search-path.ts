import { createHash } from "node:crypto";
import { join } from "node:path";

import type { XtdbOptions } from "./context-manager-options.ts";
import type { Environment } from "./environment.ts";
import { homeFolder } from "./home-folder.ts";
import type { StoreKind } from "./kinds.ts";
import { usualFolder } from "./store-path.ts";

/** The store beside which an index is kept. The fields are those of `openStore`. */
export interface StorePlace {
  readonly store: StoreKind;
  readonly at: string;
  readonly xtdb?: XtdbOptions;
}

/** The place of an index that ends with the process. */
export const inMemory = ":memory:";

/** Digits of the hash in a file's name: enough that two places of one user never have the same. */
const hashDigits = 12;

/**
 * The path of the search index of a store. For a file it is beside the file, and for a store in XTDB in the user's own
 * folder, because many machines can use one node and each has its own index.
 */
export function searchPath(
  { store, at, xtdb }: StorePlace,
  environment: Environment = process.env,
): string {
  if (store === "memory" || at === inMemory) return inMemory;
  if (store === "sqlite") return `${at}.search`;
  const folder = usualFolder(environment, { name: process.platform, home: homeFolder() });
  if (folder === undefined) return inMemory;
  const name = xtdb?.name ?? "scm";
  const place = createHash("sha256").update(at.replace(/\/+$/u, "")).digest("hex");
  return join(folder, "search", `${name}-${place.slice(0, hashDigits)}.search`);
}
