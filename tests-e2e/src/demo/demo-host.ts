import type { ReportedHost } from "./demo-report.ts";

/** A host that can run the demo's session. */
export interface DemoHost extends ReportedHost {
  readonly version: string;
  /** The name of the host's tool that runs a shell command. */
  readonly shell: string;
  /** The part that adds managed context to the host. */
  readonly part: "extension" | "plugin";
  /** The user's command that lists the objects, with its slash. */
  readonly command: string;
  /** What the user waits for before anything is printed; undefined if that is short. */
  readonly waits?: string;
  open(options: HostSessionOptions): Promise<HostSession>;
}

export interface HostSessionOptions {
  /** The base URL of the scripted model's server. */
  readonly model: string;
  readonly isManaged: boolean;
  /** The environment variables that configure the store. */
  readonly environment: Readonly<Record<string, string>>;
}

/** One session of a host, in a new folder with the demo's project. */
export interface HostSession extends AsyncDisposable {
  /** Sends a prompt of the user and waits for the end of the turn. */
  prompt(text: string): Promise<void>;
  /** Runs the user's command that lists the objects, and returns its output. */
  figures(): Promise<string>;
  /** The text of the context manager in the host's status line. It is empty if the host has no such line. */
  readonly status: string;
  /** The errors that the host reported. */
  readonly errors: readonly string[];
}
