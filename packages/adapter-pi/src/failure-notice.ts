import {
  type FailureNotice,
  failureNotice,
  lostStoreText,
  otherStoreText,
  sharedSessionText,
} from "@self-context-manager/core/host";

import type { PiContext } from "./pi-api.ts";

/** The key under which the extension sets the host's status line. */
export const statusKey = "scm";

/** The status line while Pi's own messages are sent because of a failure. */
export const failedStatus = "ctx failed: Pi's own messages are sent unchanged";

/** Notifies the user of failures in Pi, and shows in the status line that one lasts. */
export interface PiFailureNotice extends Pick<FailureNotice, "isOn" | "recovered"> {
  failed(error: unknown, context: PiContext): void;
}

export function piFailureNotice(): PiFailureNotice {
  const notice = failureNotice({
    whose: "Pi's",
    advice: "SCM_OFF=1 switches managed context off.",
    isLasting: (error) => error instanceof Error && lasting.has(error.name),
  });
  return {
    get isOn() {
      return notice.isOn;
    },
    failed(error, context) {
      context.ui.setStatus(statusKey, failedStatus);
      const text = notice.failed(error);
      if (text !== undefined) warn(text, context);
    },
    recovered: () => notice.recovered(),
  };
}

/** Notifies the user that the store was lost and a new one has been begun. */
export function notifyLost(error: unknown, context: PiContext): void {
  warn(lostStoreText(error), context);
}

/** Notifies the user, once for each session, that another process has the session open too. */
export function sharedNotice(): (sessionId: string, context: PiContext) => void {
  const notified = new Set<string>();
  return (sessionId, context) => {
    if (notified.has(sessionId)) return;
    notified.add(sessionId);
    warn(sharedSessionText, context);
  };
}

/** Notifies the user, once for each session, that the store has this session only from now on. */
export function otherStoreNotice(): {
  notify(sessionId: string, context: PiContext): void;
  /** The user knows already that the session continues on a new store. */
  isKnown(sessionId: string): void;
} {
  return {
    isKnown: (sessionId) => void notifiedOfOtherStore.add(sessionId),
    notify(sessionId, context) {
      if (notifiedOfOtherStore.has(sessionId)) return;
      notifiedOfOtherStore.add(sessionId);
      warn(otherStoreText("Pi's"), context);
    },
  };
}

/** Sessions of this process. Pi loads the extension again for each session, and a store in memory forgets it. */
const notifiedOfOtherStore = new Set<string>();

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
