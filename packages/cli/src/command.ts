import type { ObjectStore } from "@self-context-manager/core";

import type { Progress } from "./format/progress.ts";

/** An option of a command, as it is parsed and as its help tells it. */
interface CommandOption {
  readonly type: "string" | "boolean";
  readonly short?: string;
  /** What stands for the value in the help text. */
  readonly value?: string;
  readonly help: string;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** One command of `scm`: what it is for the help text, and what it does. */
export interface Command {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** Its arguments as the usage line shows them. */
  readonly arguments: string;
  /** How many arguments there must and may be. */
  readonly argumentCount: { readonly least: number; readonly most: number };
  readonly options: CommandOptions;
  /** Whether it opens the store that `--store` and `--at` name. Default: true. */
  readonly usesStore?: false;
  /** What there is to know beyond the options; ends without a line break. */
  readonly notes?: string;
  run(call: CommandCall): Promise<void>;
}

/** One call of a command. */
export interface CommandCall {
  readonly arguments: readonly string[];
  /** The value of a string option, undefined where it was not given. */
  text(option: string): string | undefined;
  /** Whether a boolean option was given. */
  isSet(option: string): boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder that paths are relative to. */
  readonly folder: string;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Prints what was asked for. */
  print(text: string): Promise<void>;
  /** Tells what happened, apart from what was asked for. */
  note(text: string): void;
  /** Tells how far something long has come, for example `importing`, apart from what was asked for. */
  progress(doing: string): Progress;
  /** Where that store is, for people. */
  storePlace(): string;
  /** Opens the store that the options and the environment name. */
  openStore(options?: OpenStoreWishes): Promise<ObjectStore>;
}

/** What a command wants of the store that it opens. */
interface OpenStoreWishes {
  /** Makes the store where none is. */
  readonly create?: boolean;
  /** Waits long for a node of XTDB: what moves a store gives it much to do, and nobody waits for a single answer. */
  readonly patient?: boolean;
}

/** The options that every command has. */
export function commonOptions({ usesStore }: Pick<Command, "usesStore"> = {}): CommandOptions {
  return usesStore === false ? helpOption : { ...storeOptions, ...helpOption };
}

const storeOptions: CommandOptions = {
  store: { type: "string", value: "KIND", help: "kind of the store: sqlite, xtdb or memory" },
  at: {
    type: "string",
    value: "PLACE",
    help: "path of the store, or the URL of an XTDB node, in place of $SCM_STORE",
  },
};

const helpOption: CommandOptions = {
  help: { type: "boolean", short: "h", help: "print this text" },
};

/** The option of the commands that answer for programs too. */
export const jsonOption: CommandOptions = {
  json: { type: "boolean", help: "print JSON, for programs" },
};

/** The option of the commands that take a TARGET. */
export const targetOptions: CommandOptions = {
  session: {
    type: "string",
    value: "ID",
    help: "take TARGET as a handle (f12, t31) of this session; latest is the one begun last",
  },
};

/** What a TARGET may be, for help texts. */
export const targetNote = `TARGET is an id, the beginning of one, a nickname, a file's path or the end of one, or a session's id
as its host has it; with --session, which takes an id's beginning too, also a handle. Where the store
has one session only, a handle needs none.`;

/** The option of the commands that can go back in time. */
export const versionOption: CommandOptions = {
  "as-of": { type: "string", value: "VERSION", help: "that version in place of the latest" },
};

/** What a VERSION may be, for help texts. */
export const versionNote = `VERSION is a version's number (3), a transaction (tx:812: the latest then), a time
(2026-01-31T09:00:00Z: the latest at the end of that second, and so for a minute or a day; UTC where
it names no zone), or the hash of a version's content or of the version, or 8 or more digits that
it begins with.`;
