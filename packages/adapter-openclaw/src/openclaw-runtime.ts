import type { ContextSession } from "@self-context-manager/core";
import {
  type BoundAnswer,
  connectMany,
  contextCommand,
  fieldsOf,
  type HostToolCall,
  jsonObject,
} from "@self-context-manager/core/host";

import { type AgentTurn, agentTurn } from "./agent-turn.ts";
import { currentTurns } from "./current-turns.ts";
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
  ToolResultEvent,
} from "./openclaw-api.ts";
import { openClawCodec, openClawMessage, type OpenClawMessage } from "./openclaw-messages.ts";
import { requestCheck, type RequestCheck } from "./request-check.ts";
import { placeName, placeOf, type SessionPlace, sessionIdOf } from "./session-places.ts";
import { textSwaps } from "./text-swaps.ts";

/** What the runtime needs of the host and of the composition root. */
export interface OpenClawRuntimeOptions {
  /** Opens a session in the store. Rejects if the store cannot be opened now. */
  readonly openSession: (sessionId: string, workspace: string) => Promise<ContextSession>;
  /** Closes the store. */
  readonly close: () => Promise<void>;
  readonly sdk: HostSdk;
  readonly logger: OpenClawLogger;
  /** Returns the host's configuration as it is now. */
  readonly config: () => unknown;
  /** Returns the host's record of a session. */
  readonly entryOf: (place: SessionPlace) => SessionEntry | undefined;
}

/** Where an engine works. */
export interface EnginePlace {
  readonly agentId?: string;
  readonly workspace?: string;
}

/** Managed context for all sessions of a gateway. No function rejects, and none stops the host. */
export interface OpenClawRuntime {
  readonly tools: ReturnType<typeof connectMany<OpenClawMessage>>["tools"];
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
  /** The turn has ended. */
  turnEnded(context: HookContext): void;
  /** Runs the user's command and returns its answer. */
  command(args: string, context: HookContext): Promise<string>;
  close(): Promise<void>;
}

/** The host's own tools that work with files. */
const hostTools = ["read", "write", "edit", "apply_patch", "exec", "process"] as const;

/** A session that the runtime knows. */
interface Managed {
  readonly id: string;
  readonly turn: AgentTurn;
  readonly check: RequestCheck;
  /** Why the turn's own messages are not managed; undefined if they are. */
  problem: string | undefined;
  isOn: boolean;
}

