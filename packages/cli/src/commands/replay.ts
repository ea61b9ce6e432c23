import { messageOf } from "@self-context-manager/objects";
import type * as replay from "@self-context-manager/replay";
import { constants } from "node:fs";
import { access, readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, resolve } from "node:path";

import { CliError, UsageError } from "../cli-errors.ts";
import { type Command, type CommandCall, jsonOption } from "../command.ts";
import { loadEvaluate } from "../evaluate/load-evaluate.ts";
import { counted } from "../format/amounts.ts";
import { optionalPackage } from "../optional-package.ts";
import {
  checkSurpriseOptions,
  replaySurprise,
  surpriseKeyVariable,
  surpriseOptions,
} from "../replay-surprise.ts";

export const replayCommand: Command = {
  name: "replay",
  summary: "replay recorded sessions and measure what they would have cost",
  arguments: "[PATH...]",
  argumentCount: { least: 0, most: Number.POSITIVE_INFINITY },
  usesStore: false,
  options: {
    ...jsonOption,
    plot: { value: "FILE", help: "draw the result into FILE, as SVG" },
    html: {
      value: "FILE",
      help: "write the figures into FILE, as a page",
    },
    threads: {
      value: "N",
      help: "sessions to replay at once, or threads of a model; default: the number of cores",
    },
    ...surpriseOptions,
  },
  notes: `PATH is a session file of Pi, Claude Code, Codex CLI or OpenCode, or a folder of such files. Without
PATH, the sessions of Pi, Claude Code and Codex CLI on this machine are replayed. The command sends
nothing and uses only a temporary store. With --surprise-url the views and the answers are sent to
the server; $${surpriseKeyVariable} is its key, if it requires one. docs/guide/replay.md defines every figure.`,
  async run(call) {
    const threads = threadCount(call.text("threads"));
    checkSurpriseOptions(call);
    const loaded = await loadReplay();
    const { replayJson, replayPlot, replayReport, replayText, ...other } = loaded;
    const { files, missing } = await sessionFiles(other, call);
    if (call.isSet("surprise")) {
      await replaySurprise(loaded, call, files);
      if (missing.length > 0)
        throw new CliError(`${missing.join("; ")}; the figures include only the other files`);
      return;
    }
    const plot = await outputPath(call, files, "plot");
    const page = await outputPath(call, files, "html");
    // A package that is missing is found before the replay, which takes minutes.
    const pages = page === undefined ? undefined : await loadEvaluate("scm replay --html");
    const outcomes = await replayAll(other, files, threads);
    for (const outcome of outcomes) noteDamage(call, outcome);
    const sessions = outcomes.flatMap(({ figures }) => figures ?? []);
    if (sessions.length === 0) {
      throw new CliError(
        `${files.length === 1 ? "the file contains no session" : `none of ${files.length} files contains a session`} with at least two model calls; name files or folders of recorded sessions`,
      );
    }
    const skipped = outcomes.length - sessions.length;
    if (skipped > 0)
      call.note(
        `skipped ${counted(skipped, "file")} without a session of at least two model calls`,
      );
    const report = replayReport(sessions);
    const json = `${JSON.stringify(replayJson(report), undefined, 2)}\n`;
    await call.print(call.isSet("json") ? json : `${replayText(report)}\n`);
    if (plot !== undefined)
      await writeOutput(call, plot, replayPlot(report, sessions), "the drawing");
    if (page !== undefined && pages !== undefined)
      await writeOutput(call, page, pages.replayPage(JSON.parse(json)), "the page");
    if (missing.length > 0)
      throw new CliError(`${missing.join("; ")}; the figures include only the other files`);
  },
};

/** Loads the package that replays, which is optional: it has a table of tokens of 52 MB. */
async function loadReplay(): Promise<typeof replay> {
  return await optionalPackage(
    "replay",
    "scm replay",
    async () => await import("@self-context-manager/replay"),
  );
}

function threadCount(given: string | undefined): number {
  if (given === undefined) return availableParallelism();
  const count = Number(given);
  if (Number.isInteger(count) && count >= 1 && count <= 256) return count;
  throw new UsageError(
    `--threads is ${JSON.stringify(given)}; it must be a whole number from 1 to 256`,
  );
}

