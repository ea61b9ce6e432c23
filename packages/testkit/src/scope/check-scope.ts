import { neutralCodec, readList } from "@self-context-manager/core";
import { objectId } from "@self-context-manager/objects";
import { testScale } from "@self-context-manager/store-contract";
import assert from "node:assert/strict";
import * as fc from "fast-check";

import { type KnownObject, reaches, wordOf, wordsWithin } from "./scope-model.ts";
import { folders, rareHistories, type ScopeMove, scopeHistory } from "./scope-move.ts";
import {
  type Actor,
  type OpenScopeSession,
  openScopeSession,
  openScopeWorld,
  type ScopeStore,
  type ScopeWorld,
} from "./scope-world.ts";

/** What the law `scope` is tested with. */
export interface ScopeCheck {
  /** Opens an empty store with indexes of documents and words. */
  readonly openStore: () => Promise<ScopeStore & AsyncDisposable>;
  /** Default: sessions of core. A test of the check gives faulty ones. */
  readonly openSession?: OpenScopeSession;
  readonly runs: number;
  /** Further histories that are tried before the random ones. They count in `runs`. */
  readonly examples?: readonly (readonly ScopeMove[])[];
}

/**
 * Tests the law `scope`: what the model of a session gets has no word of an object that is out of its reach (decision D68),
 * an answer about such an object is that about an unknown one, and what is within reach is found. Random histories of four
 * sessions in two workspaces on one store write, read, move, delete, name, share and link.
 */
export async function checkScope({
  openStore,
  openSession = openScopeSession,
  runs,
  examples = [],
}: ScopeCheck): Promise<void> {
  const property = fc.asyncProperty(scopeHistory, async (moves) => {
    await using place = await openStore();
    await using world = await openScopeWorld(place, openSession);
    for (const move of [...moves, ...folders.slice(0, 2).map(lookIn)]) {
      if (move.type === "look") await checkLook(world, folders[move.folder] ?? folders[0]);
      else await world.act(move);
    }
  });
  await fc.assert(property, {
    numRuns: runs,
    seed: testScale.seed,
    endOnFailure: false,
    examples: [...rareHistories, ...examples].map((moves) => [moves]),
  });
}

function lookIn(_: string, folder: number): ScopeMove {
  return { type: "look", folder };
}

/** Lets a new session of a folder look for everything. */
async function checkLook(world: ScopeWorld, folder: string): Promise<void> {
  const actor = await world.look(folder);
  await using session = actor.session;
  const allowed = wordsWithin(folder, world.objects);
  const hidden = world.words.filter((word) => !allowed.has(word));
  const look: Look = {
    world,
    folder,
    unknown: new Map(),
    find: async (request) => (await session.find(request, { callId: "call" })).text,
    check: (text, given) => {
      const rest = given === "" ? text : text.replaceAll(given, "");
      const shown = hidden.filter((word) => rest.includes(word));
      assert.deepEqual(shown, [], `nothing outside of ${folder} is shown by ${given}: ${text}`);
    },
  };
  await checkFinding(look);
  for (const object of world.objects) await checkNames(look, actor, object);
  const { messages } = await session.ingestAndView(readList(actor.list, neutralCodec));
  look.check(JSON.stringify(messages), "");
}

interface Look {
  readonly world: ScopeWorld;
  readonly folder: string;
  readonly find: (request: Parameters<Actor["session"]["find"]>[0]) => Promise<string>;
  /** Checks that a text has no word from outside but the given name. */
  readonly check: (text: string, given: string) => void;
  /** The answers for names that no object has. */
  readonly unknown: Map<string, readonly string[]>;
}

const nothing = "No object was found";

