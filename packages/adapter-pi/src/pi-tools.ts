import {
  type BoundTool,
  type Connection,
  contextTools,
  jsonObject,
  renamedContextTools,
} from "@self-context-manager/core/host";

import { isFields, type PiApi, type PiContext, type PiTool } from "./pi-api.ts";

/** The context tools that the extension has registered in Pi, under names that no other tool has. */
export interface RegisteredTools {
  readonly names: ReadonlySet<string>;
  /** For `hostTools` of a connection: the names that are taken. */
  readonly hostTools: () => readonly string[];
  /** Whether the model can activate. If not, it could not get removed content back, so nothing is removed. */
  canActivate(): boolean;
  /**
   * Registers the tools of a connection late, when other extensions have registered theirs. This activates only their names,
   * and only as far as the user's selection allows. If another extension registers one of the names later and Pi takes its
   * tool, the context tools get other names.
   */
  register(connection: Connection<unknown>): void;
  /** Whether a call was refused. It is known only once. */
  takeRefused(callId: string): boolean;
  /** Adds the tools that are not active to the active ones, or removes all. */
  switchTo(on: boolean): void;
}

/** `connectionOf`: returns the connection in whose session a tool runs. */
export function registeredTools(
  pi: PiApi,
  connectionOf: (context: PiContext) => Connection<unknown>,
): RegisteredTools {
  const refused = new Set<string>();
  let names: ReadonlySet<string> = new Set();
  let isRegistered = false;
  // `read` remains Pi's tool; its results are recorded.
  let taken: readonly string[] = ["read"];

  function isHiddenIn(list: readonly unknown[]): boolean {
    return list.some((tool) => isFields(tool) && names.has(String(tool["name"])) && !isOwn(tool));
  }

  function piTool({ name, description, parameters }: BoundTool): PiTool {
    return {
      name,
      label: name,
      description,
      parameters,
      execute: async (callId, args, _signal, _onUpdate, context) => {
        const tool = connectionOf(context).tools.find((one) => one.name === name);
        // Pi shows the error to the model.
        if (tool === undefined) throw new Error(`${name} has another name now`);
        const { text, isError, details } = await tool.run(jsonObject(args), callId);
        if (isError) refused.add(callId);
        return { content: [{ type: "text", text }], details };
      },
    };
  }

  return {
    get names() {
      return names;
    },
    hostTools: () => taken,
    canActivate() {
      const activate = ["activate", "context_activate"].find((name) => names.has(name));
      return activate !== undefined && pi.getActiveTools().includes(activate);
    },
    register(connection) {
      const list = pi.getAllTools();
      if (isRegistered && !isHiddenIn(list)) return;
      const former = names;
      isRegistered = true;
      taken = ["read", ...list.filter((tool) => isFields(tool) && !isOwn(tool)).map(nameOf)];
      const { tools } = connection;
      names = new Set(tools.map(({ name }) => name));
      for (const tool of tools) pi.registerTool(piTool(tool));
      const left = new Set(
        list.filter((tool) => isOwn(tool) && former.has(nameOf(tool))).map(nameOf),
      );
      if (left.size > 0) pi.setActiveTools(pi.getActiveTools().filter((name) => !left.has(name)));
    },
    takeRefused: (callId) => refused.delete(callId),
    switchTo(on) {
      const active = pi.getActiveTools();
      const missing = [...names].filter((name) => !active.includes(name));
      if (!on) pi.setActiveTools(active.filter((name) => !names.has(name)));
      else if (missing.length > 0) pi.setActiveTools([...active, ...missing]);
    },
  };
}

const ownTools = [...contextTools, ...renamedContextTools];

/** Whether a tool of Pi's list is a context tool. Another extension can have a tool of the same name. */
function isOwn(tool: unknown): boolean {
  return (
    isFields(tool) &&
    ownTools.some(
      ({ name, description }) => tool["name"] === name && tool["description"] === description,
    )
  );
}

function nameOf(tool: unknown): string {
  return isFields(tool) ? String(tool["name"]) : "";
}
