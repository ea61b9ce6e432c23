import { fieldsOf, jsonObject } from "@self-context-manager/core/host";

import type {
  EngineWhere,
  HookContext,
  OpenClawApi,
  OpenClawTool,
  ContextEngine,
} from "./openclaw-api.ts";
import type { OpenClawMessage } from "./openclaw-messages.ts";
import type { OpenClawRuntime } from "./openclaw-runtime.ts";
import { agentIn } from "./session-places.ts";
import { textTransform } from "./text-transform.ts";

/** The id of the plugin and of its engine, as in the manifest. */
const pluginId = "self-context-manager";

/** A plugin in OpenClaw's form. */
export interface OpenClawPlugin {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  register(api: OpenClawApi): void;
}

/** The runtime that all registrations of the plugin in a process use. */
export interface Runtimes {
  /** Returns the runtime for a registration. If its settings are others, it is a new one. */
  registered(api: OpenClawApi): OpenClawRuntime;
  /** Returns the present runtime; a new one if it was closed. */
  current(api: OpenClawApi): OpenClawRuntime;
}

/**
 * Returns the plugin. OpenClaw registers it several times in one process, and runs hooks, tools and the engine of different
 * registrations.
 */
export function openClawPlugin(runtimes: Runtimes): OpenClawPlugin {
  return {
    id: pluginId,
    name: "Self Context Manager",
    description:
      "Managed context: files and tool results are versioned objects, and the model sees those that it uses.",
    register(api) {
      const { tools } = runtimes.registered(api);
      const runtime = (): OpenClawRuntime => runtimes.current(api);
      api.registerContextEngine(pluginId, (where) => engine(runtime(), where));
      api.registerTextTransforms?.({
        input: [{ from: textTransform((text) => runtime().replaceText(text)), to: "" }],
      });
      api.registerAgentToolResultMiddleware?.(
        async (event, context) => {
          await runtime().endTool(event, context);
          return undefined;
        },
        { runtimes: ["openclaw"] },
      );
      for (const tool of tools) {
        api.registerTool(
          (context) =>
            runtime().isOn(context) ? contextTool(runtime(), tool, context) : undefined,
          { name: tool.name },
        );
      }
      api.on("before_tool_call", async (event, context) => {
        const { toolName, params, toolCallId } = event;
        const call = { id: String(toolCallId), name: String(toolName), args: jsonObject(params) };
        const reason = await runtime().beginTool(call, context);
        return reason === undefined ? undefined : { block: true, blockReason: reason };
      });
      // After other plugins, so that the message is as it is stored.
      api.on(
        "before_message_write",
        ({ message }, context) => runtime().written(message as OpenClawMessage, context),
        { priority: -1000 },
      );
      api.on("model_call_ended", ({ requestPayloadBytes: bytes }, context) => {
        runtime().callEnded(context, typeof bytes === "number" ? bytes : undefined);
      });
      api.on("gateway_stop", async () => await runtime().close());
      api.registerCommand?.({
        // OpenClaw has a command `context` of its own.
        name: "scm",
        description: "List and change what the model has in its context",
        acceptsArgs: true,
        handler: async (context) => ({
          text: await runtime().command(context.args ?? "", context),
        }),
      });
    },
  };
}

/** Returns the engine of one turn. */
function engine(runtime: OpenClawRuntime, { agentDir, workspaceDir }: EngineWhere): ContextEngine {
  const agentId = agentIn(agentDir);
  const where = { agentId, workspace: workspaceDir };
  return {
    info: {
      id: pluginId,
      name: pluginId,
      ownsCompaction: true,
      transcriptSemantics: {
        currentTurnFence: "before-current-turn-entry-v1",
        turnAdvancementIdempotency: "atomic-idempotent-v1",
      },
    },
    // The transcript is read when a request is assembled, so nothing is stored here.
    ingest: async () => await Promise.resolve({ ingested: false }),
    assemble: async (parameters) => await runtime.assemble(parameters, where),
    compact: async (parameters) => await runtime.compact(parameters),
    async commitTurn({ advancementKey, sessionKey }) {
      return { status: await runtime.turnEnded({ agentId, sessionKey }, advancementKey) };
    },
    dispose: async () => await Promise.resolve(),
  };
}

function contextTool(
  runtime: OpenClawRuntime,
  { name, description, parameters }: OpenClawRuntime["tools"][number],
  context: HookContext,
): OpenClawTool {
  return {
    name,
    label: name,
    description,
    parameters,
    // Otherwise OpenClaw shows the tool only to a model that searches for it.
    catalogMode: "direct-only",
    execute: async (id, args) => {
      const { text, isError, details } = await runtime.runContextTool(name, { id, args }, context);
      // By its status the host recognises a call that failed.
      const status = isError ? { status: "error" } : {};
      return { content: [{ type: "text", text }], details: { ...status, ...fieldsOf(details) } };
    },
  };
}
