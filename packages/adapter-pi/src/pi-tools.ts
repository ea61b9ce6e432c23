import {
  answerDetails,
  type ContextSession,
  contextTools,
  type JsonObject,
} from "@self-context-manager/core";

import { isFields, type PiContext, type PiTool } from "./pi-api.ts";

/** The names of the tools that the adapter adds. `read` remains the host's tool; its results are recorded. */
export const ownToolNames: ReadonlySet<string> = new Set(
  contextTools.map(({ name }) => name).filter((name) => name !== "read"),
);

/** The context tools in Pi's form. The ids of refused calls are added to `refused`. */
export function piTools(
  openSession: (context: PiContext) => Promise<ContextSession>,
  refused: Set<string>,
): readonly PiTool[] {
  return contextTools
    .filter(({ name }) => ownToolNames.has(name))
    .map((tool) => ({
      name: tool.name,
      label: tool.name,
      description: tool.description,
      parameters: tool.parameters,
      execute: async (callId, args, _signal, _onUpdate, context) => {
        const session = await openSession(context);
        const answer = await tool.run(session, isFields(args) ? (args as JsonObject) : {}, callId);
        if (!answer.ok) refused.add(callId);
        return { content: [{ type: "text", text: answer.text }], details: answerDetails(answer) };
      },
    }));
}
