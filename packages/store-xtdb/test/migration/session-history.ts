import {
  exportObjects,
  hashObject,
  type JsonObject,
  objectId,
  type ObjectStore,
  type SealedObject,
  sealObject,
  staticReference,
  type StoredVersion,
} from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { createHash } from "node:crypto";

/** Number of calls until a new chat begins. */
const callsOfChat = 100;

/**
 * Makes a history like that of long sessions, in a store in memory: a chat that grows with every call and refers to its
 * tool calls, files with several versions, and nicknames that move from one file to another. Returns the store, and the
 * versions of each commit.
 */
export async function sessionHistory(calls: number): Promise<{
  readonly store: ObjectStore;
  readonly commits: readonly (readonly StoredVersion[])[];
}> {
  const store = memoryStore({ clock: { now: () => 1_700_000_000_000 } });
  const commits: (readonly StoredVersion[])[] = [];

  async function commit(objects: readonly SealedObject[]): Promise<void> {
    const { versions } = await store.commit(objects.map((object) => ({ object })));
    const changed = versions.filter((one) => one.changed);
    const stored = await Promise.all(changed.map(async ({ id }) => await store.get(id)));
    commits.push(stored.filter((one) => one !== undefined));
  }

  // A version of hash rule 1, as an import leaves it.
  const former = body("former", {
    type: "note",
    content: "by rule 1",
    entries: [dynamic("chat-0")],
  });
  const version = {
    body: former,
    hashes: hashObject(former, 1),
    version: 1,
    at: { tx_id: 3, tx_time: "2023-01-01T00:00:00.000Z" },
  };
  await store.restore([version]);
  commits.push([version]);

  let refs: JsonObject[] = [];
  let turns: JsonObject[] = [];
  for (let call = 0; call < calls; call += 1) {
    const chat = `chat-${Math.floor(call / callsOfChat)}`;
    if (call % callsOfChat === 0) {
      refs = [];
      turns = [];
    }
    const tool = sealObject(
      body(`call-${call}`, {
        type: "toolcall",
        content: `output ${call} ${"of the tool ".repeat(call % 40)}`,
        args: { z: 1, a: { ref: "dynamic", id: "opaque" } },
        chat_ref: dynamic(chat),
      }),
    );
    const file = sealObject(
      body(`file-${call % 37}`, {
        type: "file",
        content: `text ${"line\n".repeat(call % 90)}${call}`,
        path: `/work/${call % 37}.ts`,
        "odd/name": { "xt/id": call, big: 2 ** 60 + call },
        ...(call % 37 < 3 ? { nickname: `name-${(call + Math.floor(call / 37)) % 3}` } : {}),
      }),
    );
    await commit([tool]);
    await commit(call % 37 < 3 ? [] : [file]);
    const stored = await store.get(tool.body.id);
    if (stored !== undefined) refs = [...refs, staticReference(stored)];
    turns = [...turns, { user: `prompt ${call}`, steps: [{ assistant: [`answer ${call}`] }] }];
    await commit([
      sealObject(
        body(chat, {
          type: "chat",
          content: null,
          turns,
          toolcall_refs: refs,
          turn_count: turns.length,
        }),
      ),
    ]);
    // All three objects with nicknames change theirs in one commit, so that they can exchange them.
    if (call % 37 === 2)
      await commit(
        [0, 1, 2].map((number) =>
          sealObject(
            body(`file-${number}`, {
              type: "file",
              content: `named ${call}`,
              nickname: `name-${(number + Math.floor(call / 37)) % 3}`,
            }),
          ),
        ),
      );
  }
  return { store, commits: commits.filter((versions) => versions.length > 0) };
}

/** Returns the export of a store as one text. */
export async function exported(store: ObjectStore): Promise<string> {
  const lines: string[] = [];
  for await (const line of exportObjects(store)) lines.push(line);
  return lines.join("");
}

/** Makes a history in which three files exchange their nicknames in the versions 499 to 501. */
export async function exchangeHistory(): Promise<{
  readonly store: ObjectStore;
  readonly commits: readonly (readonly StoredVersion[])[];
}> {
  const store = memoryStore({ clock: { now: () => 1_700_000_000_000 } });
  const named = (shift: number): readonly StoredVersion["body"][] =>
    [0, 1, 2].map((number) => {
      const nickname = `name-${(number + shift) % 3}`;
      return body(`file-${number}`, { type: "file", content: null, nickname });
    });
  const notes = Array.from({ length: 495 }, (_, index) => [
    body(`note-${index}`, { type: "note", content: null }),
  ]);
  const commits: (readonly StoredVersion[])[] = [];
  for (const bodies of [named(0), ...notes, named(1), named(2)]) {
    const { versions } = await store.commit(bodies.map((one) => ({ object: sealObject(one) })));
    const stored = await Promise.all(versions.map(async ({ id }) => await store.get(id)));
    commits.push(stored.filter((one) => one !== undefined));
  }
  return { store, commits };
}

/** Returns the SHA-256 of the export of a store, which can be too large for a text. */
export async function exportDigest(store: ObjectStore): Promise<string> {
  const hash = createHash("sha256");
  for await (const line of exportObjects(store)) hash.update(line);
  return hash.digest("hex");
}

function dynamic(id: string): JsonObject {
  return { ref: "dynamic", id: objectId(id) };
}

function body(id: string, fields: JsonObject & { readonly type: string }): StoredVersion["body"] {
  return {
    content: null,
    locked: false,
    provenance: { origin: "a test", generator: "tool" },
    ...fields,
    id: objectId(id),
  };
}
