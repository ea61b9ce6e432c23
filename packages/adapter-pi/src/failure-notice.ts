import type { PiContext } from "./pi-api.ts";
import { isStoreTrouble } from "./store-trouble.ts";

/**
 * Notifies the user of a failure of the extension: with a message once, and in the status line until a call succeeds.
 */
export interface FailureNotice {
  /** Whether no view was made since the last failure. */
  readonly isOn: boolean;
  /** Reports that the host's own messages are sent, and why. */
  failed(error: unknown, context: PiContext): void;
  /** A view was made. A later trouble of the store is another one, of which the user is notified again. */
  recovered(): void;
}

/** The key under which the extension sets the host's status line. */
export const statusKey = "scm";

/** The status line while Pi's own messages are sent because of a failure. */
export const failedStatus = "ctx failed: Pi's own messages are sent unchanged";

export function failureNotice(): FailureNotice {
  let isNotified = false;
  let isTrouble = false;
  let isOn = false;
  return {
    get isOn() {
      return isOn;
    },
    failed(error, { hasUI, ui }) {
      isOn = true;
      ui.setStatus(statusKey, failedStatus);
      if (isNotified) return;
      isNotified = true;
      isTrouble = isStoreTrouble(error);
      const text = `self-context-manager: Pi's own messages are sent to the model unchanged. ${reasonOf(error)} ${adviceFor(error)}`;
      if (hasUI) ui.notify(text, "warning");
      else process.stderr.write(`${text}\n`);
    },
    recovered() {
      isOn = false;
      if (isTrouble) isNotified = false;
      isTrouble = false;
    },
  };
}

/** Notifies the user that the store was lost and a new one has been begun. */
export function notifyLost(error: unknown, { hasUI, ui }: PiContext): void {
  const text = `self-context-manager: ${reasonOf(withoutAdvice(error))} A new store was begun there with this session's messages; what only the lost store held is not in it.`;
  if (hasUI) ui.notify(text, "warning");
  else process.stderr.write(`${text}\n`);
}

/** Notifies the user, once for each session, that another process has the session open too. */
export function sharedNotice(): (sessionId: string, context: PiContext) => void {
  const notified = new Set<string>();
  return (sessionId, { hasUI, ui }) => {
    if (notified.has(sessionId)) return;
    notified.add(sessionId);
    const text =
      "self-context-manager: another process has this session open too. Nothing is lost, but each process uses its own messages and can undo the other's pins and deactivations. Close one of them, or continue in a fork.";
    if (hasUI) ui.notify(text, "warning");
    else process.stderr.write(`${text}\n`);
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
    notify(sessionId, { hasUI, ui }) {
      if (notifiedOfOtherStore.has(sessionId)) return;
      notifiedOfOtherStore.add(sessionId);
      const text =
        "self-context-manager: this session was begun on another store. What Pi's own record contains is shown, and new objects get new handles; earlier views and versions are not in this store.";
      if (hasUI) ui.notify(text, "warning");
      else process.stderr.write(`${text}\n`);
    },
  };
}

/** Sessions of this process. Pi loads the extension again for each session, and a store in memory forgets it. */
const notifiedOfOtherStore = new Set<string>();

/** Returns the first part of an error's message. What to do follows a semicolon, and the extension has done it. */
function withoutAdvice(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const end = message.lastIndexOf("; ");
  return end === -1 ? message : message.slice(0, end);
}

/** This process runs on a Node without `node:sqlite`. */
export class UnsupportedNodeError extends Error {
  override readonly name: string = "UnsupportedNodeError";
}

/** The names of errors that last as long as the process does. */
const lasting: ReadonlySet<string> = new Set(["ConfigError", "UnsupportedNodeError"]);

/** Returns what the user can do. A wrong setting or an old Node stays, and some errors say already that the next call tries again. */
function adviceFor(error: unknown): string {
  const off = "SCM_OFF=1 switches managed context off.";
  const isLasting = error instanceof Error && lasting.has(error.name);
  const isSaid = reasonOf(error).endsWith("The next call tries again.");
  return isLasting || isSaid ? off : `The next call tries again; ${off}`;
}

/** Returns an error's message as a sentence. A name at its beginning, such as that of a variable, stays as it is. */
function reasonOf(error: unknown): string {
  const message = (error instanceof Error ? error.message : String(error)).trim();
  const begun = message.replace(/^[a-z](?=[a-z]* )/u, (letter) => letter.toUpperCase());
  return /[.!?]$/u.test(begun) ? begun : `${begun}.`;
}
