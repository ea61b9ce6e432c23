import { ConfigError } from "@self-context-manager/compose";
import { defined, ImportError, messageOf } from "@self-context-manager/objects";
import { StoreError } from "@self-context-manager/core";
import type { PageFiles } from "@self-context-manager/inspector";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { CliError, IncompleteError, isClosedPipe, UsageError } from "./cli-errors.ts";
import { type Command, commonOptions } from "./command.ts";
import { backupCommand } from "./commands/backup.ts";
import { checkCommand } from "./commands/check.ts";
import { findCommand } from "./commands/find.ts";
import { gcCommand } from "./commands/gc.ts";
import { graphCommand } from "./commands/graph.ts";
import { inspectCommand } from "./commands/inspect.ts";
import { indexCommand } from "./commands/index-folder.ts";
import { linksCommand } from "./commands/links.ts";
import { diffCommand } from "./commands/diff.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { evaluateCommand } from "./commands/evaluate.ts";
import { exportCommand } from "./commands/export.ts";
import { forgetCommand } from "./commands/forget.ts";
import { historyCommand } from "./commands/history.ts";
import { importCommand } from "./commands/import.ts";
import { listCommand } from "./commands/list.ts";
import { nicknameCommand } from "./commands/nickname.ts";
import { noteCommand } from "./commands/note.ts";
import { printCommand } from "./commands/print.ts";
import { replayCommand } from "./commands/replay.ts";
import { restoreCommand } from "./commands/restore.ts";
import { shareCommand } from "./commands/share.ts";
import { showCommand } from "./commands/show.ts";
import { statsCommand } from "./commands/stats.ts";
import { summarizeCommand } from "./commands/summarize.ts";
import { viewCommand } from "./commands/view.ts";
import { xtdbCommand } from "./commands/xtdb.ts";
import { counted } from "./format/amounts.ts";
import { progress } from "./format/progress.ts";
import { terminalText } from "./format/terminal-text.ts";
import { commandHelp, generalHelp, usageLine } from "./help.ts";
import {
  maskOf,
  namedPlace,
  openNamedDocuments,
  openNamedStore,
  placeOf,
} from "./open-named-store.ts";

/** Where a run of the command prints. `stdout` rejects with the system's error once the reader has closed it. */
export interface CliOutput {
  readonly stdout: (text: string) => Promise<void> | void;
  readonly stderr: (text: string) => void;
  /** Whether `stderr` is a terminal, on which a line can be redrawn. Default: false. */
  readonly isTerminal?: boolean;
  /** Whether `stdout` is a terminal. Default: false. */
  readonly stdoutIsTerminal?: boolean;
}

/** The surroundings of a run of the command. Default: those of the process. */
export interface CliInput {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder that paths are relative to. */
  readonly folder: string;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Whether a person can answer a question on `stdin`. Default: whether `stdin` and `stderr` are terminals. */
  readonly canAsk?: boolean;
  /** The page of the inspector. */
  readonly page?: PageFiles;
  /** Resolves when the user ends a command that runs until then. */
  readonly interruption: () => Promise<void>;
}

const commands: readonly Command[] = [
  listCommand,
  findCommand,
  showCommand,
  historyCommand,
  printCommand,
  viewCommand,
  inspectCommand,
  diffCommand,
  linksCommand,
  graphCommand,
  checkCommand,
  indexCommand,
  nicknameCommand,
  noteCommand,
  shareCommand,
  summarizeCommand,
  forgetCommand,
  exportCommand,
  importCommand,
  backupCommand,
  restoreCommand,
  doctorCommand,
  statsCommand,
  gcCommand,
  replayCommand,
  evaluateCommand,
  xtdbCommand,
];

