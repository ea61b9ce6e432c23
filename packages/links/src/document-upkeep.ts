import {
  defined,
  type DocumentParser,
  type Logger,
  type ObjectStore,
  type SearchIndex,
} from "@self-context-manager/objects";

import { updateIndex } from "./update-index.ts";
import { updateSearch } from "./update-search.ts";

/** What the derived indexes of a store are made with. */
export interface DocumentParts {
  readonly parser: DocumentParser;
  /** Finds objects by their words. Without it, objects are found by tag, relation and path only. */
  readonly search?: SearchIndex;
}

/**
 * Keeps the derived indexes of a store up to date (§14). A commit never waits for them, and a failure of an index is only
 * logged: it can be made again at any time. Disposal waits for the step that runs.
 */
export interface DocumentUpkeep extends DocumentParts, AsyncDisposable {
  /**
   * Requests an update after a commit. It is made later, when the request of the call that was just prepared has been sent,
   * and not while calls follow each other at once, so that no call of the model waits for it.
   */
  request(): void;
  /** Makes an update, and waits for it a short time only: an index that is far behind takes longer. */
  soon(): Promise<void>;
  /**
   * Brings the indexes up to date. Returns false if one of them is behind: it cannot be read or written, or a large store
   * is read for the first time, which takes longer than a caller waits.
   */
  upToDate(): Promise<boolean>;
}

/** The parts of an upkeep, and where it reports. */
export interface UpkeepOptions extends DocumentParts {
  readonly store: ObjectStore;
  readonly logger: Logger;
  /** Runs a function after some milliseconds; unless the process ends before, if nobody waits for it. */
  readonly later: (
    run: () => void,
    milliseconds: number,
    options: { readonly isAwaited: boolean },
  ) => void;
}

/** Milliseconds in which the request of a call that was just prepared is sent. */
const afterSending = 50;

/** An update that is asked for again in this time waits again, but not more often than this. */
const mostWaits = 10;

/** Milliseconds that a tool which wrote a document waits for its links. */
const shortTime = 100;

/** Milliseconds that a caller waits for an update. The tools of the session wait behind it. */
const longestWait = 10_000;

/** Returns an upkeep of the derived indexes of a store, which updates them between calls. */
export function documentUpkeep({
  store,
  parser,
  search,
  logger,
  later,
}: UpkeepOptions): DocumentUpkeep {
  let isClosed = false;
  let isRequested = false;
  let requests = 0;
  /** The update that was asked for last. It never rejects. */
  let last: Promise<boolean> = Promise.resolve(true);
  /** The position that the index of documents has reached. It is not kept for each call, see `updateIndex`. */
  let reached: string | undefined;
  let unkept = 0;

  /** How many callers wait for an update. */
  let callers = 0;
  /** Ends the pause that an update makes. */
  let endPause: (() => void) | undefined;

  /** Lets other work come between two steps. */
  const pause = async (): Promise<boolean> => {
    if (isClosed) return false;
    await new Promise<void>((resolve) => {
      endPause = resolve;
      later(resolve, 0, { isAwaited: callers > 0 });
    });
    endPause = undefined;
    return !isClosed;
  };

  async function update(): Promise<boolean> {
    const documents = await attempt("the index of documents", async () => {
      const outcome = await updateIndex(store, parser, {
        from: reached,
        unkept,
        mayContinue: pause,
      });
      reached = outcome.position;
      unkept = outcome.unkept;
      return !outcome.isBehind;
    });
    if (search === undefined) return documents;
    const words = await attempt("the full-text index", async () => {
      const { isBehind } = await updateSearch(store, search, {
        mayContinue: pause,
        breathe: async () => void (await pause()),
      });
      return !isBehind;
    });
    return documents && words;
  }

  async function attempt(what: string, run: () => Promise<boolean>): Promise<boolean> {
    try {
      return await run();
    } catch (error) {
      logger.warn(`${what} could not be brought up to date`, { error });
      return false;
    }
  }

  /** Makes an update after those that were asked for before. */
  async function afterOthers(): Promise<boolean> {
    const own = last.then(async () => !isClosed && (await update()));
    last = own;
    return await own;
  }

  /** Makes an update for which a caller waits. Returns false if it is not made within the time. */
  async function asked(milliseconds: number): Promise<boolean> {
    callers += 1;
    // The timer of a pause that began before does not keep the process running, so it may never come.
    endPause?.();
    try {
      const tooLong = new Promise<boolean>((resolve) => {
        later(() => resolve(false), milliseconds, { isAwaited: false });
      });
      return await Promise.race([afterOthers(), tooLong]);
    } finally {
      callers -= 1;
    }
  }

  /** Makes the update that was requested, after a time without another request. */
  function wait(waits: number): void {
    const seen = requests;
    const run = (): void => {
      if (isClosed) return;
      if (requests > seen && waits < mostWaits) {
        wait(waits + 1);
        return;
      }
      isRequested = false;
      void afterOthers();
    };
    later(run, afterSending, { isAwaited: false });
  }

  return {
    parser,
    ...defined({ search }),
    request() {
      requests += 1;
      if (isClosed || isRequested) return;
      isRequested = true;
      wait(1);
    },
    async soon() {
      if (!isClosed) await asked(shortTime);
    },
    upToDate: async () => !isClosed && (await asked(longestWait)),
    async [Symbol.asyncDispose]() {
      isClosed = true;
      endPause?.();
      await last;
    },
  };
}
