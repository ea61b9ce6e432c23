import { compactionHooks } from "./compaction-hooks.ts";
import { ingestNewest } from "./newest-messages.ts";
import type { PiApi, PiHost } from "./pi-api.ts";
import { offStatus, piCommand } from "./pi-command.ts";
import { statusKey } from "./pi-notices.ts";
import { lookedAt, piSessions, type PiSessionsOptions } from "./pi-sessions.ts";
import { requestHooks } from "./request-hooks.ts";
import { toolHooks } from "./tool-hooks.ts";

export interface PiExtensionOptions extends PiSessionsOptions {
  /** Starts switched off; `/context on` switches managed context on. */
  readonly off?: boolean;
}

/** The flag on Pi's command line that switches managed context off. */
const offFlag = "scm-off";

/**
 * The Pi extension: the model gets the session's view instead of the host's messages. It never breaks the host: after
 * any failure of the extension, the host's messages and results stay unchanged.
 */
export function piExtension(options: PiExtensionOptions): (host: PiHost) => void {
  return (host) => {
    const pi: PiApi = host;
    const sessions = piSessions(pi, options);

    pi.registerFlag(offFlag, {
      description: "Send the session's messages unchanged, without managed context",
      type: "boolean",
      default: false,
    });

    pi.on("session_start", async (_event, context) => {
      const isOn = options.off !== true && pi.getFlag(offFlag) !== true;
      sessions.turn(isOn, context);
      const session = sessions.at(context);
      if (isOn) await session.connection.attempt(async () => await lookedAt(session));
      else context.ui.setStatus(statusKey, offStatus);
    });

    pi.on("session_tree", (_event, context) => {
      const session = sessions.at(context);
      session.connection.wentBack();
      session.isCompacted = false;
    });

    if (options.summaries !== undefined) {
      pi.on("agent_settled", async (_event, context) => {
        const session = sessions.at(context);
        // A store that fails is reported with the next request, which brings the messages again.
        await session.connection.attempt(async () => await ingestNewest(session));
      });
    }

    pi.on("session_shutdown", async () => await sessions.close());

    requestHooks(pi, sessions);
    toolHooks(pi, sessions);
    compactionHooks(pi, sessions);
    piCommand(pi, sessions);
  };
}
