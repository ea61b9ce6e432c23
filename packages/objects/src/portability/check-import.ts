import { StoreError } from "../errors.ts";
import { defined } from "../model/defined.ts";
import type { ObjectMetadata } from "../model/object-body.ts";
import type { ObjectId } from "../model/object-id.ts";
import { forgottenIn } from "../model/forgotten-note.ts";
import type { VersionPoint } from "../model/stored-version.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import { checkNicknames, type ObjectChange } from "../store-kit/check-nicknames.ts";
import { checkSameVersion } from "../store-kit/store-rules.ts";
import {
  checkNext,
  checkOrder,
  type FormerVersion,
  lacksEarlier,
  mergeRefused,
  shown,
} from "./import-limits.ts";
import type { VersionKey } from "./read-in-order.ts";
import {
  type ChangeVersion,
  type ExportLines,
  type LostVersion,
  type NumberedVersion,
  readExport,
} from "./read-export.ts";

/** The result of an import. */
export interface ImportReport {
  /** The number of versions in the lines. */
  readonly read: number;
  /** The number of versions that were added. */
  readonly added: number;
  /** The number of objects that the versions belong to. */
  readonly objects: number;
  /** The versions that the exported store had lost, in the order of their lines. */
  readonly lost: readonly VersionKey[];
  /** The versions that the user had forgotten in the store. They stay as they are there, whatever the lines have. */
  readonly forgotten: readonly VersionKey[];
}

/** The reading functions of a store that a check needs. */
export type CheckedStore = Pick<ObjectStore, "changesSince" | "describe" | "history" | "lookup">;

/** How a file is checked. */
export interface CheckOptions {
  /** Returns what is imported of a version, such as one without what the user had forgotten. Default: all of it. */
  readonly change?: ChangeVersion;
  /** Whether versions may be added to objects that the store already has. Default: false. */
  readonly merge?: boolean;
  /** Names an object in the error for such versions. Default: its id. */
  readonly nameOf?: (body: ObjectMetadata) => string;
  /** Called after each part of the file, with the number of versions that are checked. */
  readonly checking?: (versions: number) => void;
}

/** The latest version of an object in the store. */
interface KnownVersion {
  readonly version: number;
  readonly at: VersionPoint;
  readonly nickname: string | undefined;
}

/** The state of an object while its lines are read. */
interface ObjectState {
  readonly known: KnownVersion | undefined;
  former: FormerVersion;
  nickname: string | undefined;
  added: number;
}

/** The number of versions, and of their characters, that are compared with the store at once. */
const partLimit = { versions: 200, characters: 4_000_000 };

/** The number of questions that a store is asked at the same time. */
const askedAtOnce = 16;

/**
 * Checks a whole export against its limits and against a store, and writes nothing. Throws an `ImportError` for a line
 * against a limit and for a refused merge, and a `StoreError` (`HISTORY_CONFLICT`, `NICKNAME_TAKEN`) for a version that
 * contradicts the store. Returns what an import will do. In memory are a few versions, and for each object about 300
 * bytes.
 */
export async function checkImport(
  store: CheckedStore,
  lines: ExportLines,
  { change, merge = false, nameOf, checking }: CheckOptions,
): Promise<ImportReport> {
  const isEmpty = (await store.changesSince(undefined, { limit: 1 })).versions.length === 0;
  const objects = new Map<ObjectId, ObjectState>();
  let part: (NumberedVersion | LostVersion)[] = [];
  let characters = 0;
  let lastTxId = 0;
  let read = 0;
  let since = 0;
  const lost: VersionKey[] = [];
  const forgotten: VersionKey[] = [];

  async function compare(): Promise<void> {
    if (!isEmpty) await meet(store, part, objects);
    const versions: NumberedVersion[] = [];
    for (const one of part) {
      if (one.type === "lost") {
        skip(one, objects);
        lost.push(one.key);
        continue;
      }
      const { stored } = one;
      if (since > 0 && stored.version > 1 && !objects.has(stored.body.id))
        throw lacksEarlier(since, stored, one.number);
      follow(one, objects, lastTxId);
      lastTxId = stored.at.tx_id;
      versions.push(one);
    }
    if (!isEmpty) forgotten.push(...(await compareStored(store, versions, objects)));
    read += versions.length;
    part = [];
    characters = 0;
    checking?.(read);
  }

  for await (const one of readExport(lines, change)) {
    if (one.type === "header") {
      since = one.header.since;
      continue;
    }
    part.push(one);
    characters += one.characters;
    if (part.length >= partLimit.versions || characters >= partLimit.characters) await compare();
  }
  await compare();
  const changed = [...objects].filter(([, { added }]) => added > 0);
  await checkNames(isEmpty ? undefined : store, changed);
  const report = { read, added: addedTo(changed), objects: withVersion(objects), lost, forgotten };
  const merged = changed.filter(([, { known }]) => known !== undefined);
  if (merge || merged.length === 0) return report;
  const first = await store.describe(merged.slice(0, namedObjects).map(([id]) => id));
  throw mergeRefused({
    objects: merged.length,
    versions: addedTo(merged),
    names: first.flatMap((known) => (known ? (nameOf?.(known.body) ?? shown(known.body.id)) : [])),
  });
}

/** Returns the number of objects with a version in the file; the others have only lines of lost versions. */
function withVersion(objects: ReadonlyMap<ObjectId, ObjectState>): number {
  return [...objects.values()].filter(({ former }) => former.at !== undefined).length;
}

