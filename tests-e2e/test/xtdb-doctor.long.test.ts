import { objectId } from "@self-context-manager/objects";
import { sample } from "@self-context-manager/store-contract";
import { openLocalXtdbStore } from "@self-context-manager/store-xtdb";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

import { runScm, type ScmRun } from "../src/moving/scm-process.ts";
import { missingForXtdb } from "../src/stores/xtdb-node.ts";

const minutes = 60_000;

test.skipIf(missingForXtdb() !== undefined)(
  "scm doctor names each damaged version in XTDB, and the commands of the guide keep all others",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "scm-"));
    const place = (name: string) => ({ kind: "xtdb", at: join(folder, name) }) as const;
    const scm = async (name: string, ...argv: readonly string[]): Promise<ScmRun> =>
      await runScm(place(name), argv);
    const inFolder = (name: string): string => join(folder, name);
    try {
      const url = (await scm("data", "xtdb", "start", "--at", inFolder("data"))).stdout.trim();
      await fill(inFolder("data"), 1, 4);
      const backedUp = await scm("data", "backup", inFolder("day.gz"));
      await fill(inFolder("data"), 5, 6);
      const sound = await scm("data", "doctor");
      const before = await linesOf(inFolder("data"));

      await damage(url, inFolder("data"));
      const damaged = await scm("data", "doctor");
      const exported = await scm("data", "export", inFolder("rest.jsonl"));
      const imported = await scm("kept", "import", inFolder("rest.jsonl"));
      const kept = await linesOf(inFolder("kept"));
      const keptDoctor = await scm("kept", "doctor");
      const restored = await scm("whole", "restore", inFolder("day.gz"));
      const merged = await scm("whole", "import", inFolder("rest.jsonl"), "--merge");
      const whole = await linesOf(inFolder("whole"));
      const wholeDoctor = await scm("whole", "doctor");

      expect([backedUp, sound].map(({ code }) => code)).toEqual([0, 0]);
      expect(damaged.code).toBe(1);
      for (const { id, version } of lost)
        expect(damaged.stdout).toMatch(
          new RegExp(`version ${version} of object ${id} (?:is missing|cannot be read)`, "u"),
        );
      expect(damaged.stdout.match(/^ {2}version \d+ of object/gmu)).toHaveLength(lost.length);
      expect(damaged.stdout).toContain("the latest state of object b cannot be read");
      // The checks after the damage were made too.
      expect(damaged.stdout).toMatch(/^ok +space /mu);
      expect(damaged.stderr).toMatch(/scm export FILE keeps what is sound/u);
      expect(exported.code).toBe(1);

      expect([imported, keptDoctor, restored, merged, wholeDoctor].map(({ code }) => code)).toEqual(
        [0, 0, 0, 0, 0],
      );
      const isLost = new Set(lost.map(({ id, version }) => `${id}@${version}`));
      expect(kept).toEqual(new Map([...before].filter(([name]) => !isLost.has(name))));
      // The backup has the first four versions of each object.
      const isNew = (name: string): boolean => Number(name.split("@")[1]) > 4;
      expect(whole).toEqual(
        new Map([...before].filter(([name]) => !isLost.has(name) || !isNew(name))),
      );
    } finally {
      for (const name of ["data", "kept", "whole"])
        await scm(name, "xtdb", "stop", "--at", inFolder(name));
      await rm(folder, { recursive: true, force: true });
    }
  },
  10 * minutes,
);

/** Commits the versions of three objects with the given numbers, and one object with a single version. */
async function fill(dataFolder: string, from: number, to: number): Promise<void> {
  await using store = await openLocalXtdbStore({ dataFolder });
  for (let count = from; count <= to; count += 1)
    await store.commit(
      ["a", "b", "c"].map((id) => ({ object: sample(id, { count, content: `text ${count}` }) })),
    );
  if (from === 1) await store.commit([{ object: sample("single", { content: "once" }) }]);
}

/** The versions that cannot be read after the damage. */
const lost = [
  // Its own document was changed. The later versions are deltas of it.
  ...[2, 3, 4, 5, 6].map((version) => ({ id: "a", version })),
  { id: "single", version: 1 },
];

/** Changes documents in the database of a node, with transactions that the store does not know. */
async function damage(url: string, dataFolder: string): Promise<void> {
  const authorization = `Bearer ${(await readFile(join(dataFolder, "token"), "utf8")).trim()}`;
  const headers = { authorization, "content-type": "application/json", accept: "application/json" };
  for (const id of ["scm/version/2/a", "scm/object/b", "scm/version/1/single"]) {
    const found = await fetch(`${url}/_xtdb/entity?eid=${encodeURIComponent(id)}`, { headers });
    const document = (await found.json()) as Record<string, unknown>;
    const body = JSON.stringify({ "tx-ops": [["put", { ...document, "scm/tx": 77 }]] });
    await fetch(`${url}/_xtdb/submit-tx`, { method: "POST", headers, body });
  }
}

/** The hashes of the versions of a store that can be read, by object and version. */
async function linesOf(dataFolder: string): Promise<ReadonlyMap<string, string>> {
  await using store = await openLocalXtdbStore({ dataFolder });
  const { versions } = await store.changesSince();
  const lines = new Map<string, string>();
  for (const { body, version, at } of versions) {
    const stored = await store.get(objectId(body.id), { version });
    lines.set(`${body.id}@${version}`, `${at.tx_id} ${stored?.hashes.object_hash}`);
  }
  return lines;
}
