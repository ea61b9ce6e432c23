import { isNodeUrl } from "@self-context-manager/compose";
import { joinNode } from "@self-context-manager/store-xtdb";
import { mkdir, rm } from "node:fs/promises";
import { dirname, relative } from "node:path";

/** The place where a demo keeps its objects. */
export interface DemoPlace {
  readonly store: "sqlite" | "xtdb";
  /** For SQLite a file. For XTDB the data folder of this machine's node, or the URL of a node. */
  readonly at: string;
}

/** A new store for one demo. */
export interface DemoStore extends AsyncDisposable {
  /** The environment variables that configure the extension or the plugin for this store. */
  readonly environment: Readonly<Record<string, string>>;
  /** The text that explains how to inspect the store afterwards. */
  readonly closing: string;
}

/**
 * Prepares a store: a file, which replaces an existing one, or a new name in a database, whose other contents stay
 * untouched.
 */
export async function beginStore(
  { store, at }: DemoPlace,
  print: (line: string) => void,
): Promise<DemoStore> {
  const common = { SCM_STORE: at, SCM_STORE_KIND: store };
  if (store === "sqlite") {
    await mkdir(dirname(at), { recursive: true });
    for (const end of ["", "-wal", "-shm"]) await rm(`${at}${end}`, { force: true });
    const place = relative(process.cwd(), at);
    return {
      environment: common,
      closing: closing(place, `--at ${place}`, ""),
      async [Symbol.asyncDispose]() {},
    };
  }
  // The demo joins the node before the host does, so that the user sees the progress of a first build. The host
  // would show nothing.
  const node = isNodeUrl(at)
    ? undefined
    : await joinNode({ dataFolder: at, progress: (line) => print(`${line} …`) });
  const name = `demo-${Date.now().toString(36)}`;
  const place = isNodeUrl(at) ? at : relative(process.cwd(), at);
  return {
    environment: { ...common, SCM_XTDB_NAME: name },
    closing: closing(`${name} in ${place}`, `--store xtdb --at ${place}`, `SCM_XTDB_NAME=${name} `),
    async [Symbol.asyncDispose]() {
      await node?.leave();
    },
  };
}

function closing(store: string, options: string, before: string): string {
  return [
    "",
    `The store is ${store}. Inspect it:`,
    ...[
      "list",
      "show src/cart.mjs",
      "history src/cart.mjs",
      "print notes.md",
      "nickname src/cart.mjs cart",
      "list --type session",
      "view latest",
      "diff latest 1 2",
      "inspect latest",
    ].map((command) => `  ${before}npx scm ${command} ${options}`),
  ].join("\n");
}
