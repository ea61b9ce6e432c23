import type {
  Clock,
  FileSource,
  IdSource,
  Logger,
  ReadLimits,
  WindowPolicyOptions,
} from "@self-context-manager/core";

import type { LayoutKind, StoreKind } from "./kinds.ts";

/** An automatic policy with its numbers, as data. */
export type PolicyOptions = { readonly type: "window" } & WindowPolicyOptions;

export interface ContextManagerOptions {
  /** Where objects are kept: a file, or memory that ends with the process; `sqlite` unless told. */
  readonly store?: StoreKind;
  /** The store's file; where the environment says unless told (decision D50). */
  readonly at?: string;
  /** The agent's working folder; that of the process unless told. */
  readonly workspace?: string;
  /** What leaves the active objects by itself; the specification's window unless told. */
  readonly policy?: PolicyOptions;
  /** How the context is laid out; `pooled` unless told. */
  readonly layout?: LayoutKind;
  /** What a `read` without a range shows; 2,000 lines or 51,200 characters unless told, as Pi's own does. */
  readonly readLimits?: ReadLimits;
  /** Keeps nothing unless told. */
  readonly logger?: Logger;
  /** The machine's unless told. */
  readonly clock?: Clock;
  /** UUIDv7 by the clock unless told. */
  readonly ids?: IdSource;
  /** The machine's unless told. */
  readonly files?: FileSource;
}
