import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes a folder that is deleted on disposal. Its path is a real path. */
export async function temporaryFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "compose-")));
  return { path, [Symbol.asyncDispose]: async () => await rm(path, { recursive: true }) };
}
