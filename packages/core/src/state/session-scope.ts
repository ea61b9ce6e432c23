import type { DocumentUpkeep } from "@self-context-manager/links";
import {
  type Clock,
  type CommitOptions,
  type CommittedVersion,
  defined,
  type FileSource,
  type IdSource,
  type Logger,
  type ObjectBody,
  type ObjectId,
  type ObjectStore,
  type ObjectWrite,
  metadataVersion,
  presenceOf,
  type ReadLimits,
  sealObject,
  type StoredMetadata,
  type StoredVersion,
  type TextMask,
} from "@self-context-manager/objects";
import type { FileTracker } from "@self-context-manager/tracker";
import type { ToolFacts } from "../calls/tool-facts.ts";
import { chatBody } from "../chat/chat-body.ts";
import type { StatusOf } from "../chat/chat-content.ts";
import type { Step, Turn } from "../chat/turn.ts";
import type { ClassTokens } from "../cost/class-tokens.ts";
import type { ActivationPolicy } from "../policy/activation-policy.ts";
import type { HeldIn, HeldTexts, Layout } from "../view/layout.ts";
import type { PoolEntry, PoolRow } from "../view/pool-entry.ts";
import { sessionBody } from "./session-body.ts";
import type { SessionState } from "./session-state.ts";

/** Which objects of a store an operation can name: those of the session's workspace and shared ones, or all (decision D68). */
type FindIn = "workspace" | "store";

/** The services and settings of a session. `compose` creates them. */
export interface SessionDependencies {
  readonly store: ObjectStore;
  readonly files: FileSource;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly policy: ActivationPolicy;
  readonly layout: Layout;
  /** The agent's working folder. Relative paths start here. A file outside it is read only when a `read` names it. */
  readonly workspace: string;
  readonly readLimits: ReadLimits;
  /** The clock by which a provider's cache becomes cold. Without a clock the cache never counts as cold. */
  readonly clock?: Clock;
  /**
   * The tracker that keeps the objects of known files up to date. Without it, the disk is checked only when a file is
   * read.
   */
  readonly tracker?: FileTracker;
  /**
   * Whether a session shows text of files that no tool of the host has shown. `ask`: it shows none, because other
   * extensions of the host can hide a part of a file from the model; the model is asked to use the host's own tool.
   * Default: `ask` if the host has announced a tool of its own that reads files, else `read`.
   */
  readonly activateUnread?: "read" | "ask";
  /** Tokens above which a text of a user's message becomes an object of its own. Default: 2,000. Infinity: never. */
  readonly longTexts?: number;
  /** Classifies the host's tool calls by name and arguments. Default: the built-in table of common tool names. */
  readonly toolFacts?: ToolFacts;
  /** The derived indexes of the store. Without them, links are not followed and nothing can be found. */
  readonly documents?: DocumentUpkeep;
  /** How many objects join the pool because a document links to them. Default: 30. */
  readonly linkedObjects?: number;
  /** Where the model finds and names objects: in what the workspace made or saw, or in the whole store. Default: `workspace`. */
  readonly findIn?: FindIn;
  /**
   * Replaces secrets and forgotten texts in what comes in by marks, and puts secrets back in what is sent: one of
   * `core/forget`, or any other. Default: only forgotten texts.
   */
  readonly mask?: TextMask;
  /** Returns the key of a file from a path as tool calls write it. Default: the absolute path. */
  readonly fileKey?: (path: string) => string;
}

