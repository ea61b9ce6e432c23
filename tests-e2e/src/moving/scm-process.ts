import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

/** A store as it is configured for the command. */
export interface NamedPlace {
  readonly kind: "sqlite" | "xtdb";
  /** Path or URL. */
  readonly at: string;
  /** The token of a node. */
  readonly token?: string;
  /** The store's name within the database of a node. */
  readonly name?: string;
}

export interface ScmRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
  /** The greatest memory use of the process. */
  readonly megabytes: number;
}

const main = fileURLToPath(new URL("../../../packages/cli/src/main.ts", import.meta.url));

/**
 * The heap limit. It is far below the size of the long run's store: the command must not need more for a larger
 * store.
 */
const heap = "--max-old-space-size=256";

/** Code that reports the process's memory use when the process ends. */
const measure = `data:text/javascript,process.on("exit",()=>process.stderr.write("\\nmaxRSS "+process.resourceUsage().maxRSS))`;

/** Starts `scm` as a separate process. The environment names the store, as a user does it. */
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
        ...(place.token === undefined ? {} : { SCM_XTDB_TOKEN: place.token }),
        ...(place.name === undefined ? {} : { SCM_XTDB_NAME: place.name }),
      },
      stdio: ["pipe", "pipe", "pipe"],
    },
  );
}

/** Runs `scm` until it ends. */
export async function runScm(place: NamedPlace, argv: readonly string[]): Promise<ScmRun> {
  const start = performance.now();
  const child = startScm(place, argv);
  child.stdin.end();
  const closed = new Promise<number | null>((done, fail) => {
    child.once("error", fail);
    child.once("close", (code) => done(code));
  });
  const [stdout, errorText, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    closed,
  ]);
  const [stderr = "", kilobytes] = errorText.split("\nmaxRSS ");
  const seconds = (performance.now() - start) / 1_000;
  return { code, stdout, stderr, seconds, megabytes: Number(kilobytes) / 1_024 };
}
