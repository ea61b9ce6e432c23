import type { SecretsSeen } from "../session/session-mask.ts";

/** Returns the text for the user of a session in which secrets were found: their number and the rules, never a secret. */
export function secretsText({ found, isHiding }: SecretsSeen): string {
  const count = [...found.values()].reduce((sum, one) => sum + one, 0);
  const rules = [...found].map(([rule, some]) => (some === 1 ? rule : `${rule} ${some}×`));
  const what = `${count} secret${count === 1 ? "" : "s"} (${rules.join(", ")})`;
  return isHiding
    ? `self-context-manager: ${what} came in. The store has marks instead, and the model sees the text. If this is a false alarm, nothing is lost; the setting secrets (SCM_SECRETS=off) turns the rules off.`
    : `self-context-manager: ${what} came in, and the store has the text as it is; with the setting secrets (SCM_SECRETS=mask) it has marks instead.`;
}

/** The text for the user of a session with marks of which the bytes are gone. */
export const lostSecretsText =
  "self-context-manager: the file with the bytes of secrets is gone or damaged, so the model sees marks such as [secret: …] in earlier texts. What is read again has its text.";
