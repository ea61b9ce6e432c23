import {
  isJsonObject,
  type JsonValue,
  type ObjectId,
  type ObjectMetadata,
  type ObjectStore,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";

import { type PatternWorker, patternWorker } from "./pattern-worker.ts";
import { placesIn } from "./places-in.ts";
import { type ReadPattern, readPattern, type ScanPattern } from "./read-pattern.ts";

/** What is scanned, and for what. `type`, `session` and `path` select objects before any text is read. */
export type ScanQuery = ScanPattern & {
  /** Default: all types but views and sessions, whose texts are those of others. */
  readonly type?: string;
  /** The chat of a session: only it, and what was made in it. */
  readonly session?: ObjectId;
  /** The absolute path of a file, or of a folder with all that is in it. */
  readonly path?: string;
  /** Default: only the latest version of each object. */
  readonly versions?: "latest" | "all";
  /** The greatest number of hits. Default 100. */
  readonly limit?: number;
  /** Milliseconds for the whole scan. Default 2,000. */
  readonly timeLimit?: number;
  readonly signal?: AbortSignal;
};

/** A line in which a scan found something. */
export interface ScanHit {
  readonly id: ObjectId;
  readonly version: number;
  readonly type: string;
  /** Empty for the content; the JSON pointer of an argument of a tool call, such as `/args/command`. */
  readonly place: string;
  /** Counted from 1. */
  readonly line: number;
  /** The line, cut round the match if it is long. */
  readonly text: string;
}

export interface ScanResult {
  /** Those of the newest version first. */
  readonly hits: readonly ScanHit[];
  /** Why there can be more hits: the limit of hits, or the limit of time. */
  readonly isCut?: "limit" | "time";
}

/** Types that are scanned only if they are asked for. */
const unscanned = new Set(["view", "session"]);

/** Characters of a line that a hit shows, and how many of them are before the match. */
const shownCharacters = 200;
const shownBefore = 60;

/** Objects that are read at once. Less if their texts are long. */
const objectsAtOnce = 50;
const charactersAtOnce = 2_000_000;

/**
 * Scans the texts of a store, newest versions first, for a literal text or a regular expression. A regular expression runs
 * in a worker thread, which is ended when the time is over. Then the result has what was found until then.
 *
 * Rejects with `TypeError` for a pattern that cannot be read, before anything is read from the store. Rejects with the
 * reason of `signal` if it is aborted, and with an `Error` if no worker can be started.
 */
export async function scanTexts(store: ObjectStore, query: ScanQuery): Promise<ScanResult> {
  const { limit = 100, timeLimit = 2_000, signal } = query;
  const pattern = readPattern(query);
  signal?.throwIfAborted();
  if (limit <= 0) return { hits: [], isCut: "limit" };
  await using scan = startScan(pattern, timeLimit, signal);
  const hits: ScanHit[] = [];
  for await (const stored of versionsOf(store, query, () => scan.isOver())) {
    for (const [place, text] of textsOf(stored)) {
      const lines = lineCounter(text);
      const { body, version } = stored;
      // One more than the limit shows that there are more.
      await scan.read(text, limit + 1 - hits.length, (start) => {
        hits.push({ id: body.id, version, type: body.type, place, ...lines(start) });
      });
      signal?.throwIfAborted();
      if (hits.length > limit) return { hits: hits.slice(0, limit), isCut: "limit" };
      if (scan.isOver()) return { hits, isCut: "time" };
    }
  }
  signal?.throwIfAborted();
  return scan.isOver() ? { hits, isCut: "time" } : { hits };
}

interface Scan extends AsyncDisposable {
  read(text: string, limit: number, onPlace: (place: number) => void): Promise<void>;
  isOver(): boolean;
}

function startScan(
  { expression, isSlow }: ReadPattern,
  timeLimit: number,
  signal: AbortSignal | undefined,
): Scan {
  const worker: PatternWorker | undefined = isSlow ? patternWorker(expression) : undefined;
  const end = performance.now() + timeLimit;
  const stop = (): void => worker?.end();
  const timer = setTimeout(stop, timeLimit);
  signal?.addEventListener("abort", stop);
  return {
    async read(text, limit, onPlace) {
      if (worker !== undefined) await worker.read(text, limit, onPlace);
      else for (const place of placesIn(text, expression, limit)) onPlace(place);
    },
    isOver: () => performance.now() >= end || signal?.aborted === true,
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      await worker?.[Symbol.asyncDispose]();
    },
  };
}

/** A version that is to be read. */
interface Selected {
  readonly id: ObjectId;
  readonly version: number;
  readonly txId: number;
  readonly characters: number;
  readonly isLatest: boolean;
}

/** Reads the selected versions, newest first, until `isOver`. */
async function* versionsOf(
  store: ObjectStore,
  query: ScanQuery,
  isOver: () => boolean,
): AsyncGenerator<StoredVersion> {
  const selected = await select(store, query, isOver);
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
    for (const { id, version, isLatest } of some) {
      if (isOver()) return;
      const stored = isLatest ? read.get(id) : await store.get(id, { version });
      if (stored !== undefined) yield stored;
    }
  }
}

async function select(
  store: ObjectStore,
  query: ScanQuery,
  isOver: () => boolean,
): Promise<readonly Selected[]> {
  const { type, versions = "latest" } = query;
  const selected: Selected[] = [];
  let after: string | undefined;
  do {
    const page = await store.find({
      ...(type === undefined ? {} : { where: { type } }),
      newestFirst: true,
      limit: 1_000,
      ...(after === undefined ? {} : { after }),
    });
    for (const stored of page.items) {
      if (!isWanted(stored.body, query)) continue;
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

function isWanted(body: ObjectMetadata, { type, session, path }: ScanQuery): boolean {
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

/** The texts of an object with their places: the content, and what a tool was called with. */
function* textsOf({ body }: StoredVersion): Generator<readonly [place: string, text: string]> {
  if (typeof body.content === "string") yield ["", body.content];
  if (body.type === "toolcall") yield* stringsIn("/args", body["args"]);
}

function* stringsIn(
  place: string,
  value: JsonValue | undefined,
): Generator<readonly [place: string, text: string]> {
  if (typeof value === "string") yield [place, value];
  else if (typeof value === "object" && value !== null)
    for (const [key, inner] of Object.entries(value))
      yield* stringsIn(`${place}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, inner);
}

/** Returns the line of each place. Places must be given in their order. */
function lineCounter(text: string): (place: number) => Pick<ScanHit, "line" | "text"> {
  let line = 1;
  let start = 0;
  return (place) => {
    for (let end = text.indexOf("\n", start); end >= 0 && end < place;) {
      line += 1;
      start = end + 1;
      end = text.indexOf("\n", start);
    }
    return { line, text: shown(text, start, place) };
  };
}

function shown(text: string, start: number, place: number): string {
  const newline = text.indexOf("\n", start);
  const end = newline < 0 ? text.length : newline;
  const from = end - start <= shownCharacters ? start : Math.max(start, place - shownBefore);
  const to = Math.min(end, from + shownCharacters);
  const cut = text.slice(from, to).replace(/\r$/u, "");
  // A cut in the middle of a character leaves a half of it.
  const whole = cut.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/gu, "");
  return `${from > start ? "…" : ""}${whole}${to < end ? "…" : ""}`;
}
