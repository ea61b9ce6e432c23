import { fileURLToPath } from "node:url";

import { openAnthropicModel } from "../caching/anthropic-model.ts";
import type { BilledPrompt } from "../caching/prefix-cache.ts";
import { pricesOf } from "../caching/priced-run.ts";
import type { Reply } from "../loopback-reply.ts";
import { openPiSdk } from "../pi-sdk.ts";
import { type PiVersion, piVersions } from "../pi-versions.ts";
import { openPiWorkspace } from "../pi-workspace.ts";
import { demoModel } from "./demo-model.ts";
import { demoProject, demoPrompts } from "./demo-project.ts";
import { billLines, callHeader, callLine } from "./demo-report.ts";
import { beginStore, type DemoPlace } from "./demo-store.ts";

export interface DemoOptions extends DemoPlace {
  /** A supported release of Pi. Default: the newest. */
  readonly pi?: string;
  readonly print: (line: string) => void;
}

/** The extension as a user installs it from a checkout. */
export const extensionFolder: string = fileURLToPath(
  new URL("../../../packages/adapter-pi", import.meta.url),
);

const prices = pricesOf.anthropic;

/**
 * Runs one Pi session twice, plain and with managed context. It uses Pi's SDK and tools on a real folder, the
 * extension as it would be published, and a store on SQLite or XTDB. A scripted model answers from a loopback server,
 * which bills by the rules of a prompt cache.
 */
export async function runDemo(options: DemoOptions): Promise<void> {
  const { print } = options;
  const pi = releaseOf(options.pi);
  await using store = await beginStore(options, print, false);
  Object.assign(process.env, store.environment);
  print(`Pi ${pi.version} works on a small project, with a scripted model on a loopback server.`);
  print("The session runs first in plain Pi, which is not shown, and then with managed context.\n");

  const plain = await runSession(pi, { isManaged: false });
  const byMove = new Map(plain.moves.map((move, index) => [move, plain.billed[index]] as const));
  print(callHeader);
  const managed = await runSession(pi, {
    isManaged: true,
    onPrompt: (prompt) => print(`\nuser: ${prompt}`),
    onCall: ({ number, move, billed, status, reply }) => {
      const report = { number, managed: billed, plain: byMove.get(move), status };
      print(callLine(report, reply, prices));
    },
  });
  print("");
  for (const line of billLines(managed.billed, plain.billed, prices)) print(line);
  print("\nThe output of the extension's command /context:");
  for (const line of managed.figures) print(`  ${line}`);
  print(store.closing);
}

/** Returns the release of a version; by default the newest. Throws `RangeError` for one that is not installed. */
function releaseOf(version: string | undefined): PiVersion {
  const found =
    version === undefined ? piVersions.at(-1) : piVersions.find((pi) => pi.version === version);
  if (found !== undefined) return found;
  const versions = piVersions.map((pi) => pi.version).join(", ");
  throw new RangeError(`--pi is ${JSON.stringify(version)}; it must be one of ${versions}`);
}

interface DemoCall {
  readonly number: number;
  readonly move: string;
  readonly billed: BilledPrompt;
  readonly status: string;
  readonly reply: Reply;
}

interface SessionOptions {
  readonly isManaged: boolean;
  readonly onPrompt?: (prompt: string) => void;
  readonly onCall?: (call: DemoCall) => void;
}

interface DemoSession {
  readonly billed: readonly BilledPrompt[];
  /** The action of each call, by a name that both sessions share. */
  readonly moves: readonly string[];
  /** The figures that `/context` shows at the end, below the list of objects. */
  readonly figures: readonly string[];
}

async function runSession(pi: PiVersion, options: SessionOptions): Promise<DemoSession> {
  const { isManaged, onPrompt, onCall } = options;
  const scripted = demoModel(isManaged);
  const moves: string[] = [];
  let status = "";
  let notification = "";
  await using model = await openAnthropicModel({
    script: (request) => {
      const reply = scripted.reply(request);
      const move = scripted.moveAt(request.index);
      moves.push(move);
      const billed = model.billed[request.index] ?? { input: 0, read: 0, written: 0 };
      onCall?.({ number: request.index + 1, move, billed, status, reply });
      return reply;
    },
  });
  await using workspace = await openPiWorkspace({
    model,
    api: "anthropic-messages",
    files: demoProject,
  });
  await using sdk = await openPiSdk({
    pi,
    workspace,
    extensions: isManaged ? [extensionFolder] : [],
    ui: {
      notify: (text: string) => (notification = text),
      setStatus: (_key: string, text: string | undefined) => (status = text ?? ""),
    },
  });
  for (const prompt of demoPrompts) {
    onPrompt?.(prompt);
    await sdk.prompt(prompt);
  }
  if (isManaged) await sdk.prompt("/context");
  const failures = [...model.failures, ...sdk.errors];
  if (failures.length > 0) throw new Error(`the session failed: ${failures.join("; ")}`);
  if (model.billed.length !== scripted.calls) {
    throw new Error(`${model.billed.length} calls were made, but ${scripted.calls} were planned`);
  }
  const figures = notification.split("\n\n")[1]?.split("\n") ?? [];
  return { billed: [...model.billed], moves, figures };
}
