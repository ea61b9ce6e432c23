import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * What becomes of a start of the node: it is killed before it listens, when it is asked whether it has caught up, or when
 * it is asked how it is; it ends by itself; or it lives.
 */
export type Fate = "killed-at-start" | "killed-at-sync" | "killed-at-status" | "ends" | "lives";

/** A `java` whose runs of the node have the fates that were told, in order; all further ones have the last. */
export interface MortalJava {
  readonly command: string;
  /** Fates of the starts to come. */
  decide(...fates: readonly Fate[]): Promise<void>;
  /** How often a node was started since. */
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
  const decide = async (...told: readonly Fate[]): Promise<void> => {
    await writeFile(startFile, "");
    await writeFile(fateFile, `${told.join("\n")}\n`);
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
