import type { ContextSession, HostSession } from "@self-context-manager/core";

/** A session with the resources that it needs; both are disposed of together. */
export interface OpenedContext extends AsyncDisposable {
  readonly session: ContextSession;
  /**
   * Opens the inspector's page of the session and returns its address. It is open until the disposal. Default: a command
   * for the terminal is named instead.
   */
  readonly inspect?: () => Promise<string>;
}

/** Opens the store and a session on it; rejects if that is not possible now. */
export type OpenContext = (where: {
  readonly host: HostSession;
  readonly workspace: string;
  /** The host writes nothing of the session to the disk. */
  readonly isEphemeral?: boolean;
  /** Shows the user a text about the store. */
  readonly notify: (text: string) => void;
}) => Promise<OpenedContext>;
