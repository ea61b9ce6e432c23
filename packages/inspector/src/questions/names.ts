import { setImmediate } from "node:timers/promises";

import {
  defined,
  isJsonObject,
  type ObjectId,
  type StoredMetadata,
  StoreError,
} from "@self-context-manager/objects";

import { bestNames, lowerCase, type NameQuery, type ObjectNames } from "./name-match.ts";
import { type Reading, undamaged, within } from "./reading.ts";
import type { Positions } from "./store-question.ts";

/** An object that was found by its name or its handle. */
export interface FoundName {
  readonly id: ObjectId;
  /** The session in which it has the handle. */
  readonly session?: ObjectId;
  readonly handle?: string;
  /** The name by which it is found; empty for a handle. */
  readonly text: string;
}

/** Finds objects by their names. The names are read once, and then only those of new versions. */
export interface Names {
  find(
    query: NameQuery,
    most: number,
  ): Promise<{ readonly found: readonly FoundName[]; readonly isComplete: boolean }>;
}

/** The objects whose names are kept, the newest sessions whose handles are, and the versions that are read at once. */
const most = { objects: 100_000, sessions: 100, atOnce: 500 };

/** Milliseconds that a search waits for names. The reading continues after that. */
const namesTime = 1_500;

interface Kept {
  readonly id: ObjectId;
  readonly names: ObjectNames;
  readonly text: string;
}

/** Opens the names of a store. */
export function openNames(reading: Reading, followed: Positions): Names {
  const { store } = reading;
  const kept = new Map<ObjectId, Kept>();
  const handles = new Map<
    ObjectId,
    { readonly version: number; readonly ids: ReadonlyMap<string, ObjectId> }
  >();
  let position: string | undefined;
  let isLoaded = false;
  let updating: Promise<void> | undefined;

  function keep({ body }: StoredMetadata): void {
    const { id } = body;
    const named = namesOf(body);
    if (named === undefined) kept.delete(id);
    else if (kept.size < most.objects || kept.has(id)) kept.set(id, { id, ...named });
  }

  async function load(newestFirst: boolean): Promise<void> {
    let after: string | undefined;
    do {
      const page = await store.find({ newestFirst, limit: most.atOnce, ...defined({ after }) });
      for (const stored of page.items) keep(stored);
      after = page.next;
      await setImmediate();
    } while (after !== undefined && kept.size < most.objects);
  }

  /** A damaged version ends a reading, so the objects are then read from the other end too. */
  async function loadAll(): Promise<void> {
    position = await undamaged(async () => await followed.newest());
    for (const newestFirst of [false, true]) {
      const isWhole = await undamaged(async () => {
        await load(newestFirst);
        return true;
      });
      if (isWhole === true) return;
    }
  }

  async function follow(): Promise<void> {
    while (position !== undefined) {
      const after = position;
      const changes = await undamaged(
        async () => await store.changesSince(after, { limit: most.atOnce }),
      );
      if (changes === undefined) return;
      if (changes.restarted === true) {
        kept.clear();
        handles.clear();
      }
      for (const version of changes.versions) keep(version);
      ({ position } = changes);
      if (changes.versions.length < most.atOnce) return;
    }
  }

  async function learnHandles(): Promise<readonly StoredMetadata[]> {
    const newest = (await reading.sessions()).slice(0, most.sessions);
    if (handles.size > 2 * most.sessions) handles.clear();
    const changed = newest.filter(({ body, version }) => handles.get(body.id)?.version !== version);
    const bodies = await reading.contents(changed.map(({ body }) => body.id));
    for (const { body, version } of changed) {
      const pool = bodies.get(body.id)?.body["pool"];
      const rows = Array.isArray(pool) ? pool.filter((row) => isJsonObject(row)) : [];
      const ids = (
        rows as unknown as readonly { readonly handle: string; readonly id: ObjectId }[]
      ).map(({ handle, id }) => [handle, id] as const);
      handles.set(body.id, { version, ids: new Map(ids) });
    }
    return newest;
  }

  async function update(): Promise<void> {
    try {
      if (!isLoaded) await loadAll();
      isLoaded = true;
      await follow();
    } catch (error) {
      // What is known is found; a store that cannot be read fails with its other questions.
      if (!StoreError.is(error)) throw error;
    }
  }

  return {
    async find(query, limit) {
      updating ??= update().finally(() => (updating = undefined));
      let isComplete = false;
      const ended = updating.then(() => (isComplete = isLoaded));
      await within(ended, namesTime);
      const sessions = await learnHandles();
      const byHandle = sessions.flatMap(({ body }): readonly FoundName[] => {
        const id = handles.get(body.id)?.ids.get(query.text);
        return id === undefined ? [] : [{ id, session: body.id, handle: query.text, text: "" }];
      });
      const byName = bestNames(kept.values(), query, limit);
      return {
        found: [...byHandle, ...byName.map(({ id, text }) => ({ id, text }))].slice(0, limit),
        isComplete,
      };
    },
  };
}

/** The names of an object, and the one that is shown; undefined if it has none but its type. */
function namesOf(
  body: StoredMetadata["body"],
): { readonly names: ObjectNames; readonly text: string } | undefined {
  const { id, type, nickname, provenance } = body;
  const path = body["path"] ?? (type === "file" || type === "note" ? provenance.origin : undefined);
  const paths = [path, nickname].filter((one) => typeof one === "string");
  const others = [body["args_display"], ...(type === "session" ? [body["session_id"]] : [])].filter(
    (one) => typeof one === "string",
  );
  const text = paths[0] ?? others[0];
  if (text === undefined) return undefined;
  return { names: { whole: [id], paths: lowerCase(paths), others: lowerCase(others) }, text };
}
