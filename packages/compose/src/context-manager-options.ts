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
  /** The store's name within the database; `scm` unless told. */
  readonly name?: string;
  /** A bearer token, where the node wants one. */
  readonly token?: string;
  /** Keeps this machine's node running when the last who uses it has left. */
  readonly keep?: boolean;
  /** Milliseconds that a call may take, tries included; 10,000 unless told. */
  readonly timeout?: number;
}

export interface ContextManagerOptions {
  /**
   * Where objects are kept: a file, an XTDB database, or memory that ends with the process; `sqlite` unless told.
   */
  readonly store?: StoreKind;
  /**
   * The store's file; of a store in XTDB the URL of its node, or the data folder of this machine's. Where the
   * environment says unless told (decision D50).
   */
  readonly at?: string;
  /** For a store in XTDB; as the environment says unless told. */
  readonly xtdb?: XtdbOptions;
  /** The agent's working folder; that of the process unless told. */
  readonly workspace?: string;
  /** What leaves the active objects by itself; *recently used* unless told. */
  readonly policy?: PolicyOptions;
  /** How the context is laid out; `epoch` unless told. */
  readonly layout?: LayoutKind;
  /** How the epoch layout shows, trims and ends; what is measured to be best unless told. */
  readonly epochs?: Partial<EpochSettings>;
  /** What the host's tools do, by their names and arguments; by the usual names unless told. */
  readonly toolFacts?: ToolFacts;
  /** What a `read` without a range shows; 2,000 lines or 51,200 characters unless told, as Pi's own does. */
  readonly readLimits?: ReadLimits;
  /** Whether known files are watched, so that a change by others is known at once; they are unless `files` is given. */
  readonly watch?: boolean;
  /** Keeps nothing unless told. */
  readonly logger?: Logger;
  /** The machine's unless told. */
  readonly clock?: Clock;
  /** UUIDv7 by the clock unless told. */
  readonly ids?: IdSource;
  /** The machine's unless told. */
  readonly files?: FileSource;
}
