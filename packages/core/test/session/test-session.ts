import type { DocumentUpkeep } from "@self-context-manager/links";
import {
  type Clock,
  objectId,
  type ObjectId,
  type ObjectStore,
  silentLogger,
  type TextMask,
} from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import type { FileTracker } from "@self-context-manager/tracker";
import type { ToolFacts } from "../../src/calls/tool-facts.ts";
import type { HostSession } from "../../src/host/host-session.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { ActivationPolicy } from "../../src/policy/activation-policy.ts";
import { windowPolicy } from "../../src/policy/window-policy.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import { openContextSession } from "../../src/session/open-context-session.ts";
import type { SessionDependencies } from "../../src/state/session-scope.ts";
import type { Layout } from "../../src/view/layout.ts";
import { type FakeFiles, fakeFiles } from "./fake-files.ts";

/** A session with a memory store and files in a map, and everything it was made from. */
export interface TestSession {
  readonly session: ContextSession;
  readonly store: ObjectStore;
  readonly files: FakeFiles;
  /** The dependencies with which the session was opened. */
  readonly dependencies: SessionDependencies;
  /** Opens the same host session, or another, on the same store, as a new process would. */
  reopen(host?: HostSession): Promise<ContextSession>;
}

export interface TestSessionOptions {
  readonly files?: Readonly<Record<string, string | null>>;
  readonly store?: ObjectStore;
  readonly policy?: ActivationPolicy;
  readonly layout?: Layout;
  /** The clock by which the provider's cache becomes cold. Default: never. */
  readonly clock?: Clock;
  readonly tracker?: FileTracker;
  readonly activateUnread?: "read" | "ask";
  readonly toolFacts?: ToolFacts;
  readonly documents?: DocumentUpkeep;
  readonly mask?: TextMask;
  /** Default: 2,000. */
  readonly longTexts?: number;
  /** Default: `/work`. */
  readonly workspace?: string;
}

export const testHost: HostSession = { harness: "test", sessionId: "session-1" };

/** Another session of the same host. */
export const otherHost: HostSession = { harness: "test", sessionId: "session-2" };

export { neutralCodec as plainCodec } from "../../src/host/neutral-codec.ts";

/** Opens a session for a test. Ids count up, and the clock does not advance. */
export async function openTestSession(options: TestSessionOptions = {}): Promise<TestSession> {
  const store = options.store ?? memoryStore({ clock: { now: () => 1_700_000_000_000 } });
  const files = fakeFiles(options.files);
  let count = 0;
  const dependencies: SessionDependencies = {
    store,
    files,
    ids: {
      next: (): ObjectId => {
        count += 1;
        return objectId(`0190aaaa-0000-7000-8000-${String(count).padStart(12, "0")}`);
      },
    },
    logger: silentLogger,
    policy: options.policy ?? windowPolicy(),
    layout: options.layout ?? pooledLayout,
    workspace: options.workspace ?? "/work",
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    ...(options.tracker === undefined ? {} : { tracker: options.tracker }),
    ...(options.mask === undefined ? {} : { mask: options.mask }),
    ...(options.documents === undefined ? {} : { documents: options.documents }),
    ...(options.toolFacts === undefined ? {} : { toolFacts: options.toolFacts }),
    ...(options.longTexts === undefined ? {} : { longTexts: options.longTexts }),
    ...(options.activateUnread === undefined ? {} : { activateUnread: options.activateUnread }),
    readLimits: { lines: 2_000, characters: 50_000 },
  };
  const reopen = async (host = testHost): Promise<ContextSession> =>
    await openContextSession(dependencies, host);
  return { session: await reopen(), store, files, dependencies, reopen };
}
