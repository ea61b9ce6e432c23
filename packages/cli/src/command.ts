import type { OpenedDocuments, StorePlace } from "@self-context-manager/compose";
import type { ObjectStore } from "@self-context-manager/core";
import type { PageFiles } from "@self-context-manager/inspector";
import type { TextMask } from "@self-context-manager/objects";

import type { Progress } from "./format/progress.ts";

/** An option of a command, and its line in the help text. */
interface CommandOption {
  readonly short?: string;
  /** The placeholder for the value in the help text; without it, the option takes no value. */
  readonly value?: string;
  readonly help: string;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** One command of `scm`: its help text and its action. */
export interface Command {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** Its arguments as the usage line shows them. */
  readonly arguments: string;
  /** The smallest and the largest number of arguments. */
  readonly argumentCount: { readonly least: number; readonly most: number };
  readonly options: CommandOptions;
  /** Whether the command opens the store that `--store` and `--at` name. Default: true. */
  readonly usesStore?: false;
  /** Further notes for the help text, without a line break at the end. */
  readonly notes?: string;
  run(call: CommandCall): Promise<void>;
}

/** One call of a command. */
export interface CommandCall {
  readonly arguments: readonly string[];
  /** The value of a string option; undefined if the option was not given. */
  text(option: string): string | undefined;
  /** Whether a boolean option was given. */
  isSet(option: string): boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder that paths are relative to. */
  readonly folder: string;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Whether a person is at the terminal and can answer a question. */
  readonly canAsk: boolean;
  /** The page of the inspector. Default: that of its package. */
  readonly page?: PageFiles;
  /** Resolves when the user ends the command, usually with Ctrl-C. */
  interruption(): Promise<void>;
  /** Prints the result of the command to standard output. */
  print(text: string): Promise<void>;
  /** Prints a message to standard error. */
  note(text: string): void;
  /** Reports the progress of a long action, such as `importing`, on standard error. `noun`: what is counted. */
  progress(doing: string, noun?: string): Progress;
  /** The place of the store, for messages. */
  storePlace(): string;
  /** The kind and the place of the store that the options and the environment name. `create`: it need not exist. */
  namedPlace(options?: Pick<OpenStoreWishes, "create">): Promise<StorePlace>;
  /** Opens the store that the options and the environment name. */
  openStore(options?: OpenStoreWishes): Promise<ObjectStore>;
  /** Returns what replaces secrets in texts that the command stores; undefined if nothing does. */
  mask(): TextMask | undefined;
  /** Opens the search index of the store that `openStore` has opened. */
  openDocuments(store: ObjectStore): Promise<OpenedDocuments>;
}

/** How a command opens its store. */
interface OpenStoreWishes {
  /** Creates the store if it does not exist. */
  readonly create?: boolean;
  /** Waits longer for an XTDB node: moving a whole store loads the node, and no single answer is urgent. */
  readonly patient?: boolean;
  /**
   * The command reads many versions once each. Then few of them are kept in memory, and memory is freed early. A scan and an
   * export take about 1.6 times as long for that.
   */
  readonly readsOnce?: boolean;
}

/** The options that every command has. */
export function commonOptions({ usesStore }: Pick<Command, "usesStore"> = {}): CommandOptions {
  return usesStore === false ? helpOption : { ...storeOptions, ...helpOption };
}

const storeOptions: CommandOptions = {
  store: { value: "KIND", help: "kind of the store: sqlite, xtdb or memory" },
  at: { value: "PLACE", help: "path of the store, or URL of an XTDB node, instead of $SCM_STORE" },
};

const helpOption: CommandOptions = {
  raw: { help: "print control characters to a terminal too, instead of escaping them" },
  help: { short: "h", help: "print this text" },
};

/** The option of commands that can print JSON. */
export const jsonOption: CommandOptions = {
  json: { help: "print JSON, for programs" },
};

/** The option of commands that take a TARGET. */
export const targetOptions: CommandOptions = {
  session: {
    value: "ID",
    help: "read TARGET as a handle (f12, t31) of this session; latest is the newest session",
  },
};

/** The option of commands that follow links. */
export const workspaceOption: CommandOptions = {
  workspace: {
    value: "FOLDER",
    help: "the folder in which the names of links are looked up; default: the current folder",
  },
};

/** The meaning of TARGET, for help texts. */
export const targetNote = `TARGET is an id, the beginning of an id, a nickname, a file's path or the end of a path, or the host's
id of a session. With --session, which also takes the beginning of an id, TARGET can be a handle. If the
store has only one session, a handle works without --session.`;

/** The option of commands that can show an older version. */
export const versionOption: CommandOptions = {
  "as-of": { value: "VERSION", help: "this version instead of the latest" },
};

/** The meaning of VERSION, for help texts. */
export const versionNote = `VERSION is the number of a version (3), a transaction (tx:812: the latest version at that time), a time
(2026-01-31T09:00:00Z: the latest version at the end of that second; likewise for a minute or a day;
UTC if there is no zone), a hash of the content or of the whole version, or the first digits of such a
hash (at least 8). TARGET can have it behind an @ instead: a.txt@3.`;
