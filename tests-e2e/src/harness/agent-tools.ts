import { linesIn, type MemoryFolder, type OtherExtension } from "@self-context-manager/testkit";

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

type Args = {
  readonly path: string;
  readonly text?: string;
  readonly offset?: number;
  readonly limit?: number;
};

/** Returns tools of a custom agent, on a working folder in memory. `other` changes their results. */
export function agentTools(folder: MemoryFolder, other: OtherExtension = {}): readonly AgentTool[] {
  const said = (text: string): AgentBlock => ({
    type: "text",
    text: other.resultText?.(text) ?? text,
  });
  const textAt = (path: string): string => {
    const content = folder.get(path);
    if (typeof content !== "string") throw new Error(`ENOENT: there is no text at ${path}`);
    return content;
  };
  return [
    agentTool("read", ({ path, offset, limit }) => {
      const lines = offset === undefined || limit === undefined ? {} : { offset, limit };
      return [said(linesIn(textAt(path), lines))];
    }),
    agentTool("show", ({ path }) => [said(textAt(path))]),
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
