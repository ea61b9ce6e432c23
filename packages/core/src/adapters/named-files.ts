import { FileError, type FileFacts } from "@self-context-manager/objects";
import { isInside } from "@self-context-manager/tracker";
import { commandWords } from "../calls/command-words.ts";
import type { ContextSession } from "../session/context-session.ts";
import type { HostToolCall } from "./host-tool-call.ts";

/** The part of a session that decides which files a call can name. */
export type NamingSession = Pick<ContextSession, "files" | "toolFacts" | "workspace">;

/**
 * Returns the files that a call names, as real paths, each once: for a command the words of its command line, for a search
 * the lines of its output, and else the paths among its arguments. Only regular files whose real path is inside the
 * workspace are returned, because a call must not make the session look at other files.
 */
export async function namedFiles(
  session: NamingSession,
  call: Pick<HostToolCall, "name" | "args">,
  output: string,
): Promise<readonly string[]> {
  return await existingFiles(session, candidates(session, call, output).slice(0, mostNames));
}

/** Returns the regular files of the workspace among names, as real paths, each once. */
export async function existingFiles(
  session: NamingSession,
  names: readonly Candidate[],
): Promise<readonly string[]> {
  const root = names.length === 0 ? undefined : await factsOf(session, session.workspace);
  if (root === undefined) return [];
  const found = await Promise.all(
    names.map(async (name) => await firstWithin(session, name, root.realPath)),
  );
  return [...new Set(found.filter((path) => path !== undefined))];
}

/** More names than a search usually prints. */
const mostNames = 1_000;

/** Longer words of a command are not looked for on the disk. */
const longestName = 1_024;

/** A name, with the folders that it can be relative to. The first one that has such a file counts. */
export interface Candidate {
  readonly name: string;
  readonly bases: readonly string[];
}

function candidates(
  { files, toolFacts, workspace }: NamingSession,
  { name: tool, args }: Pick<HostToolCall, "name" | "args">,
  output: string,
): readonly Candidate[] {
  const { kind, paths, commandLine } = toolFacts(tool, args);
  if (commandLine !== undefined) {
    const words = commandWords(commandLine);
    return distinct(words.filter(isName)).map((name) => ({ name, bases: [workspace] }));
  }
  if (kind !== "search") return paths.map((name) => ({ name, bases: [workspace] }));
  const base = files.resolve(paths[0] ?? ".", workspace);
  // A search in a single file prints the file's name, relative to its folder.
  const bases = distinct([base, files.resolve("..", base), workspace]);
  return namesIn(output).map((name) => ({ name, bases }));
}

function isName(word: string): boolean {
  return word !== "" && word.length < longestName && !word.startsWith("-");
}

/** Returns the names in the output of a search: of each line the part before a line number, or else the line itself. */
function namesIn(output: string): readonly string[] {
  const lines = output.split("\n").map((line) => line.replace(/\r$/u, ""));
  const names = lines.map((line) => /^(.+?):\d+:/u.exec(line)?.[1] ?? line);
  return distinct(names.filter((name) => name !== "" && !/[/\\]$/u.test(name)));
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

async function firstWithin(
  session: NamingSession,
  { name, bases }: Candidate,
  root: string,
): Promise<string | undefined> {
  for (const base of bases) {
    const facts = await factsOf(session, session.files.resolve(name, base));
    if (facts?.kind === "file") return isInside(facts.realPath, root) ? facts.realPath : undefined;
  }
  return undefined;
}

async function factsOf({ files }: NamingSession, path: string): Promise<FileFacts | undefined> {
  try {
    return await files.stat(path);
  } catch (error) {
    // Most words of a command are not paths, and a file that cannot be examined counts as not named.
    if (FileError.is(error)) return undefined;
    throw error;
  }
}
