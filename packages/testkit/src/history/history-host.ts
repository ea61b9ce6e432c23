import type { ContextSession } from "@self-context-manager/core";
import type { ObjectStore } from "@self-context-manager/objects";
import assert from "node:assert/strict";

import type { ModelReply, ModelRequest } from "../harness/model-request.ts";
import { blue, red } from "../harness/samples.ts";
import { memoryFolder } from "../harness/scripted/memory-folder.ts";
import type { SavedSession } from "../harness/scripted/scripted-harness.ts";
import type { ScriptedMessage } from "../harness/scripted/scripted-message.ts";
import type { StorePlace } from "@self-context-manager/store-contract";
import {
  type BreakingPlugin,
  type HistorySession,
  historySession,
  type OpenTriedSession,
} from "./history-session.ts";
import { checkRequest, type HostLine, type Said, tokenText } from "./host-line.ts";
import { type MortalStore, mortalStore } from "./mortal-store.ts";
import type { HistoryStep, Run, SessionHistory } from "./session-move.ts";
import { checkNothingWoke, checkRestoredSets, type SessionSets, setsOf } from "./session-sets.ts";

export interface HistoryHostOptions extends Pick<SessionHistory, "identifiedBy" | "contextWindow"> {
  readonly place: StorePlace;
  readonly openSession: OpenTriedSession;
  readonly breaking?: BreakingPlugin | undefined;
}

/** A session that the host has closed for now. */
interface PutAway {
  readonly saved: SavedSession;
  readonly line: HostLine;
  readonly abandoned: readonly HostLine[];
  /** Whether only the next prompt will show that the host went back. */
  readonly isSilent: boolean;
}

/**
 * The scripted harness with several sessions on one store. It checks every request. See `SessionMove` for its
 * actions.
 */
export interface HistoryHost extends AsyncDisposable {
  readonly session: () => HistorySession;
  readonly store: () => ObjectStore;
  /** By session: the prompts that the session has certainly ingested. */
  readonly said: ReadonlyMap<string, ReadonlySet<string>>;
  /** Returns how many prompts the host's list contains. */
  readonly promptCount: () => number;
  readonly sessionCount: () => number;
  readonly abandonedCount: () => number;
  run(run: Run): Promise<void>;
  branch(prompt: number, isReported: boolean): Promise<void>;
  returnTo(branch: number): Promise<void>;
  fork(prompt: number): Promise<void>;
  switchTo(session: number): Promise<void>;
  replay(): Promise<void>;
  truncate(count: number): void;
  compact(by: "host" | "user"): Promise<void>;
  resume(): Promise<void>;
  crash(
    at: { readonly commits: number; readonly isStored: boolean },
    lost: number,
    run: Run,
  ): Promise<void>;
  runOff(run: Run): Promise<void>;
}

