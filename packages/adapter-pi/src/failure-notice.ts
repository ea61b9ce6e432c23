import type { PiContext } from "./pi-api.ts";

/** Tells the user of a failure of ours: in words once, in the status line until something works again. */
export interface FailureNotice {
  /** Says that the host's messages go through, and why. */
  failed(error: unknown, context: PiContext): void;
}

/** Under this name the status line of the host is set. */
export const statusKey = "scm";

export function failureNotice(): FailureNotice {
  let isTold = false;
  return {
    failed(error, { hasUI, ui }) {
      ui.setStatus(statusKey, "ctx failing: messages go through unchanged");
      if (isTold) return;
      isTold = true;
      const text = `self-context-manager: the host's own messages go to the model unchanged. ${reasonOf(error)} The next call tries again; SCM_OFF=1 turns it off.`;
      if (hasUI) ui.notify(text, "warning");
      else process.stderr.write(`${text}\n`);
    },
  };
}

/** Tells the user once for each session that another process has it open too. */
export function sharedNotice(): (sessionId: string, context: PiContext) => void {
  const told = new Set<string>();
  return (sessionId, { hasUI, ui }) => {
    if (told.has(sessionId)) return;
    told.add(sessionId);
    const text =
      "self-context-manager: another process has this session open too. Nothing is lost, but each goes on by its own messages, and what one pins or deactivates the other can undo. Close one of them, or go on in a fork.";
    if (hasUI) ui.notify(text, "warning");
    else process.stderr.write(`${text}\n`);
  };
}

function reasonOf(error: unknown): string {
  const message = (error instanceof Error ? error.message : String(error)).trim();
  return /[.!?]$/u.test(message) ? message : `${message}.`;
}
