import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "scm xtdb-"));
  return {
    path,
    // A node without users ends by itself after some time, and writes files until then.
    [Symbol.asyncDispose]: async () =>
      await rm(path, { recursive: true, force: true, maxRetries: 40, retryDelay: 100 }),
  };
}
