import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";

import { runCommand, type CommandPlace } from "./run-command.ts";
import { endOf, startOf } from "./shortened.ts";

/** A tool of the agent, with the name and the arguments of Pi's tool. */
export interface AgentTool {
  readonly description: string;
  /** The arguments as JSON schema. */
  readonly parameters: {
    readonly type: "object";
    readonly properties: Readonly<Record<string, object>>;
    readonly required: readonly string[];
  };
  /** Returns what the model reads. An error is shown to the model as a failed call. */
  readonly run: (args: Arguments, signal: AbortSignal | undefined) => Promise<string>;
}

/** The arguments as a model wrote them: nothing about them is certain. */
export type Arguments = Readonly<Record<string, unknown>>;

const path = { type: "string", description: "Path of the file, relative or absolute" };

/** Returns the tools of a coding agent in a folder. */
export function agentTools(place: CommandPlace): Readonly<Record<string, AgentTool>> {
  const at = (args: Arguments): string => resolve(place.folder, text(args, "path"));
  return {
    read: {
      description:
        "Read a text file. The first 2000 lines or 50 KB are shown. Use offset and limit for more.",
      parameters: {
        type: "object",
        properties: {
          path,
          offset: { type: "number", description: "First line, from 1" },
          limit: { type: "number", description: "Number of lines" },
        },
        required: ["path"],
      },
      run: async (args) => linesOf(await readFile(at(args), "utf8"), args),
    },
    write: {
      description: "Write a file. It is made if it does not exist, and replaced if it does.",
      parameters: {
        type: "object",
        properties: { path, content: { type: "string", description: "The whole content" } },
        required: ["path", "content"],
      },
      run: async (args) => {
        const content = text(args, "content");
        await mkdir(dirname(at(args)), { recursive: true });
        await writeFile(at(args), content);
        return `Wrote ${Buffer.byteLength(content)} bytes to ${text(args, "path")}.`;
      },
    },
    edit: {
      description:
        "Edit a file by replacing texts. Each oldText must be in the file exactly once, and is matched against the file as it was.",
      parameters: {
        type: "object",
        properties: {
          path,
          edits: {
            type: "array",
            items: {
              type: "object",
              properties: { oldText: { type: "string" }, newText: { type: "string" } },
              required: ["oldText", "newText"],
            },
          },
        },
        required: ["path", "edits"],
      },
      run: async (args) => {
        const edits = editsOf(args);
        await writeFile(at(args), edited(await readFile(at(args), "utf8"), edits, args));
        return `Replaced ${edits.length} text(s) in ${text(args, "path")}.`;
      },
    },
    bash: {
      description:
        "Run a bash command in the working folder. Returns its output, at most the last 2000 lines or 50 KB.",
      parameters: {
        type: "object",
        properties: {
          command: { type: "string", description: "The command" },
          timeout: { type: "number", description: "Seconds after which it is ended" },
        },
        required: ["command"],
      },
      run: async (args, signal) => {
        const { timeout } = args;
        const seconds = typeof timeout === "number" && timeout > 0 ? timeout : undefined;
        const { output, end } = await runCommand(text(args, "command"), place, { seconds, signal });
        const shown = endOf(output);
        if (end !== undefined) throw new Error(`${shown}\n\n${end}`.trim());
        return shown === "" ? "(no output)" : shown;
      },
    },
  };
}

function text(args: Arguments, name: string): string {
  const value = args[name];
  if (typeof value !== "string") throw new TypeError(`${name} must be a text`);
  return value;
}

function linesOf(content: string, { offset, limit }: Arguments): string {
  const lines = content.split("\n");
  const from = typeof offset === "number" && offset > 1 ? Math.floor(offset) : 1;
  if (from > lines.length)
    throw new RangeError(`offset ${from} is past the end: the file has ${lines.length} lines`);
  const number = typeof limit === "number" && limit > 0 ? Math.floor(limit) : lines.length;
  const wanted = lines.slice(from - 1, from - 1 + number);
  const shown = startOf(wanted);
  if (shown.length === 0) throw new RangeError(`line ${from} is longer than 50 KB; use bash`);
  const next = from + shown.length;
  const rest = lines.length - next + 1;
  const notice =
    rest > 0 ? `\n\n[${rest} more lines in file. Use offset=${next} to continue.]` : "";
  return `${shown.join("\n")}${notice}`;
}

interface Edit {
  readonly oldText: string;
  readonly newText: string;
}

/** Models also write the texts of a single edit beside the path. */
function editsOf(args: Arguments): readonly Edit[] {
  const { edits = [args] } = args;
  if (!Array.isArray(edits) || edits.length === 0) throw new TypeError("edits must be a list");
  return edits.map((edit: unknown) => {
    const fields: Arguments = typeof edit === "object" && edit !== null ? { ...edit } : {};
    return { oldText: text(fields, "oldText"), newText: text(fields, "newText") };
  });
}

function edited(content: string, edits: readonly Edit[], args: Arguments): string {
  const places = edits.map(({ oldText, newText }) => {
    const at = oldText === "" ? -1 : content.indexOf(oldText);
    const name = text(args, "path");
    if (at === -1) throw new Error(`The text to replace is not in ${name}: ${startLine(oldText)}`);
    if (content.includes(oldText, at + 1))
      throw new Error(`The text to replace is in ${name} more than once: ${startLine(oldText)}`);
    return { at, end: at + oldText.length, newText };
  });
  const sorted = places.toSorted((one, other) => one.at - other.at);
  if (sorted.some(({ at }, index) => at < (sorted[index - 1]?.end ?? 0)))
    throw new Error("Two texts to replace overlap; make them one edit.");
  return sorted.reduceRight(
    (whole, { at, end, newText }) => whole.slice(0, at) + newText + whole.slice(end),
    content,
  );
}

function startLine(given: string): string {
  return JSON.stringify(given.slice(0, 80));
}
