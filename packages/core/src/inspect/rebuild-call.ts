import {
  defined,
  type DynamicReference,
  forgottenIn,
  type ForgottenNote,
  forgottenText,
  type JsonObject,
  type ObjectId,
  type StaticReference,
  type StoredVersion,
} from "@self-context-manager/objects";
import { chatHandle } from "../lines/handles.ts";
import { type ChatState, shownBeginning } from "../chat/chat-body.ts";
import { type DescribedEntry, namedVersions } from "../view/describe-entries.ts";
import type { Layout } from "../view/layout.ts";
import type { PoolRow } from "../view/pool-entry.ts";
import { sentMessages } from "../view/view-object.ts";
import type { ViewRecord } from "../view/view-record.ts";
import type { NamedVersion, ViewSource } from "../view/view-source.ts";
import { chatIn, payloadOf, recordIn, summaryOf } from "./call-summary.ts";
import type { KeptMessages } from "./kept-messages.ts";
import { rebuildMessages } from "./rebuild-messages.ts";
import type { RebuiltView, SentPrompt, ViewProblem } from "./rebuilt-view.ts";
import type { VersionReader } from "./version-reader.ts";

/** The place of a call's view in the store. */
export interface ViewPlace {
  readonly sessionId: ObjectId;
  /** The id of the view object. */
  readonly id: ObjectId;
  readonly call: number;
}

/**
 * Rebuilds the view of a call and compares it with the sent messages. With kept messages and a reader in turn, the next
 * calls cost only what they have more.
 */
export async function rebuildCall(
  read: VersionReader,
  layouts: readonly Layout[],
  { sessionId, id, call }: ViewPlace,
  kept?: KeptMessages,
): Promise<RebuiltView> {
  const problems = new Map<string, ViewProblem>();
  const note = (problem: ViewProblem | undefined): void => {
    if (problem !== undefined) problems.set(problem.text, problem);
  };
  const found = await read.version(id, { version: call });
  note(found.problem);
  const { stored } = found;
  const recorded = stored === undefined ? undefined : recordIn(stored, layouts, note, kept?.entry);
  if (stored === undefined || recorded === undefined)
    return unreadable(call, stored, [...problems.values()]);
  const { record, layout, entries } = recorded;
  const asOf = { txId: stored.at.tx_id };
  const session = await read.version(sessionId, asOf);
  note(session.problem);
  const chat = await read.version((stored.body["chat_ref"] as DynamicReference).id, asOf);
  note(chat.problem);
  const systemPrompts = await promptsOf(read, stored, note);
  const ids = idsIn(session.stored);
  const state = chatIn(chat.stored, note);
  const versions = await loadNamed(read, entries, ids, id, call, note);
  checkReferences(versions, state, note);
  const source = sourceOf(state, record, versions);
  if (layout === undefined) {
    const text = `version ${call} of object ${id} was made by the layout ${record.layout}, which this program does not have`;
    note({ id, version: call, type: "messages", text });
  }
  const { messagesHash } = sentMessages(stored);
  const lost = new Set(lostNames(entries, versions));
  const messages = kept === undefined ? undefined : { messages: kept, sentHash: messagesHash };
  const made = rebuildMessages(layout, record, source, lost, messages);
  for (const text of made.failures)
    note({ id, version: call, type: "messages", text: `call ${call}: ${text}` });
  const forgotten = forgottenOf(stored, chat.stored, versions.values());
  if (made.hash !== undefined && made.hash !== messagesHash && forgotten !== undefined) {
    const text = `the messages of call ${call} are not all that was sent: a part ${forgottenText(forgotten)}`;
    note({ id, version: call, type: "forgotten", text });
  } else if (made.hash !== undefined && made.hash !== messagesHash) {
    const text = `the rebuilt messages of call ${call} differ from the sent ones: their hash is ${made.hash}, stored ${messagesHash}`;
    note({ id, version: call, type: "messages", text });
  }
  return {
    ...summaryOf(stored, record, layout, await payloadOf(read, stored)),
    systemPrompts,
    messages: made.messages,
    entries,
    ids,
    record,
    isVerified: [...problems.values()].every(({ type }) => type === "forgotten"),
    problems: [...problems.values()],
  };
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
  read: VersionReader,
  { body }: StoredVersion,
  note: (problem: ViewProblem | undefined) => void,
): Promise<readonly SentPrompt[]> {
  const references = body["system_prompt_refs"] as Readonly<Record<string, StaticReference>>;
  const prompts: SentPrompt[] = [];
  for (const [origin, reference] of Object.entries(references)) {
    const { stored, problem } = await read.referred(reference);
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

async function loadNamed(
  read: VersionReader,
  entries: readonly DescribedEntry[],
  ids: ReadonlyMap<string, ObjectId>,
  viewId: ObjectId,
  call: number,
  note: (problem: ViewProblem | undefined) => void,
): Promise<ReadonlyMap<string, NamedVersion>> {
  const versions = new Map<string, NamedVersion>();
  for (const { handle, version } of namedVersions(entries).values()) {
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

/**
 * Compares the loaded tool calls and user objects with the static references of the chat. This finds a version that was replaced as a
 * whole, with matching hashes.
 */
function checkReferences(
  versions: ReadonlyMap<string, NamedVersion>,
  chat: ChatState | undefined,
  note: (problem: ViewProblem) => void,
): void {
  const { toolcallRefs = [], userRefs = [] } = chat ?? {};
  const named = new Map([...toolcallRefs, ...userRefs].map((one) => [one.id, one]));
  for (const { id, stored } of versions.values()) {
    const reference = named.get(id);
    const { version, at, hashes } = stored;
    if (reference === undefined || reference.tx_id !== at.tx_id) continue;
    if (reference.object_hash === hashes.object_hash) continue;
    // The view says so.
    if (forgottenIn(stored.body) !== undefined) continue;
    const text = `version ${version} of object ${id} is not the one to which the chat refers: object_hash is ${hashes.object_hash}, the reference has ${reference.object_hash}`;
    note({ id, version, type: "other", text });
  }
}

/** Returns when and why the newest part was forgotten of what a call showed; undefined if nothing was. */
function forgottenOf(
  view: StoredVersion,
  chat: StoredVersion | undefined,
  versions: Iterable<NamedVersion>,
): ForgottenNote | undefined {
  const shown = [view, ...(chat === undefined ? [] : [chat])].map(({ body }) => body as JsonObject);
  for (const { stored } of versions) shown.push(stored.body);
  return shown
    .flatMap((body) => forgottenIn(body) ?? [])
    .toSorted((one, other) => (one.at < other.at ? -1 : 1))
    .at(-1);
}

function sourceOf(
  chat: ChatState | undefined,
  { workspace }: ViewRecord,
  versions: ReadonlyMap<string, NamedVersion>,
): ViewSource {
  const { turns = [] } = chat ?? {};
  const compaction = chat && shownBeginning(chat);
  return {
    turns,
    ...defined({ compaction }),
    chatHandle,
    workspace,
    object: (handle, version) => versions.get(`${handle}@${version}`),
  };
}

function lostNames(
  entries: readonly DescribedEntry[],
  versions: ReadonlyMap<string, NamedVersion>,
): readonly string[] {
  return [...namedVersions(entries).keys()].filter((name) => !versions.has(name));
}