export function openClawRuntime(options: OpenClawRuntimeOptions): OpenClawRuntime {
  const { logger, entryOf, sdk } = options;
  const workspaces = new Map<string, string>();
  const connections = connectMany<OpenClawMessage>({
    open: async (id) => await options.openSession(id, workspaces.get(id) ?? process.cwd()),
    codec: openClawCodec,
    encode: openClawMessage,
    hostTools,
    notify: (text) => logger.warn(text),
  });
  const swaps = textSwaps();
  const transcripts = currentTurns();
  const sessions = new Map<string, Managed>();
  /** The host's system prompts by run, until the run's first request. */
  const prompts = new Map<string, string>();

  function managedIn(context: HookContext): Managed | undefined {
    return sessions.get(placeName(placeOf(context)));
  }

  function turnIn(context: HookContext): AgentTurn | undefined {
    const managed = managedIn(context);
    return managed?.isOn === true ? managed.turn : undefined;
  }

  /** Returns the session of a place. After a reset it is another one. */
  function begin(place: SessionPlace, sessionId: string, workspace: string | undefined): Managed {
    const id = sessionIdOf(place, sessionId, entryOf(place));
    if (workspace !== undefined) workspaces.set(id, workspace);
    const known = sessions.get(placeName(place));
    if (known?.id === id) return known;
    if (known !== undefined) {
      transcripts.ended(placeName(place));
      connections.close(known.id).catch((error: unknown) => logger.warn(String(error)));
    }
    const made: Managed = {
      id,
      turn: agentTurn(connections.of(id), swaps),
      check: requestCheck(),
      problem: undefined,
      isOn: known?.isOn ?? true,
    };
    sessions.set(placeName(place), made);
    return made;
  }

  /** Returns what the engine adds to the system prompt at the beginning of a turn. */
  async function instruction(
    { availableTools = new Set(), citationsMode, sessionKey }: AssembleParameters,
    { turn, isOn }: Managed,
  ): Promise<string | undefined> {
    const prompt = prompts.get(turn.run);
    prompts.delete(turn.run);
    const memory = sdk.memoryPrompt({
      availableTools,
      ...(citationsMode === undefined ? {} : { citationsMode }),
      ...(sessionKey === undefined ? {} : { agentSessionKey: sessionKey }),
    });
    const isManaged = isOn && canActivate(availableTools);
    if (isManaged) await turn.connection.systemPrompt(prompt ?? "");
    const parts = [memory, isManaged ? turn.connection.instruction : undefined];
    const added = parts.filter((part) => part !== undefined && part !== "").join("\n\n");
    return added === "" ? undefined : added;
  }

  return {
    tools: connections.tools,
    async assemble(parameters, { agentId, workspace }) {
      const { messages, sessionId, sessionKey } = parameters;
      const place = placeOf({
        ...(agentId === undefined ? {} : { agentId }),
        ...(sessionKey === undefined ? {} : { sessionKey }),
      });
      const own = { messages, estimatedTokens: roughTokens(messages) };
      try {
        const managed = begin(place, sessionId, workspace);
        const { turn, isOn } = managed;
        const run = sdk.run() ?? placeName(place);
        if (turn.run !== run) swaps.forget(turn.run);
        turn.run = run;
        // Only at the beginning of a turn the host passes its context.
        if ("runtimeContext" in parameters) {
          const systemPromptAddition = await instruction(parameters, managed);
          return systemPromptAddition === undefined ? own : { ...own, systemPromptAddition };
        }
        swaps.forget(run);
        if (!isOn) return own;
        const earlier = messages.filter((message) => !isBootstrap(message));
        const made = await turn.request({
          earlier,
          turn: transcripts.after(placeName(place), earlier),
          options: viewOptions(parameters, options.config()),
          canActivate: canActivate(parameters.availableTools),
        });
        return made === undefined
          ? own
          : { messages: made, estimatedTokens: roughTokens(made) };
      } catch (error) {
        logger.error(failureText(error));
        return own;
      }
    },
    async compact(parameters) {
      const { agentId, sessionKey, sessionId, runtimeContext } = parameters;
      const place = placeOf({ ...(agentId === undefined ? {} : { agentId }), sessionKey });
      try {
        const { turn, isOn } = begin(place, sessionId, undefined);
        const freed = isOn ? await freeRoom(turn, runtimeContext?.trigger) : undefined;
        if (freed !== undefined) return { ok: true, compacted: true, result: freed };
      } catch (error) {
        logger.error(failureText(error));
      }
      return await sdk.compact(parameters);
    },
    replaceText(text) {
      const run = sdk.run();
      if (run !== undefined && isSystemPrompt(text)) prompts.set(run, text);
      return swaps.replace(text, run);
    },
    written(message, context) {
      transcripts.written(placeName(placeOf(context)), message);
      if (message.role === "assistant") managedIn(context)?.turn.answered(message);
    },
    async beginTool(call, context) {
      const turn = turnIn(context);
      return await turn?.connection.beginTool({ ...call, id: turn.callId(call.id) });
    },
    async endTool({ toolCallId, toolName, args, isError = false, result }, context) {
      const turn = turnIn(context);
      if (turn === undefined) return;
      const call = { id: turn.callId(toolCallId), name: toolName, args: jsonObject(args) };
      await turn.connection.endTool(call, { text: resultText(result.content), isError });
    },
    async runContextTool(name, { id, args }, context) {
      const turn = turnIn(context);
      const tool = turn?.connection.tools.find((one) => one.name === name);
      if (turn === undefined || tool === undefined) {
        const text = `${name} did not run, because managed context is off in this session.`;
        return { text, isError: true, details: {} };
      }
      return await tool.run(jsonObject(args), turn.callId(id));
    },
    callEnded(context, bytes) {
      const managed = managedIn(context);
      if (managed?.turn.isWhole !== true) return;
      const outcome = swaps.outcome(managed.turn.run);
      if (outcome === undefined) return;
      const problem = managed.check.problem({ outcome, bytes });
      if (problem === undefined) return;
      managed.turn.isWhole = false;
      managed.problem = problem;
      logger.warn(`self-context-manager: ${problem}. ${historyOnly}`);
    },
    turnEnded(context) {
      const managed = managedIn(context);
      if (managed !== undefined) swaps.forget(managed.turn.run);
      transcripts.ended(placeName(placeOf(context)));
    },
    async command(args, context) {
      const managed = managedIn(context);
      if (managed === undefined)
        return "This session has had no turn since the gateway was started. Send a message first.";
      const { connection } = managed.turn;
      try {
        return await contextCommand(args, {
          host: "OpenClaw",
          isOn: () => managed.isOn,
          turn: async (on) => {
            managed.isOn = on;
            return await Promise.resolve(
              on
                ? "Managed context is on."
                : "Managed context is off; OpenClaw's own messages are sent unchanged.",
            );
          },
          session: async () => await connection.session(),
          figures: async () => {
            const session = await connection.session();
            const view = await session.peekView(managed.turn.sent?.options);
            const { tokens, epoch, account } = view;
            return { tokens, epoch, account, prices: managed.turn.sent?.options.prices };
          },
          sendsOwn: () => sendsOwn(managed),
          isCompacted: () => false,
        });
      } catch (error) {
        return failureText(error);
      }
    },
    async close() {
      await connections[Symbol.asyncDispose]();
      await options.close();
    },
  };
}

