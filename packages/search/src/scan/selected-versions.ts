import {
  defined,
  isJsonObject,
  type ObjectId,
  type ObjectMetadata,
  type ObjectStore,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";

/** Which objects are read. */
export interface ScanRange {
  /** Default: all types but views and sessions, whose texts are those of others. */
  readonly type?: string;
  /** The chat of a session: only it, and what was made in it. */
  readonly session?: ObjectId;
  /** The absolute path of a file, or of a folder with all that is in it. */
  readonly path?: string;
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

/** Reads the selected versions, newest first and some at once, until `isOver`. */
export async function* versionsOf(
  store: ObjectStore,
  range: ScanRange,
  isOver: () => boolean,
): AsyncGenerator<readonly StoredVersion[]> {
  const selected = await select(store, range, isOver);
  for (let next = 0; next < selected.length && !isOver();) {
    const some: Selected[] = [];
    let characters = 0;
    while (some.length < objectsAtOnce && characters < charactersAtOnce) {
      const one = selected[next];
      if (one === undefined) break;
      some.push(one);
      characters += one.characters;
      next += 1;
    }
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

async function select(
  store: ObjectStore,
  range: ScanRange,
  isOver: () => boolean,
): Promise<readonly Selected[]> {
  const { type, versions = "latest" } = range;
  const selected: Selected[] = [];
  let after: string | undefined;
  do {
    const page = await store.find({
      ...(type === undefined ? {} : { where: { type } }),
      newestFirst: true,
      limit: 1_000,
      ...defined({ after }),
    });
    for (const stored of page.items) {
      if (!isWanted(stored.body, range)) continue;
      if (versions === "all" && stored.version > 1) {
        for (const one of await store.history(stored.body.id))
          selected.push(selectedOf(one, one.version === stored.version));
      } else selected.push(selectedOf(stored, true));
    }
    after = page.next;
  } while (after !== undefined && !isOver());
  return selected.toSorted((one, other) => other.txId - one.txId);
}

function selectedOf({ body, version, at }: StoredMetadata, isLatest: boolean): Selected {
  const count = body["char_count"];
  const characters = typeof count === "number" ? count : 0;
  return { id: body.id, version, txId: at.tx_id, characters, isLatest };
}

function isWanted(body: ObjectMetadata, { type, session, path }: ScanRange): boolean {
  if (type === undefined && unscanned.has(body.type)) return false;
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
