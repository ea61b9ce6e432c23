import type { NoticeKind, NoticeOptions } from "@self-context-manager/core/host";

import type { PiContext } from "./pi-api.ts";

/** The key under which the extension sets the host's status line. */
export const statusKey = "scm";

/** The status line while Pi's own messages are sent because of a failure. */
export const failedStatus = "ctx failed: Pi's own messages are sent unchanged";

/** Notifies the user of a session in Pi, and shows in the status line that a failure lasts. */
export function piNotices(sessionId: string, contextNow: () => PiContext): Required<NoticeOptions> {
  return {
    notices: {
      whose: "Pi's",
      advice: "SCM_OFF=1 switches managed context off.",
      isLasting: (error) => error instanceof Error && lasting.has(error.name),
    },
    onFailure: () => quietly(() => contextNow().ui.setStatus(statusKey, failedStatus)),
    notify(text, kind) {
      if (isKnown(sessionId, kind)) return;
      quietly(() => warn(text, contextNow()));
    },
  };
}

/** Shows the user a text. A context that Pi has released shows nothing. */
export function showWarning(text: string, context: PiContext): void {
  quietly(() => warn(`self-context-manager: ${text}`, context));
}

/** Sessions of this process. Pi loads the extension again for each session, and a store in memory forgets it. */
const onOtherStores = new Set<string>();

/** Whether the user knows already that the store has a session only from now on. */
function isKnown(sessionId: string, kind: NoticeKind): boolean {
  const isNamed = onOtherStores.has(sessionId);
  if (kind === "lost-store" || kind === "other-store") onOtherStores.add(sessionId);
  return kind === "other-store" && isNamed;
}

function quietly(show: () => void): void {
  try {
    show();
  } catch {
    // Pi has released the context since, and the user sees another session.
  }
}

function warn(text: string, { hasUI, ui }: PiContext): void {
  if (hasUI) ui.notify(text, "warning");
  else process.stderr.write(`${text}\n`);
}

/** This process runs on a Node without `node:sqlite`. */
export class UnsupportedNodeError extends Error {
  override readonly name: string = "UnsupportedNodeError";
}

/** The names of errors that last as long as the process does. */
const lasting: ReadonlySet<string> = new Set(["ConfigError", "UnsupportedNodeError"]);
