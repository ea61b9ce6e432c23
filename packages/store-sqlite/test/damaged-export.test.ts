import {
  exportObjects,
  importObjects,
  type ObjectStore,
  objectId,
  sealObject,
  StoreError,
} from "@self-context-manager/objects";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

import { openSqliteStore } from "../src/index.ts";

const page = 1024;

/** Damages one place of a file. The first page is left, because a store without it cannot be opened. */
const damages: Readonly<Record<string, (bytes: Buffer, at: number) => void>> = {
  "a flipped bit": (bytes, at) => bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at),
  "a page of zeros": (bytes, at) => bytes.fill(0, at - (at % page), at - (at % page) + page),
  "bytes of other data": (bytes, at) =>
    bytes.fill("other data ", at, Math.min(at + 40, bytes.length)),
};

it.each(Object.entries(damages))(
  "the export of a file with %s has each sound version and says how many it lacks",
  async (_, damage) => {
    const folder = await mkdtemp(join(tmpdir(), "scm-damaged-"));
    const path = join(folder, "store.sqlite");
    const stored = await fill(path);
    const sound = await readFile(path);
    const places = Array.from(
      { length: 24 },
      (__, index) => page + Math.floor(((sound.length - page) * (index + 0.37)) / 24),
    );

    let refused = 0;
    for (const [index, at] of places.entries()) {
      const damaged = join(folder, `${index}.sqlite`);
      const bytes = Buffer.from(sound);
      damage(bytes, at);
      await writeFile(damaged, bytes);
      const outcome = await exported(damaged);
      if (outcome === undefined) {
        refused += 1;
        continue;
      }
      const { lines, lost } = outcome;
      await using copy = await openSqliteStore({ path: join(folder, `copy ${index}.sqlite`) });
      await importObjects(copy, () => lines);

      const imported = await hashesOf(copy);
      expect(imported.size + lost.length).toBeGreaterThanOrEqual(stored.size);
      for (const [name, hash] of imported) expect(stored.get(name)).toBe(hash);
    }
    await rm(folder, { recursive: true });
    // The schema and the roots of the tables have a few pages.
    expect(refused).toBeLessThanOrEqual(4);
  },
);

async function fill(path: string): Promise<ReadonlyMap<string, string>> {
  await using store = await openSqliteStore({ path });
  for (let round = 1; round <= 40; round += 1) {
    await store.commit(
      ["a", "b", "c"].map((id) => ({
        object: sealObject({
          id: objectId(id),
          type: "note",
          content: Array.from(
            { length: round },
            (_, line) => `${id} ${line * 7919} ${round}`,
          ).join(),
          round,
          locked: false,
          provenance: { origin: "a test", generator: "tool" },
        }),
      })),
    );
  }
  return await hashesOf(store);
}

/** Returns the object hashes by object and version. */
async function hashesOf(store: ObjectStore): Promise<ReadonlyMap<string, string>> {
  const { versions } = await store.changesSince();
  return new Map(
    versions.map(({ body, version, hashes }) => [`${body.id} ${version}`, hashes.object_hash]),
  );
}

/** Returns the lines of an export and the problems that it names; undefined if the store cannot be listed. */
async function exported(
  path: string,
): Promise<{ readonly lines: readonly string[]; readonly lost: readonly string[] } | undefined> {
  const lines: string[] = [];
  const lost: string[] = [];
  try {
    await using store = await openSqliteStore({ path });
    for await (const line of exportObjects(store, { onLost: (problem) => lost.push(problem) }))
      lines.push(line);
  } catch (error) {
    if (!StoreError.is(error, "STORE_CORRUPT")) throw error;
    return undefined;
  }
  return { lines, lost };
}
