import type { ContextSession } from "@self-context-manager/core";
import {
  type BoundAnswer,
  connectMany,
  contextCommand,
  type ContextFigures,
  defined,
  fieldsOf,
  type HostToolCall,
  type InspectedPlace,
  inspectHint,
  jsonObject,
  messageOf,
  type SummaryOptions,
} from "@self-context-manager/core/host";

import { clock } from "./clock.ts";
import { freeRoom } from "./compaction.ts";
import { currentTurns } from "./current-turns.ts";
import { gatewaySessions, type ManagedSession } from "./gateway-sessions.ts";
import type { HostSdk } from "./host-sdk.ts";
import { viewOptions } from "./model-facts.ts";
import type {
  AssembleParameters,
  AssembleResult,
  CompactParameters,
  CompactResult,
  HookContext,
  OpenClawLogger,
  SessionEntry,
  SessionPlace,
  ToolResultEvent,
} from "./openclaw-api.ts";
import { openClawCodec, openClawMessage, type OpenClawMessage } from "./openclaw-messages.ts";
import { placeName, placeOf } from "./session-places.ts";
import { answerWith, shownContent } from "./shown-content.ts";
import { systemPrompts } from "./system-prompts.ts";
import { textSwaps } from "./text-swaps.ts";
import { wholeResults } from "./whole-results.ts";

/** What the runtime needs of the host and of the composition root. */
export interface OpenClawRuntimeOptions {
  /** Opens a session in the store. Rejects if the store cannot be opened now. */
  readonly openSession: (sessionId: string, workspace: string) => Promise<ContextSession>;
  /** Closes the store. */
  readonly close: () => Promise<void>;
  /** Returns the place of the store. */
  readonly storePlace: () => InspectedPlace;
  readonly sdk: HostSdk;
  readonly logger: OpenClawLogger;
  /** Returns the host's configuration as it is now. */
  readonly config: () => unknown;
  /** Returns the working folder of an agent. */
  readonly workspaceOf: (agentId: string) => string;
  /** Returns the host's record of a session. */
  readonly entryOf: (place: SessionPlace) => SessionEntry | undefined;
  /** Whether sessions begin without managed context. Default: false. */
  readonly isOff?: boolean;
  /** The model that writes summaries of finished turns. Default: no model is asked. */
  readonly summaries?: SummaryOptions;
}

/** Where an engine works. */
interface EnginePlace {
  readonly agentId?: string | undefined;
  readonly workspace?: string | undefined;
}

/** Managed context for all sessions of a gateway. No function rejects, and none stops the host. */
export interface OpenClawRuntime {
  readonly tools: ReturnType<typeof connectMany<OpenClawMessage>>["tools"];
  /** Whether managed context is on in a session. */
  isOn(context: HookContext): boolean;
  /** Returns the messages for a request, or for the beginning of a turn. */
  assemble(parameters: AssembleParameters, where: EnginePlace): Promise<AssembleResult>;
  /** Frees room for the next request. The host asks for it after an overflow, and for the user. */
  compact(parameters: CompactParameters): Promise<CompactResult>;
  /** Returns the text that a request has instead of this one. */
  replaceText(text: string): string;
  /** A message was written to the transcript. */
  written(message: OpenClawMessage, context: HookContext): void;
  /** Returns why a tool must not run. */
  beginTool(call: HostToolCall, context: HookContext): Promise<string | undefined>;
  /** A tool has run. */
  endTool(event: ToolResultEvent, context: HookContext): Promise<void>;
  runContextTool(
    name: string,
    call: { readonly id: string; readonly args: unknown },
    context: HookContext,
  ): Promise<BoundAnswer>;
  /** A request was answered, or failed. `bytes`: those of the request. */
  callEnded(context: HookContext, bytes: number | undefined): void;
  /** The host has accepted the turn of this key. It can report it again, which changes nothing. */
  turnEnded(
    context: Parameters<typeof placeOf>[0],
    key: string,
  ): Promise<"committed" | "duplicate">;
  /** Runs the user's command and returns its answer. */
  command(args: string, context: HookContext): Promise<string>;
  close(): Promise<void>;
}

/** The host's own tools that work with files. */
const hostTools = ["read", "write", "edit", "apply_patch", "exec", "process"] as const;

