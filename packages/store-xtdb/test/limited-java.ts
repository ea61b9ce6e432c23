import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A `java` whose nodes have a limit on the size of each file, which has the same effect as a full disk. */
export interface LimitedJava {
  readonly command: string;
  /** Removes the limit for nodes that start later. */
  free(): Promise<void>;
}

/**
 * Returns such a `java` for POSIX systems, where the shell sets the limit. Java does not start if the limit is smaller
 * than the libraries that it unpacks.
 */
export async function limitedJava(folder: string, megabytes: number): Promise<LimitedJava> {
  const blocks = megabytes * 2 * 1024;
  const command = join(folder, "java");
  const full = join(folder, "full");
  await writeFile(full, "");
  await writeFile(
    command,
    `#!/bin/sh
case " $* " in *" xtdb.main "*) [ ! -e '${full}' ] || ulimit -f ${blocks};; esac
exec java "$@"
`,
    { mode: 0o755 },
  );
  return { command, free: async () => await rm(full) };
}
