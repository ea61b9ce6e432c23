import { mkdir, rm } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { openLoopbackModel } from "../loopback-model.ts";
import { openPiSdk } from "../pi-sdk.ts";
import { piVersions } from "../pi-versions.ts";
import { openPiWorkspace } from "../pi-workspace.ts";
import type { Reply } from "../loopback-reply.ts";
import { demoCalls, demoReply } from "./demo-model.ts";
import { demoProject, demoPrompts } from "./demo-project.ts";
import { callHeader, callLine, callReport, type CallReport } from "./demo-report.ts";

export interface DemoOptions {
  /** The store's file; a new one is begun there. */
  readonly at: string;
  /** A supported release of Pi; the newest unless told. */
  readonly pi?: string;
  readonly print: (line: string) => void;
}

/** The extension as a user installs it from a checkout. */
export const extensionFolder: string = fileURLToPath(
  new URL("../../../packages/adapter-pi", import.meta.url),
);

/**
 * Runs a real Pi session with managed context: Pi's SDK and tools on a real folder, the extension as it would be
 * published, the SQLite store, and a scripted model behind a server on loopback.
 */
export async function runDemo(options: DemoOptions): Promise<readonly CallReport[]> {
  const { at, print } = options;
  const pi = piVersions.find(({ version }) => version === options.pi) ?? piVersions.at(-1);
  if (pi === undefined) throw new RangeError("no release of Pi is installed");
  await beginStore(at);
  process.env["SCM_STORE"] = at;
  process.env["SCM_STORE_KIND"] = "sqlite";
  process.env["SCM_LAYOUT"] = "pooled";

  const reports: CallReport[] = [];
  let hostMessages = noMessages;
  let previous = { managed: "", plain: "" };
  await using model = await openLoopbackModel({
    script: (request, index) => {
      const { report, ...texts } = callReport(request, hostMessages(), previous);
      previous = texts;
      reports.push(report);
      const reply = demoReply(request, index);
      print(callLine(report, said(reply)));
      return reply;
    },
  });
  await using workspace = await openPiWorkspace({ model, files: demoProject });
  print(`Pi ${pi.version}, scripted model on ${model.url}, working folder ${workspace.workFolder}`);
  print(
    "Layout: pooled, the specification's order, made anew on each call. Counted are the messages,",
  );
  print("without system prompt and tool declarations; new is what a prefix cache does not have.\n");
  print(callHeader);
  {
    await using sdk = await openPiSdk({ pi, workspace, extensions: [extensionFolder] });
    hostMessages = () => sdk.session.messages;
    for (const prompt of demoPrompts) {
      print(`\nuser: ${prompt}`);
      await sdk.prompt(prompt);
    }
    if (sdk.errors.length > 0) throw new Error(`Pi reported: ${sdk.errors.join("; ")}`);
  }
  if (model.failures.length > 0)
    throw new Error(`the model was at a loss: ${model.failures.join("; ")}`);
  if (reports.length !== demoCalls) {
    throw new Error(`${reports.length} calls were made, ${demoCalls} were planned`);
  }
  print(summary(reports));
  print(closing(at));
  return reports;
}

/** Makes room for a new store. */
export async function beginStore(at: string): Promise<void> {
  await mkdir(dirname(at), { recursive: true });
  for (const end of ["", "-wal", "-shm"]) await rm(`${at}${end}`, { force: true });
}

const noMessages = (): readonly unknown[] => [];

function said(reply: Reply): string {
  if (reply.type !== "tool-calls") return "answers";
  return reply.calls.map(({ name, arguments: args }) => `${name} ${shown(args)}`).join(", ");
}

function shown(args: Readonly<Record<string, unknown>>): string {
  const [first] = Object.values(args);
  return typeof first === "string" ? first.slice(0, 28) : "";
}

function summary(reports: readonly CallReport[]): string {
  const sum = (pick: (report: CallReport) => number): string =>
    `${(reports.reduce((total, report) => total + pick(report), 0) / 1_000).toFixed(1)} kB`;
  const last = reports.at(-1);
  return [
    "",
    `In all: managed sent ${sum(({ managed }) => managed.bytes)}, of it new ${sum(({ managed }) => managed.bytes - managed.cached)};`,
    `plain Pi would have sent ${sum(({ plain }) => plain.bytes)}, of it new ${sum(({ plain }) => plain.bytes - plain.cached)}.`,
    `The last call: managed ${((last?.managed.bytes ?? 0) / 1_000).toFixed(1)} kB, plain Pi ${((last?.plain.bytes ?? 0) / 1_000).toFixed(1)} kB.`,
    "The pooled layout keeps the context small and gives up the provider's prefix cache from the first changed line on,",
    "so with a cache it costs more than plain Pi; it is for providers without one, and to compare.",
  ].join("\n");
}

/** How to look into the store afterwards. */
export function closing(file: string): string {
  const at = relative(process.cwd(), file);
  return [
    "",
    `The store is ${at}. Look into it:`,
    `  npx scm list --at ${at}`,
    `  npx scm show src/cart.mjs --at ${at}`,
    `  npx scm history src/cart.mjs --at ${at}`,
    `  npx scm print notes.md --at ${at}`,
    `  npx scm nickname src/cart.mjs cart --at ${at}`,
  ].join("\n");
}
