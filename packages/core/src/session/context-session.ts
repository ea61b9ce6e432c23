import {
  type JsonObject,
  type ObjectId,
  staticReference,
  type StaticReference,
  type StoredMetadata,
  type StoredVersion,
  StoreError,
  sha256,
} from "@self-context-manager/objects";
import { type Execution, executionField } from "../calls/execution.ts";
import { writtenStandIns } from "../calls/written-stand-ins.ts";
import { canReadFiles, keptFacts, usualToolFacts } from "../calls/tool-facts.ts";
import { calibratedEstimator } from "../cost/calibrated-estimator.ts";
import { reportedProfile } from "../cost/cost-account.ts";
import type { TokenEstimator } from "../cost/token-estimator.ts";
import { afterTool, indexNamed } from "../history/file-index.ts";
import { recordWrite } from "../history/record-write.ts";
import { type HostSignals, ingestMessages, type IngestReport } from "../history/ingest-messages.ts";
import { keysOf } from "../history/known-keys.ts";
import { knownMessages } from "../history/known-messages.ts";
import type { HostSession } from "../host/host-session.ts";
import type { MessageCodec } from "../host/message-codec.ts";
import { identify } from "../host/message-identity.ts";
import { openState } from "../state/open-state.ts";
import {
  commitSession,
  type SessionDependencies,
  type SessionScope,
} from "../state/session-scope.ts";
import { handlesInView } from "../state/use-order.ts";
import { taskQueue } from "../task-queue.ts";
import { placeAdded, type PlacedMessage } from "./added-messages.ts";
import type { ToolAnswer } from "./answers.ts";
import { activate, deactivate, loadInactive, pin, unpin } from "./change-activation.ts";
import type { ActivateRange } from "./chosen-range.ts";
import { fileFollower } from "./follow-files.ts";
import { inspectObject, nameObject } from "./inspect-object.ts";
import { learnRefusal, type RefusedRequest } from "./learn-refusal.ts";
import { learnUsage } from "./learn-usage.ts";
import { noteLeftOut } from "./left-out-messages.ts";
import { makeView } from "./make-view.ts";
import { lookAtRead, readFile, type ReadRequest } from "./read-file.ts";
import { refuseStandIns } from "./refuse-stand-ins.ts";
import { splitList, type SplitList } from "./split-list.ts";
import { recordSystemPrompt } from "./system-prompts.ts";
import type { HeldTexts } from "../view/layout.ts";
import type { View, ViewOptions } from "./view-options.ts";

/** An object in the list for the user. */
export interface ListedObject {
  readonly handle: string;
  readonly state: "active" | "pinned" | "inactive";
  /**
   * Whether the last sent view shows its content. The content of an inactive object leaves the view when the epoch
   * ends.
   */
  readonly isInView: boolean;
  readonly stored: StoredMetadata;
}

/** The present state of a session. */
export interface SessionStatus {
  readonly sessionId: ObjectId;
  readonly chatId: ObjectId;
  readonly objects: readonly ListedObject[];
  readonly activeCount: number;
  readonly turnCount: number;
}

/** The tool call that an operation belongs to. */
export interface CallOptions {
  /** The provider id of the tool call; undefined if the user asked for the operation. */
  readonly callId?: string;
}

/** The call of a tool that wrote a file. */
export interface WriteOptions extends CallOptions {
  /**
   * The arguments of the call as the model wrote them, as in the host's chat. Other extensions of the host can change
   * those with which the tool runs. Default: unknown; then the whole text counts as the model's.
   */
  readonly args?: JsonObject;
}

/**
 * One session of an agent: ingests the messages of the harness, keeps the metadata pool, the chat and the active
 * objects, and makes the views for the model.
 *
 * Operations run one after another. A rejected operation has no lasting effect: the session is read from the store
 * again before the next one. If another process has written to the same session, an operation is repeated on the state
 * which that process stored. Rejects with `StoreError`; `VERSION_CONFLICT` means that the other process committed first
 * a second time.
 */
