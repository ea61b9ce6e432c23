import { memoryStore } from "@self-context-manager/store-memory";
import { testScale } from "@self-context-manager/store-contract";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { caseCount } from "../src/case-count.ts";
import { checkForgetting, type ForgetPlace } from "../src/forget/forget-histories.ts";

const timeout = testScale.isLong ? 3_600_000 : 240_000;
const scale = { seed: testScale.seed, timeLimit: testScale.isLong ? 3_000_000 : 60_000 };
const aboutStores = ["core", "store-sqlite", "objects"];

async function memoryPlace(): Promise<ForgetPlace> {
  return {
    store: { open: async () => memoryStore() },
    files: async () => "",
    async [Symbol.asyncDispose]() {},
  };
}

async function sqlitePlace(): Promise<ForgetPlace> {
  const folder = await mkdtemp(join(tmpdir(), "scm-forgotten-"));
  return {
    store: { at: join(folder, "store.sqlite") },
    async files() {
      const files = await readdir(folder, { recursive: true, withFileTypes: true });
      const texts = files
        .filter((one) => one.isFile())
        .map(async (one) => await readFile(join(one.parentPath, one.name), "latin1"));
      return (await Promise.all(texts)).join("\n");
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}

describe(`a text that is forgotten, in random histories (SCM_SEED=${testScale.seed})`, () => {
  it.each([
    ["memory", memoryPlace, { long: 500, changed: 40, unchanged: 15 }],
    ["sqlite", sqlitePlace, { long: 500, changed: 12, unchanged: 6 }],
  ] as const)("is gone from a store of the kind %s", { timeout }, async (_, place, counts) => {
    const runs = caseCount(counts, aboutStores);

    await expect(checkForgetting(place, { ...scale, runs })).resolves.toBeUndefined();
  });
});
