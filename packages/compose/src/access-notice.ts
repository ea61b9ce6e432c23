import { shellWord } from "@self-context-manager/core/host";

import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

import type { StoreKind } from "./kinds.ts";
import { isNodeUrl } from "./store-path.ts";

/** A file or a folder of a store, the bits of its mode that other users must not have, and the mode that it should have. */
interface PrivatePath {
  readonly path: string;
  readonly tooMuch: number;
  readonly right: "600" | "700" | "o-w";
}

const anyAccess = 0o077;
const othersWrite = 0o002;
/** In a folder with this bit, only the owner of a file can replace it. */
const sticky = 0o1000;

/** The places of which this process has given a notice. */
const noticed = new Set<string>();

/**
 * Returns a text for the user if other users can read or replace the files of a store, once in a process for each place.
 * It names each path, its mode and the command that corrects it. Undefined on Windows, which has no such modes, and for
 * files that cannot be examined.
 */
export async function accessNotice(kind: StoreKind, at: string): Promise<string | undefined> {
  const place = resolve(at);
  if (process.platform === "win32" || isNodeUrl(at) || noticed.has(place)) return undefined;
  const found = (await Promise.all(privatePaths(kind, place).map(openToOthers))).flat();
  if (found.length === 0) return undefined;
  noticed.add(place);
  const paths = found.map(({ path, mode }) => `${path} (mode ${mode})`).join(", ");
  const commands = [...Map.groupBy(found, ({ right }) => right)].map(
    ([right, some]) => `chmod ${right} ${some.map(({ path }) => shellWord(path)).join(" ")}`,
  );
  return `Other users of this machine can read or replace the store: ${paths}. To correct it, run: ${commands.join(" && ")}`;
}

function privatePaths(kind: StoreKind, at: string): readonly PrivatePath[] {
  switch (kind) {
    case "memory":
      return [];
    case "sqlite":
      return [
        ...["", "-wal", "-shm", ".secrets", ".key"].map((end) => privateFile(`${at}${end}`)),
        // The user has chosen this folder, and other files in it can be for everybody.
        { path: dirname(at), tooMuch: othersWrite, right: "o-w" },
      ];
    case "xtdb":
      return [
        { path: at, tooMuch: anyAccess, right: "700" },
        ...["token", "golden.db"].map((name) => privateFile(join(at, name))),
      ];
  }
}

function privateFile(path: string): PrivatePath {
  return { path, tooMuch: anyAccess, right: "600" };
}

async function openToOthers({
  path,
  tooMuch,
  right,
}: PrivatePath): Promise<readonly { path: string; mode: string; right: string }[]> {
  try {
    const { mode } = await stat(path);
    const isProtected =
      (mode & tooMuch) === 0 || (tooMuch === othersWrite && (mode & sticky) !== 0);
    return isProtected ? [] : [{ path, mode: (mode & 0o777).toString(8), right }];
  } catch {
    // Most stores have no side files, and a folder that cannot be examined is not the user's to change.
    return [];
  }
}
