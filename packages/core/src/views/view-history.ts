import { type ChatState, chatState } from "../chat/chat-document.ts";
import { type AssistantStep, isAssistantStep } from "../chat/turn.ts";
import { StoreError } from "../errors.ts";
import { epochMemory } from "../epochs/epoch-memory.ts";
import type { EpochEnd, Layout, ViewMessage } from "../layout/layout.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { DynamicReference, StaticReference } from "../objects/references.ts";
import { resolveReference, resolveVersion } from "../objects/resolve-reference.ts";
import type { StoredMetadata, StoredVersion, VersionPoint } from "../objects/stored-version.ts";
import type { VersionProblem } from "../objects/verify-version.ts";
import type { ObjectStore, VersionSelector } from "../ports/object-store.ts";
import type { HostSession } from "../session/open-state.ts";
import type { PoolRow } from "../session/session-state.ts";
import { type DescribedEntry, describeEntries, namedVersions } from "./manifest.ts";
import { rebuildMessages } from "./rebuild-messages.ts";
import type { NamedVersion, ViewSource } from "./render-entry.ts";
import { sentMessages, viewRecord } from "./view-object.ts";
import { chatHandle, type ViewRecord } from "./view-record.ts";

/** What is wrong with a view that was made again; `messages` where they are not what was handed over. */
export type ViewProblem =
  | VersionProblem
  | {
      readonly id: ObjectId;
      readonly version: number;
      readonly type: "messages";
      readonly text: string;
    };

/** A call as its view tells it, without its messages. */
export interface CallSummary {
  readonly call: number;
  /** The transaction that the view was stored with, before the call went out. */
  readonly at: VersionPoint;
  readonly layout: string;
  /** Estimated tokens of the messages. */
  readonly tokens: number;
  /** Of an epoch layout: its number, the call's place in it, why the one before ended, and what left then. */
  readonly epoch?: {
    readonly number: number;
    readonly call: number;
    readonly endedBy?: EpochEnd;
    readonly left: readonly string[];
  };
  /** SHA-256 of the provider's payload, where the host showed it. */
  readonly payloadHash?: string;
}

/** A system prompt as it went with a call. */
export interface SentPrompt {
  /** `host` or `own`. */
  readonly origin: string;
  readonly id: ObjectId;
  readonly version: number;
  readonly text: string;
}

/** What a model call saw, made again from the store. */
export interface RebuiltView extends CallSummary {
  readonly systemPrompts: readonly SentPrompt[];
  /** As they were handed to the host; undefined in the place of one that can no longer be made. */
  readonly messages: readonly (ViewMessage | undefined)[];
  /** What each message was made from, in order; of the pooled layout what the pools held. */
  readonly entries: readonly DescribedEntry[];
  /** The ids of what the entries name by handle. */
  readonly ids: ReadonlyMap<string, ObjectId>;
  readonly record: ViewRecord;
  /** Whether the messages are byte for byte what was handed over, and every version that they name is unharmed. */
  readonly isVerified: boolean;
  /** Everything that is not as it was, each once. */
  readonly problems: readonly ViewProblem[];
}

/** The calls of one session. */
export interface ViewHistory {
  readonly session: StoredMetadata;
  /** How many calls there are; the first is 1. */
  readonly count: number;
  /** A call by its number; undefined where there is none such. */
  rebuild(call: number): Promise<RebuiltView | undefined>;
  /** What a call says of itself, without its messages; undefined where there is none such or it cannot be read. */
  summary(call: number): Promise<CallSummary | undefined>;
}

/**
 * The calls of a session, each made again from the store alone and compared with what was handed over. What is missing
 * or damaged is told by object and version, and the rest is still made. `layouts` are those that the session may have
 * had; a call of any other has no messages and says so. Undefined where there is no such session. Rejects with the
 * store's own error where it cannot be asked.
 */
