import { messageOf } from "@self-context-manager/objects";
import { isStoreTrouble } from "./store-failure.ts";

/** Decides of which failures the user is notified: of each failure once, until it is over. */
export interface FailureNotice {
  /** Whether no view was made since the last failure. */
  readonly isOn: boolean;
  /**
   * Notes that the host's own messages are sent because of this error. Returns the text for the user; undefined if the
   * user knows of the failure.
   */
  failed(error: unknown): string | undefined;
  /**
   * Notes that a view was made. A later trouble of the store is another one, of which the user is notified again. The same
   * other failure is not: it can come back at every second call.
   */
  recovered(): void;
}

/** What the texts for the user say. */
export interface FailureNoticeOptions {
  /** Whose messages are sent, in the possessive. Default: `The host's`. */
  readonly whose?: string;
  /** What the user can do, as a sentence that can follow a semicolon. Default: nothing. */
  readonly advice?: string;
  /** Whether an error lasts as long as the process, so that no later call can succeed. Default: none does. */
  readonly isLasting?: (error: unknown) => boolean;
}

/** Returns a notice for the failures of one session. */
export function failureNotice(options: FailureNoticeOptions = {}): FailureNotice {
  const { whose = "The host's" } = options;
  let isOn = false;
  let isNotified = false;
  /** The last failure of another kind than the store's. */
  let known: string | undefined;
  return {
    get isOn() {
      return isOn;
    },
    failed(error) {
      isOn = true;
      const reason = reasonOf(error);
      if (isNotified || reason === known) return undefined;
      isNotified = true;
      known = isStoreTrouble(error) ? undefined : reason;
      const text = `self-context-manager: ${whose} own messages are sent to the model. ${reason}`;
      const advice = adviceFor(error, reason, options);
      return advice === "" ? text : `${text} ${advice}`;
    },
    recovered() {
      isOn = false;
      isNotified = false;
    },
  };
}

/** The text for the user after the store was lost and a new one was begun, for this error. */
export function lostStoreText(error: unknown): string {
  return `self-context-manager: ${sentence(withoutAdvice(error))} A new store was begun there with this session's messages; what only the lost store held is not in it.`;
}

/** The text for the user of a session that another process has open too. */
export const sharedSessionText =
  "self-context-manager: another process has this session open too. Nothing is lost, but each process uses its own messages and can undo the other's pins and deactivations. Close one of them, or continue in a fork.";

/** Returns the text for the user of a session that the store has only from now on. `whose`: as for a failure. */
export function otherStoreText(whose = "the host's"): string {
  return `self-context-manager: this session was begun on another store. What ${whose} own record contains is shown, and new objects get new handles; earlier views and versions are not in this store.`;
}

/** Returns an error's message as a sentence. A name at its beginning, such as that of a variable, stays as it is. */
export function reasonOf(error: unknown): string {
  return sentence(messageOf(error));
}

function sentence(message: string): string {
  const begun = message.trim().replace(/^[a-z](?=[a-z]* )/u, (letter) => letter.toUpperCase());
  return /[.!?]$/u.test(begun) ? begun : `${begun}.`;
}

/** Returns the first part of an error's message. What to do follows a semicolon, and the adapter has done it. */
function withoutAdvice(error: unknown): string {
  const message = messageOf(error);
  const end = message.lastIndexOf("; ");
  return end === -1 ? message : message.slice(0, end);
}

/** Returns what the user can do. Some errors say already that the next call tries again. */
function adviceFor(
  error: unknown,
  reason: string,
  { advice = "", isLasting }: FailureNoticeOptions,
): string {
  const again = "The next call tries again";
  if (isLasting?.(error) === true || reason.endsWith(`${again}.`)) return advice;
  return advice === "" ? `${again}.` : `${again}; ${advice}`;
}