export interface ContextSession {
  readonly host: HostSession;
  /**
   * Whether another process is known to have this session open too: the caller reported it at the opening, or that
   * process committed first since. Each process continues with the messages of its own host.
   */
  readonly isShared: boolean;
  /**
   * Whether this store got the session only now, although the host's history has answers of context tools or summaries
   * of the context manager: they are from a store that was lost, or that is elsewhere. Earlier views and versions are not
   * in this store. A history that only mentions handles is not recognised: other names can look like handles.
   */
  readonly isFromOtherStore: boolean;
  /** Returns the index after the last message of a host's list that the session knows; 0 if it knows none. */
  knownUntil<Raw>(messages: readonly Raw[], codec: MessageCodec<Raw>): Promise<number>;
  /** Ingests the host's messages. Only messages that the session does not know are stored. */
  ingest<Raw>(
    messages: readonly Raw[],
    codec: MessageCodec<Raw>,
    signals?: HostSignals,
  ): Promise<IngestReport>;
  /** Makes the view of the next model call. */
  view(options?: ViewOptions): Promise<View>;
  /**
   * Ingests the host's messages and makes the view of the next model call: `ingest` and `view` in one operation, with
   * one commit less.
   */
  ingestAndView<Raw>(
    messages: readonly Raw[],
    codec: MessageCodec<Raw>,
    options?: ViewOptions & HostSignals,
  ): Promise<View>;
  read(request: ReadRequest, options?: CallOptions): Promise<ToolAnswer>;
  activate(target: string, range?: ActivateRange, options?: CallOptions): Promise<ToolAnswer>;
  deactivate(target: string, options?: CallOptions): Promise<ToolAnswer>;
  pin(target: string, options?: CallOptions): Promise<ToolAnswer>;
  unpin(target: string, options?: CallOptions): Promise<ToolAnswer>;
  /** Adds an object of the store to the pool as inactive. */
  load(target: string): Promise<ToolAnswer>;
  /** Returns a whole object of the session or the store, for the user. */
  inspect(target: string): Promise<StoredVersion | ToolAnswer>;
  /** Sets the nickname of an object; an empty nickname removes it (decision D15). */
  name(target: string, nickname: string): Promise<ToolAnswer>;
  /**
   * Looks at a file that a tool of the host has just read. If the next messages show its text in the host's own
   * rendering, the file becomes known and active, and its text stands for the result. Nothing is stored before. Call it
   * for a read that failed, too: a known file that is gone is then recorded as missing.
   */
  recordRead(path: string, options: Required<CallOptions>): Promise<void>;
  /**
   * Records that a tool wrote a file. The file joins the pool as inactive; an active file gets its new content
   * (decision D43), as far as the arguments of the call tell it. Text that the model did not write counts as a change
   * by another program.
   */
  recordWrite(path: string, options?: WriteOptions): Promise<void>;
  /**
   * Announces that a tool writes a file. Dispose of the result after `recordWrite`. Until then, changes of the file are
   * attributed to the tool and not reported as those of another program.
   */
  holdWrite(path: string): Promise<AsyncDisposable>;
  /**
   * Checks the arguments of a tool call before it runs. Returns the reason for the model why the call must not run: it
   * would write a stand-in (an argument stub or an omission mark) into a file instead of the text. Returns undefined if
   * the call can run.
   */
  checkArguments(toolName: string, args: JsonObject): Promise<string | undefined>;
  /**
   * Announces the host's own tools, by their names. If one of them reads files, the session asks the model to use it for
   * text that it has not shown, because other code of the host can block that tool or hide a part of its result. The
   * setting `activateUnread` takes precedence. It is not stored, so each process announces its tools.
   */
  announceTools(toolNames: readonly string[]): void;
  /**
   * Records that a tool named files. They join the pool as inactive and unread. The call refers to the versions that the
   * files have afterwards: if the tool has changed a known file, to the new one.
   */
  recordNamed(paths: readonly string[], options?: CallOptions): Promise<void>;
  /**
   * Records a system prompt. Its object gets a new version only if its text has changed. Returns the content of the object:
   * that is what an adapter sends as its own instruction (decision D55).
   */
  recordSystemPrompt(origin: "host" | "own", text: string): Promise<string>;
  /**
   * Records the hexadecimal SHA-256 of the request that the provider got for a call. It is stored with the call's
   * answer. The hash of a call that is not the last one is ignored.
   */
  recordPayload(call: number, sha256: string): Promise<void>;
  /**
   * Records that the provider refused the request of a call. If it refused the prompt as too long, the budget of the
   * call's model is below that prompt from now on, also after a resume. Returns whether it did.
   */
  recordRefusal(refusal: RefusedRequest): Promise<boolean>;
  status(): Promise<SessionStatus>;
}