export async function viewHistory(
  store: ObjectStore,
  layouts: readonly Layout[],
  session: ObjectId | HostSession,
): Promise<ViewHistory | undefined> {
  const found = await sessionOf(store, session);
  if (found === undefined) return undefined;
  const read = reader(store);
  const viewRef = found.body["view_ref"] as DynamicReference | undefined;
  const count = viewRef === undefined ? 0 : await countCalls(store, viewRef.id, found);
  const isCall = (call: number): boolean =>
    Number.isSafeInteger(call) && call >= 1 && call <= count;
  return {
    session: found,
    count,
    async rebuild(call) {
      if (viewRef === undefined || !isCall(call)) return undefined;
      return await rebuild(read, layouts, { sessionId: found.body.id, id: viewRef.id, call });
    },
    async summary(call) {
      if (viewRef === undefined || !isCall(call)) return undefined;
      const { stored } = await read.version(viewRef.id, { version: call });
      const record = stored === undefined ? undefined : recordIn(stored, () => {});
      if (stored === undefined || record === undefined) return undefined;
      return await summaryOf(read, stored, record);
    },
  };
}

/** What one call of a session saw; undefined where there is no such session or call. */
export async function rebuildView(
  store: ObjectStore,
  layouts: readonly Layout[],
  session: ObjectId | HostSession,
  call: number,
): Promise<RebuiltView | undefined> {
  return await (await viewHistory(store, layouts, session))?.rebuild(call);
}

async function sessionOf(
  store: ObjectStore,
  session: ObjectId | HostSession,
): Promise<StoredMetadata | undefined> {
  if (typeof session === "string") {
    const [found] = await store.describe([session]);
    return found?.body.type === "session" ? found : undefined;
  }
  const where = { type: "session", harness: session.harness, session_id: session.sessionId };
  return (await store.find({ where, limit: 1 })).items[0];
}

/** The versions of the view object; where its head cannot be read, as many as the chat's answers tell of. */
async function countCalls(
  store: ObjectStore,
  id: ObjectId,
  session: StoredMetadata,
): Promise<number> {
  try {
    return (await store.describe([id]))[0]?.version ?? 0;
  } catch (error) {
    if (!StoreError.is(error, "STORE_CORRUPT")) throw error;
  }
  const chatRef = session.body["chat_ref"] as DynamicReference;
  const chat = chatIn((await resolveVersion(store, chatRef.id)).stored, () => {});
  return Math.max(0, ...answersIn(chat).map(({ view = 0 }) => view));
}

function answersIn(chat: ChatState | undefined): readonly AssistantStep[] {
  return (chat?.turns ?? []).flatMap((turn) => turn.steps).filter(isAssistantStep);
}

interface ViewPlace {
  readonly sessionId: ObjectId;
  /** The view object. */
  readonly id: ObjectId;
  readonly call: number;
}

/** Reads and verifies versions, those of tool calls and files once for all calls. */
interface Reader {
  readonly store: ObjectStore;
  version(id: ObjectId, at?: VersionSelector): ReturnType<typeof resolveVersion>;
  named(id: ObjectId, version: number): ReturnType<typeof resolveVersion>;
}

/** Versions that are kept for the next call; a session that has more is read again. */
const mostKept = 4_000;

function reader(store: ObjectStore): Reader {
  const known = new Map<string, ReturnType<typeof resolveVersion>>();
  const version: Reader["version"] = async (id, at) => await resolveVersion(store, id, at);
  return {
    store,
    version,
    named(id, number) {
      const name = `${id} ${number}`;
      const kept = known.get(name);
      if (kept !== undefined) return kept;
      if (known.size >= mostKept) known.clear();
      const found = version(id, { version: number });
      known.set(name, found);
      return found;
    },
  };
}

