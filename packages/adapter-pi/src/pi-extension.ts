import {
  type ContextSession,
  type HostSignals,
  type ReadList,
  readList,
  type RefusedRequest,
  type View,
  type ViewOptions,
} from "@self-context-manager/core";
import {
  contextCommand,
  contextCompletions,
  type ContextFigures,
  heldWrites,
  inspectHint,
  isSessionGone,
  isStoreFailure,
  pendingRecordings,
  recordCall,
  sha256,
} from "@self-context-manager/core/host";

import { type BlockedCall, blockedCall } from "./blocked-call.ts";
import { compactionAnswer, compactionKind } from "./compaction.ts";
import {
  failedStatus,
  notifyLost,
  otherStoreNotice,
  piFailureNotice,
  sharedNotice,
  statusKey,
} from "./failure-notice.ts";
import { hostToolCall, hostToolResult } from "./host-tool-call.ts";
import { contextHolder, type OpenContext, type OpenedContext } from "./opened-context.ts";
import { hostThinking } from "./host-thinking.ts";
import {
  isFields,
  type PiApi,
  type PiContext,
  type PiHost,
  type PiMessage,
  type ToolCallEvent,
} from "./pi-api.ts";
import { piCodec, piMessage } from "./pi-codec.ts";
import { ownMessages } from "./own-messages.ts";
import { isOwnCompaction } from "./own-summary.ts";
import { freeTools, noTools } from "./pi-tools.ts";
import { errorOf } from "./provider-error.ts";
import { type Breakpoints, type ProviderRequests, providerRequests } from "./provider-requests.ts";
import { ownSummaries, replacedMessages, withReplaced } from "./replaced-messages.ts";
import { branchOf } from "./session-messages.ts";
import { roughTokens, statusLine } from "./status-line.ts";
import { storeTrouble } from "./store-trouble.ts";
import { summarizeAgain } from "./summarized-again.ts";
import { writtenArguments } from "./written-arguments.ts";

export interface PiExtensionOptions {
  /** Opens the store with a session. If it rejects, the user is notified of the error once. */
  readonly openContext: OpenContext;
  /** Starts switched off; `/context on` switches managed context on. */
  readonly off?: boolean;
  /** Whose cache breakpoints go to the provider. Default: `own`, those of the view. */
  readonly breakpoints?: Breakpoints;
  /** Whether Pi asks for long-lived cache entries. Default: false, until a request shows otherwise. */
  readonly isCacheLong?: boolean;
}

const offStatus = "ctx off";
const compactedStatus = "ctx compacted: new figures with the next call";

/** The flag on Pi's command line that switches managed context off. */
const offFlag = "scm-off";

/**
 * The Pi extension: the model gets the session's view instead of the host's messages. It never breaks the host: after
 * any failure of the extension, the host's messages and results stay unchanged.
 */