/** Runs the command and returns its exit code: 0 for success, 1 for a failure, 2 for wrong usage or an incomplete answer. */
export async function runCli(
  argv: readonly string[],
  output: CliOutput,
  input: Partial<CliInput> = {},
): Promise<number> {
  let name = "scm";
  const written = safeOutput(output);
  try {
    const { command, rest } = splitCommand(argv);
    if (command === undefined) return await runBare(rest, written);
    name = `scm ${command.name}`;
    await runCommand(command, rest, written, {
      environment: input.environment ?? process.env,
      folder: input.folder ?? process.cwd(),
      stdin: input.stdin ?? process.stdin,
      canAsk:
        input.canAsk ?? (input.stdin === undefined && process.stdin.isTTY && process.stderr.isTTY),
      ...defined({ page: input.page }),
      interruption: input.interruption ?? interruption,
    });
    return 0;
  } catch (error) {
    return report(name, error, written);
  }
}

/** The output of a command, with what it needs to print other than text. */
interface SafeOutput extends CliOutput {
  /** Prints without a change, for `--raw`. */
  readonly raw: (text: string) => Promise<void>;
  /** Draws progress on `stderr`, with the terminal's own codes. */
  readonly draw: (text: string) => void;
}

/** Everything that is printed passes here. What goes to a terminal is escaped: it can come from a store, or a file. */
function safeOutput(output: CliOutput): SafeOutput {
  const { isTerminal = false, stdoutIsTerminal = false } = output;
  const raw = async (text: string): Promise<void> => await write(output, text);
  return {
    stdout: async (text) => await raw(stdoutIsTerminal ? terminalText(text) : text),
    stderr: (text) => output.stderr(isTerminal ? terminalText(text) : text),
    isTerminal,
    raw,
    draw: output.stderr,
  };
}

async function write(output: CliOutput, text: string): Promise<void> {
  try {
    await output.stdout(text);
  } catch (cause) {
    if (isClosedPipe(cause)) throw cause;
    throw new CliError(`the output cannot be written (${messageOf(cause)})`, { cause });
  }
}