async function rebuild(
  read: Reader,
  layouts: readonly Layout[],
  { sessionId, id, call }: ViewPlace,
): Promise<RebuiltView> {
  const problems = new Map<string, ViewProblem>();
  const note = (problem: ViewProblem | undefined): void => {
    if (problem !== undefined) problems.set(problem.text, problem);
  };
  const found = await read.version(id, { version: call });
  note(found.problem);
  const { stored } = found;
  const record = stored === undefined ? undefined : recordIn(stored, note);
  if (stored === undefined || record === undefined)
    return unreadable(call, stored, [...problems.values()]);
  const asOf = { txId: stored.at.tx_id };
  const session = await read.version(sessionId, asOf);
  note(session.problem);
  const chat = await read.version((stored.body["chat_ref"] as DynamicReference).id, asOf);
  note(chat.problem);
  const systemPrompts = await promptsOf(read, stored, note);
  const ids = idsIn(session.stored);
  const state = chatIn(chat.stored, note);
  const versions = await loadNamed(read, record, ids, id, call, note);
  checkReferences(versions, state, note);
  const source = sourceOf(state, record, versions);
  const layout = layouts.find(({ name }) => name === record.layout);
  if (layout === undefined) {
    const text = `version ${call} of object ${id} was made by the layout ${record.layout}, which this program does not have`;
    note({ id, version: call, type: "messages", text });
  }
  const made = rebuildMessages(layout, record, source, new Set(lostNames(record, versions)));
  for (const text of made.failures)
    note({ id, version: call, type: "messages", text: `call ${call}: ${text}` });
  const { messagesHash } = sentMessages(stored);
  if (made.hash !== undefined && made.hash !== messagesHash) {
    const text = `the messages of call ${call} are not those that were handed over: their hash is ${made.hash}, stored ${messagesHash}`;
    note({ id, version: call, type: "messages", text });
  }
  return {
    ...(await summaryOf(read, stored, record)),
    systemPrompts,
    messages: made.messages,
    entries: describeEntries(record),
    ids,
    record,
    isVerified: problems.size === 0,
    problems: [...problems.values()],
  };
}

async function summaryOf(
  read: Reader,
  stored: StoredVersion,
  record: ViewRecord,
): Promise<CallSummary> {
  const payloadHash = await payloadOf(read, stored);
  return {
    call: stored.version,
    at: stored.at,
    layout: record.layout,
    tokens: sentMessages(stored).tokens,
    ...epochOf(record),
    ...(payloadHash === undefined ? {} : { payloadHash }),
  };
}

function recordIn(
  stored: StoredVersion,
  note: (problem: ViewProblem) => void,
): ViewRecord | undefined {
  try {
    const record = viewRecord(stored);
    describeEntries(record);
    sentMessages(stored);
    return record;
  } catch (cause) {
    const { id } = stored.body;
    const { version } = stored;
    const reason = cause instanceof Error ? cause.message : String(cause);
    note({
      id,
      version,
      type: "changed",
      text: `version ${version} of object ${id} holds no view (${reason})`,
    });
    return undefined;
  }
}

function unreadable(
  call: number,
  stored: StoredVersion | undefined,
  problems: readonly ViewProblem[],
): RebuiltView {
  return {
    call,
    at: stored?.at ?? { tx_id: 0, tx_time: "" },
    layout: "",
    tokens: 0,
    systemPrompts: [],
    messages: [],
    entries: [],
    ids: new Map(),
    record: { layout: "", entries: [], turns: 0, steps: 0, workspace: "", memory: {} },
    isVerified: false,
    problems,
  };
}

async function promptsOf(
  read: Reader,
  { body }: StoredVersion,
  note: (problem: ViewProblem | undefined) => void,
): Promise<readonly SentPrompt[]> {
  const references = body["system_prompt_refs"] as Readonly<Record<string, StaticReference>>;
  const prompts: SentPrompt[] = [];
  for (const [origin, reference] of Object.entries(references)) {
    const { stored, problem } = await resolveReference(read.store, reference);
    note(problem);
    if (stored === undefined) continue;
    const { id, content } = stored.body;
    prompts.push({ origin, id, version: stored.version, text: content ?? "" });
  }
  return prompts;
}