const historyOnly =
  "Only the messages before the current turn are managed in this session. OpenClaw may have changed; see the troubleshooting page.";

function sendsOwn({ isOn, problem, turn }: Managed): string | undefined {
  if (!isOn) return "Managed context is off; OpenClaw's own messages are sent unchanged.";
  if (problem !== undefined) return `${problem}. ${historyOnly}`;
  return turn.sent === undefined ? "OpenClaw's own messages were sent last." : undefined;
}

/** Frees room in the next view. Returns the tokens before and after; undefined if nothing leaves it. */
async function freeRoom(
  turn: AgentTurn,
  trigger: unknown,
): Promise<{ readonly tokensBefore: number; readonly tokensAfter: number } | undefined> {
  const session = await turn.connection.session();
  const { sent } = turn;
  const tokensBefore = tokensOf(await session.peekView(sent?.options));
  if (trigger === "overflow") {
    const { model } = sent?.options ?? {};
    await session.recordRefusal({
      error: "",
      isTooLong: true,
      ...(sent === undefined ? {} : { call: sent.view.call }),
      ...(model === undefined ? {} : { model }),
    });
  } else turn.budget = Math.floor(tokensBefore * shareAfterCompaction);
  const budget = turn.budget === undefined ? {} : { contextWindow: turn.budget, reserve: 0 };
  const tokensAfter = tokensOf(await session.peekView({ ...sent?.options, ...budget }));
  if (tokensAfter < tokensBefore) return { tokensBefore, tokensAfter };
  turn.budget = undefined;
  return undefined;
}

/** The share of a view's tokens that may stay after a compaction that the user asked for. */
const shareAfterCompaction = 0.5;

function tokensOf({ tokens: { metadata, chat, active } }: {
  readonly tokens: { readonly metadata: number; readonly chat: number; readonly active: number };
}): number {
  return metadata + chat + active;
}

function canActivate(tools: ReadonlySet<string> | undefined): boolean {
  return tools === undefined || tools.has("activate");
}

/** Whether a message is the one with which the host begins a history whose beginning it left out. */
function isBootstrap({ role, content }: OpenClawMessage): boolean {
  return role === "user" && content === "(session bootstrap)";
}

/** Whether a text is the host's system prompt, by the mark at its beginning or by its length. */
function isSystemPrompt(text: string): boolean {
  return text.startsWith("You are ") && text.length > 2000;
}

function resultText(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content
    .map((block: unknown) => fieldsOf(block)["text"])
    .filter((text) => typeof text === "string")
    .join("\n");
}

/** Estimates tokens by four characters a token. The host uses the number for its figures only. */
function roughTokens(messages: readonly OpenClawMessage[]): number {
  return Math.ceil(JSON.stringify(messages).length / 4);
}

function failureText(error: unknown): string {
  return `self-context-manager: ${error instanceof Error ? error.message : String(error)}`;
}
