import type { ForgottenNote } from "@self-context-manager/objects";

/** What each mark of a forgotten text begins with. */
export const forgottenStart = "[forgotten: ";

/** The marks of forgotten texts in a text, each with its date and its reason. */
export const forgottenForm: RegExp = /\[forgotten: (\d{4}-\d{2}-\d{2}), ([^\]]{1,80})\]/gu;

/** Returns the mark for what was forgotten (decision D69). */
export function forgottenMark({ at, reason }: ForgottenNote): string {
  return `${forgottenStart}${at.slice(0, 10)}, ${reason}]`;
}