/** Information about a session before it is opened. */
interface OpenSessionOptions {
  /** Whether another process has the session open. Default: false. */
  readonly isShared?: boolean;
}

/** Opens a session by its host session id, with its stored pool and sets. */
export async function openContextSession(
  given: SessionDependencies,
  host: HostSession,
  options: OpenSessionOptions = {},
): Promise<ContextSession> {
  let hasHostRead = false;
  const dependencies = {
    ...given,
    toolFacts: keptFacts(given.toolFacts ?? usualToolFacts),
    get activateUnread() {
      return given.activateUnread ?? (hasHostRead ? "ask" : "read");
    },
  };
  let isShared = options.isShared === true;
  let isFromOtherStore = false;
  const queue = taskQueue();
  const executions = new Map<string, Execution>();
  const { tracker } = dependencies;
  const follower = tracker === undefined ? undefined : fileFollower(tracker, dependencies.logger);
  let estimator: { readonly factor: number; readonly use: TokenEstimator } | undefined;
  let scope: SessionScope | undefined = await openScope();

  async function openScope(): Promise<SessionScope> {
    const opened = {
      dependencies,
      state: await openState(dependencies, host),
      contents: new Map<ObjectId, StoredVersion>(),
      inView: new Map<string, StoredVersion | StoredMetadata>(),
      heldTexts: new Map<ObjectId, HeldTexts | undefined>(),
      staged: [],
    };
    // Changes that were made while the session was closed get their versions before the first call.
    await follower?.track(opened);
    follower?.takeIn(opened);
    return opened;
  }

  /** Runs an operation on the scope. After a failure the state is uncertain, so the next operation reads it again. */
  async function attempt<Result>(
    operation: (scope: SessionScope) => Promise<Result>,
  ): Promise<Result> {
    const current = scope ?? (await openScope());
    scope = undefined;
    follower?.takeIn(current);
    const result = await operation(current);
    scope = current;
    try {
      await follower?.track(current);
    } catch (error) {
      // The effect of the operation is stored. The next operation compares the files again.
      if (!StoreError.is(error)) throw error;
      dependencies.logger.warn("files could not be compared with the disk", { error });
    }
    return result;
  }

  /**
   * Runs an operation, and repeats it once on the stored state if another process with the same session committed
   * first.
   */
  async function run<Result>(operation: (scope: SessionScope) => Promise<Result>): Promise<Result> {
    return await queue(async () => {
      const version = scope?.state.version;
      try {
        return await attempt(operation);
      } catch (error) {
        if (!StoreError.is(error, "VERSION_CONFLICT")) throw error;
        dependencies.logger.warn("another process writes to the same objects", { ...host });
      }
      scope = await openScope();
      // Other sessions can write a file too, but only another process writes the object of this session.
      if (version !== undefined && scope.state.version > version) isShared = true;
      try {
        return await attempt(operation);
      } catch (cause) {
        if (!StoreError.is(cause, "VERSION_CONFLICT")) throw cause;
        throw new StoreError(
          "VERSION_CONFLICT",
          `another process writes to session ${host.sessionId} of ${host.harness} at the same time: ${cause.message}`,
          { cause },
        );
      }
    });
  }

  async function answer(
    operation: (scope: SessionScope) => Promise<ToolAnswer>,
    { callId }: CallOptions = {},
  ): Promise<ToolAnswer> {
    return await run(async (current) => {
      const result = await operation(current);
      // A refusal has no effect, so the host's own result of the call is enough.
      const callMade = result.ok && result.isOutput !== true ? callId : undefined;
      const hasEffect = current.state.changed;
      if (callMade !== undefined && hasEffect) current.state.pendingCalls.add(callMade);
      // The result of the call is ingested and stored before the model gets it.
      await commitSession(current, [], { isFollowed: callMade !== undefined });
      if (callMade !== undefined)
        executions.set(callMade, {
          report: result.text,
          ...(result.hostText === undefined ? {} : { hostText: result.hostText }),
          effects: result.effects,
          isApplied: true,
        });
      // An effect that changed nothing is not applied by a later replay of the history (decision D42).
      return hasEffect ? result : { ...result, effects: [] };
    });
  }

  function currentEstimator(
    { state: { calibration } }: SessionScope,
    model: string | undefined,
  ): TokenEstimator {
    const { factor } = calibration;
    if (estimator?.factor !== factor || estimator.use.model !== model)
      estimator = { factor, use: calibratedEstimator(calibration, model) };
    return estimator.use;
  }

  async function takeIn<Raw>(
    current: SessionScope,
    messages: readonly Raw[],
    codec: MessageCodec<Raw>,
    signals: HostSignals,
  ): Promise<IngestReport> {
    const learnNow = (report: IngestReport): void => learnUsage(current.state, report);
    const allSignals = { ...signals, learn: learnNow };
    const report = await ingestMessages(current, messages, codec, executions, allSignals);
    noteLeftOut(current, messages, codec);
    if (report.isFromOtherStore === true) isFromOtherStore = true;
    return report;
  }

  async function viewOf(
    current: SessionScope,
    options: ViewOptions,
    added: readonly PlacedMessage[] = [],
  ): Promise<View> {
    const { prices } = options;
    const known = prices && { prices: reportedProfile(prices, current.state.account) };
    return await makeView(
      current,
      { ...options, ...known },
      currentEstimator(current, options.model),
      added,
    );
  }

  return {
    host,
    get isShared() {
      return isShared;
    },
    get isFromOtherStore() {
      return isFromOtherStore;
    },
    knownUntil: async (messages, codec) =>
      await run(async ({ state }) => {
        const identities = messages.map((raw) => identify(raw, codec));
        const keys = keysOf(identities, knownMessages(state));
        return await Promise.resolve(keys.findLastIndex((key) => state.known.has(key)) + 1);
      }),
    announceTools: (toolNames) => {
      hasHostRead ||= toolNames.some((name) => canReadFiles(dependencies.toolFacts, name));
    },
    ingest: async (messages, codec, signals = {}) =>
      await run(async (current) => {
        const report = await takeIn(current, split(current, messages, codec).own, codec, signals);
        await commitSession(current);
        return report;
      }),
    view: async (options = {}) => await run(async (current) => await viewOf(current, options)),
    ingestAndView: async (messages, codec, { rewound, summaries, ...options } = {}) =>
      await run(async (current) => {
        const list = split(current, messages, codec);
        await takeIn(current, list.own, codec, {
          ...(rewound === undefined ? {} : { rewound }),
          ...(summaries === undefined ? {} : { summaries }),
        });
        try {
          return await viewOf(current, options, placeAdded(current.state, list, codec));
        } catch (error) {
          // The host's messages are stored even if no view can be made. After a failure of the store, nothing is
          // stored.
          if (!StoreError.is(error)) await commitSession(current);
          throw error;
        }
      }),
    read: async (request, options) =>
      await answer((current) => readFile(current, request), options),
    activate: async (target, range, options) =>
      await answer((current) => activate(current, target, range), options),
    deactivate: async (target, options) =>
      await answer((current) => deactivate(current, target), options),
    pin: async (target, options) => await answer((current) => pin(current, target), options),
    unpin: async (target, options) => await answer((current) => unpin(current, target), options),
    load: async (target) => await answer((current) => loadInactive(current, target)),
    inspect: async (target) => await run(async (current) => await inspectObject(current, target)),
    name: async (target, nickname) =>
      await answer((current) => nameObject(current, target, nickname)),
    recordRead: async (path, { callId }) =>
      await run(async (current) => {
        const seen = await lookAtRead(current, path);
        await commitSession(current);
        if (seen !== undefined) executions.set(callId, { ...executions.get(callId), ...seen });
      }),
    recordWrite: async (path, options = {}) =>
      await run(async (current) => {
        const absolute = dependencies.files.resolve(path, dependencies.workspace);
        const reference = await recordWrite(current, absolute, options.args);
        await commitSession(current);
        if (reference !== undefined) noteFiles(executions, options, [reference]);
      }),
    holdWrite: async (path) => {
      const absolute = dependencies.files.resolve(path, dependencies.workspace);
      return (await tracker?.hold(absolute)) ?? { [Symbol.asyncDispose]: async () => {} };
    },
    async checkArguments(toolName, args) {
      const written = writtenStandIns(dependencies.toolFacts, toolName, args);
      // Nearly every call has no stand-in and waits for nothing.
      if (written.found.length === 0) return undefined;
      return await run(async (current) => await refuseStandIns(current, written));
    },
    recordNamed: async (paths, options = {}) =>
      await run(async (current) => {
        const entries = await afterTool(current, await indexNamed(current, paths));
        await commitSession(current);
        noteFiles(
          executions,
          options,
          entries.map(({ stored }) => staticReference(stored)),
        );
      }),
    recordSystemPrompt: async (origin, text) =>
      await run(async (current) => await recordSystemPrompt(current, origin, text)),
    recordPayload: async (call, payloadHash) => {
      if (!/^[\da-f]{64}$/u.test(payloadHash))
        throw new TypeError(`a payload's hash has 64 hexadecimal digits; got ${payloadHash}`);
      await run(async ({ state }) => {
        const { view } = state;
        if (view?.call === call && !view.isAnswered) state.view = { ...view, payloadHash };
        return await Promise.resolve();
      });
    },
    recordRefusal: async (refusal) =>
      await run(async (current) => {
        const isTooLong = learnRefusal(current.state, refusal);
        await commitSession(current);
        return isTooLong;
      }),
    status: async () => await run(async (current) => statusOf(current)),
  };
}

