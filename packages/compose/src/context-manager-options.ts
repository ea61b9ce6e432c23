import type {
  Clock,
  EpochSettings,
  FileSource,
  IdSource,
  Logger,
  ReadLimits,
  RecentlyUsedOptions,
  ToolFacts,
  WindowPolicyOptions,
} from "@self-context-manager/core";

import type { LayoutKind, RecentlyUsedName, StoreKind } from "./kinds.ts";

/** An automatic policy with its numbers, as data. */
export type PolicyOptions =
  | ({ readonly type: "recently-used"; readonly setting?: RecentlyUsedName } & RecentlyUsedOptions)
  | ({ readonly type: "window" } & WindowPolicyOptions);

/** How a store in XTDB is found. */
export interface XtdbOptions {
  /** The store's name within the database. Default: `scm`. */
  readonly name?: string;
  /** A bearer token, where the node wants one. */
  readonly token?: string;
  /** Keeps this machine's node running when the last who uses it has left. */
  readonly keep?: boolean;
  /** Milliseconds that a call may take, tries included. Default: 10,000. */
  readonly timeout?: number;
}

export interface ContextManagerOptions {
  /**
   * Where objects are kept: a file, an XTDB database, or memory that ends with the process. Default: `sqlite`.
   */
  readonly store?: StoreKind;
  /**
   * The store's file; of a store in XTDB the URL of its node, or the data folder of this machine's. Where the
   * environment says.
   */
  readonly at?: string;
  /** For a store in XTDB. Default: as the environment says. */
  readonly xtdb?: XtdbOptions;
  /** The agent's working folder. Default: that of the process. */
  readonly workspace?: string;
  /** The automatic policy: which objects become inactive by themselves. Default: *recently used*. */
  readonly policy?: PolicyOptions;
  /** How the context is laid out. Default: `epoch`. */
  readonly layout?: LayoutKind;
  /** How the epoch layout shows, trims and ends. Default: what is measured to be best. */
  readonly epochs?: Partial<EpochSettings>;
  /** What the host's tools do, by their names and arguments. Default: the facts of the usual names. */
  readonly toolFacts?: ToolFacts;
  /** The limits of a `read` without a range. Default: 2,000 lines or 51,200 characters, as in Pi's own `read`. */
  readonly readLimits?: ReadLimits;
  /** Whether known files are watched, so that a change by others is known at once; they are unless `files` is given. */
  readonly watch?: boolean;
  /** Default: a logger that keeps nothing. */
  readonly logger?: Logger;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: UUIDv7 by the clock. */
  readonly ids?: IdSource;
  /** Default: the machine's. */
  readonly files?: FileSource;
}