/** Opens the host with an empty session. Times and ids count up, so that a history is the same in each run. */
export async function openHistoryHost(options: HistoryHostOptions): Promise<HistoryHost> {
  const { place, contextWindow, identifiedBy } = options;
  const hasNames = identifiedBy !== "nothing";
  const folder = memoryFolder({
    "a.txt": "text of a\n".repeat(30),
    "b.txt": "text of b\n",
    "c.txt": "text of c\n".repeat(90),
    "p.png": Buffer.from(blue, "base64"),
  });
  const stores: ObjectStore[] = [];
  const surelySaid = new Map<string, Set<string>>();
  const away = new Map<string, PutAway>();
  /** The messages that a session has ingested, each as its session and its id. */
  const ingested = new Set<string>();
  const asked = new Set<string>();
  const deactivated = new Set<string>();
  let hasFiles = false;
  /** Whether the user has sent a picture since the sets were last compared. */
  let isSent = false;
  /** The ids of the objects that the model has deactivated. */
  let off: ReadonlySet<string> = new Set();
  let abandoned: readonly HostLine[] = [];
  let said: readonly Said[] = [];
  let summary: string | undefined;
  let count = 0;
  let calls = 0;
  let steps: HistoryStep[] = [];
  let breaksOff = false;
  let isOn = true;
  /**
   * Whether the session has ingested every event when it happened. Then its current sets are those that going back
   * restores.
   */
  let isWhole = true;
  /** Whether the session has ingested the host's whole list. */
  let isTaken = true;
  /**
   * Whether the host went back to a point that shares no message with its list. Only the host's report shows that.
   */
  let needsWord = false;
  /** Whether the host went back without a report, so that only the next prompt shows it. */
  let isSilent = false;
  /**
   * Whether the session can recognise the list only by the words of one earlier prompt, because messages have no names and
   * the list lost its beginning. A session that is opened again cannot know which of its prompts had these words.
   */
  let isFaint = false;
  /** Whether the host reported that it went back, and the session has not seen the host's list since. */
  let isReportPending = false;
  /** Whether the host lost messages in a crash. Its next prompt then rewinds the session to the point before them. */
  let isBehind = false;
  /** Whether the list has lost its oldest messages since the session last ingested it. */
  let isCut = false;
  /**
   * Whether the list had lost its oldest messages when the session was opened again. The session does not remember
   * this.
   */
  let isCutForgotten = false;
  let wasCut = false;
  let before: { readonly type: "then" | "since"; readonly sets: SessionSets } | undefined;
  let mortal = await openStore();
  let current = open({ sessionId: "s1", messages: [], count: 0, compactions: 0 });

  async function openStore(): Promise<MortalStore> {
    const store = await place.open({ clock: { now: () => 1_700_000_000_000 } });
    stores.push(store);
    return mortalStore(store);
  }

  function open(saved: SavedSession): HistorySession {
    isCutForgotten = wasCut;
    const { store } = mortal;
    return historySession({ ...options, store, folder, saved, model: reply, assembled });
  }

  const isManaged = (): boolean => isOn && !mortal.isDead();

  async function assembled(session: () => Promise<ContextSession>): Promise<void> {
    if (!isManaged()) return;
    for (const { id } of current.harness.messages) ingested.add(`${current.id} ${id}`);
    const now = await setsOf(await session());
    if (before?.type === "then") checkRestoredSets(before.sets, now, { isSent });
    off =
      before?.type === "since"
        ? checkNothingWoke(before.sets, now, off, { asked, deactivated, hasFiles, isSent })
        : new Set();
    before = { type: "since", sets: now };
    asked.clear();
    deactivated.clear();
    hasFiles = isSent = false;
  }

  function reply(request: ModelRequest): ModelReply {
    if (isManaged()) {
      assert.ok(
        !mortal.isOwed(),
        "all commits that a request is based on are on the disk when it is sent",
      );
      checkRequest(request, { said, summary }, contextWindow !== undefined);
    }
    const bytes = request.messages.reduce((sum, one) => sum + one.bytes.length, 0);
    const tokens = contextWindow === undefined ? {} : { tokens: Math.ceil(bytes / 3) + 300 };
    const step = steps.shift();
    if (step !== undefined) return { text: "", calls: callsOf(step), ...tokens };
    count += 1;
    return { text: `answer ${count}`, calls: [], fails: breaksOff, ...tokens };
  }

  function callsOf(step: HistoryStep): ModelReply["calls"] {
    if (step.type === "context") {
      calls += 1;
      if (step.tool === "deactivate") name(deactivated, step.target);
      else if (step.tool !== "unpin") name(asked, step.target);
      const isNoted = step.tool === "deactivate" && step.hasNote === true;
      const note = isNoted ? { note: `note ${calls} of ${step.target}` } : {};
      return [{ id: `call_${calls}`, name: step.tool, arguments: { id: step.target, ...note } }];
    }
    return step.calls.map(({ tool, file }) => {
      calls += 1;
      hasFiles = true;
      if (tool === "read") name(asked, file);
      const path = tool === "photo" ? "p.png" : file;
      const text = tool === "write" ? { text: `text ${calls} of ${file}\n` } : {};
      return { id: `call_${calls}`, name: tool, arguments: { path, ...text } };
    });
  }

  function name(names: Set<string>, target: string): void {
    names.add(target);
    names.add(`${folder.path}/${target}`);
  }

  async function sets(): Promise<SessionSets | undefined> {
    return isWhole ? await setsOf(await current.session()) : undefined;
  }

  async function run(one: Run, begin: () => void = () => undefined): Promise<void> {
    count += 1;
    const text = tokenText("prompt", count);
    const setsBefore = isManaged() ? await sets() : undefined;
    begin();
    if (one.hasNote) current.harness.note(`note ${count}`);
    const id = `m${current.harness.save().count + 1}`;
    said = [...said, { text, id, before: setsBefore }];
    steps = [...one.steps];
    ({ breaksOff } = one);
    isSent ||= one.hasPicture;
    await current.harness.prompt(text, one.hasPicture ? [red] : []);
    isWhole = isManaged();
    isTaken = isManaged();
    if (!isManaged()) before = undefined;
    else needsWord = isCut = isSilent = isBehind = false;
    isReportPending = false;
    const surely = surelySaid.get(current.id) ?? new Set();
    surelySaid.set(current.id, isManaged() ? surely.add(text) : surely);
  }

  async function line(): Promise<HostLine> {
    return { messages: [...current.harness.messages], said, summary, sets: await sets() };
  }

  function continueFrom(target: Omit<HostLine, "messages">): void {
    ({ said, summary } = target);
    before = target.sets === undefined ? undefined : { type: "then", sets: target.sets };
    isWhole = false;
    isTaken = false;
  }

  async function putAway(): Promise<void> {
    const saved = current.harness.save();
    loseReport();
    const kept = { ...(await line()), sets: undefined };
    away.set(current.id, { saved, line: kept, abandoned, isSilent });
  }

  function promptAt(prompt: number): { readonly message: ScriptedMessage; readonly index: number } {
    const message = current.harness.messages.filter(({ kind }) => kind === "human")[prompt];
    const index = said.findIndex(({ id }) => id === message?.id);
    assert.ok(message !== undefined && index !== -1, "the prompt is one that the model must see");
    return { message, index };
  }

  async function versions(): Promise<number> {
    return (await mortal.store.changesSince()).versions.length;
  }

  /** Whether the session has ingested a prompt or an answer. */
  function wasIngested(message: ScriptedMessage): boolean {
    return isSpoken(message) && ingested.has(`${current.id} ${message.id}`);
  }

  /** Whether a session that is opened again can follow the host. */
  function canReopen(): boolean {
    return !needsWord && !(isSilent && isFaint);
  }

  /** Whether the session recognises these messages only by the words of one prompt. See `isFaint`. */
  function isFaintIn(kept: readonly ScriptedMessage[]): boolean {
    const [shared, ...more] = kept.filter(wasIngested);
    const hasBeginning = !isCut && !isCutForgotten && !kept.some(({ kind }) => kind === "summary");
    return !hasNames && !hasBeginning && more.length === 0 && shared?.kind === "human";
  }

  /** A session that is opened again no longer has the host's report. */
  function loseReport(): void {
    isSilent ||= isReportPending;
    isReportPending = false;
  }

  async function reopen(saved: SavedSession): Promise<void> {
    mortal = await openStore();
    current = open(saved);
    loseReport();
  }

  return {
    session: () => current,
    store: () => mortal.store,
    said: surelySaid,
    promptCount: () => current.harness.messages.filter(({ kind }) => kind === "human").length,
    sessionCount: () => away.size,
    abandonedCount: () => abandoned.length,
    run: async (one) => await run(one),
    async branch(prompt, isReported) {
      const { message, index } = promptAt(prompt);
      const { messages } = current.harness;
      const kept = messages.slice(0, messages.indexOf(message));
      const shared = kept.filter(wasIngested);
      const isShared = shared.length > 0;
      if (!isShared && (isCut || isCutForgotten)) return;
      // If a summary was cut off as well, the session cannot know whether the messages before the first prompt
      // precede it.
      const isKept = kept.some((one) => one.kind === "summary" && one.text === summary);
      if (!isShared && summary !== undefined && !isKept) return;
      // A session that was opened again cannot know which messages the host's own summary replaces.
      if (!isShared && kept.some((one) => one.kind === "summary" && one.text !== summary)) return;
      abandoned = [...abandoned, await line()];
      // The session may not have seen yet that the host went back before, for example while the adapter was off.
      needsWord ||= !isShared;
      isSilent = !needsWord && !isReported;
      isFaint = isFaintIn(kept);
      isReportPending = !isSilent;
      current.harness.goBack(prompt, { isReported: isReported || needsWord });
      // A summary that the session never ingested does not show which message it ends at.
      const before = isShared || isTaken ? said[index]?.before : undefined;
      continueFrom({ said: said.slice(0, index), summary, sets: before });
    },
    async returnTo(branch) {
      const target = abandoned[branch];
      if (target === undefined) return;
      const shown = new Set(current.harness.messages.map(({ id }) => id));
      const isShared = target.messages.some((one) => isSpoken(one) && shown.has(one.id));
      // To the session, messages that it never ingested look like the continuation of a list that lost its beginning.
      const known = surelySaid.get(current.id);
      const hasLost = isCut || (said[0] !== undefined && !shown.has(said[0].id));
      if (!isShared && hasLost && !target.said.every(({ text }) => known?.has(text) === true))
        return;
      // A list without any message that the session ingested does not show which prompts were before it.
      if (!isShared && !target.messages.some(wasIngested) && target.said.length > 0) return;
      abandoned = [...abandoned.filter((one) => one !== target), await line()];
      needsWord ||= !isShared;
      isReportPending = true;
      current.harness.goTo(target.messages);
      continueFrom(target);
    },
    async fork(prompt) {
      const { message } = promptAt(prompt);
      if (!canReopen()) return;
      await putAway();
      isSilent = false;
      const { messages } = current.harness;
      const first = messages.findIndex(({ kind }) => kind !== "output");
      const kept = messages.slice(first, messages.indexOf(message));
      count += 1;
      const saved = { ...current.harness.save(), sessionId: `s${count}`, messages: kept };
      current = open(saved);
      abandoned = [];
      // A forked session knows only the messages of its own list.
      const known = new Set(kept.map(({ id }) => id));
      const has = kept.some(
        ({ kind, ...rest }) => kind === "summary" && "text" in rest && rest.text === summary,
      );
      continueFrom({
        said: said.filter(({ id }) => known.has(id)).map((one) => ({ ...one, before: undefined })),
        summary: has ? summary : undefined,
        sets: undefined,
      });
      isTaken = false;
    },
    async switchTo(session) {
      const [id, target] = [...away][session] ?? [];
      if (id === undefined || target === undefined || id === current.id || !canReopen()) return;
      await putAway();
      current = open(target.saved);
      ({ abandoned, isSilent } = target);
      continueFrom(target.line);
      isTaken = false;
    },
    async replay() {
      const { messages } = current.harness;
      if (messages.length === 0 || isSilent) return;
      await current.plugin.assemble?.(messages);
      const stored = await versions();
      // A summary ingests the list as well and sends nothing.
      await current.plugin.summary?.(messages);
      assert.equal(await versions(), stored, "known messages add no version");
      if (isBehind) before = undefined;
      isReportPending = false;
      isTaken = true;
      isWhole = false;
    },
    truncate(dropped) {
      const { length } = current.harness.messages;
      // If a message is dropped before it was ingested, no session can know of it.
      if (!isTaken) return;
      current.harness.truncate(Math.min(dropped, Math.max(0, length - 1)));
      isCut = true;
      wasCut = true;
    },
    async compact(by) {
      const { messages } = current.harness;
      const first = messages.findLast(({ kind }) => kind === "human")?.id;
      if (by === "host") return await current.harness.compact();
      if (first === undefined || messages[0]?.id === first) return;
      count += 1;
      summary = tokenText("summary", count);
      said = said.slice(said.findIndex(({ id }) => id === first));
      isTaken = false;
      if (before?.type === "then") before = undefined;
      await current.harness.compact(summary);
    },
    async resume() {
      if (!canReopen()) return;
      const saved = current.harness.save();
      await mortal.store[Symbol.asyncDispose]();
      await reopen(saved);
    },
    async crash({ commits, isStored }, lost, one) {
      if (!canReopen()) return;
      await run(one, () => mortal.dieAfter(commits, isStored));
      const saved = current.harness.save();
      const left = saved.messages.slice(0, Math.max(2, saved.messages.length - lost));
      const kept = isFaintIn(left) ? saved.messages : left;
      const gone = new Set(saved.messages.slice(kept.length).map(({ id }) => id));
      said = said.filter(({ id }) => !gone.has(id));
      before = undefined;
      isBehind = gone.size > 0;
      isWhole = false;
      isTaken = false;
      await reopen({ ...saved, messages: kept });
    },
    async runOff(one) {
      isOn = false;
      current.turn(false);
      await run(one);
      current.turn(true);
      isOn = true;
    },
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store[Symbol.asyncDispose]();
    },
  };
}

/** Whether a message is a prompt or an answer. Notes and summaries do not show which branch a list continues. */
function isSpoken({ kind }: ScriptedMessage): boolean {
  return kind === "human" || kind === "model";
}
