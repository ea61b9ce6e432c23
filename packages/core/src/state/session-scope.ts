import {
  type Clock,
  type CommitOptions,
  type FileSource,
  type IdSource,
  type Logger,
  type ObjectBody,
  type ObjectId,
  type ObjectStore,
  type ObjectWrite,
  type ReadLimits,
  sealObject,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";
import type { ToolFacts } from "../calls/tool-facts.ts";
import { chatBody } from "../chat/chat-document.ts";
import type { FileTracker } from "../files/file-tracker.ts";
import type { ActivationPolicy } from "../policy/activation-policy.ts";
import type { Layout } from "../view/layout.ts";
import type { PoolEntry } from "../view/pool-entry.ts";
import { sessionBody } from "./session-document.ts";
import type { SessionState } from "./session-state.ts";

/** What a session works with; `compose` puts it together. */
export interface SessionDependencies {
  readonly store: ObjectStore;
  readonly files: FileSource;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly policy: ActivationPolicy;
  readonly layout: Layout;
  /** The agent's working folder: paths are relative to it, and nothing outside it is read without being asked for. */
  readonly workspace: string;
  readonly readLimits: ReadLimits;
  /** Says when a provider's cache has gone cold; without it it never has. */
  readonly clock?: Clock;
  /** Keeps the objects of known files as the files are; without it a file is looked at when it is read. */
  readonly tracker?: FileTracker;
  /** What the host's tools do; by the usual names unless told. */
  readonly toolFacts?: ToolFacts;
  /** What a file is known by, from a path as calls write it; its absolute path unless told. */
  readonly fileKey?: (path: string) => string;
}

/** A session's state with the means to store it. */
export interface SessionScope {
  readonly dependencies: SessionDependencies;
  readonly state: SessionState;
  /** Whole bodies of objects that are active, by id. */
  readonly contents: Map<ObjectId, StoredVersion>;
  /** What stands in the view and may not be active any more, by `handle@version`. */
  readonly inView: Map<string, StoredVersion | StoredMetadata>;
  /** What the next commit of the session stores with it; empty between operations. */
  readonly staged: StagedWrites[];
}

/** Writes that wait for the session's next commit, and what is to be done once that has made versions of them. */
interface StagedWrites {
  readonly writes: readonly ObjectWrite[];
  settle(versions: readonly StoredVersion[]): void;
}

const letters: Readonly<Record<string, string>> = {
  file: "f",
  toolcall: "t",
  note: "n",
  chat: "c",
  system_prompt: "s",
  session: "e",
  view: "v",
};

/** The next free handle for an object of a type; handles are never used again (decision D45). */
function nextHandle(state: SessionState, type: string): string {
  const letter = letters[type] ?? "o";
  const count = (state.handleCounts.get(letter) ?? 0) + 1;
  state.handleCounts.set(letter, count);
  return `${letter}${count}`;
}

/**
 * Puts an object into the metadata pool, or its newer metadata in the place of the older. `key` is the host's for a
 * tool's result.
 */
export function joinPool(state: SessionState, stored: StoredMetadata, key?: string): PoolEntry {
  const known = state.pool.get(stored.body.id);
  const hasRow = known !== undefined && (key === undefined || known.row.key === key);
  if (hasRow && known.stored.version === stored.version) return known;
  const handle = known?.handle ?? nextHandle(state, stored.body.type);
  const { id } = stored.body;
  const row = hasRow
    ? known.row
    : Object.freeze({ id, handle, ...(key === undefined ? {} : { key }) });
  const entry = { id, handle, stored, row };
  state.pool.set(id, entry);
  if (stored.body.type === "file" || stored.body.type === "note") state.untracked.add(id);
  state.handles.set(handle, id);
  if (!hasRow) state.changed = true;
  if (known === undefined) return entry;
  if (known.stored.version > 0) state.poolRevision += 1;
  return entry;
}

/** An entry of the pool with its newest metadata: another session of the store may have made a version since. */
export async function refreshEntry(
  { state, dependencies }: SessionScope,
  entry: PoolEntry,
): Promise<PoolEntry> {
  const [newest] = await dependencies.store.describe([entry.id]);
  return newest === undefined ? entry : joinPool(state, newest);
}

/**
 * Commits objects without the session. Each answer is the object's latest version, made now or earlier.
 */
export async function commitObjects(
  scope: SessionScope,
  bodies: readonly { readonly body: ObjectBody; readonly expect?: number }[],
  options: CommitOptions = {},
): Promise<readonly StoredVersion[]> {
  return await commitWrites(scope, bodies.map(writeOf), options);
}

function writeOf({
  body,
  expect,
}: {
  readonly body: ObjectBody;
  readonly expect?: number;
}): ObjectWrite {
  return { object: sealObject(body), ...(expect === undefined ? {} : { expect }) };
}

async function commitWrites(
  scope: SessionScope,
  writes: readonly ObjectWrite[],
  options: CommitOptions = {},
): Promise<readonly StoredVersion[]> {
  const { versions } = await scope.dependencies.store.commit(writes, options);
  return versions.map((made, index) => {
    const object = writes[index]?.object;
    if (object === undefined)
      throw new TypeError("the store answered more versions than it was given writes");
    scope.state.lastTransaction = Math.max(scope.state.lastTransaction, made.at.tx_id);
    return { body: object.body, hashes: object.hashes, version: made.version, at: made.at };
  });
}

/** Stores the session object if it is behind, together with what is staged and other objects, in one commit. */
export async function commitSession(
  scope: SessionScope,
  bodies: readonly { readonly body: ObjectBody; readonly expect?: number }[] = [],
  options: CommitOptions = {},
): Promise<readonly StoredVersion[]> {
  const { state } = scope;
  const staged = scope.staged.splice(0);
  const writes = [...staged.flatMap((one) => one.writes), ...bodies.map(writeOf)];
  const { changed } = state;
  if (changed) writes.push({ object: sealObject(sessionBody(state)), expect: state.version });
  const versions = writes.length === 0 ? [] : await commitWrites(scope, writes, options);
  if (changed) {
    state.version = versions.at(-1)?.version ?? state.version;
    state.changed = false;
  }
  let settled = 0;
  for (const one of staged) {
    one.settle(versions.slice(settled, settled + one.writes.length));
    settled += one.writes.length;
  }
  return versions.slice(settled, settled + bodies.length);
}

/** The chat as an object to store; its turns are shared with the state. */
export function sealableChat(scope: SessionScope): {
  readonly body: ObjectBody;
  readonly expect: number;
} {
  const { state } = scope;
  return {
    body: chatBody(state.chat, (id) => {
      const status = state.pool.get(id)?.stored.body["status"];
      return typeof status === "string" ? status : undefined;
    }),
    expect: state.chatStored?.version ?? 0,
  };
}