async function checkFinding({ world, folder, find, check }: Look): Promise<void> {
  for (const request of [
    { words: "common" },
    { words: "said", type: "user" },
    { words: "common Head", limit: 3 },
    { tag: "topic" },
    { tag: "shared" },
    { tag: "nosuchtag" },
    { relation: "part_of" },
    { path: ".md" },
    ...["note", "file", "toolcall", "user", "chat", "session", "view"].map((type) => ({ type })),
  ])
    check(await find(request), "");
  for (const word of world.words) {
    const text = await find({ words: word });
    // An answer does not repeat the words.
    check(text, "");
    const isThere = world.objects.some((one) => isFound(folder, one, word));
    if (isThere && !world.nicknames.has(word))
      assert.ok(!text.startsWith(nothing), `${folder} finds ${word}`);
  }
  const common = world.objects.filter(
    (one) => isDocument(one) && !isGone(one) && reaches(folder, one),
  );
  const lines = (await find({ words: "common" }))
    .split("\n")
    .filter((line) => line.startsWith("- "));
  assert.ok(
    lines.length >= Math.min(10, common.length),
    `${folder} finds ${common.length} documents with one word, and not ${lines.length}`,
  );
}

/** Whether a search for a word must find an object. */
function isFound(folder: string, object: KnownObject, word: string): boolean {
  const newest = object.versions.at(-1);
  if (newest === undefined || isGone(object) || !reaches(folder, object)) return false;
  // The file has the text of a call that wrote it.
  return object.type !== "toolcall" && newest.words.has(word);
}

function isDocument({ type }: KnownObject): boolean {
  return type === "file" || type === "note";
}

/** Whether the object is a file that was deleted: its text is not in its newest version. */
function isGone({ versions }: KnownObject): boolean {
  return versions.at(-1)?.isMissing === true;
}

/** Tries to open an object by all its names. What is out of reach has the answers of a name that no object has. */
async function checkNames(look: Look, { session }: Actor, object: KnownObject): Promise<void> {
  const { world, folder, check, unknown } = look;
  const isReached = reaches(folder, object);
  for (const [name, other] of namesOf(object)) {
    const made = await answersFor(look, session, name);
    for (const text of made) check(text, name);
    // A file that was moved to the place of a deleted one has its path.
    const isOther = (one: KnownObject): boolean =>
      one !== object && one.versions.at(-1)?.path === name;
    if (isReached || world.objects.some(isOther)) continue;
    const expected = unknown.get(other) ?? (await answersFor(look, session, other));
    unknown.set(other, expected);
    assert.deepEqual(
      made.map((text) => text.replaceAll(name, "NAME")),
      expected.map((text) => text.replaceAll(other, "NAME")),
      `${name} is unknown in ${folder}`,
    );
  }
  if (isReached && isDocument(object) && !isGone(object)) {
    const { ok, text } = await session.activate(object.id, {}, call);
    assert.ok(ok, `${folder} shows ${object.id}: ${text}`);
  }
}

const call = { callId: "call" };

/** Returns the answers of the context tools for a name. */
async function answersFor(
  { find }: Look,
  session: Actor["session"],
  name: string,
): Promise<readonly string[]> {
  const answers = [
    await session.activate(name, {}, call),
    await session.activate(`${name}@1`, {}, call),
    await session.activate(`${name}#Head`, {}, call),
    await session.showField(name, "links", call),
    await session.pin(name, call),
    await session.unpin(name, call),
    await session.deactivate(name, call),
  ].map(({ text }) => text);
  return [...answers, await find({ relation: `part_of ${name}` }), await find({ session: name })];
}

/** Returns the names of an object, each with one of the same form that no object has. */
function namesOf({ id, versions }: KnownObject): readonly (readonly [string, string])[] {
  const newest = versions.at(-1);
  const { path, nickname } = newest ?? {};
  return [
    [id, objectId("0190ffff-0000-7000-8000-00000000ffff")],
    ...(nickname === undefined ? [] : [[nickname, wordOf(4_095)] as const]),
    ...(path === undefined ? [] : [[path, path.replace(/^\/[a-z]+\//u, "/delta/")] as const]),
  ];
}