/** A session's state with the means to store it. */
export interface SessionScope {
  readonly dependencies: SessionDependencies;
  readonly state: SessionState;
  /**
   * The generation of the store before the state was read. After a rewrite, the next commit finds another one, and the
   * state is read again.
   */
  readonly generation: number;
  /** The name of the tool with which the model reads a file. */
  readonly readTool: string;
  /** Which objects the operation that runs can name. */
  readonly findIn: FindIn;
  /** Versions of active objects with their contents, by object id. */
  readonly contents: Map<ObjectId, StoredVersion>;
  /** Versions in view, whose objects can be inactive, by `handle@version`. */
  readonly inView: Map<string, StoredVersion | StoredMetadata>;
  /** The versions that hold the long texts of tool calls, by the call's id; undefined if none is known. */
  readonly heldTexts: Map<ObjectId, HeldTexts | undefined>;
  /** The versions that hold the texts which edits replaced, by the call's id; undefined if none is known. */
  readonly replacedTexts: Map<ObjectId, HeldIn | undefined>;
  /**
   * The raw tokens of the messages of the plain host: of results by their objects, of steps in which every call has its
   * result, of the turns that begin with such steps, by their first one, and of groups of turns. A result is counted when it is first in view,
   * because later its content can have left, and a file that it read can have changed.
   */
  readonly counted: {
    readonly results: Map<ObjectId, ClassTokens>;
    readonly steps: WeakMap<Step, ClassTokens>;
    readonly turns: WeakMap<Step | Turn, CountedTurn>;
    readonly groups: WeakMap<readonly Turn[], ClassTokens>;
  };
  /** The documents whose links were followed, with the hash of their content then. */
  readonly followed: Map<ObjectId, string>;
  /** The number of files that joined the pool in a turn because outputs of commands listed them. */
  readonly listed: { turn: number; names: number };
  /** The sessions of chats, and the views of sessions. A chat never gets another session, and a session no other view. */
  readonly owners: Map<ObjectId, ObjectId>;
  /** The keys of names that a turn has looked for on the disk without finding them. */
  readonly searched: { turn: number; readonly notFound: Set<string> };
  /** The documents that tools of this process have written, with the links that the model knows to be without one target. */
  readonly written: Map<ObjectId, WrittenDocument>;
  /** Writes that the next commit of the session stores as well; empty between operations. */
  readonly staged: StagedWrites[];
}

/** The beginning of a turn in the plain host, with its raw tokens. */
interface CountedTurn extends Pick<Turn, "user" | "steps"> {
  readonly sums: ClassTokens;
}

/** Returns the parts of a scope that fill while it is used, without entries. */
export function emptyScopeMaps(): Pick<
  SessionScope,
  | "contents"
  | "counted"
  | "followed"
  | "heldTexts"
  | "inView"
  | "listed"
  | "owners"
  | "replacedTexts"
  | "searched"
  | "written"
> {
  return {
    contents: new Map(),
    counted: {
      results: new Map(),
      steps: new WeakMap(),
      turns: new WeakMap(),
      groups: new WeakMap(),
    },
    followed: new Map(),
    heldTexts: new Map(),
    inView: new Map(),
    listed: { turn: -1, names: 0 },
    owners: new Map(),
    replacedTexts: new Map(),
    searched: { turn: -1, notFound: new Set<string>() },
    written: new Map(),
  };
}

/** A document that a tool has written. */
interface WrittenDocument {
  /** Whether its last version is still to be looked at. */
  readonly isWaiting: boolean;
  readonly known: ReadonlySet<string>;
}

/** Writes that wait for the next commit of the session. */
interface StagedWrites {
  /** Returns the writes. They can refer to versions that were settled before. */
  readonly writes: () => readonly ObjectWrite[];
  /** Whether they are a transaction of their own, before that of the others. */
  readonly isBefore?: true;
  /** Receives the versions that the commit made. */
  settle(versions: readonly StoredVersion[]): void;
}

/**
 * Adds an object to the metadata pool, or replaces its metadata by newer metadata. A file that was deleted or is no
 * longer text becomes inactive (decision D12): when it has text again, it is activated again by who needs it.
 */
export function joinPool(
  { pool, active }: SessionState,
  stored: StoredMetadata,
  row?: Pick<PoolRow, "key" | "loaded" | "linked">,
): PoolEntry {
  const entry = pool.join(stored, row);
  const presence = presenceOf(stored.body);
  const hasNoText = presence === "missing" || presence === "non_text";
  if (entry.stored === stored && hasNoText) active.leave(entry.id);
  return entry;
}

/**
 * Returns an entry of the pool with its newest metadata, because another session of the store can have made a version
 * since.
 */
export async function refreshEntry(
  { state, dependencies }: SessionScope,
  entry: PoolEntry,
): Promise<PoolEntry> {
  const [newest] = await dependencies.store.describe([entry.id]);
  return newest === undefined ? entry : joinPool(state, newest);
}

