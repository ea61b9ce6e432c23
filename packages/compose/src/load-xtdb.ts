import { StoreError } from "@self-context-manager/core";
import type * as storeXtdb from "@self-context-manager/store-xtdb";

/**
 * Loads the store in XTDB, which is an optional package. Rejects with `STORE_UNAVAILABLE` if it is not installed; the
 * error names the package and the command that installs it.
 */
export async function loadXtdb(): Promise<typeof storeXtdb> {
  try {
    return await import("@self-context-manager/store-xtdb");
  } catch (error) {
    const isMissing =
      error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing) throw error;
    throw new StoreError(
      "STORE_UNAVAILABLE",
      "a store in XTDB needs the package @self-context-manager/store-xtdb, which is not installed; run npm install @self-context-manager/store-xtdb",
      { cause: error },
    );
  }
}