/** Separates a host's list, and notes whether others have left out messages that the session does not know. */
function split<Raw>(
  { state }: SessionScope,
  messages: readonly Raw[],
  codec: MessageCodec<Raw>,
): SplitList<Raw> {
  const list = splitList(messages, codec, knownMessages(state), state.hasUnknown);
  if (list.hasUnknown && !state.hasUnknown) {
    state.hasUnknown = true;
    state.changed = true;
  }
  return list;
}

/**
 * Returns the details of a context tool's result. The host stores them with the message, so that its effects can be
 * applied again from the host's history.
 */
export function answerDetails(answer: ToolAnswer): JsonObject {
  if (answer.isOutput === true) return {};
  const { text, effects, hostText: shown } = answer;
  const hash = shown === undefined ? {} : { text_hash: sha256(shown) };
  return { [executionField]: { report: text, effects, ...hash } };
}

function noteFiles(
  executions: Map<string, Execution>,
  { callId }: CallOptions,
  references: readonly StaticReference[],
): void {
  if (callId === undefined) return;
  const known = executions.get(callId) ?? {};
  executions.set(callId, { ...known, fileRefs: [...(known.fileRefs ?? []), ...references] });
}

function statusOf({ state }: SessionScope): SessionStatus {
  const shown = state.view === undefined ? undefined : handlesInView(state.view.record);
  const objects = [...state.pool.values()].map(({ id, handle, stored }): ListedObject => {
    const isActive = state.active.has(id);
    return {
      handle,
      stored,
      isInView: shown?.has(handle) === true,
      state: state.pinned.has(id) ? "pinned" : isActive ? "active" : "inactive",
    };
  });
  return {
    sessionId: state.id,
    chatId: state.chat.id,
    objects,
    activeCount: state.active.size,
    turnCount: state.chat.turns.length,
  };
}
