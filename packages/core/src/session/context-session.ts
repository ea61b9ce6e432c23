import {
  type JsonObject,
  type ObjectId,
  staticReference,
  type StaticReference,
  type StoredMetadata,
  type StoredVersion,
  StoreError,
} from "@self-context-manager/objects";
import { type Execution, executionField } from "../calls/execution.ts";
import { keptFacts, usualToolFacts } from "../calls/tool-facts.ts";
import { calibratedEstimator } from "../cost/calibrated-estimator.ts";
import { reportedProfile } from "../cost/cost-account.ts";
import type { TokenEstimator } from "../cost/token-estimator.ts";
import { type HostSignals, ingestMessages, type IngestReport } from "../history/ingest-messages.ts";
import type { HostSession } from "../host/host-session.ts";
import type { MessageCodec } from "../host/message-codec.ts";
import { openState } from "../state/open-state.ts";
import {
  commitSession,
  type SessionDependencies,
  type SessionScope,
} from "../state/session-scope.ts";
import { handlesInView } from "../state/use-order.ts";
import { taskQueue } from "../task-queue.ts";
import type { ToolAnswer } from "./answers.ts";
import {
  activate,
  type ActivateRange,
  deactivate,
  loadInactive,
  pin,
  unpin,
} from "./change-activation.ts";
import { indexFile, indexNamed } from "./file-index.ts";
import { fileFollower } from "./follow-files.ts";
import { inspectObject, nameObject } from "./inspect-object.ts";
import { learnUsage } from "./learn-usage.ts";
import { makeView } from "./make-view.ts";
import { readFile, type ReadRequest } from "./read-file.ts";
import { recordSystemPrompt } from "./system-prompts.ts";
import type { View, ViewOptions } from "./view-options.ts";

/** An object as it is listed to a person. */
export interface ListedObject {
  readonly handle: string;
  readonly state: "active" | "pinned" | "inactive";
  /** Whether its content stands in what was sent last; what is inactive leaves at the end of its epoch. */
  readonly isInView: boolean;
  readonly stored: StoredMetadata;
}

/** Where a session stands. */
export interface SessionStatus {
  readonly sessionId: ObjectId;
  readonly chatId: ObjectId;
  readonly objects: readonly ListedObject[];
  readonly activeCount: number;
  readonly turnCount: number;
}

/** A tool call that one of the operations below serves. */
export interface CallOptions {
  /** The provider's id of the tool call; absent where a person asked. */
  readonly callId?: string;
}

/**
 * One session of an agent: takes in what the harness reports, keeps the three pools, and says what the model sees.
 *
 * Operations run one after another. An operation that rejects has changed nothing that is kept: the session is read
 * from the store again before the next. Where another process wrote to the same session meanwhile, an operation is
 * done again on what that process stored. Rejects with `StoreError`; `VERSION_CONFLICT` says that the other process
 * came first a second time.
 */
export interface ContextSession {
  readonly host: HostSession;
  /**
   * Whether another process has this session open too, as far as is known: it was told so at the opening, or that
   * process came first with a commit since. Each goes on by the messages of its own host.
   */
  readonly isShared: boolean;
  /** Takes in the host's messages (design §6). */
  ingest<Raw>(
    messages: readonly Raw[],
    codec: MessageCodec<Raw>,
    signals?: HostSignals,
  ): Promise<IngestReport>;
  /** What the model is to see now. */
  view(options?: ViewOptions): Promise<View>;
  /**
   * Takes in the host's messages and answers what the model is to see then: `ingest` and `view` as one operation, with
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
  /** Brings an object of the store into the pool, inactive. */
  load(target: string): Promise<ToolAnswer>;
  /** An object whole, of any pool or none, for a person to look at. */
  inspect(target: string): Promise<StoredVersion | ToolAnswer>;
  /** Gives an object a nickname; an empty one takes it away (decision D15). */
  name(target: string, nickname: string): Promise<ToolAnswer>;
  /** A tool wrote a file: it joins the pool inactive, and is refreshed where it is active (decision D43). */
  recordWrite(path: string, options?: CallOptions): Promise<void>;
  /**
   * A tool is about to write a file: until the answer is disposed of, after `recordWrite`, what happens to the file is
   * that tool's doing and not reported as another's.
   */
  holdWrite(path: string): Promise<AsyncDisposable>;
  /** A tool named files: they join the pool, inactive and unread. */
  recordNamed(paths: readonly string[], options?: CallOptions): Promise<void>;
  /** Records a system prompt as it was sent; a new version only when it changed (decision D55). */
  recordSystemPrompt(origin: "host" | "own", text: string): Promise<void>;
  /**
   * Keeps the SHA-256, in hexadecimal, of the request that the provider got for a call, where the host shows it. It is
   * stored with the call's answer; of a call that is not the last one it is not kept.
   */
  recordPayload(call: number, sha256: string): Promise<void>;
  status(): Promise<SessionStatus>;
}

