import type { MemoryFolder } from "@self-context-manager/testkit";

/** A tool of pi-agent-core. All releases have this form. */
export interface AgentTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: unknown;
  execute(
    callId: string,
    args: never,
  ): Promise<{ readonly content: readonly AgentBlock[]; readonly details: unknown }>;
}

type AgentBlock = { readonly type: string; readonly [field: string]: unknown };

type Args = { readonly path: string; readonly text?: string };

/** Returns tools of a custom agent, on a working folder in memory. */
export function agentTools(folder: MemoryFolder): readonly AgentTool[] {
  const textAt = (path: string): string => {
    const content = folder.get(path);
    if (typeof content !== "string") throw new Error(`ENOENT: there is no text at ${path}`);
    return content;
  };
  return [
    agentTool("read", ({ path }) => [{ type: "text", text: textAt(path) }]),
    agentTool("show", ({ path }) => [{ type: "text", text: textAt(path) }]),
    agentTool("crash", ({ path }) => {
      throw new Error(`${textAt(path)}crashed`);
    }),
    agentTool("photo", ({ path }) => [
      {
        type: "image",
        data: Buffer.from(folder.get(path) ?? "").toString("base64"),
        mimeType: "image/png",
      },
    ]),
    agentTool("write", ({ path, text = "" }) => {
      folder.set(path, text);
      return [{ type: "text", text: `wrote ${path}` }];
    }),
  ];
}

function agentTool(name: string, run: (args: Args) => readonly AgentBlock[]): AgentTool {
  return {
    name,
    label: name,
    description: `Does ${name}.`,
    parameters: { type: "object", properties: {}, additionalProperties: true },
    execute: async (_callId, args: Args) =>
      await Promise.resolve({ content: run(args), details: {} }),
  };
}
