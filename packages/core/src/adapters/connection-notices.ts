import type { Message } from "../chat/message.ts";
import type { ContextSession } from "../session/context-session.ts";
import type { HostClock } from "../host/host-clock.ts";
import { clockNotice } from "./clock-notice.ts";
import { cutMessageText } from "./cut-message-text.ts";
import { lostSecretsText, secretsText } from "./secrets-notice.ts";
import {
  failureNotice,
  type FailureNoticeOptions,
  lostStoreText,
  otherStoreText,
  sharedSessionText,
} from "./failure-notice.ts";

/** What a text for the user is about. */
export type NoticeKind =
  | "failure"
  | "lost-store"
  | "shared-session"
  | "other-store"
  | "clock"
  | "cut-message"
  | "secrets"
  | "lost-secrets";

/** How a connection reports to the user, and to its adapter. */
export interface NoticeOptions {
  /**
   * Shows the user a text outside the chat. It is called once for each failure until the failure is over, and once if the
   * store was lost, if another process has the session open, if the session was begun on another store, if the clock
   * cannot be right, if secrets were found or their bytes are gone, or for a message of which a part is kept as text. It must not throw. Default: the user is not notified.
   */
  readonly notify?: (text: string, kind: NoticeKind) => void;
  /** Called at each failure, also at one that the user knows. It must not throw. Default: nothing. */
  readonly onFailure?: (error: unknown) => void;
  /** What the texts for the user say. Default: they say nothing of the host. */
  readonly notices?: FailureNoticeOptions;
}

/** Decides of what the user of one session is notified. */
export interface ConnectionNotices {
  /** Whether no view was made since the last failure. */
  readonly isFailing: boolean;
  failed(error: unknown): void;
  /** A view was made, or the messages were ingested for a host that gets no view. */
  recovered(): void;
  /** Work on this session has succeeded. */
  worked(session: ContextSession): void;
  /** The store was lost, and a new one is begun. */
  lost(error: unknown): void;
  /** A part of a message of this turn became a text, because it is nested too deeply. */
  cut(message: Message, turn: number): void;
}

export function connectionNotices(
  options: NoticeOptions & { readonly clock?: HostClock },
): ConnectionNotices {
  const { notify = () => undefined, onFailure = () => undefined, notices, clock } = options;
  const notice = failureNotice(notices);
  const notified = new Set<NoticeKind>();
  const clockText = clockNotice();
  let isLost = false;

  function notifyOnce(text: string, kind: NoticeKind): void {
    if (notified.has(kind)) return;
    notified.add(kind);
    notify(text, kind);
  }

  return {
    get isFailing() {
      return notice.isOn;
    },
    failed(error) {
      onFailure(error);
      const text = notice.failed(error);
      if (text !== undefined) notify(text, "failure");
    },
    recovered: () => notice.recovered(),
    worked(session) {
      if (session.isShared) notifyOnce(sharedSessionText, "shared-session");
      // After a loss the user knows already that the store is another one.
      if (session.isFromOtherStore && !isLost)
        notifyOnce(otherStoreText(notices?.whose), "other-store");
      const { secrets } = session;
      if (secrets !== undefined && secrets.found.size > 0)
        notifyOnce(secretsText(secrets), "secrets");
      if (secrets?.hasLost === true) notifyOnce(lostSecretsText, "lost-secrets");
      const text = clock === undefined ? undefined : clockText(clock.now());
      if (text !== undefined) notifyOnce(text, "clock");
    },
    lost(error) {
      isLost = true;
      notify(lostStoreText(error), "lost-store");
    },
    cut: (message, turn) => notify(cutMessageText(message, turn), "cut-message"),
  };
}