/** What is known of a session before it is opened. */
interface OpenSessionOptions {
  /** Another process has it open; false unless told. */
  readonly isShared?: boolean;
}

/** Opens a session by its host's id, with the pools and sets that it had. */
export async function openContextSession(
  given: SessionDependencies,
  host: HostSession,
  options: OpenSessionOptions = {},
): Promise<ContextSession> {
  const dependencies = { ...given, toolFacts: keptFacts(given.toolFacts ?? usualToolFacts) };
  let isShared = options.isShared === true;
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
      staged: [],
    };
    // What changed while nobody looked has its version before the first call.
    await follower?.track(opened);
    follower?.takeIn(opened);
    return opened;
  }

  /** Runs an operation on the scope; after a failure the state is doubtful, and the next operation reads it anew. */
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
      // What the operation did is stored; the files are compared with the next one.
      if (!StoreError.is(error)) throw error;
      dependencies.logger.warn("files could not be compared with the disk", { error });
    }
    return result;
  }

  /** What another process with the same session made impossible is done once more, on what that process stored. */
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
      // A file can be written by other sessions too; this session's own object only by another process.
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
      // A refusal did nothing that a host's own result of the call could not tell better.
      const callMade = result.ok ? callId : undefined;
      const hasEffect = current.state.changed;
      if (callMade !== undefined && hasEffect) current.state.pendingCalls.add(callMade);
      // Its result is taken in, and stored, before a model is told of it.
      await commitSession(current, [], { isFollowed: callMade !== undefined });
      if (callMade !== undefined)
        executions.set(callMade, { report: result.text, effects: result.effects, isApplied: true });
      // What changed nothing is not to be done again by a replay either (decision D42).
      return hasEffect ? result : { ...result, effects: [] };
    });
  }

  function currentEstimator(current: SessionScope): TokenEstimator {
    const { factor } = current.state.calibration;
    if (estimator?.factor !== factor)
      estimator = { factor, use: calibratedEstimator(current.state.calibration) };
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
    return await ingestMessages(current, messages, codec, executions, allSignals);
  }

  async function viewOf(current: SessionScope, options: ViewOptions): Promise<View> {
    const { prices } = options;
    const known = prices && { prices: reportedProfile(prices, current.state.account) };
    return await makeView(current, { ...options, ...known }, currentEstimator(current));
  }

  return {
    host,
    get isShared() {
      return isShared;
    },
    ingest: async (messages, codec, signals = {}) =>
      await run(async (current) => {
        const report = await takeIn(current, messages, codec, signals);
        await commitSession(current);
        return report;
      }),
    view: async (options = {}) => await run(async (current) => await viewOf(current, options)),
    ingestAndView: async (messages, codec, { rewound, ...options } = {}) =>
      await run(async (current) => {
        await takeIn(current, messages, codec, rewound === undefined ? {} : { rewound });
        try {
          return await viewOf(current, options);
        } catch (error) {
          // What the host said is kept where it cannot be shown; the store's own failures keep nothing.
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
    recordWrite: async (path, options = {}) =>
      await run(async (current) => {
        const absolute = dependencies.files.resolve(path, dependencies.workspace);
        const { stored } = await indexFile(current, absolute, "agent");
        await commitSession(current);
        noteFiles(executions, options, [staticReference(stored)]);
      }),
    holdWrite: async (path) => {
      const absolute = dependencies.files.resolve(path, dependencies.workspace);
      return (await tracker?.hold(absolute)) ?? { [Symbol.asyncDispose]: async () => {} };
    },
    recordNamed: async (paths, options = {}) =>
      await run(async (current) => {
        const entries = await indexNamed(current, paths);
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
    status: async () => await run(async (current) => statusOf(current)),
  };
}

/** What a context tool's result carries through the host's record, so that a replay can do it again. */
export function answerDetails(answer: ToolAnswer): JsonObject {
  return { [executionField]: { report: answer.text, effects: answer.effects } };
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
