import { type ObjectStore, StoreError, type TextMask } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import type { ConnectOptions } from "../../src/adapters/connect-options.ts";
import { connect, type Connection } from "../../src/adapters/connection.ts";
import type { Message } from "../../src/chat/message.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import { openContextSession } from "../../src/session/open-context-session.ts";
import { type FakeFiles, fakeFiles } from "../session/fake-files.ts";
import { fakeTracker } from "../session/fake-tracker.ts";
import type { Layout } from "../../src/view/layout.ts";
import { openTestSession, plainCodec, testHost } from "../session/test-session.ts";

/** A connection on a memory store that a test can break, with everything that happened outside it. */
export interface TestConnection {
  readonly connection: Connection<Message>;
  readonly files: FakeFiles;
  readonly notices: readonly string[];
  /** The number of openings so far. */
  readonly opened: () => number;
  /** The number of sessions that were disposed of. */
  readonly closed: () => number;
  /** The paths that are held now. */
  readonly held: () => readonly string[];
  /** Every operation of the present store rejects with this error. Without an error the store works again. */
  readonly fail: (error?: Error) => void;
  /** The store is gone: the open session finds it lost, and the next opening gets an empty one. */
  readonly lose: () => void;
}

export interface TestConnectionOptions {
  readonly hostTools?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  /** Default: the pooled layout. */
  readonly layout?: Layout;
  /** Default: texts are stored as they are. */
  readonly mask?: TextMask;
  /** Waited for by each opening. */
  readonly opening?: () => Promise<void>;
  /** What else the host offers. */
  readonly host?: Partial<ConnectOptions<Message>>;
  /** Changes each opened session. */
  readonly changed?: (session: ContextSession) => ContextSession;
}

export async function testConnection(options: TestConnectionOptions = {}): Promise<TestConnection> {
  const notices: string[] = [];
  const held: string[] = [];
  const tracker = {
    ...fakeTracker(),
    hold: async (path: string) => {
      held.push(path);
      const release = async (): Promise<void> => {
        held.splice(held.indexOf(path), 1);
        await Promise.resolve();
      };
      return await Promise.resolve({ [Symbol.asyncDispose]: release });
    },
  };
  const files = fakeFiles(options.files);
  const { layout } = options;
  const { dependencies } = await openTestSession({
    ...(layout === undefined ? {} : { layout }),
    ...(options.mask === undefined ? {} : { mask: options.mask }),
  });
  let breakable = breakableStore();
  let opened = 0;
  let closed = 0;
  const connection = connect<Message>({
    open: async () => {
      opened += 1;
      await options.opening?.();
      const session = await openContextSession(
        { ...dependencies, files, tracker, store: breakable.store },
        testHost,
      );
      const changed = options.changed?.(session) ?? session;
      const close = async (): Promise<void> => {
        closed += 1;
        await Promise.resolve();
      };
      return Object.assign(Object.create(changed) as ContextSession, {
        [Symbol.asyncDispose]: close,
      });
    },
    codec: plainCodec,
    encode: (message) => message,
    hostTools: options.hostTools ?? ["read", "write", "bash"],
    notify: (text) => void notices.push(text),
    ...options.host,
  });
  return {
    connection,
    files,
    notices,
    opened: () => opened,
    closed: () => closed,
    held: () => held,
    fail: (error) => breakable.fail(error),
    lose: () => {
      breakable.fail(new StoreError("STORE_LOST", "the store is gone; open it again"));
      breakable = breakableStore();
    },
  };
}

interface BreakableStore {
  readonly store: ObjectStore;
  fail(error: Error | undefined): void;
}

function breakableStore(): BreakableStore {
  const inner = memoryStore({ clock: { now: () => 1_700_000_000_000 } });
  let failure: Error | undefined;
  const guard = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    if (failure !== undefined) throw failure;
    return await run();
  };
  const store: ObjectStore = {
    ...inner,
    commit: async (...args) => await guard(async () => await inner.commit(...args)),
    get: async (...args) => await guard(async () => await inner.get(...args)),
    getMany: async (ids) => await guard(async () => await inner.getMany(ids)),
    describe: async (ids) => await guard(async () => await inner.describe(ids)),
    find: async (query) => await guard(async () => await inner.find(query)),
  };
  return { store, fail: (error) => void (failure = error) };
}
