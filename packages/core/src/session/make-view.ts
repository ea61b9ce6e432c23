import {
  defined,
  type ObjectId,
  presenceOf,
  rangesWithin,
  type StaticReference,
  staticReference,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";
import { turnTalk } from "../chat/turn-talk.ts";
import { chatHandle } from "../lines/handles.ts";
import { likelyTokens, ratioOf } from "../cost/calibration.ts";
import { type ClassTokens, sumOfClasses, totalOf } from "../cost/class-tokens.ts";
import { type CostAccount, countCall, emptyAccount } from "../cost/cost-account.ts";
import type { TokenEstimator } from "../cost/token-estimator.ts";
import type { ActivationPolicy, UseKey } from "../policy/activation-policy.ts";
import { classTokens } from "../render/message-tokens.ts";
import { describeEntries } from "../view/describe-entries.ts";
import { retireGone } from "../state/retire-gone.ts";
import { leaveActive } from "../state/set-active.ts";
import { commitSession, type SessionScope } from "../state/session-scope.ts";
import type { ObjectPool } from "../state/object-pool.ts";
import type { SessionState } from "../state/session-state.ts";
import type {
  ActiveObject,
  EpochFigures,
  EpochInput,
  LayoutInput,
  LayoutOutput,
  Liveness,
} from "../view/layout.ts";
import type { PoolEntry } from "../view/pool-entry.ts";
import { messagesHash } from "../view/message-hash.ts";
import { viewBody } from "../view/view-object.ts";
import type { ViewRecord } from "../view/view-record.ts";
import { cacheCost, cacheUse, usualPrices } from "./cache-cost.ts";
import {
  addedTokens,
  firstChangedPlace,
  type PlacedMessage,
  withAdded,
  withoutAdded,
} from "./added-messages.ts";
import { budgetOf } from "./budget.ts";
import { followChanges } from "./follow-changes.ts";
import { withHeldTexts } from "./held-texts.ts";
import { linkNotes } from "./link-notes.ts";
import { joinLinked } from "./linked-objects.ts";
import { plainMessages } from "./plain-messages.ts";
import type { View, ViewOptions } from "./view-options.ts";

/**
 * Makes the view of the next call, and stores its record with the session before the call is sent. So every call that a
 * provider got can be rebuilt.
 */
export async function makeView(
  scope: SessionScope,
  options: ViewOptions,
  estimator: TokenEstimator,
  added: readonly PlacedMessage[] = [],
): Promise<View> {
  await derived(scope, joinLinked);
  const notes = (await derived(scope, linkNotes)) ?? [];
  const rendered = await renderedView(scope, options, estimator, added, notes);
  const { output, account, sent, view } = rendered;
  takeOut(scope, output);
  scope.state.active.noteSent();
  if (output.epoch?.isNew === true) retireGone(scope.state, output.record.entries);
  scope.state.sent.setAccount(account, { waits: output.epoch === undefined });
  const call = await storeView(scope, options, output, sent);
  scope.dependencies.documents?.request();
  return { ...view, call };
}

/** Does what needs the derived indexes. A fault of one of them is logged, and costs no view. */
async function derived<Result>(
  scope: SessionScope,
  work: (scope: SessionScope) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work(scope);
  } catch (error) {
    // If the store itself fails, the commit of the view reports it.
    scope.dependencies.logger.warn("the links of documents could not be followed", { error });
    return undefined;
  }
}

/**
 * Returns the view that the next call would get. No call is recorded, and no object becomes inactive. Changes of files
 * that were noticed until now are stored.
 */
export async function lookAtView(
  scope: SessionScope,
  options: ViewOptions,
  estimator: TokenEstimator,
): Promise<View> {
  const { view } = await renderedView(scope, options, estimator);
  // A new session that was only looked at is not stored.
  if (scope.state.version > 0) await commitSession(scope);
  return { ...asOfLastCall(view, scope), call: 0 };
}

interface Rendered {
  readonly output: LayoutOutput;
  readonly account: CostAccount;
  /** The raw tokens of the messages. */
  readonly sent: ClassTokens;
}

interface RenderedView extends Rendered {
  readonly view: Omit<View, "call">;
}

async function renderedView(
  scope: SessionScope,
  options: ViewOptions,
  estimator: TokenEstimator,
  added: readonly PlacedMessage[] = [],
  notes: readonly string[] = [],
): Promise<RenderedView> {
  await followChanges(scope);
  const rendered = await renderView(scope, options, estimator, added, notes);
  const { output, account } = rendered;
  const layout = scope.dependencies.layout.name;
  return { ...rendered, view: { ...output, layout, account } };
}

