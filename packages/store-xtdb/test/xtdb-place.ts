import type { CreatePlace } from "@self-context-manager/store-contract";
import { fileURLToPath } from "node:url";

import { openXtdbStore } from "../src/index.ts";
import { damageDocument } from "./damage-document.ts";
import type { TestNode } from "./test-node.ts";

/** Returns a function that creates places. Each place is a store with its own name in the database of one node. */
export function xtdbPlaces({
  url,
  token,
}: Exclude<TestNode, { readonly missing: string }>): CreatePlace {
  return async () => {
    made += 1;
    const space = `t${process.pid}-${made}-${Date.now().toString(36)}`;
    return {
      open: (options = {}) => openXtdbStore({ url, token, space, timeout: 60_000, ...options }),
      child: childOf({ url, token, space }),
      damage: (random) => damageDocument({ url, token, space }, random),
      async [Symbol.asyncDispose]() {},
    };
  };
}

let made = 0;

/** Returns the command of a program that opens a store. */
export function childOf(store: {
  readonly url: string;
  readonly token: string;
  readonly space: string;
}): readonly string[] {
  const program = fileURLToPath(new URL("./store-child.ts", import.meta.url));
  const condition = "--conditions=@self-context-manager/source";
  return [process.execPath, condition, program, store.url, store.token, store.space];
}