function idsIn(session: StoredVersion | undefined): ReadonlyMap<string, ObjectId> {
  const rows = session?.body["pool"];
  if (!Array.isArray(rows)) return new Map();
  return new Map((rows as readonly PoolRow[]).map(({ id, handle }) => [handle, id]));
}

function chatIn(
  chat: StoredVersion | undefined,
  note: (problem: ViewProblem) => void,
): ChatState | undefined {
  if (chat === undefined) return undefined;
  try {
    return chatState(chat.body, "");
  } catch (cause) {
    const { id } = chat.body;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const text = `version ${chat.version} of object ${id} holds no chat (${reason})`;
    note({ id, version: chat.version, type: "changed", text });
    return undefined;
  }
}

async function loadNamed(
  read: Reader,
  record: ViewRecord,
  ids: ReadonlyMap<string, ObjectId>,
  viewId: ObjectId,
  call: number,
  note: (problem: ViewProblem | undefined) => void,
): Promise<ReadonlyMap<string, NamedVersion>> {
  const versions = new Map<string, NamedVersion>();
  for (const { handle, version } of namedVersions(record)) {
    const id = ids.get(handle);
    if (id === undefined) {
      const text = `call ${call} shows ${handle}, which its session does not have`;
      note({ id: viewId, version: call, type: "messages", text });
      continue;
    }
    const { stored, problem } = await read.named(id, version);
    note(problem);
    if (stored !== undefined) versions.set(`${handle}@${version}`, { id, handle, stored });
  }
  return versions;
}

/** The chat names its tool calls by static references: a version that was exchanged as a whole shows there. */
function checkReferences(
  versions: ReadonlyMap<string, NamedVersion>,
  chat: ChatState | undefined,
  note: (problem: ViewProblem) => void,
): void {
  const named = new Map(chat?.toolcallRefs.map((reference) => [reference.id, reference]));
  for (const { id, stored } of versions.values()) {
    const reference = named.get(id);
    const { version, at, hashes } = stored;
    if (reference === undefined || reference.tx_id !== at.tx_id) continue;
    if (reference.object_hash === hashes.object_hash) continue;
    const text = `version ${version} of object ${id} is not the one that the chat names: object_hash is ${hashes.object_hash}, named ${reference.object_hash}`;
    note({ id, version, type: "other", text });
  }
}

function sourceOf(
  chat: ChatState | undefined,
  { workspace }: ViewRecord,
  versions: ReadonlyMap<string, NamedVersion>,
): ViewSource {
  const { turns = [], compaction } = chat ?? {};
  return {
    turns,
    ...(compaction === undefined ? {} : { compaction }),
    chatHandle,
    workspace,
    object: (handle, version) => versions.get(`${handle}@${version}`),
  };
}

function lostNames(
  record: ViewRecord,
  versions: ReadonlyMap<string, NamedVersion>,
): readonly string[] {
  return namedVersions(record)
    .map(({ handle, version }) => `${handle}@${version}`)
    .filter((name) => !versions.has(name));
}

function epochOf(record: ViewRecord): Pick<CallSummary, "epoch"> {
  if (record.layout !== "epoch") return {};
  const { epoch, calls, ended_by: endedBy, left } = epochMemory(record);
  return {
    epoch: { number: epoch, call: calls, ...(endedBy === undefined ? {} : { endedBy }), left },
  };
}

/** The hash of the payload stands with the answer, in the chat as it was before the next call. */
async function payloadOf(
  { store }: Reader,
  { body, version }: StoredVersion,
): Promise<string | undefined> {
  const next = (await resolveVersion(store, body.id, { version: version + 1 })).stored;
  const { id } = body["chat_ref"] as DynamicReference;
  const asOf = next === undefined ? undefined : { txId: next.at.tx_id - 1 };
  const { stored } = await resolveVersion(store, id, asOf);
  const answers = answersIn(chatIn(stored, () => {}));
  return answers.findLast(({ view }) => view === version)?.payload_hash;
}