/** The files to replay, and messages about named paths that cannot be read. */
async function sessionFiles(
  { defaultFolders, findSessions }: Pick<typeof replay, "defaultFolders" | "findSessions">,
  call: CommandCall,
): Promise<{ readonly files: readonly string[]; readonly missing: readonly string[] }> {
  const isGiven = call.arguments.length > 0;
  const paths = call.arguments.map((path) => resolve(call.folder, path));
  const { environment } = call;
  const { files, unreadable } = isGiven
    ? await findSessions(paths, { environment })
    : await findSessions(undefined, { environment });
  const troubles = unreadable.map(({ path, reason }) => `${path} cannot be read (${reason})`);
  if (files.length === 0) {
    const looked = isGiven
      ? `there are no session files in ${paths.join(", ")}; name files, or folders of .jsonl or .json files`
      : `there are no sessions of Pi, Claude Code or Codex CLI in ${defaultFolders({ environment }).join(", ")}; name files or folders of recorded sessions`;
    throw new CliError(troubles.length === 0 ? looked : troubles.join("; "));
  }
  if (isGiven) return { files, missing: troubles };
  for (const trouble of troubles) call.note(trouble);
  return { files, missing: [] };
}

/** A progress bar is drawn only on a terminal: elsewhere each step would be a line. */
async function replayAll(
  { runReplay }: Pick<typeof replay, "runReplay">,
  files: readonly string[],
  threads: number,
): Promise<readonly replay.FileOutcome[]> {
  const { stderr } = process;
  if (!stderr.isTTY) return await runReplay(files, { threads });
  try {
    return await runReplay(files, {
      threads,
      onProgress: (progress) => stderr.write(bar(progress)),
    });
  } finally {
    stderr.write("\r\u001B[K");
  }
}

function bar({ done, total }: replay.ReplayProgress): string {
  const cells = 30;
  const full = Math.round((done / Math.max(1, total)) * cells);
  return `\r[${"#".repeat(full)}${".".repeat(cells - full)}] ${Math.floor(done)} of ${total} sessions`;
}

function noteDamage(call: CommandCall, { file, damaged, reason }: replay.FileOutcome): void {
  // The reason may already begin with the file's name.
  if (reason !== undefined)
    call.note(`${reason.startsWith(file) ? reason : `${file}: ${reason}`}; the file was skipped`);
  const [first] = damaged;
  if (first === undefined) return;
  const more = damaged.length === 1 ? "" : ` and ${damaged.length - 1} more`;
  const place = first.line === 0 ? "" : ` line ${first.line}`;
  call.note(`${file}${place}${more} skipped: ${first.reason}`);
}

const outputs = {
  plot: { begins: /^\s*<(?:svg|\?xml)/u, kind: "an SVG", what: "the drawing" },
  html: { begins: /^\s*<!doctype html/iu, kind: "a page", what: "the page" },
} as const;

/** A file to write, checked before the replay: only a file of its own kind is overwritten, and no recording. */
async function outputPath(
  call: CommandCall,
  files: readonly string[],
  option: keyof typeof outputs,
): Promise<string | undefined> {
  const given = call.text(option);
  if (given === undefined) return undefined;
  const { begins, kind, what } = outputs[option];
  const path = resolve(call.folder, given);
  const before = await contentOf(path);
  if (files.includes(path) || (before !== undefined && !begins.test(before)))
    throw new UsageError(`${path} exists and is not ${kind}; choose another file for ${what}`);
  try {
    await access(before === undefined ? dirname(path) : path, constants.W_OK);
  } catch (cause) {
    throw notWritable(path, cause);
  }
  return path;
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw notWritable(path, cause);
  }
}

async function writeOutput(
  call: CommandCall,
  path: string,
  text: string,
  what: string,
): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (cause) {
    throw notWritable(path, cause);
  }
  call.note(`wrote ${what} to ${path}`);
}

function notWritable(path: string, cause: unknown): CliError {
  return new CliError(
    `${path} cannot be written (${messageOf(cause)}); choose a file in a writable folder`,
    { cause },
  );
}
