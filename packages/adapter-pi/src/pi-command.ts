import {
  contextCommand,
  contextCompletions,
  type ContextFigures,
  inspectHint,
  messageOf,
} from "@self-context-manager/core/host";

import { ingestNewest } from "./newest-messages.ts";
import type { PiApi, PiContext } from "./pi-api.ts";
import { failedStatus, statusKey } from "./pi-notices.ts";
import { lookedAt, optionsNow, type PiSession, type PiSessions } from "./pi-sessions.ts";

/** The status line while managed context is off. */
export const offStatus = "ctx off";

/** Registers the user's command. */
export function piCommand(pi: PiApi, sessions: PiSessions): void {
  pi.registerCommand("context", {
    description: "List and change what the model has in its context",
    // Pi calls it after each key, so it opens no session, and a failure offers nothing.
    getArgumentCompletions: async (args) => {
      try {
        const found = await contextCompletions(args, sessions.present()?.connection.present);
        return found.length === 0 ? null : [...found];
      } catch {
        return null;
      }
    },
    handler: async (args, context) => {
      const text = await answerTo(args, sessions, context);
      if (context.hasUI) context.ui.notify(text, "info");
      // Standard output is for the model's answers and for protocols; Pi redirects what other code writes to standard
      // output here too.
      else process.stderr.write(`${text}\n`);
    },
  });
}

async function answerTo(args: string, sessions: PiSessions, context: PiContext): Promise<string> {
  const { tools } = sessions;
  try {
    const session = sessions.at(context);
    const { connection } = session;
    const sendsOwn = (): string | undefined => ownReason(session, tools.canActivate());
    const text = await contextCommand(args, {
      host: "Pi",
      command: "context",
      isOn: () => connection.isOn,
      turn: async (on) => await turn(on, sessions, context),
      session: async () => await connection.session(),
      figures: async () => (sendsOwn() === undefined ? await figures(session) : undefined),
      isCompacted: () => session.isCompacted,
      ingest: async () => await ingestNewest(session),
      sendsOwn,
      inspect: async () => await pageText(session),
    });
    if (sendsOwn() === undefined) await lookedAt(session);
    return text;
  } catch (error) {
    // The error of a command is shown as its answer.
    return `self-context-manager: ${messageOf(error)}`;
  }
}

/** Returns why Pi's own messages are sent now; undefined if the views are. */
function ownReason({ connection }: PiSession, canActivate: boolean): string | undefined {
  if (!connection.isOn) return "Managed context is off; Pi's own messages are sent unchanged.";
  if (!canActivate)
    return "The tool activate is off, so Pi's own messages are sent, and the session is only recorded.";
  return connection.isFailing ? "After a failure Pi's own messages are sent unchanged." : undefined;
}

async function figures(session: PiSession): Promise<ContextFigures> {
  const view = await lookedAt(session);
  return session.connection.figures(view, optionsNow(session).prices);
}

async function turn(on: boolean, sessions: PiSessions, context: PiContext): Promise<string> {
  sessions.turn(on, context);
  if (on) {
    try {
      await sessions.at(context).connection.session();
    } catch (error) {
      context.ui.setStatus(statusKey, failedStatus);
      throw error;
    } finally {
      sessions.tools.switchTo(true);
    }
    return "Managed context is on.";
  }
  sessions.tools.switchTo(false);
  context.ui.setStatus(statusKey, offStatus);
  return "Managed context is off; Pi's own messages are sent unchanged.";
}

/** Opens the inspector's page of a session and returns what the user reads. */
async function pageText(session: PiSession): Promise<string> {
  const { host } = await session.connection.session();
  const address = await session.opened()?.inspect?.();
  if (address === undefined) return inspectHint(host.sessionId, undefined);
  return [
    `Open this address in a browser of this machine: ${address}`,
    "It only reads, follows the session, and is closed with it. Who has the address can read the store.",
  ].join("\n");
}
