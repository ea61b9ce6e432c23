import { passedOverFolders } from "@self-context-manager/objects";
import { listedNames } from "../calls/listed-names.ts";
import type { HostToolCall } from "./host-tool-call.ts";
import { existingFiles, type NamingSession } from "./named-files.ts";

/**
 * Returns the files of the workspace that the output of a shell's command lists, as real paths, each once. A line of the
 * output is a name only if there is such a file. Of each output, some names are looked for on the disk.
 */
export async function listedFiles(
  session: NamingSession,
  { name: tool, args }: Pick<HostToolCall, "name" | "args">,
  output: string,
): Promise<readonly string[]> {
  const { files, toolFacts, workspace } = session;
  const { commandLine } = toolFacts(tool, args);
  if (commandLine === undefined || output === "") return [];
  const folder = files.resolve(runFolder(args) ?? ".", workspace);
  const resolve = (path: string, base: string): string => files.resolve(path, base);
  const names = listedNames(commandLine, output, { folder, resolve });
  const some = names.filter(({ name }) => !isPassedOver(name)).slice(0, mostListed);
  return await existingFiles(
    session,
    some.map(({ name, bases }) => ({ name, bases: [...new Set([...bases, workspace])] })),
  );
}

/** The names of one output that are looked for on the disk. */
const mostListed = 50;

/** The folder in which a call runs its command, by the usual names of the argument. */
function runFolder(args: HostToolCall["args"]): string | undefined {
  const given = args["workdir"] ?? args["cwd"];
  return typeof given === "string" ? given : undefined;
}

function isPassedOver(name: string): boolean {
  return name.split(/[/\\]/u).some((segment) => passedOverFolders.has(segment));
}