/**
 * Returns an unsent view with the figures of the calls that were sent. The cost and the epoch of the unsent view itself
 * never take effect.
 */
function asOfLastCall(
  { epoch, account: _unsent, ...view }: Omit<View, "call">,
  { dependencies: { layout }, state }: SessionScope,
): Omit<View, "call"> {
  const { account, view: last } = state.sent;
  const withoutEpoch = { ...view, ...defined({ account }) };
  if (epoch === undefined || last?.record.layout !== view.layout) return withoutEpoch;
  const { endedBy: _unsentEnd, ...figures } = epoch;
  return { ...withoutEpoch, epoch: { ...figures, ...layout.epochOf?.(last.record), isNew: false } };
}

/** Returns the view of the next call and its cost. Nothing in the session changes. */
export async function renderView(
  scope: SessionScope,
  options: ViewOptions,
  estimator: TokenEstimator,
  added: readonly PlacedMessage[] = [],
  notes: readonly string[] = [],
): Promise<Rendered> {
  const { dependencies, state } = scope;
  const { layout } = dependencies;
  const active = await activeObjects(scope);
  const last = lastRecord(scope);
  const spent = addedTokens(added, estimator);
  const before = last === undefined ? undefined : state.sent.view?.record;
  const changedFrom = firstChangedPlace(before, added);
  const input = await inputOf(scope, options, estimator, {
    active,
    last,
    spent,
    changedFrom,
    notes,
  });
  const rendered = await withHeldTexts(scope, (asked) =>
    layout.render({ ...input, epochs: { ...input.epochs, ...asked } }, last),
  );
  const output = withAdded(rendered, added, { estimator, ...defined({ last: before }) });
  const { isCold: isCacheCold } = cacheCost(scope, options);
  const plain = plainMessages(scope, active, estimator);
  const sent = classTokens(output.messages, estimator);
  const others = classTokens(
    added.map(({ message }) => message),
    estimator,
  );
  const account = accountOf(state, options, output.epoch, {
    messages: sent,
    plain: sumOfClasses(plain, others),
    isCold: isCacheCold,
  });
  return { output, account, sent };
}

/** Removes the objects from the active set that the layout removed from the view. */
export function takeOut(scope: SessionScope, { deactivated = [] }: LayoutOutput): void {
  for (const id of deactivated) leaveActive(scope, id);
}

async function storeView(
  scope: SessionScope,
  options: ViewOptions,
  output: LayoutOutput,
  sent: ClassTokens,
): Promise<number> {
  const { state, dependencies } = scope;
  const { clock } = dependencies;
  const { metadata, chat, active } = output.tokens;
  const tokens = metadata + chat + active;
  const id = state.sent.viewId ?? dependencies.ids.next();
  const sentAt = clock?.now();
  const facts = {
    record: output.record,
    tokens,
    ...defined({ cache: sentAt === undefined ? undefined : cacheUse(options, sentAt) }),
  };
  const body = viewBody({
    id,
    sessionId: state.id,
    chatId: state.chat.id,
    systemPrompts: await systemPrompts(scope),
    messagesHash: messagesHash(output.messages),
    ...facts,
  });
  state.sent.begin(id, sent);
  const [stored] = await commitSession(scope, [{ body }]);
  if (stored === undefined) throw new TypeError("the store returned no version for the view");
  state.sent.setView({ id, call: stored.version, isAnswered: false, ...facts });
  return stored.version;
}

/** Returns the versions of the system prompts that are sent with a call. */
async function systemPrompts({
  state,
  dependencies,
}: SessionScope): Promise<ReadonlyMap<string, StaticReference>> {
  const { promptVersions } = state.sent;
  const unknown = [...state.sent.systemPrompts.values()].filter((id) => !promptVersions.has(id));
  const found = unknown.length === 0 ? [] : await dependencies.store.describe(unknown);
  for (const stored of found)
    if (stored !== undefined) state.sent.notePromptVersion(staticReference(stored));
  const named = new Map<string, StaticReference>();
  for (const [origin, id] of state.sent.systemPrompts) {
    const reference = promptVersions.get(id);
    if (reference !== undefined) named.set(origin, reference);
  }
  return named;
}

/** The raw tokens of a call's messages and of those that the plain host would send. */
interface SentTokens {
  readonly messages: ClassTokens;
  readonly plain: ClassTokens;
  readonly isCold: boolean;
}

