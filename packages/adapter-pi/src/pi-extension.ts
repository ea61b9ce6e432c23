import {
  type ContextSession,
  sha256,
  standingInstruction,
  type View,
  type ViewOptions,
} from "@self-context-manager/core";

import { compactionAnswer, compactionKind } from "./compaction.ts";
import { contextCommand } from "./context-command.ts";
import type { ContextFigures } from "./context-figures.ts";
import { failureNotice, sharedNotice, statusKey } from "./failure-notice.ts";
import { heldWrites } from "./held-writes.ts";
import { contextHolder, type OpenContext, type OpenedContext } from "./opened-context.ts";
import type { PiApi, PiContext, PiHost, PiMessage } from "./pi-api.ts";
import { piCodec, piMessage } from "./pi-codec.ts";
import { ownToolNames, piTools } from "./pi-tools.ts";
import { type Breakpoints, type ProviderRequests, providerRequests } from "./provider-requests.ts";
import { recordResult } from "./record-result.ts";
import { roughTokens, statusLine } from "./status-line.ts";
import { summarizeAgain } from "./summarized-again.ts";

export interface PiExtensionOptions {
  /** Opens the store with a session; what it rejects with is told to the user, once. */
  readonly openContext: OpenContext;
  /** Begins switched off; `/context on` switches on. */
  readonly off?: boolean;
  /** Whose cache breakpoints go to the provider. Default: the view's own (`own`). */
  readonly breakpoints?: Breakpoints;
  /** Whether Pi asks for cache entries that live long. Default: false until a request shows it. */
  readonly isCacheLong?: boolean;
}

const offStatus = "ctx off";

/** Turned off by this on Pi's command line. */
const offFlag = "scm-off";

/** After the provider said that its window is full, the view gets this much of what it had. */
const shrinkAfterOverflow = 0.7;

/**
 * The Pi extension: the model sees the session's view in the place of the host's messages. It never breaks the host:
 * whatever of ours fails leaves the host's messages and results as they are.
 */
