import { madeOnce } from "@self-context-manager/objects";
import type { ContextSession } from "../session/context-session.ts";
import { contextToolsBeside } from "../session/context-tools.ts";
import type { ToolDescription } from "../session/session-tool.ts";
import type { ConnectOptions } from "./connect-options.ts";
import { connect, type Connection } from "./connection.ts";

/** What `connectMany` needs of a host. */
export interface ConnectManyOptions<Raw> extends Omit<
  ConnectOptions<Raw>,
  "open" | "notify" | "hostTools"
> {
  /** The names of the host's own tools, as for `connect`. They are the same in all sessions. */
  readonly hostTools: readonly string[];
  /** Opens the session with this id of the host. It is called as `open` of `connect`. */
  readonly open: (sessionId: string) => Promise<ContextSession>;
  /** Shows a text to the user of a session, outside the chat. It is called as `notify` of `connect`. */
  readonly notify?: (text: string, sessionId: string) => void;
}

/** The connections of a host that runs many sessions in one process, such as a server, by the host's session ids. */
export interface Connections<Raw> extends AsyncDisposable {
  /** The context tools, for a host that declares them once for all sessions. They run on a connection. */
  readonly tools: readonly ToolDescription[];
  /** The standing instruction with the names of the tools. */
  readonly instruction: string;
  /** Returns the connection of a session, the same one until it is closed. This opens nothing. */
  of(sessionId: string): Connection<Raw>;
  /** Disposes of the connection of a session, whose user is away. `of` makes a new one. */
  close(sessionId: string): Promise<void>;
}

/** Connects the sessions of a host, each for itself. Disposal closes all of them. */
export function connectMany<Raw>(options: ConnectManyOptions<Raw>): Connections<Raw> {
  const { open, notify, ...shared } = options;
  const { tools, instruction } = contextToolsBeside(options.hostTools);
  const connections = new Map<string, Connection<Raw>>();

  async function close(sessionId: string): Promise<void> {
    const connection = connections.get(sessionId);
    connections.delete(sessionId);
    await connection?.[Symbol.asyncDispose]();
  }

  return {
    tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    instruction,
    of: (id) =>
      madeOnce(connections, id, () =>
        connect({
          ...shared,
          open: async () => await open(id),
          ...(notify === undefined ? {} : { notify: (text) => notify(text, id) }),
        }),
      ),
    close,
    async [Symbol.asyncDispose]() {
      await Promise.all([...connections.keys()].map(close));
    },
  };
}