function addedTo(objects: readonly (readonly [ObjectId, ObjectState])[]): number {
  return objects.reduce((sum, [, { added }]) => sum + added, 0);
}

/** How many objects the error for a merge names. */
const namedObjects = 5;

/** Reads the latest versions of the objects that no earlier part had. */
async function meet(
  store: CheckedStore,
  part: readonly (NumberedVersion | LostVersion)[],
  objects: Map<ObjectId, ObjectState>,
): Promise<void> {
  const named = part.map((one) => (one.type === "lost" ? one.key.id : one.stored.body.id));
  const ids = [...new Set(named)].filter((id) => !objects.has(id));
  for (const [index, known] of (await store.describe(ids)).entries()) {
    const id = ids[index];
    if (id === undefined || known === undefined) continue;
    const { version, at, body } = known;
    objects.set(id, stateOf({ version, at, nickname: body.nickname }));
  }
}

function stateOf(known: KnownVersion | undefined): ObjectState {
  return { known, former: { version: 0 }, nickname: undefined, added: 0 };
}

/** Checks that the line of a lost version follows the former version, so that the next version can follow it. */
function skip({ key, number }: LostVersion, objects: Map<ObjectId, ObjectState>): void {
  const { id, version } = key;
  const state = objects.get(id) ?? stateOf(undefined);
  const { known, former } = state;
  const isFirst = former.version === 0;
  if (!isFirst || known === undefined) checkNext(former, id, version, number);
  else if (version > known.version) checkNext(known, id, version, number);
  state.former = { version, ...defined({ at: former.at }) };
  objects.set(id, state);
}

/** Checks that a line follows the former version of its object: that of an earlier line, or the latest in the store. */
function follow(
  { stored, number }: NumberedVersion,
  objects: Map<ObjectId, ObjectState>,
  lastTxId: number,
): void {
  const { id, nickname } = stored.body;
  const state = objects.get(id) ?? stateOf(undefined);
  const { known } = state;
  const isFirst = state.former.version === 0;
  // The file can begin with any version that the store has.
  const isKnown = known !== undefined && stored.version <= known.version;
  const before = known !== undefined && isFirst ? known : state.former;
  checkOrder(
    isFirst && isKnown ? { version: stored.version - 1 } : before,
    lastTxId,
    stored,
    number,
  );
  state.former = { version: stored.version, at: stored.at };
  state.nickname = nickname;
  if (!isKnown) state.added += 1;
  objects.set(id, state);
}

/** Compares the versions of a part that the store has too. Returns those that were forgotten there. */
async function compareStored(
  store: CheckedStore,
  part: readonly NumberedVersion[],
  objects: ReadonlyMap<ObjectId, ObjectState>,
): Promise<readonly VersionKey[]> {
  const forgotten: VersionKey[] = [];
  const present = new Map<ObjectId, NumberedVersion[]>();
  for (const one of part) {
    const { body, version } = one.stored;
    if (version > (objects.get(body.id)?.known?.version ?? 0)) continue;
    const others = present.get(body.id);
    if (others === undefined) present.set(body.id, [one]);
    else others.push(one);
  }
  await forEach([...present], async ([id, versions]) => {
    const after = (versions[0]?.stored.version ?? 1) - 1;
    const found = await store.history(id, { after, limit: versions.length });
    const byNumber = new Map(found.map((stored) => [stored.version, stored]));
    for (const { stored, number } of versions) {
      const { version } = stored;
      const there = byNumber.get(version);
      if (there !== undefined && forgottenIn(there.body) !== undefined) {
        forgotten.push({ id, version });
        continue;
      }
      try {
        checkSameVersion(there, stored);
      } catch (error) {
        throw atLine(error, number);
      }
    }
  });
  return forgotten;
}

function atLine(error: unknown, number: number): unknown {
  if (!StoreError.is(error)) return error;
  const text = `line ${number}: ${error.message}; nothing was imported; import the file into a store of its own`;
  return new StoreError(error.code, text, { cause: error });
}

/** Checks the nicknames that the objects have after the import; `store` is undefined if it is empty. */
async function checkNames(
  store: CheckedStore | undefined,
  changed: readonly (readonly [ObjectId, ObjectState])[],
): Promise<void> {
  const owners = new Map<string, ObjectId>();
  const objects = new Set<string>();
  const changes = changed.map(([id, { known, nickname }]): ObjectChange => {
    return {
      before: known && { body: { id, ...defined({ nickname: known.nickname }) } },
      after: { body: { id, ...defined({ nickname }) } },
    };
  });
  if (store !== undefined) {
    const nicknames = changes.flatMap(({ after }) => after.body.nickname ?? []);
    const added = changes.flatMap(({ before, after }) => (before ? [] : [after.body.id]));
    await forEach([...nicknames, ...added], async (name) => {
      const owner = await store.lookup(name);
      if (owner !== undefined) owners.set(name, owner.body.id);
    });
    for (const found of await store.describe(nicknames as ObjectId[]))
      if (found !== undefined) objects.add(found.body.id);
  }
  checkNicknames(changes, {
    owner: (nickname) => owners.get(nickname),
    isObject: (id) => objects.has(id),
  });
}

/** Runs questions for some items at the same time, to save round trips over a network. */
async function forEach<Item>(
  items: readonly Item[],
  ask: (item: Item) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < items.length; start += askedAtOnce)
    await Promise.all(items.slice(start, start + askedAtOnce).map(ask));
}
