import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A `java` whose nodes find the disk full, as far as a limit on the size of each file is that. */
export interface LimitedJava {
  readonly command: string;
  /** Takes the limit away, for nodes that start from now on. */
  free(): Promise<void>;
}

/** For POSIX systems: the shell sets the limit. Less than the libraries that Java unpacks keeps it from starting. */
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
