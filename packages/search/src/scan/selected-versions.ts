import {
  type FindQuery,
  isJsonObject,
  lastChanged,
  type ObjectId,
  type ObjectMetadata,
  type ObjectStore,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";
import { setImmediate } from "node:timers/promises";

/** Which objects are read. */
export interface ScanRange {
  /** Default: all types but views and sessions, whose texts are those of others. */
  readonly type?: string;
  /** The chat of a session: only it, and what was made in it. */
  readonly session?: ObjectId;
  /** The absolute path of a file, or of a folder with all that is in it. */
  readonly path?: string;
  /** Fields that the objects must have, each entry for some of them. Default: those of `type`. */
  readonly kinds?: readonly NonNullable<FindQuery["where"]>[];
  /** Whether an object is read that meets the other conditions. Default: each is. */
  readonly accepts?: (stored: StoredMetadata) => boolean;
  /** Default: only the latest version of each object. */
  readonly versions?: "latest" | "all";
}

/** Types that are scanned only if they are asked for. */
const unscanned = new Set(["view", "session"]);

/** Objects that are read at once. Less if their texts are long. */
const objectsAtOnce = 50;
const charactersAtOnce = 2_000_000;

/** A version that is to be read. */
interface Selected {
  readonly id: ObjectId;
  readonly version: number;
  readonly txId: number;
  readonly characters: number;
  readonly isLatest: boolean;
}

/**
 * Reads the selected versions, newest first and some at once, until `isOver`. What is not asked for is not listed. Other work
 * comes in between, also that of V8, which frees the memory of what was unpacked in a turn of the event loop.
 */
export async function* versionsOf(
  store: ObjectStore,
  range: ScanRange,
  isOver: () => boolean,
): AsyncGenerator<readonly StoredVersion[]> {
  for await (const some of portions(selected(store, range, isOver))) {
    await setImmediate();
    if (isOver()) return;
    const latest = some.filter(({ isLatest }) => isLatest).map(({ id }) => id);
    const read = new Map(
      (latest.length === 0 ? [] : await store.getMany(latest)).map((one) => [one?.body.id, one]),
    );
    const versions: StoredVersion[] = [];
    for (const { id, version, isLatest } of some) {
      if (isOver()) break;
      const stored = isLatest ? read.get(id) : await store.get(id, { version });
      if (stored !== undefined) versions.push(stored);
    }
    yield versions;
  }
}

/** Yields versions in portions that are read at once. */
async function* portions(versions: AsyncIterable<Selected>): AsyncGenerator<readonly Selected[]> {
  let some: Selected[] = [];
  let characters = 0;
  for await (const one of versions) {
    some.push(one);
    characters += one.characters;
    if (some.length < objectsAtOnce && characters < charactersAtOnce) continue;
    yield some;
    some = [];
    characters = 0;
  }
  if (some.length > 0) yield some;
}

async function* selected(
  store: ObjectStore,
  range: ScanRange,
  isOver: () => boolean,
): AsyncGenerator<Selected> {
  const { type, kinds = type === undefined ? [{}] : [{ type }], accepts, versions } = range;
  const former: Selected[] = [];
  for await (const stored of lastChanged(store, kinds)) {
    if (isOver()) return;
    if (!isWanted(stored.body, range) || accepts?.(stored) === false) continue;
    if (versions !== "all") yield selectedOf(stored, true);
    else
      for (const one of await store.history(stored.body.id))
        former.push(selectedOf(one, one.version === stored.version));
  }
  // Versions of several objects lie between each other, so all are listed before the first one is read.
  yield* former.toSorted((one, other) => other.txId - one.txId);
}

function selectedOf({ body, version, at }: StoredMetadata, isLatest: boolean): Selected {
  const count = body["char_count"];
  const characters = typeof count === "number" ? count : 0;
  return { id: body.id, version, txId: at.tx_id, characters, isLatest };
}

function isWanted(body: ObjectMetadata, { type, kinds, session, path }: ScanRange): boolean {
  if (type === undefined && kinds === undefined && unscanned.has(body.type)) return false;
  if (session !== undefined && body.id !== session) {
    const chat = body["chat_ref"];
    if (!isJsonObject(chat) || chat["id"] !== session) return false;
  }
  if (path === undefined) return true;
  const own = body["path"];
  return typeof own === "string" && (own === path || own.startsWith(inside(path)));
}

function inside(folder: string): string {
  return folder.endsWith("/") ? folder : `${folder}/`;
}
