import type {
  ActivationPolicy,
  Clock,
  EpochSettings,
  FileSource,
  IdSource,
  Layout,
  Logger,
  ObjectStore,
  Patience,
  ReadLimits,
  RecentlyUsedOptions,
  ToolFacts,
  WindowPolicyOptions,
} from "@self-context-manager/core";

import type { SecretsSetting } from "@self-context-manager/secrets";

import type { ActivateUnread, FindIn, LayoutKind, RecentlyUsedName, StoreKind } from "./kinds.ts";

/** An activation policy with its settings, as data. */
export type PolicyOptions =
  | ({ readonly type: "recently-used"; readonly setting?: RecentlyUsedName } & RecentlyUsedOptions)
  | ({ readonly type: "window" } & WindowPolicyOptions);

/** How a store in XTDB is found. */
export interface XtdbOptions {
  /** The store's name within the database; default `scm`. */
  readonly name?: string;
  /** The token of the node at a URL. A node that is started for a folder gets it too; default: a random one. */
  readonly token?: string;
  /** Whether this machine's node keeps running after the last process that uses it; default false. */
  readonly keep?: boolean;
  /** Milliseconds that a request may take, including repetitions; default 10,000. */
  readonly timeout?: number;
}

export interface ContextManagerOptions {
  /**
   * Where objects are stored: a SQLite file, an XTDB database, or memory until the process ends. Default: `sqlite`. A
   * store that the caller has opened is used as it is, and the caller disposes of it after the manager. The options `at`,
   * `xtdb` and `patience` do not apply to it. `xtdb` needs the package `@self-context-manager/store-xtdb`.
   */
  readonly store?: ObjectStore | StoreKind;
  /**
   * The path of the store's file; for a store in XTDB, the URL of its node or the data folder of this machine's node.
   * Default: as the environment sets it, see `storePath`.
   */
  readonly at?: string;
  /** Options of a store in XTDB. Default: the store `scm`, without a token. */
  readonly xtdb?: XtdbOptions;
  /** How long calls wait for a store that does not work. Default: 1.6 s from the first such call on. */
  readonly patience?: Patience;
  /** The agent's working folder. Default: that of the process. */
  readonly workspace?: string;
  /** The activation policy, or a known policy with its settings; default: recently used. */
  readonly policy?: ActivationPolicy | PolicyOptions;
  /** The layout of the views, or the name of a known one; default `epoch`. */
  readonly layout?: Layout | LayoutKind;
  /**
   * How the layout `epoch` shows, shortens and ends. Default: the settings that measured best. A layout that the caller
   * has made has its own settings, so this option is refused with it.
   */
  readonly epochs?: Partial<EpochSettings>;
  /** Classifies tool calls by tool name and arguments. Default: the built-in table of common tool names. */
  readonly toolFacts?: ToolFacts;
  /**
   * Tokens above which a text of a user's message becomes an object of its own, from 100 on; `Infinity`: never. Such a text
   * is in full in the view until an epoch ends, and then by its beginning and end. Default: 2,000.
   */
  readonly longTexts?: number;
  /**
   * What happens to what looks like a credential in the texts that come in. `mask`: the store gets a mark, and the bytes are
   * in a file beside it. `keep`: it is found and reported, and stored as it is. `off`: nothing is looked for. What is sent to
   * the model has the bytes in each case. Default: `mask`, and `off` for a store that the caller has opened.
   */
  readonly secrets?: SecretsSetting;
  /**
   * The path of the files of secrets, without their endings `.secrets` and `.key`, for a store that the caller has opened.
   * Default: `secrets` is `off` there, and with another value the bytes are in memory until the process ends.
   */
  readonly secretsAt?: string;
  /**
   * What happens when the model activates a file, or lines of it, that no tool of the host has shown. `read`: they are
   * read and shown. `ask`: the answer names the host's own `read`, because other extensions of the host can block it or
   * hide a part of its result; changes by other programs are reported and not shown. Default: `ask` if the host has
   * announced a tool of its own that reads files, else `read`.
   */
  readonly activateUnread?: ActivateUnread;
  /**
   * Among which objects the model finds and names some: those that sessions of this workspace made or saw and shared ones, or
   * all of the store. The user's operations name any object. Default: `workspace`.
   */
  readonly findIn?: FindIn;
  /** The most that a `read` without a range shows. Default: 2,000 lines or 51,200 characters. */
  readonly readLimits?: ReadLimits;
  /**
   * Whether known files are watched, so that changes by other programs are reported. Default: true, except with
   * `files`.
   */
  readonly watch?: boolean;
  /**
   * Whether Markdown documents are read, so that their links can be followed, and objects can be found by words, tag and
   * relation. It needs a file beside that of the store, or memory for a store that the caller has opened. Default: true.
   */
  readonly documents?: boolean;
  /** How many objects become known because an active document links to them. Default: 30. */
  readonly linkedObjects?: number;
  /**
   * Receives a text for the user, once in a process, if other users of the machine can read the store that is opened.
   * Default: a warning of `logger`.
   */
  readonly notify?: (text: string) => void;
  /** Receives reports of problems; default: silent. */
  readonly logger?: Logger;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** The ids of new objects; default: UUIDv7 by the clock. */
  readonly ids?: IdSource;
  /** Reads files; default: the machine's files. */
  readonly files?: FileSource;
}
