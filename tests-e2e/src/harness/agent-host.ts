import { agentContext, piAgentAdapter, piCodec } from "@self-context-manager/adapter-pi";
import { systemClock, uuidIds } from "@self-context-manager/compose";
import { isJsonObject } from "@self-context-manager/objects";
import { type ContextSession, type JsonValue, readList } from "@self-context-manager/core";
import { sha256, toJson } from "@self-context-manager/core/host";
import { memoryStore } from "@self-context-manager/store-memory";
import {
  type Availability,
  breakableStore,
  memoryFolder,
  type ModelRequest,
  type OpenHost,
  openTriedSession,
  scriptedCalls,
  storedHashes,
  storedPrompts,
  storedTexts,
} from "@self-context-manager/testkit";

import {
  type AgentMessage,
  agentModel,
  type AgentRequest,
  agentStream,
  neutralAgentRequest,
  textOf,
} from "./agent-model.ts";
import { agentTools } from "./agent-tools.ts";
import { memoryMask } from "./scripted-host.ts";

/** The parts of pi-agent-core that are used. All releases have them. */
export interface AgentModule {
  readonly Agent: new (options: Readonly<Record<string, unknown>>) => {
    readonly state: { messages: readonly AgentMessage[] };
    prompt(message: object): Promise<void>;
  };
}

/** Returns hosts that are bare agents of pi-agent-core with `agentContext`, on the memory store. */
export function agentHost({ Agent }: AgentModule): OpenHost {
  return async (options) => {
    const folder = memoryFolder(options.files);
    const mask = memoryMask();
    const availability: Availability = { isBroken: false };
    const store = breakableStore(memoryStore(), availability);
    const requests: ModelRequest[] = [];
    let time = Date.now();
    let forks = 0;
    let session: ContextSession;
    let agent = await open([]);
    // A wrapper gets an open session, so its store breaks only afterwards.
    availability.isBroken = options.brokenStore;

    /**
     * Returns a new time for each message. Messages are recognised by their times, and a run makes two in one
     * millisecond.
     */
    function nextTime(): number {
      time += 1;
      return time;
    }

    /** What another extension does to the list of a request. */
    async function transformContext(messages: readonly AgentMessage[]): Promise<AgentMessage[]> {
      const { other = {} } = options;
      const left = messages.filter((one) => other.leavesOut?.(saidIn(one)) !== true);
      const more = other.appends?.();
      const newest = left.findLast(({ role }) => role === "user");
      const kept = left.map((one) =>
        one === newest && more !== undefined
          ? { ...one, content: [{ type: "text", text: `${saidIn(one)}${more}` }] }
          : one,
      );
      const text = other.adds?.();
      const added = { role: "user", content: text, timestamp: nextTime() };
      return await Promise.resolve(text === undefined ? kept : [...kept, added]);
    }

    async function open(messages: readonly AgentMessage[]): Promise<InstanceType<typeof Agent>> {
      const tools = agentTools(folder, options.other);
      session = await openTriedSession(
        { store, files: folder, ids: uuidIds(systemClock), workspace: folder.path, mask },
        options.settings,
        { harness: piAgentAdapter.harness, sessionId: `agent-${forks + 1}` },
      );
      const model = options.thinking === "bound" ? bindingModel : agentModel;
      const context = agentContext<AgentMessage>({
        session,
        model: () => model,
        ...(options.other === undefined ? {} : { transformContext }),
      });
      const own = context.tools.filter(({ name }) => name !== "read");
      const isManaged = options.adapter === "managed";
      return new Agent({
        initialState: {
          systemPrompt: isManaged ? context.systemPrompt("You are an agent.") : "You are an agent.",
          model,
          tools: isManaged ? [...context.wrapTools(tools), ...own] : tools,
          messages: [...messages],
        },
        transformContext: isManaged ? context.transformContext : transformContext,
        convertToLlm: (all: readonly AgentMessage[]) => all.flatMap(asProviderMessage),
        streamFn: (_model: unknown, request: AgentRequest) => {
          const neutral = neutralAgentRequest(request);
          if (isManaged) context.onPayload(neutral);
          requests.push(neutral);
          return agentStream(options.model(neutral), nextTime());
        },
      });
    }

    return {
      settings: options.settings,
      calls: scriptedCalls(),
      requests,
      notices: [],
      prompt: async (text, images = []) =>
        await agent.prompt({
          role: "user",
          content: [
            { type: "text", text },
            ...images.map((data) => ({ type: "image", data, mimeType: "image/png" })),
          ],
          timestamp: nextTime(),
        }),
      record: async () => await Promise.resolve(comparable(toJson(agent.state.messages))),
      restart: async () => {
        agent = await open(agent.state.messages.filter(({ role }) => role !== "system"));
      },
      fork: async () => {
        forks += 1;
        agent = await open(agent.state.messages.filter(({ role }) => role !== "system"));
      },
      setBroken: (broken) => void (availability.isBroken = broken),
      turn: async () => {
        await Promise.reject(new Error("a wrapped agent cannot be switched on or off"));
      },
      writeFile: async (path, text) => await Promise.resolve(folder.set(path, text)),
      addOwnMessage: async (text) => {
        const note = { role: "note", content: text, timestamp: nextTime() };
        agent.state.messages = [...agent.state.messages, note];
        await Promise.resolve();
      },
      changeUsage: async () => {
        const { messages } = agent.state;
        const usage = { input: messages.length, output: 1, cacheRead: 1, cacheWrite: 1 };
        agent.state.messages = messages.map((one) =>
          one.role === "assistant" ? { ...one, usage } : one,
        );
        await Promise.resolve();
      },
      systemPrompts: async () => await storedPrompts(store),
      storedTexts: async () => await storedTexts(store),
      requestHashes: async () => await storedHashes(store),
      sentHashes: () => requests.map((one) => sha256(JSON.stringify(one))),
      goBack: async (prompt) => {
        const { messages } = agent.state;
        const said = messages.filter(({ role }) => role === "user")[prompt];
        agent.state.messages = messages.slice(0, said === undefined ? 0 : messages.indexOf(said));
        await Promise.resolve();
      },
      compact: async () => {
        await Promise.reject(new Error("a bare agent does not shorten its list"));
      },
      archive: async () => {
        await session.ingest(readList(agent.state.messages, piCodec));
        await session.archive();
      },
      compactions: async () => await Promise.resolve(0),
      [Symbol.asyncDispose]: async () => await store[Symbol.asyncDispose](),
    };
  };
}

/** A model that is known to bind its thinking. */
const bindingModel = { ...agentModel, id: "claude-opus-5-5" };

function saidIn({ content }: AgentMessage): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? textOf(content) : "";
}

/** Returns the provider's form of a message. Failed answers are not sent again. */
function asProviderMessage(message: AgentMessage): readonly AgentMessage[] {
  if (message.role === "note") return [{ ...message, role: "user" }];
  return message["stopReason"] === "error" ? [] : [message];
}

/** Returns a record without its times and without the prompt and the tools that the agent was made with. */
function comparable(value: JsonValue): JsonValue {
  const isList = Array.isArray(value);
  if (isList)
    return (value as readonly JsonValue[]).filter((one) => !isSystem(one)).map(comparable);
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).filter(([name]) => name !== "timestamp");
  return Object.fromEntries(fields.map(([name, one]) => [name, comparable(one ?? null)]));
}

function isSystem(value: JsonValue): boolean {
  return isJsonObject(value) && value["role"] === "system";
}