/** Finds the command among the arguments: options may come before it. */
function splitCommand(argv: readonly string[]): {
  readonly command: Command | undefined;
  readonly rest: readonly string[];
} {
  const { tokens } = parseArgs({
    args: [...argv],
    options: parsable(commonOptions()),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const named = tokens.find(({ kind }) => kind === "positional");
  if (named?.kind !== "positional") return { command: undefined, rest: argv };
  if (named.value === "help") return helpAbout(argv, named.index);
  const command = commands.find(({ name }) => name === named.value);
  if (command === undefined) {
    const names = commands.map(({ name }) => name).join(", ");
    throw new UsageError(
      `there is no command ${JSON.stringify(named.value)}; the commands are ${names}`,
    );
  }
  return { command, rest: argv.filter((_, index) => index !== named.index) };
}

/** `scm help` and `scm help COMMAND` are `scm --help` and `scm COMMAND --help`. */
function helpAbout(argv: readonly string[], index: number): ReturnType<typeof splitCommand> {
  const { command } = splitCommand(argv.slice(index + 1));
  return { command, rest: ["--help"] };
}

async function runBare(args: readonly string[], output: CliOutput): Promise<number> {
  const { values } = parsed(args, {
    help: { type: "boolean", short: "h" },
    version: { type: "boolean" },
  });
  if (values["version"] === true) await output.stdout(`${version()}\n`);
  else if (values["help"] === true) await output.stdout(generalHelp(commands));
  else {
    output.stderr(generalHelp(commands));
    return 2;
  }
  return 0;
}

async function runCommand(
  command: Command,
  args: readonly string[],
  output: SafeOutput,
  input: CliInput,
): Promise<void> {
  const { values, positionals } = parsed(
    args,
    parsable({ ...command.options, ...commonOptions(command) }),
  );
  if (values["help"] === true) {
    await output.stdout(commandHelp(command));
    return;
  }
  const { least, most } = command.argumentCount;
  if (positionals.length < least || positionals.length > most) {
    const found =
      positionals.length === 0
        ? "none"
        : positionals.map((text) => JSON.stringify(text)).join(", ");
    throw new UsageError(
      `it takes ${least === most ? "" : `${least} to `}${counted(most, "argument")}; got ${found}`,
    );
  }
  const text = (option: string): string | undefined => {
    const value = values[option];
    return typeof value === "string" ? value : undefined;
  };
  const { environment, folder } = input;
  const note = (noted: string): void => output.stderr(`${noted}\n`);
  const named = { kind: text("store"), at: text("at"), environment, folder, note };
  await command.run({
    arguments: positionals,
    text,
    isSet: (option) => values[option] === true,
    environment,
    folder,
    stdin: input.stdin,
    canAsk: input.canAsk ?? false,
    ...defined({ page: input.page }),
    interruption: async () => await input.interruption(),
    print: values["raw"] === true ? output.raw : async (printed) => await output.stdout(printed),
    note,
    progress: (doing, noun = "version") =>
      progress(doing, { noun, write: output.draw, isTerminal: output.isTerminal ?? false }),
    storePlace: () => placeOf(named),
    namedPlace: async ({ create = false } = {}) => await namedPlace({ ...named, create }),
    openStore: async (wishes = {}) => await openNamedStore({ ...wishes, ...named }),
    mask: () => maskOf(named),
    openDocuments: async (store) => await openNamedDocuments(named, store),
  });
}

/** Waits for Ctrl-C, or for another process that ends this one. A second Ctrl-C ends the process at once. */
async function interruption(): Promise<void> {
  const signals = ["SIGINT", "SIGTERM"] as const;
  await new Promise<void>((done) => {
    const end = (): void => {
      for (const signal of signals) process.removeListener(signal, end);
      done();
    };
    for (const signal of signals) process.on(signal, end);
  });
}

type ParsableOptions = Record<string, { type: "string" | "boolean"; short?: string }>;

function parsable(options: Command["options"]): ParsableOptions {
  return Object.fromEntries(
    Object.entries(options).map(([name, { short, value }]) => [
      name,
      { type: value === undefined ? "boolean" : "string", ...defined({ short }) },
    ]),
  );
}

function parsed(
  args: readonly string[],
  options: ParsableOptions,
): {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
} {
  // The errors of strict parsing are worded for programmers, so the options are checked here.
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) if (token.kind === "option") checkOption(token, options);
  return { values, positionals };
}

interface GivenOption {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function checkOption({ name, rawName, value, inlineValue }: GivenOption, options: ParsableOptions) {
  const type = Object.hasOwn(options, name) ? options[name]?.type : undefined;
  if (type === undefined) {
    const names = Object.keys(options).map((known) => `--${known}`);
    throw new UsageError(`there is no option ${rawName}; the options are ${names.join(", ")}`);
  }
  if (type === "boolean") {
    if (value === undefined) return;
    throw new UsageError(`${rawName} takes no value; got ${JSON.stringify(value)}`);
  }
  if (value === undefined) throw new UsageError(`${rawName} needs a value`);
  const isOption = inlineValue !== true && /^-\D/u.test(value);
  if (!isOption) return;
  throw new UsageError(
    `${rawName} needs a value, and ${value} looks like an option; to pass it as the value, write ${rawName}=${value}`,
  );
}

function report(name: string, error: unknown, output: CliOutput): number {
  // The reader of the output closed it because it has read enough; that is not a failure.
  if (isClosedPipe(error)) return 0;
  if (error instanceof UsageError) {
    const command = commands.find((one) => name === `scm ${one.name}`);
    const usage = command === undefined ? "" : `${usageLine(command)}\n`;
    output.stderr(`${name}: ${error.message}\n${usage}See ${name} --help.\n`);
    return 2;
  }
  if (ConfigError.is(error) || error instanceof IncompleteError) {
    output.stderr(`${name}: ${error.message}\n`);
    return 2;
  }
  const isExpected =
    error instanceof CliError || StoreError.is(error) || error instanceof ImportError;
  const text =
    error instanceof Error
      ? isExpected
        ? error.message
        : (error.stack ?? error.message)
      : String(error);
  output.stderr(`${name}: ${isExpected ? "" : "unexpected error, please report it: "}${text}\n`);
  return 1;
}

function version(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  if (typeof manifest === "object" && manifest !== null && "version" in manifest)
    return String(manifest.version);
  throw new TypeError("package.json of the command has no version");
}
