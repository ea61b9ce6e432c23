import type { JsonObject } from "@self-context-manager/objects";

import type { HostCalls } from "../harness-host.ts";
import type { MemoryFolder } from "./memory-folder.ts";
import type { ScriptedTool } from "./scripted-plugin.ts";

/** Returns the harness's own tools. `readTool`: the name of the one that reads files. */
export function scriptedTools(folder: MemoryFolder, readTool = "read"): readonly ScriptedTool[] {
  const textAt = (input: JsonObject): string => {
    const content = folder.get(pathIn(input));
    if (typeof content === "string") return content;
    throw new Error(`there is no text at ${pathIn(input)}`);
  };
  return [
    { name: readTool, run: async (input) => ({ text: linesIn(textAt(input), input) }) },
    { name: "show", run: async (input) => ({ text: textAt(input) }) },
    { name: "crash", run: async (input) => ({ text: `${textAt(input)}crashed`, failed: true }) },
    {
      name: "photo",
      run: async (input) => {
        const content = folder.get(pathIn(input));
        if (!(content instanceof Uint8Array))
          throw new Error(`there is no picture at ${pathIn(input)}`);
        return { text: "a photo", pictures: [Buffer.from(content).toString("base64")] };
      },
    },
    {
      name: "write",
      run: async (input) => {
        folder.set(pathIn(input), textIn(input, "text"));
        return { text: `wrote ${pathIn(input)}` };
      },
    },
  ];
}

/** Returns the calls of these tools. */
export function scriptedCalls(readTool = "read"): HostCalls {
  return {
    read: (path, lines) => ({ name: readTool, arguments: { path, ...lines } }),
    show: (path) => ({ name: "show", arguments: { path } }),
    fail: (path) => ({ name: "crash", arguments: { path } }),
    picture: (path) => ({ name: "photo", arguments: { path } }),
    write: (path, text) => ({ name: "write", arguments: { path, text } }),
  };
}

/** Returns the lines of a text that a tool's arguments `offset` and `limit` ask for; without them the whole text. */
export function linesIn(text: string, { offset, limit }: JsonObject): string {
  if (typeof offset !== "number" || typeof limit !== "number") return text;
  return text
    .split("\n")
    .slice(offset - 1, offset - 1 + limit)
    .join("\n");
}

/** Returns the path in a tool's arguments. */
function pathIn(input: JsonObject): string {
  return textIn(input, "path");
}

function textIn(input: JsonObject, name: string): string {
  const value = input[name];
  return typeof value === "string" ? value : "";
}
