import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

/** A store as the command is told of it. */
export interface NamedPlace {
  readonly kind: "sqlite" | "xtdb";
  /** Path or URL. */
  readonly at: string;
  /** The store's name within the database of a node. */
  readonly name?: string;
}

export interface ScmRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
  /** What the process had in memory at most. */
  readonly megabytes: number;
}

const main = fileURLToPath(new URL("../../../packages/cli/src/main.ts", import.meta.url));

/** Far less than a store of the long run holds: the command must not need more for a larger one. */
const heap = "--max-old-space-size=256";

/** Tells at its end how much memory the process took. */
const measure = `data:text/javascript,process.on("exit",()=>process.stderr.write("\\nmaxRSS "+process.resourceUsage().maxRSS))`;

/** Starts `scm` as a process of its own, with a store named by the environment as a user names it. */
export function startScm(
  place: NamedPlace,
  argv: readonly string[],
): ChildProcessWithoutNullStreams {
  return spawn(
    process.execPath,
    [heap, "--conditions=@self-context-manager/source", "--import", measure, main, ...argv],
    {
      env: {
        ...process.env,
        SCM_STORE_KIND: place.kind,
        SCM_STORE: place.at,
        ...(place.name === undefined ? {} : { SCM_XTDB_NAME: place.name }),
      },
      stdio: ["pipe", "pipe", "pipe"],
    },
  );
}

/** Runs `scm` to its end. */
export async function runScm(place: NamedPlace, argv: readonly string[]): Promise<ScmRun> {
  const start = performance.now();
  const child = startScm(place, argv);
  child.stdin.end();
  const closed = new Promise<number | null>((done, fail) => {
    child.once("error", fail);
    child.once("close", (code) => done(code));
  });
  const [stdout, told, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  const [stderr = "", kilobytes] = told.split("\nmaxRSS ");
  const seconds = (performance.now() - start) / 1_000;
  return { code, stdout, stderr, seconds, megabytes: Number(kilobytes) / 1_024 };
}
