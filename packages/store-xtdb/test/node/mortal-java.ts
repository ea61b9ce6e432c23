import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The outcome of a start of the node: it is killed before it listens, at the request to sync, or at the request for its
 * status; it ends by itself; or it lives.
 */
export type Fate = "killed-at-start" | "killed-at-sync" | "killed-at-status" | "ends" | "lives";

/** A `java` whose runs of the node have the given fates, in order. All further runs have the last fate. */
export interface MortalJava {
  readonly command: string;
  /** Sets the fates of the next starts. */
  decide(...fates: readonly Fate[]): Promise<void>;
  /** Returns the number of starts since the last `decide`. */
  starts(): Promise<number>;
}

export async function mortalJava(folder: string, ...fates: readonly Fate[]): Promise<MortalJava> {
  const command = join(folder, "java");
  const fateFile = join(folder, "fates");
  const startFile = join(folder, "starts");
  const program = fileURLToPath(new URL("mortal-node.ts", import.meta.url));
  const script = `#!/bin/sh
case " $* " in *" xtdb.main "*) ;; *) exec java "$@";; esac
echo >> '${startFile}'
start=$(wc -l < '${startFile}')
fate=$(sed -n "$start{p;q}" '${fateFile}')
[ -n "$fate" ] || fate=$(tail -n 1 '${fateFile}')
case $fate in
  lives) exec java "$@";;
  killed-at-start) kill -9 $$;;
  ends) echo "no such thing as a node"; exit 3;;
  *) for config; do :; done
     exec '${process.execPath}' --conditions=@self-context-manager/source '${program}' "$fate" "$config";;
esac
`;
  const decide = async (...next: readonly Fate[]): Promise<void> => {
    await writeFile(startFile, "");
    await writeFile(fateFile, `${next.join("\n")}\n`);
  };
  await writeFile(command, script, { mode: 0o755 });
  await decide(...fates);
  return {
    command,
    decide,
    async starts() {
      return (await readFile(startFile, "utf8")).length;
    },
  };
}
