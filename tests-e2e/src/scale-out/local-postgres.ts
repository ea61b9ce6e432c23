import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { freePort } from "./free-port.ts";

/** A PostgreSQL server of this run, on loopback. */
export interface LocalPostgres extends AsyncDisposable {
  readonly version: string;
  readonly jdbcUrl: string;
  readonly user: string;
}

/**
 * Creates a database cluster in a folder and starts its server. Root starts it as the user `postgres`, because
 * PostgreSQL refuses root. Throws if the machine has no PostgreSQL.
 */
export async function startPostgres(folder: string): Promise<LocalPostgres> {
  const programs = findPrograms();
  const owner = ownerOf(folder);
  const data = join(folder, "postgres");
  mkdirSync(data, { mode: 0o700 });
  if (owner !== undefined) chownSync(data, owner.uid, owner.gid);
  const user = "scm";
  const options = ["--auth=trust", `--username=${user}`, "--encoding=UTF8", "--locale=C"];
  execFileSync(join(programs, "initdb"), [`--pgdata=${data}`, ...options], {
    stdio: "pipe",
    cwd: "/",
    ...owner,
  });
  const port = await freePort();
  const server = spawn(
    join(programs, "postgres"),
    ["-D", data, "-h", "127.0.0.1", "-p", String(port), "-k", ""],
    { stdio: ["ignore", "ignore", "pipe"], cwd: "/", ...owner },
  );
  const said: string[] = [];
  for await (const line of createInterface({ input: server.stderr })) {
    said.push(line);
    if (line.includes("ready to accept connections")) break;
  }
  server.stderr.resume();
  if (server.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${said.join("\n")}`);
  const version = execFileSync(join(programs, "postgres"), ["--version"], { encoding: "utf8" });
  return {
    version: version.trim(),
    jdbcUrl: `jdbc:postgresql://127.0.0.1:${port}/postgres`,
    user,
    async [Symbol.asyncDispose]() {
      server.kill("SIGINT");
      if (server.exitCode === null && server.signalCode === null) await once(server, "close");
    },
  };
}

/** Returns the folder of `initdb` and `postgres`. Debian does not put it on the PATH. */
function findPrograms(): string {
  const versions = join("/usr/lib", "postgresql");
  const folders = [
    ...(process.env["PATH"] ?? "").split(":"),
    ...foldersIn(versions).map((version) => join(versions, version, "bin")),
  ];
  const folder = folders.find((one) => foldersIn(one).includes("initdb"));
  if (folder !== undefined) return folder;
  throw new Error("there is no PostgreSQL on this machine; install Debian's package postgresql");
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The folder does not exist or cannot be read, so it contains no programs.
    return [];
  }
}

function ownerOf(folder: string): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  // The other user must be able to reach its folder within this one.
  chmodSync(folder, 0o755);
  return { uid: numberOfPostgres("-u"), gid: numberOfPostgres("-g") };
}

function numberOfPostgres(flag: "-u" | "-g"): number {
  return Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
}