export function piExtension(options: PiExtensionOptions): (host: PiHost) => void {
  return (host) => {
    const pi: PiApi = host;
    const holder = contextHolder(options.openContext);
    const notice = failureNotice();
    const tellShared = sharedNotice();
    const refused = new Set<string>();
    const writes = heldWrites();
    const newRequests = (): ProviderRequests =>
      providerRequests(options.breakpoints, Date.now, options.isCacheLong);
    let requests = newRequests();
    let isOn = false;
    let isRegistered = false;
    let isRewound = false;
    let windowShare = 1;
    let hostTokens = 0;

    async function open(context: PiContext): Promise<OpenedContext> {
      const opened = await holder.open(context.sessionManager.getSessionId(), context.cwd);
      registerTools();
      return opened;
    }

    /** Late registration turns on our names only, and those only where the user's selection lets them. */
    function registerTools(): void {
      if (isRegistered) return;
      isRegistered = true;
      for (const tool of piTools(currentSession, refused)) pi.registerTool(tool);
    }

    /** A tool that cannot reach the session fails by itself; the host tells the model why. */
    async function currentSession(context: PiContext): Promise<ContextSession> {
      if (!isOn) throw new Error("managed context is off");
      return (await open(context)).session;
    }

    /** Runs what is ours beside the host's work; a failure is told, and undefined answered. */
    async function guarded<Result>(
      context: PiContext,
      work: (opened: OpenedContext) => Promise<Result>,
    ): Promise<Result | undefined> {
      if (!isOn) return undefined;
      try {
        const opened = await open(context);
        const result = await work(opened);
        if (opened.session.isShared) tellShared(opened.session.host.sessionId, context);
        return result;
      } catch (error) {
        // Not rethrown: a failure here must not stop the run, so the host continues with its own messages.
        notice.failed(error, context);
        return undefined;
      }
    }

    /** Without `activate` the model could not get back what is not shown; then nothing is held back. */
    const canActivate = (): boolean => pi.getActiveTools().includes("activate");

    pi.registerFlag(offFlag, {
      description: "Send the session's messages as they are, without managed context",
      type: "boolean",
      default: false,
    });

    pi.on("session_start", async (_event, context) => {
      isOn = options.off !== true && pi.getFlag(offFlag) !== true;
      windowShare = 1;
      hostTokens = 0;
      requests = newRequests();
      isRewound = false;
      if (isOn) await guarded(context, async ({ session }) => await lookedAt(session, context));
      else context.ui.setStatus(statusKey, offStatus);
    });

    pi.on("session_shutdown", async () => {
      await holder.close();
    });

    pi.on("session_tree", () => {
      isRewound = true;
    });

    pi.on("before_agent_start", async (event, context) =>
      guarded(context, async ({ session }) => {
        if (!canActivate()) return undefined;
        const { systemPrompt } = event;
        await session.recordSystemPrompt("host", systemPrompt);
        await session.recordSystemPrompt("own", standingInstruction);
        return { systemPrompt: `${systemPrompt}\n\n${standingInstruction}` };
      }),
    );

    pi.on("context", async (event, context) => {
      // Until ours are ready; where they fail, the host's own messages go out.
      requests.sendsNothing();
      return await guarded(context, async ({ session }) => {
        const messages = await managed(session, event.messages, context);
        return messages === undefined ? undefined : { messages };
      });
    });

    async function managed(
      session: ContextSession,
      messages: readonly unknown[],
      context: PiContext,
    ): Promise<readonly PiMessage[] | undefined> {
      const signals = isRewound ? { rewound: true } : {};
      if (!canActivate()) {
        await session.ingest(messages, piCodec, signals);
        isRewound = false;
        context.ui.setStatus(statusKey, "ctx only recorded: the tool activate is off");
        return undefined;
      }
      hostTokens = roughTokens(messages);
      const options = { ...viewOptions(context), ...signals };
      const view = await session.ingestAndView(messages, piCodec, options);
      isRewound = false;
      await tell(session, context, view);
      if (view.messages.length === 0) return undefined;
      const sent = view.messages.map(piMessage);
      requests.sends(view, sent);
      return sent;
    }

    pi.on("before_provider_request", ({ payload }, context) => {
      try {
        const ours = isOn ? requests.payload(payload) : undefined;
        keepHash(ours ?? payload, context);
        return ours;
      } catch (error) {
        // The host's own breakpoints are as good as none of ours.
        notice.failed(error, context);
        return undefined;
      }
    });

    /** The request's hash goes with its call; the request does not wait for it. */
    function keepHash(payload: unknown, context: PiContext): void {
      const call = requests.sentCall();
      if (call === undefined) return;
      const hash = sha256(JSON.stringify(payload));
      // Nobody waits for it, and the host may have let go of the context by the time it fails.
      guarded(context, async ({ session }) => await session.recordPayload(call, hash)).catch(
        () => undefined,
      );
    }

    pi.on("message_end", ({ message }) => requests.answered(message));

    function viewOptions({ model }: PiContext): ViewOptions {
      const contextWindow = model?.contextWindow;
      return {
        ...requests.viewOptions(model),
        ...(contextWindow === undefined
          ? {}
          : { contextWindow: Math.floor(contextWindow * windowShare) }),
      };
    }

    /** What the model would get next, for the user's eyes. */
    async function lookedAt(session: ContextSession, context: PiContext): Promise<View> {
      const options = { ...viewOptions(context), isSent: false };
      const view = await session.view(options);
      await tell(session, context, view);
      return view;
    }

    /** Tells the user of a view in the status line. */
    async function tell(session: ContextSession, context: PiContext, view: View): Promise<void> {
      const line = statusLine(await session.status(), view, hostTokens);
      context.ui.setStatus(statusKey, line);
    }

    pi.on("tool_call", async (event, context) => {
      await guarded(context, async ({ session }) => await writes.begin(session, event));
    });

    pi.on("tool_result", async (event, context) => {
      if (ownToolNames.has(event.toolName))
        return refused.delete(event.toolCallId) ? { isError: true } : undefined;
      return await guarded(context, async ({ session, workspace }) => {
        const details = await recordResult(session, event, workspace);
        await writes.end(event.toolCallId);
        return details === undefined ? undefined : { details };
      });
    });

    pi.on("agent_end", async () => await writes.endAll());

    pi.on("session_before_compact", async (event, context) => {
      const kind = compactionKind(event, context);
      if (kind === "manual") return isOn ? summarizeAgain(event, context) : undefined;
      return await guarded(context, async ({ session, workspace }) => {
        if (!canActivate()) return undefined;
        if (kind === "overflow") windowShare *= shrinkAfterOverflow;
        // What leaves Pi's list and was missed so far is not told again.
        const { messagesToSummarize = [], turnPrefixMessages = [] } = event.preparation;
        const leaving = [...messagesToSummarize, ...turnPrefixMessages];
        if (!isRewound && leaving.length > 0) await session.ingest(leaving, piCodec);
        return { compaction: compactionAnswer(event, await session.status(), workspace) };
      });
    });

    pi.registerCommand("context", {
      description: "List and change what the model has in its context",
      handler: async (args, context) => {
        const text = await answerCommand(args, context);
        if (context.hasUI) context.ui.notify(text, "info");
        // Standard output is for the model's answers and for protocols; Pi sends what others write there here too.
        else process.stderr.write(`${text}\n`);
      },
    });

    async function answerCommand(args: string, context: PiContext): Promise<string> {
      try {
        const text = await contextCommand(args, {
          isOn: () => isOn,
          turn: async (on) => await turn(on, context),
          open: async () => await open(context),
          figures: async () => await figures(context),
        });
        if (isOn && canActivate()) await lookedAt((await open(context)).session, context);
        return text;
      } catch (error) {
        // A command's failure is its answer.
        return `self-context-manager: ${error instanceof Error ? error.message : String(error)}`;
      }
    }

    async function figures(context: PiContext): Promise<ContextFigures | undefined> {
      if (!isOn || !canActivate()) return undefined;
      const view = await lookedAt((await open(context)).session, context);
      return requests.figures(view, context.model);
    }

    async function turn(on: boolean, context: PiContext): Promise<string> {
      const active = pi.getActiveTools();
      if (on) {
        isOn = true;
        await open(context);
        const missing = [...ownToolNames].filter((name) => !pi.getActiveTools().includes(name));
        pi.setActiveTools([...pi.getActiveTools(), ...missing]);
        return "Managed context is on.";
      }
      isOn = false;
      pi.setActiveTools(active.filter((name) => !ownToolNames.has(name)));
      context.ui.setStatus(statusKey, offStatus);
      return "Managed context is off; messages go to the model as they are.";
    }
  };
}
