import {
  type FileOutcome,
  findSessions,
  replayJson,
  replayPlot,
  type ReplayProgress,
  type ReplayReport,
  replayReport,
  replayText,
  runReplay,
  type SessionFigures,
} from "@self-context-manager/replay";
import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";

import { CliError, UsageError } from "../cli-errors.ts";
import { type Command, type CommandCall, jsonOption } from "../command.ts";
import { counted } from "../format/amounts.ts";

export const replayCommand: Command = {
  name: "replay",
  summary: "replay recorded sessions and say what they would have cost",
  arguments: "[PATH...]",
  argumentCount: { least: 0, most: Number.POSITIVE_INFINITY },
  usesStore: false,
  options: {
    ...jsonOption,
    plot: { type: "string", value: "FILE", help: "draw the result into FILE, as SVG" },
    threads: {
      type: "string",
      value: "N",
      help: "sessions to replay at once; as many as there are cores unless told",
    },
  },
  notes: `PATH is a session file of Pi, Claude Code, Codex CLI or OpenCode, or a folder of such files. Without
one, the sessions are those where Pi, Claude Code and Codex CLI keep theirs. Nothing is sent
anywhere, and no store but a temporary one is touched. docs/guide/replay.md defines every figure.`,
  async run(call) {
    const threads = threadCount(call.text("threads"));
    const files = await sessionFiles(call);
    const outcomes = await replayAll(files, threads);
    for (const outcome of outcomes) tellDamage(call, outcome);
    const sessions = outcomes.flatMap(({ figures }) => figures ?? []);
    if (sessions.length === 0) {
      throw new CliError(
        `none of ${counted(files.length, "file")} holds a session of two model calls or more; name files or folders of recorded sessions`,
      );
    }
    const skipped = outcomes.length - sessions.length;
    if (skipped > 0)
      call.note(`${counted(skipped, "file")} without a session of two model calls left out`);
    const report = replayReport(sessions);
    await writePlot(call, report, sessions);
    await call.print(
      call.isSet("json")
        ? `${JSON.stringify(replayJson(report), undefined, 2)}\n`
        : `${replayText(report)}\n`,
    );
  },
};

function threadCount(given: string | undefined): number {
  if (given === undefined) return availableParallelism();
  const count = Number(given);
  if (Number.isInteger(count) && count >= 1 && count <= 256) return count;
  throw new UsageError(`--threads is a whole number from 1 to 256; got ${JSON.stringify(given)}`);
}

async function sessionFiles(call: CommandCall): Promise<readonly string[]> {
  const isGiven = call.arguments.length > 0;
  const paths = call.arguments.map((path) => resolve(call.folder, path));
  const { environment } = call;
  const { files, unreadable } = isGiven
    ? await findSessions(paths, { environment })
    : await findSessions(undefined, { environment });
  const troubles = unreadable.map(({ path, reason }) => `${path} cannot be read (${reason})`);
  if (files.length === 0) {
    const looked = isGiven
      ? `no session files in ${paths.join(", ")}; name files, or folders of .jsonl or .json files`
      : "Pi, Claude Code and Codex CLI have kept no sessions here; name files or folders of recorded sessions";
    throw new CliError(troubles.length === 0 ? looked : troubles.join("; "));
  }
  for (const trouble of troubles) call.note(trouble);
  return files;
}

/** A bar is drawn on a terminal only: elsewhere its steps would be lines. */
async function replayAll(
  files: readonly string[],
  threads: number,
): Promise<readonly FileOutcome[]> {
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

function bar({ done, total }: ReplayProgress): string {
  const cells = 30;
  const full = Math.round((done / Math.max(1, total)) * cells);
  return `\r[${"#".repeat(full)}${".".repeat(cells - full)}] ${Math.floor(done)} of ${total} sessions`;
}

function tellDamage(call: CommandCall, { file, damaged, reason }: FileOutcome): void {
  if (reason !== undefined) call.note(`${file} was left out: ${reason}`);
  const [first] = damaged;
  if (first === undefined) return;
  const more = damaged.length === 1 ? "" : ` and ${damaged.length - 1} more`;
  const place = first.line === 0 ? "" : ` line ${first.line}`;
  call.note(`${file}${place}${more} skipped: ${first.reason}`);
}

async function writePlot(
  call: CommandCall,
  report: ReplayReport,
  sessions: readonly SessionFigures[],
): Promise<void> {
  const given = call.text("plot");
  if (given === undefined) return;
  const path = resolve(call.folder, given);
  try {
    await writeFile(path, replayPlot(report, sessions));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(`${path} cannot be written (${why}); name a file in a folder that can be`, {
      cause,
    });
  }
  call.note(`drawn into ${path}`);
}