export function piExtension(options: PiExtensionOptions): (host: PiHost) => void {
  return (host) => {
    const pi: PiApi = host;
    const holder = contextHolder(options.openContext);
    const notice = piFailureNotice();
    const trouble = storeTrouble();
    const notifyShared = sharedNotice();
    const otherStore = otherStoreNotice();
    const refused = new Set<string>();
    const writes = heldWrites();
    let pending = pendingRecordings(isStoreFailure);
    const newRequests = (): ProviderRequests =>
      providerRequests(options.breakpoints, Date.now, options.isCacheLong);
    let requests = newRequests();
    let own = ownMessages();
    let isOn = false;
    let tools = noTools;
    let isRegistered = false;
    let isRewound = false;
    /** The store was lost, and the new one does not have the host's messages, and so not their handles, yet. */
    let lacksHistory = false;
    /** The user compacted the chat after the last request, and only the next one has the new list. */
    let isCompacted = false;
    let hostTokens = 0;
    /** The call whose request the provider refused last. */
    let refusedCall: number | undefined;
    let thinking = hostThinking();
    let prompt = "";

    async function open(context: PiContext): Promise<OpenedContext> {
      const { sessionManager, cwd } = context;
      const isEphemeral =
        sessionManager.getSessionFile !== undefined &&
        sessionManager.getSessionFile() === undefined;
      const sessionId = sessionManager.getSessionId();
      const opened = await holder.open({ sessionId, workspace: cwd, isEphemeral });
      registerTools();
      return opened;
    }

    /**
     * Registers the context tools late, when other extensions have registered theirs. This activates only their names,
     * and only as far as the user's selection allows. If another extension registers one of the names later and Pi takes
     * its tool, the context tools get other names.
     */
    function registerTools(): void {
      const list = pi.getAllTools();
      if (isRegistered && !tools.isHiddenIn(list)) return;
      const former = tools;
      isRegistered = true;
      tools = freeTools(list);
      for (const tool of tools.make(currentSession, refused)) pi.registerTool(tool);
      const left = new Set(
        list.filter(isFields).flatMap((tool) => (former.isOwn(tool) ? [tool["name"]] : [])),
      );
      if (left.size > 0) pi.setActiveTools(pi.getActiveTools().filter((name) => !left.has(name)));
    }

    /** Opens the session for a tool; if that fails, only the tool fails, and the host shows the error to the model. */
    async function currentSession(context: PiContext): Promise<ContextSession> {
      if (!isOn)
        throw new Error("managed context is off; the user can switch it on with /context on");
      if (!(await trouble.isOver(async () => await reach(context))))
        throw new Error("the store does not work at the moment; try again later");
      if (lacksHistory) throw new Error("the store was lost and a new one is begun; try again");
      return (await open(context)).session;
    }

    async function reach(context: PiContext): Promise<void> {
      await (await open(context)).check?.();
    }

    /** Runs work on the session. If its store was lost, the session is opened again on a new store, with nothing in it. */
    async function withSession<Result>(
      context: PiContext,
      work: (opened: OpenedContext) => Promise<Result>,
    ): Promise<Result> {
      const opened = await open(context);
      try {
        return await work(opened);
      } catch (error) {
        // A store that was lost is closed by the first call that notices it, under the calls that still run.
        if (!isSessionGone(error)) throw error;
        const state = holder.drop(opened);
        if (state === "closed") throw error;
        const again = await open(context);
        if (state === "dropped") {
          lacksHistory = true;
          notifyLost(error, context);
        }
        otherStore.isKnown(again.session.host.sessionId);
        return await work(again);
      }
    }

    /**
     * Runs the extension's part of a hook. Notifies the user of a failure and returns undefined. While the store does not
     * work, only the hooks that `asks` find out whether it works again; the others are left out.
     */
    async function guarded<Result>(
      context: PiContext,
      work: (opened: OpenedContext) => Promise<Result>,
      asks: "asks" | "waits" = "asks",
    ): Promise<Result | undefined> {
      if (!isOn || (trouble.isOn && asks === "waits")) return undefined;
      if (!(await trouble.isOver(async () => await reach(context)))) return undefined;
      try {
        return await withSession(context, async (opened) => {
          const result = await work(opened);
          const { isShared, isFromOtherStore, host: hostSession } = opened.session;
          if (isShared) notifyShared(hostSession.sessionId, context);
          if (isFromOtherStore) otherStore.notify(hostSession.sessionId, context);
          return result;
        });
      } catch (error) {
        trouble.failed(error);
        // Not rethrown: a failure here must not stop the run, so the host continues with its own messages.
        notice.failed(error, context);
        return undefined;
      }
    }

    /** Whether the model can activate. If not, it could not get removed content back, so nothing is removed. */
    const canActivate = (): boolean =>
      tools.activate !== undefined && pi.getActiveTools().includes(tools.activate);

    pi.registerFlag(offFlag, {
      description: "Send the session's messages unchanged, without managed context",
      type: "boolean",
      default: false,
    });

    pi.on("session_start", async (_event, context) => {
      isOn = options.off !== true && pi.getFlag(offFlag) !== true;
      hostTokens = 0;
      refusedCall = undefined;
      requests = newRequests();
      own = ownMessages();
      pending = pendingRecordings(isStoreFailure);
      thinking = hostThinking();
      isRewound = false;
      lacksHistory = false;
      isCompacted = false;
      if (isOn) await guarded(context, async ({ session }) => await lookedAt(session, context));
      else context.ui.setStatus(statusKey, offStatus);
    });

    pi.on("session_shutdown", async () => {
      await holder.close();
    });

    pi.on("session_tree", () => {
      isRewound = true;
      isCompacted = false;
    });

    pi.on("before_agent_start", async ({ systemPrompt }, context) => {
      const recorded = await guarded(context, async ({ session }) => {
        if (!canActivate()) return undefined;
        await session.recordSystemPrompt("host", systemPrompt);
        return await session.recordSystemPrompt("own", tools.instruction);
      });
      // Pi asks once for each prompt, and a store that does not work now can work again at the next request.
      const isManaged = isOn && canActivate();
      const instruction = recorded ?? tools.instruction;
      prompt = isManaged ? `${systemPrompt}\n\n${instruction}` : systemPrompt;
      return isManaged ? { systemPrompt: prompt } : undefined;
    });

    pi.on("context", async (event, context) => {
      // Until the view is ready. If it fails, the host's own messages are sent.
      requests.sendsNothing();
      isCompacted = false;
      thinking.follows(event.messages);
      const messages = await guarded(context, async ({ session }) => {
        if (lacksHistory) await ingestHistory(session, event.messages, context);
        await pending.record(session);
        const managedMessages = await managed(session, event.messages, context);
        notice.recovered();
        return managedMessages;
      });
      if (messages === undefined) {
        leaveOutThinking(event.messages, context);
        return undefined;
      }
      thinking.sendsView();
      return { messages };
    });

    /** Ingests the host's messages into a new store. What is recorded after it gets no handle that they mention. */
    async function ingestHistory(
      session: ContextSession,
      messages: readonly unknown[],
      context: PiContext,
    ): Promise<void> {
      const list = await listOf(session, messages, context);
      await session.ingest(
        list,
        signalsOf(() => branchOf(context)),
      );
      lacksHistory = false;
    }

    /** The signals for an ingest of messages from a branch of Pi's session. */
    function signalsOf(branch: () => readonly unknown[]): HostSignals {
      return {
        ...(isRewound ? { rewound: true } : {}),
        summaries: () => ownSummaries(branch()),
      };
    }

    /**
     * Prepares the host's own messages. Pi passes a copy of them, and only if the list and its messages stay the same
     * objects do its later system messages stay at their places.
     */
    function leaveOutThinking(messages: readonly unknown[], { model }: PiContext): void {
      const kept = thinking.sendsOwn(messages, { model, head: headName, isManaged: isOn });
      for (const [index, message] of messages.entries()) {
        const now = kept[index];
        if (now !== message && isFields(now)) Object.assign(message as object, now);
      }
    }

    /** Names the text before the messages: the system prompt and the tools, as far as Pi shows them. */
    function headName(): string {
      const active = new Set(pi.getActiveTools());
      const tools = pi
        .getAllTools()
        .filter(isFields)
        .flatMap((tool) => {
          const { name, description, parameters } = tool;
          return active.has(String(name))
            ? [JSON.stringify({ name, description, parameters })]
            : [];
        });
      return sha256(JSON.stringify([prompt, tools.toSorted(), thinking.refusals])).slice(0, 16);
    }

    /**
     * Returns the list of a request for the session. The adapter's own summary replaces messages only in Pi's list. If the
     * session does not have them, because the store is another one or the session is a fork, they are taken from Pi's
     * record.
     */
    async function listOf(
      session: ContextSession,
      messages: readonly unknown[],
      context: PiContext,
    ): Promise<ReadList> {
      const { replaced, ...whole } = withReplaced(messages, branchOf(context));
      const list = readList(whole.messages, piCodec);
      return (await hasReplaced(session, list, replaced))
        ? await own.listFor(readList(messages, piCodec, list), context)
        : await own.listFor(list, context, replaced);
    }

    /** Whether the session has the replaced messages of a list, up to the last one. */
    async function hasReplaced(
      session: ContextSession,
      list: ReadList,
      replaced: readonly unknown[],
    ): Promise<boolean> {
      const last = replaced.at(-1);
      if (last === undefined) return true;
      const known = await session.knownUntil(list);
      const at = list.messages.findIndex(({ raw }) => raw === last);
      // After the user went back, the session first looks for the point in its own versions.
      return known > at || (isRewound && known > 0);
    }

    async function managed(
      session: ContextSession,
      messages: readonly unknown[],
      context: PiContext,
    ): Promise<readonly PiMessage[] | undefined> {
      const signals = signalsOf(() => branchOf(context));
      const list = await listOf(session, messages, context);
      if (!canActivate()) {
        await session.ingest(list, signals);
        isRewound = false;
        context.ui.setStatus(statusKey, "ctx only recording: the tool activate is off");
        return undefined;
      }
      hostTokens = roughTokens(messages);
      const options = { ...viewOptions(context), ...signals };
      const view = await session.ingestAndView(list, options);
      isRewound = false;
      try {
        await showStatus(session, context, view);
      } catch (error) {
        // Not rethrown: the view is stored as sent, so it must be sent.
        notice.failed(error, context);
      }
      if (view.messages.length === 0) return undefined;
      const sent = view.messages.map(piMessage);
      requests.sends(view, sent);
      return sent;
    }

    pi.on("before_provider_request", ({ payload }, context) => {
      try {
        const marked = isOn ? requests.payload(payload) : undefined;
        keepHash(marked ?? payload, context);
        return marked;
      } catch (error) {
        // Without the view's breakpoints the request is still valid, with the host's own.
        notice.failed(error, context);
        return undefined;
      }
    });

    /** Stores the request's hash with its call; the request does not wait for it. */
    function keepHash(payload: unknown, context: PiContext): void {
      const call = requests.sentCall();
      if (call === undefined) return;
      const hash = sha256(JSON.stringify(payload));
      // Nothing waits for it, and the host may have released the context by the time it fails.
      guarded(
        context,
        async ({ session }) => await session.recordPayload(call, hash),
        "waits",
      ).catch(() => undefined);
    }

    pi.on("message_start", ({ message }) => own.saw(message));

    pi.on("message_end", async ({ message }, context) => {
      own.saw(message);
      requests.answered(message);
      const error = errorOf(message);
      if (error !== undefined) await refuse({ error }, context);
    });

    /** Records that the provider refused the last request, before Pi compacts and sends the next one. */
    async function refuse(
      refusal: Pick<RefusedRequest, "error" | "isTooLong">,
      context: PiContext,
    ): Promise<void> {
      const call = requests.sentCall();
      const { model } = requests.viewOptions(context.model);
      await guarded(context, async ({ session }) => {
        const isTooLong = await session.recordRefusal({
          ...refusal,
          ...(model === undefined ? {} : { model }),
          ...(call === undefined ? {} : { call }),
        });
        if (isTooLong) refusedCall = call;
      });
    }

    function viewOptions({ model }: PiContext): ViewOptions {
      const contextWindow = model?.contextWindow;
      return {
        ...requests.viewOptions(model),
        ...(thinking.binds(model) ? { thinking: "bound", head: headName() } : {}),
        ...(contextWindow === undefined ? {} : { contextWindow }),
      };
    }

    /** The view that the model would get next, for the user to look at; it is not recorded as sent. */
    async function lookedAt(session: ContextSession, context: PiContext): Promise<View> {
      const view = await session.peekView(viewOptions(context));
      if (isCompacted) context.ui.setStatus(statusKey, compactedStatus);
      else await showStatus(session, context, view);
      return view;
    }

    /** Shows the figures of a view in the status line. */
    async function showStatus(
      session: ContextSession,
      context: PiContext,
      view: View,
    ): Promise<void> {
      const line = statusLine(await session.status(), view, hostTokens);
      context.ui.setStatus(statusKey, line);
    }

    pi.on("tool_call", async (event, context) => {
      if (trouble.isOn) return await blockedInTrouble(event);
      return await guarded(context, async ({ session }) => {
        const blocked = await blockedCall(session, event);
        const call = hostToolCall(event);
        if (blocked === undefined && call !== undefined) await writes.begin(session, call);
        return blocked;
      });
    });

    /** Blocks a call that would write a stand-in, which an earlier request can have shown. This needs no store. */
    async function blockedInTrouble(event: ToolCallEvent): Promise<BlockedCall | undefined> {
      const session = isOn ? holder.present()?.session : undefined;
      try {
        return session === undefined ? undefined : await blockedCall(session, event);
      } catch {
        // The user has been notified of the trouble. The call runs, as it does in plain Pi.
        return undefined;
      }
    }

    pi.on("tool_result", async (event, context) => {
      if (tools.names.has(event.toolName))
        return refused.delete(event.toolCallId) ? { isError: true } : undefined;
      if (!isOn) return undefined;
      const call = hostToolCall(event, () => writtenArguments(event, context));
      const result = hostToolResult(event);
      if (call !== undefined)
        pending.add(async (session) => await recordCall(session, call, result));
      await guarded(
        context,
        async ({ session }) => {
          if (!lacksHistory) await pending.record(session);
          await writes.end(event.toolCallId);
        },
        "waits",
      );
      return undefined;
    });

    pi.on("agent_end", async (_event, context) => {
      // A change that cannot be stored now is stored with the next change of its file.
      await writes.endAll().catch((error: unknown) => notice.failed(error, context));
    });

    pi.on("session_before_compact", async (event, context) => {
      const kind = compactionKind(event, context);
      if (kind === "manual") return isOn ? summarizeAgain(event, context) : undefined;
      return await guarded(context, async ({ session, workspace }) => {
        if (!canActivate()) return undefined;
        // Pi also sees an overflow in an answer that the provider cut, which has no error.
        if (kind === "overflow" && refusedCall !== requests.sentCall())
          await refuse({ error: "", isTooLong: true }, context);
        // Pi removes these messages from its list and does not send them again. Those that an earlier failure skipped
        // are ingested now.
        const { messagesToSummarize = [], turnPrefixMessages = [] } = event.preparation;
        const leaving = [...messagesToSummarize, ...turnPrefixMessages];
        const replaced = replacedMessages(event.branchEntries ?? []);
        const list = readList([...replaced, ...leaving], piCodec);
        const isWhole = await hasReplaced(session, list, replaced);
        const signals = signalsOf(() => event.branchEntries ?? []);
        if (!isRewound && leaving.length > 0)
          await session.ingest(isWhole ? readList(leaving, piCodec, list) : list, signals);
        return { compaction: compactionAnswer(event, await session.status(), workspace) };
      });
    });

    pi.on("session_compact", ({ compactionEntry }, context) => {
      if (!isOn || !canActivate() || isOwnCompaction(compactionEntry)) return;
      isCompacted = true;
      context.ui.setStatus(statusKey, compactedStatus);
    });

    pi.registerCommand("context", {
      description: "List and change what the model has in its context",
      // Pi calls it after each key, so it opens no session, and a failure offers nothing.
      getArgumentCompletions: async (args) => {
        try {
          const found = await contextCompletions(args, holder.present()?.session);
          return found.length === 0 ? null : [...found];
        } catch {
          return null;
        }
      },
      handler: async (args, context) => {
        const text = await answerCommand(args, context);
        if (context.hasUI) context.ui.notify(text, "info");
        // Standard output is for the model's answers and for protocols; Pi redirects what other code writes to standard
        // output here too.
        else process.stderr.write(`${text}\n`);
      },
    });

    async function answerCommand(args: string, context: PiContext): Promise<string> {
      try {
        const text = await contextCommand(args, {
          host: "Pi",
          command: "context",
          isOn: () => isOn,
          turn: async (on) => await turn(on, context),
          session: async () => (await open(context)).session,
          figures: async () => await figures(context),
          isCompacted: () => isCompacted,
          sendsOwn,
          inspect: async () => await pageText(await open(context)),
        });
        if (sendsOwn() === undefined) await lookedAt((await open(context)).session, context);
        return text;
      } catch (error) {
        // The error of a command is shown as its answer.
        return `self-context-manager: ${error instanceof Error ? error.message : String(error)}`;
      }
    }

    /** Says why Pi's own messages are sent now; undefined if the views are. */
    function sendsOwn(): string | undefined {
      if (!isOn) return "Managed context is off; Pi's own messages are sent unchanged.";
      if (!canActivate())
        return "The tool activate is off, so Pi's own messages are sent, and the session is only recorded.";
      return notice.isOn ? "After a failure Pi's own messages are sent unchanged." : undefined;
    }

    async function figures(context: PiContext): Promise<ContextFigures | undefined> {
      if (sendsOwn() !== undefined) return undefined;
      const view = await lookedAt((await open(context)).session, context);
      return requests.figures(view, context.model);
    }

    async function turn(on: boolean, context: PiContext): Promise<string> {
      const active = pi.getActiveTools();
      if (on) {
        isOn = true;
        try {
          await open(context);
        } catch (error) {
          context.ui.setStatus(statusKey, failedStatus);
          throw error;
        } finally {
          const missing = [...tools.names].filter((name) => !active.includes(name));
          if (missing.length > 0) pi.setActiveTools([...pi.getActiveTools(), ...missing]);
        }
        return "Managed context is on.";
      }
      isOn = false;
      pi.setActiveTools(active.filter((name) => !tools.names.has(name)));
      context.ui.setStatus(statusKey, offStatus);
      return "Managed context is off; Pi's own messages are sent unchanged.";
    }
  };
}

/** Opens the inspector's page of a session and returns what the user reads. */
async function pageText({ session, inspect }: OpenedContext): Promise<string> {
  if (inspect === undefined) return inspectHint(session.host.sessionId, undefined);
  return [
    `Open this address in a browser of this machine: ${await inspect()}`,
    "It only reads, follows the session, and is closed with it. Who has the address can read the store.",
  ].join("\n");
}
