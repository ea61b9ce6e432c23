import type {
  JsonValue,
  ObjectId,
  ObjectStore,
  StoredVersion,
} from "@self-context-manager/objects";

import { type OnPlace, type PatternWorker, patternWorker } from "./pattern-worker.ts";
import { placesIn } from "./places-in.ts";
import { type ReadPattern, readPattern, type ScanPattern } from "./read-pattern.ts";
import { type ScanRange, versionsOf } from "./selected-versions.ts";
import { lineCounter, type ShownLine } from "./shown-line.ts";

/** What is scanned, and for what. */
interface ScanOptions extends ScanRange {
  /** The greatest number of hits. Default 100. */
  readonly limit?: number;
  /** Milliseconds for the whole scan. Default 2,000. */
  readonly timeLimit?: number;
  readonly signal?: AbortSignal;
}

export type ScanQuery = ScanPattern & ScanOptions;

/** A line in which a scan found something. */
export interface ScanHit extends ShownLine {
  readonly id: ObjectId;
  readonly version: number;
  readonly type: string;
  /** Empty for the content; the JSON pointer of an argument of a tool call, such as `/args/command`. */
  readonly place: string;
}

export interface ScanResult {
  /** Those of the newest version first. */
  readonly hits: readonly ScanHit[];
  /** Why there can be more hits: the limit of hits, or the limit of time. */
  readonly isCut?: "limit" | "time";
}

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
  for await (const versions of versionsOf(store, query, () => scan.isOver())) {
    const texts = versions.flatMap((stored) => [...textsOf(stored)]);
    const lines = texts.map(({ text }) => lineCounter(text));
    // One more than the limit shows that there are more.
    await scan.read(
      texts.map(({ text }) => text),
      limit + 1 - hits.length,
      (number, start) => {
        const [found, line] = [texts[number], lines[number]];
        if (found === undefined || line === undefined) return;
        const { body, version } = found.stored;
        hits.push({ id: body.id, version, type: body.type, place: found.place, ...line(start) });
      },
    );
    signal?.throwIfAborted();
    if (hits.length > limit) return { hits: hits.slice(0, limit), isCut: "limit" };
    if (scan.isOver()) return { hits, isCut: "time" };
  }
  signal?.throwIfAborted();
  return scan.isOver() ? { hits, isCut: "time" } : { hits };
}

interface Scan extends AsyncDisposable {
  read(texts: readonly string[], limit: number, onPlace: OnPlace): Promise<void>;
  isOver(): boolean;
}

function startScan(
  { expression, isSlow }: ReadPattern,
  timeLimit: number,
  signal: AbortSignal | undefined,
): Scan {
  const worker: PatternWorker | undefined = isSlow ? patternWorker(expression) : undefined;
  const end = performance.now() + timeLimit;
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
    worker?.end();
  };
  const timer = setTimeout(stop, timeLimit);
  signal?.addEventListener("abort", stop);
  return {
    async read(texts, limit, onPlace) {
      if (worker !== undefined) await worker.read(texts, limit, onPlace);
      else readHere(texts, expression, limit, onPlace);
    },
    // A thread that is busy gets no timer.
    isOver: () => isStopped || performance.now() >= end,
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      await worker?.[Symbol.asyncDispose]();
    },
  };
}

function readHere(
  texts: readonly string[],
  expression: RegExp,
  limit: number,
  onPlace: OnPlace,
): void {
  let left = limit;
  for (const [number, text] of texts.entries()) {
    for (const place of placesIn(text, expression, left)) {
      onPlace(number, place);
      left -= 1;
    }
  }
}

/** A text of an object, and its place there. */
interface PlacedText {
  readonly stored: StoredVersion;
  readonly place: string;
  readonly text: string;
}

/** The texts of an object: the content, and what a tool was called with. */
function* textsOf(stored: StoredVersion): Generator<PlacedText> {
  const { content, type } = stored.body;
  if (typeof content === "string") yield { stored, place: "", text: content };
  if (type === "toolcall") yield* stringsIn(stored, "/args", stored.body["args"]);
}

function* stringsIn(
  stored: StoredVersion,
  place: string,
  value: JsonValue | undefined,
): Generator<PlacedText> {
  if (typeof value === "string") yield { stored, place, text: value };
  else if (typeof value === "object" && value !== null)
    for (const [key, inner] of Object.entries(value)) {
      const name = key.replaceAll("~", "~0").replaceAll("/", "~1");
      yield* stringsIn(stored, `${place}/${name}`, inner);
    }
}
