import type { Arm } from "./arm.ts";
import type { ModelAccess } from "./model-access.ts";

/** An agent harness that can run tasks without a person. */
export interface EvaluationHost {
  readonly name: "pi" | "ai-sdk" | "openclaw";
  readonly version: string;
  /** Starts the host in a workspace. Throws `EvaluateError` with `EVALUATE_HOST`. */
  open(options: HostOptions): Promise<HostSession>;
}

export interface HostOptions {
  readonly arm: Arm;
  /** The model, with the meter's URL. */
  readonly access: ModelAccess;
  /** The folder that the agent works in. */
  readonly workspace: string;
  /** A folder for everything that the host keeps: settings, sessions, logs. */
  readonly home: string;
  /** The file of the context manager's store. */
  readonly store: string;
}

/** A running host. Disposal ends it and everything that it started. */
export interface HostSession extends AsyncDisposable {
  /** Sends a prompt and waits until the host is at rest. An aborted signal ends the turn. */
  prompt(text: string, options: { readonly signal: AbortSignal }): Promise<HostAnswer>;
  /** Ends the session and begins a new one in the same workspace and store. */
  newSession(): Promise<void>;
}

export interface HostAnswer {
  /** The last text of the assistant in this turn. Empty: there is none. */
  readonly text: string;
  /** The host's or the provider's error that ended the turn. */
  readonly error?: string;
  /** Warnings and errors that the host's extensions showed in this turn: a managed run with one may not be managed. */
  readonly notices?: readonly string[];
}
