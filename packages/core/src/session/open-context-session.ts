import {
  defined,
  staticReference,
  type StaticReference,
  StoreError,
  taskQueue,
} from "@self-context-manager/objects";
import { writtenStandIns } from "../calls/written-stand-ins.ts";
import { canReadFiles, keptFacts, usualToolFacts } from "../calls/tool-facts.ts";
import { keptEstimator } from "../cost/calibrated-estimator.ts";
import { reportedProfile } from "../cost/cost-account.ts";
import type { TokenEstimator } from "../cost/token-estimator.ts";
import { afterTool, indexNamed } from "../history/file-index.ts";
import { recordWrite } from "../history/record-write.ts";
import { type HostSignals, type IngestedList, ingestMessages } from "../history/ingest-messages.ts";
import { knownMessages } from "../history/known-messages.ts";
import { recogniseList } from "../history/recognise-list.ts";
import type { HostSession } from "../host/host-session.ts";
import { forgottenMask } from "../forget/forgotten-mask.ts";
import { maskedFiles } from "../host/masked-files.ts";
import type { ReadList } from "../host/read-list.ts";
import { beginSession, openState } from "../state/open-state.ts";
import {
  commitSession,
  emptyScopeMaps,
  type SessionDependencies,
  type SessionScope,
} from "../state/session-scope.ts";
import { type ToolExecutions, toolExecutions } from "../state/tool-executions.ts";
import { tokensInView } from "../state/tokens-in-view.ts";
import { placeAdded, type PlacedMessage } from "./added-messages.ts";
import type { ToolAnswer } from "./answers.ts";
import { archiveChat } from "./archive-chat.ts";
import type {
  CallOptions,
  ContextSession,
  ListedObject,
  SessionStatus,
} from "./context-session.ts";
import { type FileFollower, fileFollower } from "./follow-files.ts";
import { noteWrittenDocument } from "./link-notes.ts";
import { noteLeftOut } from "./note-left-out.ts";
import { objectOperations } from "./object-operations.ts";
import { sessionTools } from "./context-tools.ts";
import { lookAtView, makeView } from "./make-view.ts";
import { maskedSession } from "./masked-session.ts";
import { lookAtRead, readFile } from "./read-file.ts";
import { refuseStandIns } from "./refuse-stand-ins.ts";
import { type SessionMask, sessionMask } from "./session-mask.ts";
import { sessionRecords } from "./session-records.ts";
import { splitList, type SplitList } from "./split-list.ts";
import type { View, ViewOptions } from "./view-options.ts";

type Operation<Result> = (scope: SessionScope) => Promise<Result>;

/** Information about a session before it is opened. */
interface OpenSessionOptions {
  /** Whether another process has the session open. Default: false. */
  readonly isShared?: boolean;
}

/**
 * Opens a session by its host session id, with its stored pool and sets. The caller disposes of the session; its store
 * and its tracker stay open. Rejects with `StoreError` if the session cannot be read.
 */
export async function openContextSession(
  given: SessionDependencies,
  host: HostSession,
  options: OpenSessionOptions = {},
): Promise<ContextSession> {
  const mask = sessionMask(forgottenMask(given.mask));
  const files = maskedFiles(given.files, mask);
  return maskedSession(await openSession({ ...given, files, mask }, host, options), mask);
}