/**
 * Returns the account with a call. The messages of a layout without epochs are assumed to differ from the first one on,
 * until the provider reports what it found in its cache.
 */
function accountOf(
  { sent: { account = emptyAccount, calibration } }: SessionState,
  { prices = usualPrices, ownTokens = 0 }: ViewOptions,
  figures: EpochFigures | undefined,
  { messages, plain, isCold: isCacheCold }: SentTokens,
): CostAccount {
  return countCall(account, prices, {
    promptTokens: figures?.promptTokens ?? totalOf(messages),
    sharedTokens: figures?.cachedTokens ?? 0,
    plainTokens: totalOf(plain),
    overheadTokens: calibration.overhead,
    ownTokens,
    factor: ratioOf(calibration, messages),
    likely: {
      sent: likelyTokens(calibration, messages),
      plain: likelyTokens(calibration, plain),
    },
    isCold: isCacheCold,
  });
}

/** Returns the record of the last view, as the layout made it; undefined if another layout made it. */
function lastRecord({ state, dependencies }: SessionScope): ViewRecord | undefined {
  const record = state.sent.view?.record;
  return record?.layout === dependencies.layout.name ? withoutAdded(record) : undefined;
}

/** Returns the decisions of a policy about content in view, for an order of use. */
function livenessOf(policy: ActivationPolicy, recent: readonly UseKey[]): Liveness {
  const used = new Set(recent);
  return {
    keepsArguments: policy.keepsArguments(recent),
    stays: policy.staysAtSweep(recent),
    isDeactivated: (key) => !used.has(key),
  };
}

/** What the input of a layout is made from. `spent` are the tokens of added messages. */
interface Prepared {
  readonly active: readonly ActiveObject[];
  readonly last: ViewRecord | undefined;
  readonly spent: number;
  readonly changedFrom: number | undefined;
  readonly notes: readonly string[];
}

async function inputOf(
  scope: SessionScope,
  options: ViewOptions,
  estimator: TokenEstimator,
  { active, last, spent, changedFrom, notes }: Prepared,
): Promise<LayoutInput> {
  const { state, dependencies } = scope;
  const { policy, layout, toolFacts } = dependencies;
  const names =
    last === undefined ? [] : (layout.needs?.(last, active, latestIn(state.pool)) ?? []);
  return {
    turns: state.chat.turns,
    ...defined({ compaction: state.chat.beginning }),
    chatHandle,
    pool: state.pool.entries,
    poolRevision: state.pool.revision,
    handles: state.pool.handles,
    active,
    versions: await loadVersions(scope, names),
    workspace: dependencies.workspace,
    estimator,
    calibration: state.sent.calibration,
    ...defined({ thinking: options.thinking }),
    ...(state.sent.leftOut.length === 0 ? {} : { leftOut: state.sent.leftOut }),
    ...(notes.length === 0 ? {} : { notes }),
    ...budgetOf(state, options, spent),
    epochs: {
      broughtIn: state.pool.broughtIn(),
      liveness: livenessOf(policy, state.uses.recent),
      cache: cacheCost(scope, options),
      ...defined({
        toolFacts,
        head: options.head,
        isTurnFixed: options.isTurnFixed,
        summaryOf: shortSummaries(state),
        unfolded: state.unfolded.turns.length === 0 ? undefined : state.unfolded.turns,
        changedFrom,
        forgottenFrom: forgottenPlace(state, last),
        lastCall: last === undefined ? undefined : state.sent.view?.call,
      }),
    },
  };
}

const latest = new WeakMap<
  ObjectPool,
  { readonly revision: number; readonly isLatest: (handle: string, version: number) => boolean }
>();

/** Returns whether the pool has a version of an object. It is the same function until a known object changes. */
function latestIn(pool: ObjectPool): (handle: string, version: number) => boolean {
  const { revision } = pool;
  const before = latest.get(pool);
  if (before?.revision === revision) return before.isLatest;
  const isLatest = (handle: string, version: number): boolean => {
    const id = pool.handles.get(handle);
    return id !== undefined && pool.get(id)?.stored.version === version;
  };
  latest.set(pool, { revision, isLatest });
  return isLatest;
}

/**
 * Returns the index of the first entry of the last view of which something was forgotten since; undefined if nothing was.
 * Of a chat it is not known which messages changed.
 */
