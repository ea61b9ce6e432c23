import type { FileRendering } from "@self-context-manager/core/host";
import type { JsonObject } from "@self-context-manager/core";
import type { MemoryFolder, ScriptedTool } from "@self-context-manager/testkit";

/** How the host's `read` writes the text of a file into its result, as Pi does it. */
export const foreignRendering: FileRendering = {
  notice: /\n\n\[\d+ more lines in file\. Use offset=\d+ to continue\.\]$/u,
};

/** What the tools report to the check of a session. */
export interface ToolReports {
  /** A read rendered a file, from a line on. */
  readonly hasRead: (callId: string, path: string, from: number) => void;
  /** The model wrote a whole file. */
  readonly hasWritten: (path: string, text: string) => void;
  /** The model replaced the line with this index. */
  readonly hasEdited: (path: string, before: string, after: string, line: number) => void;
}

/** Returns the tools of a host whose `read` takes a range, with outputs of commands by the command. */
export function foreignTools(
  folder: MemoryFolder,
  outputs: ReadonlyMap<string, string>,
  reports: ToolReports,
): readonly ScriptedTool[] {
  const textAt = (path: string): string => {
    const text = folder.get(path);
    if (typeof text !== "string") throw new Error(`there is no text at ${path}`);
    return text;
  };
  return [
    {
      name: "read",
      run: async (input, callId) => {
        const path = textIn(input, "path");
        const text = textAt(path);
        const from = numberIn(input, "offset") ?? 1;
        reports.hasRead(callId, path, from);
        return await Promise.resolve({ text: rendered(text, from, numberIn(input, "limit")) });
      },
    },
    {
      name: "write",
      run: async (input) => {
        const [path, text] = [textIn(input, "path"), textIn(input, "text")];
        folder.set(path, text);
        reports.hasWritten(path, text);
        return await Promise.resolve({ text: `wrote ${path}` });
      },
    },
    {
      name: "edit",
      run: async (input) => {
        const path = textIn(input, "path");
        const [find, put] = [textIn(input, "oldText"), textIn(input, "newText")];
        const before = textAt(path);
        if (find.trim() === "" || !before.includes(find))
          throw new Error(`${path} has no such text`);
        const after = before.replace(find, () => put);
        folder.set(path, after);
        const line = before.slice(0, before.indexOf(find)).split("\n").length;
        reports.hasEdited(path, before, after, line);
        return await Promise.resolve({ text: `edited ${path}` });
      },
    },
    {
      name: "bash",
      run: async (input) => {
        const command = textIn(input, "command");
        const text = command.startsWith("cat ")
          ? textAt(command.slice(4))
          : (outputs.get(command) ?? "");
        return await Promise.resolve({ text, failed: command.startsWith("fail") });
      },
    },
  ];
}

/** Throws if the file does not have the first line. */
function rendered(text: string, from: number, limit: number | undefined): string {
  const lines = text.split("\n");
  if (from > lines.length) throw new Error(`line ${from} is beyond the end of the file`);
  const end = limit === undefined ? lines.length : Math.min(lines.length, from - 1 + limit);
  const shown = lines.slice(from - 1, end).join("\n");
  const rest = lines.length - end;
  return rest === 0
    ? shown
    : `${shown}\n\n[${rest} more lines in file. Use offset=${end + 1} to continue.]`;
}

function textIn(input: JsonObject, name: string): string {
  const value = input[name];
  return typeof value === "string" ? value : "";
}

function numberIn(input: JsonObject, name: string): number | undefined {
  const value = input[name];
  return typeof value === "number" ? value : undefined;
}
