import type { PiContext } from "./pi-api.ts";

/** Tells the user of a failure of ours, once, and shows as long as it lasts. */
export interface FailureNotice {
  /** Says that the host's messages go through, and why. */
  failed(error: unknown, context: PiContext): void;
  /** Everything works. */
  recovered(): void;
  readonly isFailing: boolean;
}

/** Under this name the status line of the host is set. */
export const statusKey = "scm";

export function failureNotice(): FailureNotice {
  let isFailing = false;
  let isTold = false;
  return {
    get isFailing() {
      return isFailing;
    },
    failed(error, { hasUI, ui }) {
      isFailing = true;
      ui.setStatus(statusKey, "ctx off: the store is not available");
      if (isTold) return;
      isTold = true;
      const text = `self-context-manager: the host's own messages go to the model unchanged. ${reasonOf(error)} The next call tries again; SCM_OFF=1 turns it off.`;
      if (hasUI) ui.notify(text, "warning");
      else process.stderr.write(`${text}\n`);
    },
    recovered() {
      isFailing = false;
    },
  };
}

function reasonOf(error: unknown): string {
  const message = (error instanceof Error ? error.message : String(error)).trim();
  return /[.!?]$/u.test(message) ? message : `${message}.`;
}
