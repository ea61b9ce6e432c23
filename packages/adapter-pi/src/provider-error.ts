import { isFields } from "./pi-api.ts";

/** Returns the provider's error of an answer that failed; undefined for any other message. */
export function errorOf(message: unknown): string | undefined {
  if (!isFields(message) || message["role"] !== "assistant") return undefined;
  const { stopReason, errorMessage } = message;
  return stopReason === "error" && typeof errorMessage === "string" ? errorMessage : undefined;
}
