import { linesIn, type MemoryFolder, type OtherExtension } from "@self-context-manager/testkit";
import { jsonSchema, tool, type Tool, type ToolSet } from "ai";

type Args = {
  readonly path: string;
  readonly text?: string;
  readonly offset?: number;
  readonly limit?: number;
};

/** Returns the tools of an app, on a working folder in memory. `other` changes their results. */
export function sdkTools(folder: MemoryFolder, other: OtherExtension = {}): ToolSet {
  const said = (text: string): string => other.resultText?.(text) ?? text;
  const textAt = (path: string): string => {
    const content = folder.get(path);
    if (typeof content !== "string") throw new Error(`ENOENT: there is no text at ${path}`);
    return content;
  };
  return {
    read: sdkTool("read", ({ path, offset, limit }) => {
      const lines = offset === undefined || limit === undefined ? {} : { offset, limit };
      return said(linesIn(textAt(path), lines));
    }),
    show: sdkTool("show", ({ path }) => said(textAt(path))),
    crash: sdkTool("crash", ({ path }) => {
      throw new Error(`${textAt(path)}crashed`);
    }),
    photo: tool({
      ...sdkTool("photo", ({ path }) => Buffer.from(folder.get(path) ?? "").toString("base64")),
      toModelOutput: ({ output }) => ({
        type: "content",
        value: [{ type: "file", mediaType: "image/png", data: { type: "data", data: output } }],
      }),
    }),
    write: sdkTool("write", ({ path, text = "" }) => {
      folder.set(path, text);
      return `wrote ${path}`;
    }),
  };
}

function sdkTool(name: string, run: (args: Args) => string): Tool<Args, string> {
  return {
    description: `Does ${name}.`,
    inputSchema: jsonSchema<Args>({ type: "object", properties: {}, additionalProperties: true }),
    execute: async (args) => await Promise.resolve(run(args)),
  };
}
