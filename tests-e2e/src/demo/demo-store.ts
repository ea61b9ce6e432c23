import { isNodeUrl } from "@self-context-manager/compose";
import { joinNode } from "@self-context-manager/store-xtdb";
import { mkdir, rm } from "node:fs/promises";
import { dirname, relative } from "node:path";

/** Where a demo keeps its objects. */
export interface DemoPlace {
  readonly store: "sqlite" | "xtdb";
  /** A file; with XTDB the data folder of this machine's node, or a node's URL. */
  readonly at: string;
}

/** A new store for a demo, as long as it lasts. */
export interface DemoStore extends AsyncDisposable {
  /** What the extension is told of it. */
  readonly environment: Readonly<Record<string, string>>;
  /** How to look into the store afterwards. */
  readonly closing: string;
}

/**
 * Makes room for a new store: a new file, or a new name in a database, where nothing else is touched. A file that is
 * there is gone on with where it is to be kept, and begun anew elsewhere.
 */
export async function beginStore(
  { store, at }: DemoPlace,
  print: (line: string) => void,
  keeps: boolean,
): Promise<DemoStore> {
  const common = { SCM_STORE: at, SCM_STORE_KIND: store };
  if (store === "sqlite") {
    await mkdir(dirname(at), { recursive: true });
    const ends = keeps ? [] : ["", "-wal", "-shm"];
    for (const end of ends) await rm(`${at}${end}`, { force: true });
    const place = relative(process.cwd(), at);
    return {
      environment: common,
      closing: closing(place, `--at ${place}`, ""),
      async [Symbol.asyncDispose]() {},
    };
  }
  // Joined first, so that what is built at a first start is told; Pi would be silent meanwhile.
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
    `The store is ${store}. Look into it:`,
    ...[
      "list",
      "show src/cart.mjs",
      "history src/cart.mjs",
      "print notes.md",
      "nickname src/cart.mjs cart",
      "list --type session",
      "view latest",
      "diff latest 1 2",
    ].map((command) => `  ${before}npx scm ${command} ${options}`),
  ].join("\n");
}