export function openClawRuntime(options: OpenClawRuntimeOptions): OpenClawRuntime {
  const { logger, sdk } = options;
  const connections = connectMany<OpenClawMessage>({
    open: async (id) => await options.openSession(id, sessions.workspaceOf(id)),
    codec: openClawCodec,
    encode: openClawMessage,
    hostTools,
    clock,
    notify: (text) => logger.warn(text),
    ...defined({ summaries: options.summaries }),
  });
  const swaps = textSwaps();
  const transcripts = currentTurns();
  const wholes = wholeResults();
  const prompts = systemPrompts();
  const sessions = gatewaySessions({
    connections,
    swaps,
    isOff: options.isOff === true,
    entryOf: options.entryOf,
    workspaceOf: options.workspaceOf,
    onClose: (name) => transcripts.forget(name),
    onFailure: (error) => logger.warn(failureText(error)),
  });

  /** Returns what the engine adds to the system prompt at the beginning of a turn. */
  async function promptAddition(
    { availableTools = new Set(), citationsMode, sessionKey }: AssembleParameters,
    { turn }: ManagedSession,
    isOn: boolean,
  ): Promise<string | undefined> {
    const prompt = prompts.take(turn.run);
    const memory = sdk.memoryPrompt({
      availableTools,
      ...defined({ citationsMode, agentSessionKey: sessionKey }),
    });
    const isManaged = isOn && canActivate(availableTools);
    if (isManaged) await turn.connection.systemPrompt(joined([prompt, memory]) ?? "");
    return joined([memory, isManaged ? turn.connection.instruction : undefined]);
  }

  return {
    tools: connections.tools,
    isOn: (context) => sessions.isOn(placeOf(context)),
    async assemble(parameters, { agentId, workspace }) {
      const { messages, sessionId, sessionKey } = parameters;
      const place = placeOf({ agentId, sessionKey });
      const name = placeName(place);
      const own = (): AssembleResult => assembled(messages);
      try {
        const managed = sessions.begin(place, sessionId, workspace);
        const { turn } = managed;
        const run = sdk.run() ?? name;
        if (turn.run !== run) sessions.runBegins(managed, run);
        const isOn = sessions.isOn(place);
        const transcript = async (): Promise<readonly OpenClawMessage[]> =>
          await sdk.transcript({ ...place, sessionId });
        const earlier = await turn.separate(
          messages
            .filter((message) => !isBootstrap(message))
            .map((message) => wholes.listed(name, message)),
          transcript,
        );
        // Only at the beginning of a turn the host passes its context.
        if ("runtimeContext" in parameters) {
          turn.isRewound ||= transcripts.isRewound(name, earlier);
          const systemPromptAddition = await promptAddition(parameters, managed, isOn);
          return systemPromptAddition === undefined ? own() : { ...own(), systemPromptAddition };
        }
        swaps.forget(run);
        if (!isOn) return own();
        const made = await turn.request({
          earlier,
          turn: transcripts.after(name, earlier),
          options: viewOptions(parameters, options.config()),
          canActivate: canActivate(parameters.availableTools),
          transcript,
        });
        if (turn.sent !== undefined) wholes.stored(name);
        return made === undefined ? own() : assembled(made);
      } catch (error) {
        logger.error(failureText(error));
        return own();
      }
    },
    async compact(parameters) {
      const { agentId, sessionKey, sessionId, runtimeContext } = parameters;
      const place = placeOf({ agentId, sessionKey });
      try {
        const { turn } = sessions.begin(place, sessionId);
        const freed = sessions.isOn(place)
          ? await freeRoom(turn, runtimeContext?.trigger)
          : undefined;
        if (freed !== undefined) return { ok: true, compacted: true, result: freed };
      } catch (error) {
        logger.error(failureText(error));
      }
      return await sdk.compact(parameters);
    },
    replaceText(text) {
      const run = sdk.run();
      if (run !== undefined) prompts.passes(run, text);
      return swaps.replace(text, run);
    },
    written(message, context) {
      const place = placeOf(context);
      const name = placeName(place);
      transcripts.written(name, wholes.written(name, message));
      if (message.role === "assistant") sessions.at(place)?.turn.answered(message);
    },
    async beginTool(call, context) {
      const turn = sessions.managedAt(placeOf(context))?.turn;
      return await turn?.connection.beginTool({ ...call, id: turn.callId(call.id) });
    },
    async endTool({ toolCallId, toolName, args, isError = false, result }, context) {
      const turn = sessions.managedAt(placeOf(context))?.turn;
      if (turn === undefined) return;
      const call = { id: turn.callId(toolCallId), name: toolName, args: jsonObject(args) };
      const text = resultText(result.content);
      wholes.returned(toolCallId, text);
      await turn.connection.endTool(call, { text, isError });
    },
    async runContextTool(name, { id, args }, context) {
      const managed = sessions.managedAt(placeOf(context));
      const tool = managed?.turn.connection.tools.find((one) => one.name === name);
      if (managed === undefined || tool === undefined) {
        const text = `${name} did not run, because managed context is off in this session.`;
        return { text, isError: true, details: {} };
      }
      const { turn } = managed;
      const answer = await tool.run(jsonObject(args), turn.callId(id));
      if (answer.isError || name !== "activate") return answer;
      const content = await shownContent(turn.connection, jsonObject(args));
      // If the texts of this turn cannot be changed, only the result itself can show the content.
      return { ...answer, text: answerWith(answer.text, content, turn.isWhole) };
    },
    callEnded(context, bytes) {
      const problem = sessions.requestEnded(placeOf(context), bytes);
      if (problem === undefined) return;
      logger.warn(`self-context-manager: ${problem}. ${historyOnly}`);
    },
    async turnEnded(context, key) {
      const place = placeOf(context);
      const turn = sessions.managedAt(place)?.turn;
      if (turn === undefined) return "committed";
      if (turn.committed === key) return "duplicate";
      turn.committed = key;
      swaps.forget(turn.run);
      await turn.ends(transcripts.after(placeName(place), []));
      return "committed";
    },
    async command(args, context) {
      const place = placeOf(context);
      const { sessionId } = { ...options.entryOf(place), ...context };
      try {
        const { id, turn, problem } = sessions.begin(place, sessionId ?? "");
        const { connection } = turn;
        const sendsOwn = (): string | undefined => {
          if (!sessions.isOn(place))
            return "Managed context is off; OpenClaw's own messages are sent unchanged.";
          if (problem !== undefined) return `${problem}. ${historyOnly}`;
          if (!turn.isBegun) return "This session has had no request since the gateway started.";
          return turn.sent === undefined
            ? "The last request of this session had no view."
            : undefined;
        };
        return await contextCommand(args, {
          host: "OpenClaw",
          command: "scm",
          isOn: () => sessions.isOn(place),
          turn: async (on) => await Promise.resolve(sessions.switchTo(place, on)),
          session: async () => await connection.session(),
          figures: async () => await figuresOf(turn),
          sendsOwn,
          isCompacted: () => turn.budget !== undefined,
          inspect: async () => await Promise.resolve(inspectHint(id, options.storePlace())),
        });
      } catch (error) {
        return failureText(error);
      }
    },
    async close() {
      try {
        await connections[Symbol.asyncDispose]();
        await options.close();
      } catch (error) {
        // Not rethrown: the host could not replace the plugin then. A store that was never opened has nothing to lose.
        logger.warn(failureText(error));
      }
    },
  };
}

