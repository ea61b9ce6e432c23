import {
  answerDetails,
  type ContextTool,
  contextTools,
  renamedContextTools,
  renamedInstruction,
  hostText,
  jsonObject,
} from "@self-context-manager/core/host";
import { type ContextSession, standingInstruction } from "@self-context-manager/core";

import { isFields, type PiContext, type PiTool } from "./pi-api.ts";

/** The tools that the adapter adds, under names that no other tool has. */
export interface OwnTools {
  readonly names: ReadonlySet<string>;
  /** The tool that shows an object again. Without it nothing may leave the view. */
  readonly activate: string | undefined;
  readonly instruction: string;
  /** Whether a tool of Pi's list is one of these. Another extension can have a tool of the same name. */
  isOwn(tool: unknown): boolean;
  /** Whether Pi's list has a tool of another extension under one of the names. */
  isHiddenIn(list: readonly unknown[]): boolean;
  /** The tools in Pi's form. The ids of refused calls are added to `refused`. */
  make(
    openSession: (context: PiContext) => Promise<ContextSession>,
    refused: Set<string>,
  ): readonly PiTool[];
}

/** Before the tools are registered, and in a host without free names for them. */
export const noTools: OwnTools = ownTools([], undefined, standingInstruction);

/** `read` remains the host's tool; its results are recorded. */
const usualTools = ownTools(
  contextTools.filter(({ name }) => name !== "read"),
  "activate",
  standingInstruction,
);

const renamedTools = ownTools(
  renamedContextTools.filter(({ name }) => name !== "context_read"),
  "context_activate",
  renamedInstruction,
);

/**
 * Returns the tools whose names are free in Pi's list. If one name is taken, all are renamed: the model sees one rule.
 */
export function freeTools(list: readonly unknown[]): OwnTools {
  return [usualTools, renamedTools].find((tools) => !tools.isHiddenIn(list)) ?? noTools;
}

function ownTools(
  tools: readonly ContextTool[],
  activate: string | undefined,
  instruction: string,
): OwnTools {
  const names: ReadonlySet<string> = new Set(tools.map(({ name }) => name));
  const isOwn = (tool: unknown): boolean =>
    isFields(tool) &&
    tools.some(
      ({ name, description }) => tool["name"] === name && tool["description"] === description,
    );
  return {
    names,
    activate,
    instruction,
    isOwn,
    isHiddenIn: (list) =>
      list.some((tool) => isFields(tool) && names.has(String(tool["name"])) && !isOwn(tool)),
    make: (openSession, refused) => tools.map((tool) => piTool(tool, openSession, refused)),
  };
}

function piTool(
  tool: ContextTool,
  openSession: (context: PiContext) => Promise<ContextSession>,
  refused: Set<string>,
): PiTool {
  return {
    name: tool.name,
    label: tool.name,
    description: tool.description,
    parameters: tool.parameters,
    execute: async (callId, args, _signal, _onUpdate, context) => {
      const session = await openSession(context);
      const answer = await tool.run(session, jsonObject(args), callId);
      if (!answer.ok) refused.add(callId);
      return {
        content: [{ type: "text", text: hostText(answer) }],
        details: answerDetails(answer),
      };
    },
  };
}