function forgottenPlace(
  { sent, pool, chat }: SessionState,
  last: ViewRecord | undefined,
): number | undefined {
  const forgotten = sent.view?.forgotten;
  if (forgotten === undefined || last === undefined) return undefined;
  if (forgotten.includes(chat.id)) return 0;
  const handles = new Set(forgotten.map((id) => pool.get(id)?.handle));
  const index = describeEntries(last.entries).findIndex(({ versions }) =>
    versions.some(({ handle }) => handles.has(handle)),
  );
  return index === -1 ? undefined : index;
}

/** Returns the short summaries of a session's turns; undefined if it has none. */
function shortSummaries({ chat, summaries }: SessionState): EpochInput["summaryOf"] {
  if (summaries.size === 0) return undefined;
  return (index) => {
    const turn = chat.turns[index];
    return turn === undefined ? undefined : summaries.shortOf(turnTalk(turn).key);
  };
}

/** Returns versions by `handle@version`, if the store has them. They are kept as long as the view names them. */
async function loadVersions(
  { state, dependencies, contents, inView }: SessionScope,
  names: readonly string[],
): Promise<ReadonlyMap<string, StoredVersion | StoredMetadata>> {
  const found = new Map<string, StoredVersion | StoredMetadata>();
  const latest: { readonly name: string; readonly id: ObjectId }[] = [];
  for (const name of names) {
    const at = name.lastIndexOf("@");
    const id = state.pool.handles.get(name.slice(0, at));
    const version = Number(name.slice(at + 1));
    if (id === undefined) continue;
    const held = inView.get(name) ?? contents.get(id);
    if (held?.version === version) found.set(name, held);
    else if (state.pool.get(id)?.stored.version === version) latest.push({ name, id });
    else {
      const stored = await dependencies.store.get(id, { version });
      if (stored !== undefined) found.set(name, stored);
    }
  }
  if (latest.length > 0) {
    const loaded = await dependencies.store.getMany(latest.map(({ id }) => id));
    for (const [index, stored] of loaded.entries()) {
      const name = latest[index]?.name;
      if (stored !== undefined && name?.endsWith(`@${stored.version}`) === true)
        found.set(name, stored);
    }
  }
  inView.clear();
  for (const [name, stored] of found) inView.set(name, stored);
  // The content of an active object is loaded here, so it needs no read from the store when the object becomes
  // inactive.
  for (const [id, stored] of contents) {
    const handle = state.pool.get(id)?.handle;
    if (handle !== undefined) inView.set(`${handle}@${stored.version}`, stored);
  }
  return found;
}

async function activeObjects({
  state,
  contents,
  dependencies,
}: SessionScope): Promise<readonly ActiveObject[]> {
  await loadContents(state, contents, dependencies);
  const objects: ActiveObject[] = [];
  for (const [id, activation] of state.active.activations) {
    const entry = state.pool.get(id);
    const stored = contents.get(id);
    if (entry === undefined || stored === undefined) continue;
    // A file that is gone, or is no longer text, has nothing to show.
    if (isWithoutText(entry)) continue;
    if (stored.body.content === null && stored.body["blocks"] === undefined) continue;
    const asked = activation.ranges;
    const ranges = asked === undefined ? undefined : rangesWithin(asked, stored.body.content ?? "");
    objects.push({
      entry,
      stored,
      isPinned: state.active.pinned.has(id),
      ...defined({ ranges }),
      ...(activation.asked === undefined ? {} : { isAsked: true }),
    });
  }
  return objects;
}

/** Loads the versions of the active objects that are to be shown. */
async function loadContents(
  state: SessionState,
  contents: Map<ObjectId, StoredVersion>,
  { store }: SessionScope["dependencies"],
): Promise<void> {
  const newest: ObjectId[] = [];
  for (const [id, { version }] of state.active.activations) {
    const entry = state.pool.get(id);
    const held = contents.get(id);
    const wanted = version ?? held?.version;
    if (entry === undefined || (held !== undefined && held.version === wanted)) continue;
    if (wanted === undefined || wanted === entry.stored.version) {
      newest.push(id);
      continue;
    }
    const stored = await store.get(id, { version: wanted });
    if (stored === undefined) contents.delete(id);
    else contents.set(id, stored);
  }
  for (const stored of await store.getMany(newest))
    if (stored !== undefined) contents.set(stored.body.id, stored);
}

function isWithoutText({ stored }: PoolEntry): boolean {
  const presence = presenceOf(stored.body);
  return presence === "missing" || presence === "non_text";
}