async function openSession(
  given: MaskedDependencies,
  host: HostSession,
  options: OpenSessionOptions,
): Promise<ContextSession> {
  /** The host's own tool that reads files, as far as it was announced. */
  let hostRead: string | undefined;
  const dependencies = {
    ...given,
    toolFacts: keptFacts(given.toolFacts ?? usualToolFacts),
    get activateUnread() {
      return given.activateUnread ?? (hostRead === undefined ? "read" : "ask");
    },
  };
  let isShared = options.isShared === true;
  let isFromOtherStore = false;
  const queue = taskQueue();
  const executions = toolExecutions();
  const follower = followerOf(dependencies);
  const estimatorFor = keptEstimator();
  let scope: SessionScope | undefined;
  let closing: Promise<void> | undefined;
  try {
    scope = await openScope();
  } catch (error) {
    await follower?.[Symbol.asyncDispose]();
    throw error;
  }

  function checkOpen(): void {
    if (closing === undefined) return;
    throw new StoreError(
      "STORE_CLOSED",
      `session ${host.sessionId} of ${host.harness} is closed; open it again`,
    );
  }

  async function openScope(): Promise<SessionScope> {
    const opened = {
      dependencies,
      generation: await learnedGeneration(dependencies),
      state: await openState(dependencies, host, executions),
      get readTool() {
        return hostRead ?? "read";
      },
      findIn: dependencies.findIn ?? "workspace",
      ...emptyScopeMaps(),
      staged: [],
    };
    // Changes that were made while the session was closed get their versions before the first call.
    await follower?.track(opened);
    follower?.takeIn(opened);
    return opened;
  }

  /** Runs an operation on the scope. After a failure the state is uncertain, so the next operation reads it again. */
  async function attempt<Result>(operation: Operation<Result>, changes: boolean): Promise<Result> {
    const opened = scope ?? (await openScope());
    scope = undefined;
    const current = changes ? await begun(opened, host, openScope) : opened;
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
   * Runs an operation, and repeats it on the stored state if another process with the same session committed first, or if
   * the store was rewritten. `changes`: whether the operation can change something; then a new session is stored before it.
   */
  async function run<Result>(operation: Operation<Result>, changes = true): Promise<Result> {
    checkOpen();
    return await queue(async () => {
      const version = scope?.state.version;
      for (let attempts = 1; ; attempts += 1) {
        const generation = scope?.generation;
        try {
          return await attempt(operation, changes);
        } catch (error) {
          if (!StoreError.is(error, "VERSION_CONFLICT")) throw error;
          scope = await openScope();
          const isRewritten = generation !== undefined && scope.generation !== generation;
          if (attempts >= (isRewritten ? mostAttempts : 2)) throw conflictIn(host, error);
          if (!isRewritten)
            dependencies.logger.warn("another process writes to the same objects", { ...host });
        }
        // Other sessions can write a file too, but only another process writes the object of this session.
        if (version !== undefined && scope.state.version > version) isShared = true;
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
      const hasEffect = current.state.isChanged;
      if (callMade !== undefined && hasEffect) executions.noteApplied(callMade);
      // The result of the call is ingested and stored before the model gets it.
      await commitSession(current, [], { isFollowed: callMade !== undefined });
      if (callMade !== undefined)
        executions.record(callMade, {
          report: result.text,
          ...defined({ hostText: result.hostText }),
          effects: result.effects,
          isApplied: true,
        });
      // An effect that changed nothing is not applied by a later replay of the history (decision D42).
      return hasEffect ? result : { ...result, effects: [] };
    });
  }

  function currentEstimator({ state }: SessionScope, model: string | undefined): TokenEstimator {
    return estimatorFor(state.sent.calibration, model);
  }

  /** Ingests a host's list. Returns its messages by what they are to the history, too. */
  async function takeIn(
    current: SessionScope,
    list: ReadList,
    signals: HostSignals,
  ): Promise<IngestedList & { readonly split: SplitList }> {
    const { state } = current;
    const split = splitList(list.messages, knownMessages(state), state.sent.hasUnknown);
    if (split.hasUnknown && !state.sent.hasUnknown) state.sent.noteUnknown();
    const ingested = await ingestMessages(current, split.own, list, signals);
    noteLeftOut(current, split.own, ingested.keys);
    if (ingested.report.isFromOtherStore === true) isFromOtherStore = true;
    return { ...ingested, split };
  }

  async function viewOf(
    current: SessionScope,
    options: ViewOptions,
    added: readonly PlacedMessage[] = [],
  ): Promise<View> {
    return await makeView(
      current,
      withKnownPrices(current, options),
      currentEstimator(current, options.model),
      added,
    );
  }

  const session: ContextSession = {
    host,
    get isShared() {
      return isShared;
    },
    get isFromOtherStore() {
      return isFromOtherStore;
    },
    workspace: dependencies.workspace,
    files: dependencies.files,
    toolFacts: dependencies.toolFacts,
    knownUntil: async ({ messages }, { rewound = false } = {}) =>
      await run(async ({ state }) => {
        const { keys } = recogniseList(messages, knownMessages(state), { rewound });
        return await Promise.resolve(keys().findLastIndex((key) => state.chat.known.has(key)) + 1);
      }, false),
    announceTools: (toolNames) => {
      hostRead ??= toolNames.find((name) => canReadFiles(dependencies.toolFacts, name));
    },
    ingest: async (list, signals = {}) =>
      await run(async (current) => {
        const { report } = await takeIn(current, list, signals);
        await commitSession(current);
        return report;
      }),
    nextView: async (options = {}) => await run(async (current) => await viewOf(current, options)),
    peekView: async (options = {}) =>
      await run(async (current) => {
        // Nothing is stored, so only this shows that the store was rewritten.
        if ((await learnedGeneration(dependencies)) !== current.generation)
          current = await openScope();
        const estimated = currentEstimator(current, options.model);
        return await lookAtView(current, withKnownPrices(current, options), estimated);
      }, false),
    ingestAndView: async (list, options = {}) =>
      await run(async (current) => {
        const { split, keys } = await takeIn(current, list, options);
        try {
          return await viewOf(current, options, placeAdded(current.state, split, keys));
        } catch (error) {
          // The host's messages are stored even if no view can be made. After a failure of the store, nothing is
          // stored.
          if (!StoreError.is(error)) await commitSession(current);
          throw error;
        }
      }),
    tools: () => sessionTools(session),
    read: async (request, options) =>
      await answer((current) => readFile(current, request), options),
    ...objectOperations({ run, answer }),
    archive: async () => await answer(archiveChat),
    recordRead: async (path, { callId }) =>
      await run(async (current) => {
        const seen = await lookAtRead(current, path);
        await commitSession(current);
        if (seen !== undefined) executions.record(callId, seen);
      }),
    recordWrite: async (path, options = {}) => {
      const isDocument = await run(async (current) => {
        const absolute = dependencies.files.resolve(path, dependencies.workspace);
        const reference = await recordWrite(current, absolute, options.args);
        await commitSession(current);
        if (reference === undefined) return false;
        noteFiles(executions, options, [reference]);
        return noteWrittenDocument(current, reference.id);
      });
      // The tool has ended, and the next call can name links without a target.
      if (isDocument) await dependencies.documents?.soon();
    },
    holdWrite: async (path) => {
      checkOpen();
      const absolute = dependencies.files.resolve(path, dependencies.workspace);
      return (await follower?.hold(absolute)) ?? { [Symbol.asyncDispose]: async () => {} };
    },
    async checkArguments(toolName, args) {
      checkOpen();
      const written = writtenStandIns(dependencies.toolFacts, toolName, args);
      // Nearly every call has no stand-in and waits for nothing.
      if (written.found.length === 0) return undefined;
      return await run(async (current) => await refuseStandIns(current, written));
    },
    recordNamed: async (paths, options = {}) =>
      await run(async (current) => {
        const entries = await afterTool(current, await indexNamed(current, paths));
        await commitSession(current);
        const references = entries.map(({ stored }) => staticReference(stored));
        noteFiles(executions, options, references);
      }),
    ...sessionRecords(run),
    check: async () => {
      checkOpen();
      await dependencies.store.commit([]);
    },
    status: async () => await run(async (current) => statusOf(current), false),
    [Symbol.asyncDispose]: async () => {
      // The queue runs this after the operations that were requested before.
      closing ??= queue(async () => {
        scope = undefined;
        await follower?.[Symbol.asyncDispose]();
      });
      await closing;
    },
  };
  return session;
}

type MaskedDependencies = SessionDependencies & { readonly mask: SessionMask };

/** Returns the generation of the store. The mask learns what was forgotten until then. */
async function learnedGeneration({ store, mask }: MaskedDependencies): Promise<number> {
  const privacy = await store.privacy();
  mask.learn(privacy);
  return privacy.generation;
}

/** How often an operation is tried while the store is rewritten again and again. */
const mostAttempts = 10;

function conflictIn({ sessionId, harness }: HostSession, cause: StoreError): StoreError {
  return new StoreError(
    "VERSION_CONFLICT",
    `another process writes to session ${sessionId} of ${harness} at the same time: ${cause.message}`,
    { cause },
  );
}

function followerOf({ tracker, logger }: SessionDependencies): FileFollower | undefined {
  return tracker === undefined ? undefined : fileFollower(tracker, logger);
}

/**
 * Stores a new session, in which nothing has happened so far. If another process has begun it since it was opened, it is
 * opened again.
 */
async function begun(
  opened: SessionScope,
  host: HostSession,
  reopen: () => Promise<SessionScope>,
): Promise<SessionScope> {
  const { state, dependencies } = opened;
  const isStored = state.version > 0 || (await beginSession(dependencies, host, state));
  return isStored ? opened : await reopen();
}

function noteFiles(
  executions: ToolExecutions,
  { callId }: CallOptions,
  fileRefs: readonly StaticReference[],
): void {
  if (callId !== undefined) executions.record(callId, { fileRefs });
}

function statusOf({ state }: SessionScope): SessionStatus {
  const shown = state.sent.view === undefined ? undefined : tokensInView(state.sent.view.record);
  const objects = [...state.pool.entries.values()].map(({ id, handle, stored }): ListedObject => {
    const isActive = state.active.has(id);
    return {
      handle,
      stored,
      isInView: shown?.has(handle) === true,
      state: state.active.pinned.has(id) ? "pinned" : isActive ? "active" : "inactive",
    };
  });
  return {
    sessionId: state.id,
    chatId: state.chat.id,
    objects,
    activeCount: state.active.size,
    turnCount: state.chat.turns.length,
    summaries: { ...state.summaries.spent, count: state.summaries.size },
  };
}

/** Returns the options of a view with the prices that the provider's reports confirm. */
function withKnownPrices({ state }: SessionScope, options: ViewOptions): ViewOptions {
  const { prices } = options;
  return prices === undefined
    ? options
    : { ...options, prices: reportedProfile(prices, state.sent.account) };
}