/**
 * Commits objects without the session. Returns the latest version of each object, which this or an earlier commit made.
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
  return { object: sealObject(body), ...defined({ expect }) };
}

async function commitWrites(
  scope: SessionScope,
  writes: readonly ObjectWrite[],
  options: CommitOptions = {},
): Promise<readonly StoredVersion[]> {
  const { dependencies, generation } = scope;
  const { versions } = await dependencies.store.commit(writes, { ...options, generation });
  return storedVersions(scope, writes, versions);
}

function storedVersions(
  { state }: SessionScope,
  writes: readonly ObjectWrite[],
  versions: readonly CommittedVersion[],
): readonly StoredVersion[] {
  return versions.map((made, index) => {
    const object = writes[index]?.object;
    if (object === undefined)
      throw new TypeError("the store returned more versions than the commit has writes");
    state.noteTransaction(made.at.tx_id);
    return { body: object.body, hashes: object.hashes, version: made.version, at: made.at };
  });
}

/**
 * Stores the session object if it has changed, together with staged writes and other objects, in one commit. Staged writes
 * that the others refer to are a transaction before it. Returns the versions of the other objects.
 */
export async function commitSession(
  scope: SessionScope,
  bodies: readonly { readonly body: ObjectBody; readonly expect?: number }[] = [],
  options: CommitOptions = {},
): Promise<readonly StoredVersion[]> {
  const { state } = scope;
  const all = scope.staged.splice(0);
  const [before] = all.filter(({ isBefore }) => isBefore);
  const staged = all.filter((one) => one !== before);
  const own = bodies.map(writeOf);
  const { isChanged } = state;
  let parts: (readonly ObjectWrite[])[] = [];
  function stagedWrites(): readonly ObjectWrite[] {
    parts = staged.map((one) => one.writes());
    const writes = [...parts.flat(), ...own];
    if (isChanged) writes.push({ object: sealObject(sessionBody(state)), expect: state.version });
    return writes;
  }
  const versions =
    before === undefined
      ? await commitNow(scope, stagedWrites(), options)
      : await commitAfter(scope, before, stagedWrites, options);
  if (isChanged) state.noteStored(versions.at(-1)?.version ?? state.version);
  let settled = 0;
  for (const [index, one] of staged.entries()) {
    const end = settled + (parts[index]?.length ?? 0);
    one.settle(versions.slice(settled, end));
    settled = end;
  }
  return versions.slice(settled, settled + bodies.length);
}

async function commitNow(
  scope: SessionScope,
  writes: readonly ObjectWrite[],
  options: CommitOptions,
): Promise<readonly StoredVersion[]> {
  return writes.length === 0 ? [] : await commitWrites(scope, writes, options);
}

/**
 * Commits staged writes and the writes that refer to their versions, in two transactions for which the store is asked once.
 * Returns the versions of the second one.
 */
async function commitAfter(
  scope: SessionScope,
  before: StagedWrites,
  second: () => readonly ObjectWrite[],
  options: CommitOptions,
): Promise<readonly StoredVersion[]> {
  const { dependencies, generation } = scope;
  const first = before.writes();
  let after: readonly ObjectWrite[] = [];
  const { versions } = await dependencies.store.commit(first, {
    ...options,
    generation,
    next(made) {
      before.settle(storedVersions(scope, first, made));
      after = second();
      return after;
    },
  });
  return storedVersions(scope, after, versions.slice(first.length));
}

/** Returns the chat as an object to store. It shares its turns with the state. */
export function sealableChat(scope: SessionScope): {
  readonly body: ObjectBody;
  readonly expect: number;
} {
  const { state } = scope;
  return {
    body: chatBody(state.chat.state, statusIn(state)),
    expect: state.chat.stored?.version ?? 0,
  };
}

/** Returns the status of the calls of a session. */
export function statusIn({ pool }: SessionState): StatusOf {
  return (id) => {
    const status = pool.get(id)?.stored.body["status"];
    return typeof status === "string" ? status : undefined;
  };
}

/**
 * Keeps the stored chat as the latest version. Shown lines of the chat are taken from this version, as after a resume.
 */
export function keepChat({ state, contents }: SessionScope, chat: StoredVersion): void {
  state.chat.keep(chat);
  if (!state.pool.has(chat.body.id)) return;
  joinPool(state, metadataVersion(chat));
  if (state.active.has(chat.body.id)) contents.set(chat.body.id, chat);
}
