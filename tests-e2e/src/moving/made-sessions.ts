import type { JsonValue, ObjectStore } from "@self-context-manager/core";
import {
  objectId,
  type ObjectBody,
  type ObjectWrite,
  type Reference,
  sealObject,
} from "@self-context-manager/objects";

/** The contents of a store after one made session. */
export const madeSession = { objects: 100, versions: 500 } as const;

/**
 * The number of calls in a session, and of its other objects. Together with chat, session, view and system prompt
 * they have 500 versions.
 */
const calls = 60;
const files = 30;
const notes = 6;
const fileChangesPerCall = 4;

/**
 * Fills a store with sessions like those of agents. Each has a chat, a session and a view that gain a version with
 * every call, tool results, changing files, notes with nicknames that move, deleted contents, and references among
 * all of them. The same number of sessions makes the same objects.
 */
export async function fillWithSessions(store: ObjectStore, sessions: number): Promise<void> {
  for (let session = 0; session < sessions; session += 1) {
    const name: Name = (kind, number = 0) => `${kind}-${session}-${number}`;
    const prompt = object(name("prompt"), {
      type: "system_prompt",
      content: words(session, 200),
    });
    const { versions } = await store.commit([prompt]);
    const [committed] = versions;
    if (committed === undefined) throw new Error("a commit returned no version");
    const { body, hashes } = prompt.object;
    const first = { ref: "static" as const, id: body.id, ...committed.at, ...hashes };
    for (const writes of sessionWrites(session, name, first)) await store.commit(writes);
  }
}

type Name = (kind: string, number?: number) => string;

function* sessionWrites(
  session: number,
  name: Name,
  prompt: Reference,
): Generator<readonly ObjectWrite[]> {
  const turns: JsonValue[] = [];
  const references: Reference[] = [];
  const entries: JsonValue[] = [];
  let said = "";
  for (let call = 0; call < calls; call += 1) {
    const seed = session * 1_000 + call;
    const result = name("toolcall", call);
    const answer = `${words(seed, 12)} ${marks[call % marks.length]}`;
    said += `--- assistant\n${answer}\n`;
    turns.push({
      user: call % 10 === 0 ? words(seed, 30) : "",
      timestamp: call,
      steps: [{ assistant: answer, toolcall_ids: [result], assistant_meta: { z: 1, a: call } }],
    });
    references.push(dynamic(result));
    entries.push(["result", [call, 0, 0], `t${call}`, 1, call % 3 === 0 ? "reference" : "whole"]);
    yield [
      object(name("chat"), {
        type: "chat",
        content: said,
        turns: [...turns],
        toolcall_refs: [...references],
        turn_count: call + 1,
      }),
      object(result, {
        type: "toolcall",
        tool: "bash",
        args: { command: words(seed, 5), b: 1, a: [null, 0.5, true] },
        status: "ok",
        // One result in each session is longer than the texts that a store keeps in one piece.
        content: words(seed + 1, call === 30 ? 40_000 : 40 + (seed % 300)),
        chat_ref: dynamic(name("chat")),
      }),
      object(name("session"), {
        type: "session",
        pool: [...references],
        active_set: references.slice(-5),
        pinned_set: references.slice(0, 2),
        last: call,
      }),
      ...fileWrites(session, call, name),
      ...noteWrites(session, call, name, prompt),
    ];
    yield [
      object(name("view"), {
        type: "view",
        session_ref: dynamic(name("session")),
        system_prompt_refs: { own: prompt },
        entries: [...entries],
        memory: { call: [call, call * 7], z: "last", a: "first" },
      }),
    ];
  }
  yield [object(name("prompt"), { type: "system_prompt", content: words(session + 1, 200) })];
}

function* fileWrites(session: number, call: number, name: Name): Generator<ObjectWrite> {
  for (let change = 0; change < fileChangesPerCall; change += 1) {
    const number = (call * fileChangesPerCall + change) % files;
    const before = words(session * 100 + number, 120).split(" ");
    // An edit in the middle, so that versions share most of their text.
    before[call] = `edited in ${call}`;
    yield object(name("file", number), {
      type: "file",
      path: `/work/${session}/file ${number}.md`,
      content: call % 25 === 24 ? null : before.join(call % 2 === 0 ? " " : "\n"),
      file_type: "text",
      links: [dynamic(name("file", (number * 7 + 1) % files)), dynamic("never-stored")],
    });
  }
}

/**
 * Yields the writes of the notes. Each note has three versions. With each new version all nicknames move within one
 * commit.
 */
function* noteWrites(
  session: number,
  call: number,
  name: Name,
  prompt: Reference,
): Generator<ObjectWrite> {
  if (call % 20 !== 0) return;
  const round = call / 20;
  for (let number = 0; number < notes; number += 1) {
    yield object(name("note", number), {
      type: "note",
      nickname: name("name", (number + round) % notes),
      content: words(session + number + round, 60),
      about: prompt,
    });
  }
}

function object(id: string, fields: Partial<ObjectBody>): ObjectWrite {
  const body = {
    content: null,
    locked: false,
    provenance: { origin: "a made session", generator: "system" as const },
    type: "note",
    ...fields,
    id: objectId(id),
  };
  return { object: sealObject(body) };
}

function dynamic(id: string): Reference {
  return { ref: "dynamic", id: objectId(id) };
}

/** Texts that can cause errors in a line of JSON, a database or a terminal. */
const marks = ["é", "👩‍👧", "\u2028", "\uFEFF", "\\n\"'", "\t", "ẞ ﬀ"];

const vocabulary =
  "the file was read and then changed so that each test of this package passes once more with no warning".split(
    " ",
  );

function words(seed: number, count: number): string {
  let state = seed + 1;
  return Array.from({ length: count }, () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return vocabulary[Math.floor(state / 65536) % vocabulary.length];
  }).join(" ");
}