/** Returns the figures of the next view with the options of the last request. */
async function figuresOf({ connection, sent }: ManagedSession["turn"]): Promise<ContextFigures> {
  return connection.figures(await connection.peek(sent?.options), sent?.options.prices);
}

const historyOnly =
  "Only the messages before the current turn are managed in this session. /scm on tries again; docs/adapters/openclaw.md explains it.";

/** Joins the texts that are there; undefined if none is. */
function joined(texts: readonly (string | undefined)[]): string | undefined {
  const present = texts.filter((text) => text !== undefined && text !== "");
  return present.length === 0 ? undefined : present.join("\n\n");
}

function canActivate(tools: ReadonlySet<string> | undefined): boolean {
  return tools === undefined || tools.has("activate");
}

/** Whether a message is the one with which the host begins a history whose beginning it left out. */
function isBootstrap({ role, content }: OpenClawMessage): boolean {
  return role === "user" && content === "(session bootstrap)";
}

function resultText(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content
    .map((block: unknown) => fieldsOf(block)["text"])
    .filter((text) => typeof text === "string")
    .join("\n");
}

/** The tokens are estimated by four characters a token. The host uses the number for its figures only. */
function assembled(messages: readonly OpenClawMessage[]): AssembleResult {
  return { messages, estimatedTokens: Math.ceil(JSON.stringify(messages).length / 4) };
}

function failureText(error: unknown): string {
  return `self-context-manager: ${messageOf(error)}`;
}
