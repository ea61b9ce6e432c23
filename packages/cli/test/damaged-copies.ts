import { openContextManager, openStore, systemClock } from "@self-context-manager/compose";
import { canonicalJson, importObjects, toJson } from "@self-context-manager/objects";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { type TemporaryStore, temporaryStore } from "./temporary-store.ts";

/** Bytes of a page of a store. */
const pageBytes = 1_024;

/** The ways in which a file is damaged, each at any place of it. */
export const damages: Readonly<Record<string, (bytes: Buffer, random: () => number) => Buffer>> = {
  "a flipped bit": (bytes, random) => {
    const place = Math.floor(random() * bytes.length);
    bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << Math.floor(random() * 8)), place);
    return bytes;
  },
  "an empty page": (bytes, random) => {
    const start = pageOf(bytes, random);
    return bytes.fill(0, start, start + pageBytes);
  },
  "a page of another file": (bytes, random) => {
    const start = pageOf(bytes, random);
    for (let place = start; place < start + pageBytes; place += 1)
      bytes.writeUInt8(Math.floor(random() * 256), place);
    return bytes;
  },
  "a file that ends early": (bytes, random) =>
    bytes.subarray(0, Math.floor(random() * bytes.length)),
};

function pageOf(bytes: Buffer, random: () => number): number {
  return pageBytes * Math.floor((random() * bytes.length) / pageBytes);
}

/** A closed store with two sessions of 12 calls, whose files change. */
export async function storeWithChanges(): Promise<TemporaryStore> {
  const made = await temporaryStore();
  const { workspace, at } = made;
  await using manager = await openContextManager({ at, workspace });
  for (const sessionId of ["s1", "s2"]) {
    const session = await manager.openSession({ harness: "pi", sessionId });
    await session.recordSystemPrompt("own", "Be brief.");
    for (let round = 0; round < 12; round += 1) {
      const path = `f${round % 5}.md`;
      const text = `# Note ${round}\n\nSee [[f${(round + 1) % 5}]].\n${`words of ${sessionId} `.repeat(round * 40)}\n`;
      await writeFile(join(workspace, path), text);
      await session.read({ path });
      await session.nextView();
    }
  }
  return made;
}

/** The versions of an export as whole lines, by object and version. */
export async function linesOf(exported: string): Promise<ReadonlyMap<string, string>> {
  if (exported === "") return new Map();
  await using store = await openStore({ store: "memory", at: "", clock: systemClock });
  await importObjects(store, () => exported.split("\n"));
  const { versions } = await store.changesSince();
  const lines = new Map<string, string>();
  for (const { body, version } of versions)
    lines.set(
      `${body.id}@${version}`,
      canonicalJson(toJson(await store.get(body.id, { version }))),
    );
  return lines;
}
