import type { Block } from "@self-context-manager/core";
import {
  type RefusedAnswer,
  thinkingBinding,
  withoutSignedThinking,
} from "@self-context-manager/core/host";

import { isFields } from "./pi-api.ts";

/**
 * Whether a model binds its thinking: by its name, or because Pi asks the provider to leave out thinking that is no
 * longer valid. For other protocols than Anthropic's the same field of Pi's model data means something else.
 */
export function bindsThinking(model: unknown): boolean {
  if (!isFields(model)) return false;
  const { id, api, compat } = model;
  if (typeof id === "string" && thinkingBinding(id) === "bound") return true;
  const isDeclared = isFields(compat) && compat["supportsMidConvoEffort"] === true;
  return api === "anthropic-messages" && isDeclared;
}

/** Returns the provider's error of a failed answer in Pi's list. */
export function refusalIn(message: unknown): RefusedAnswer | undefined {
  if (!isFields(message) || message["role"] !== "assistant") return undefined;
  const { provider, model, errorMessage: error } = message;
  return typeof error === "string"
    ? { model: `${String(provider)}/${String(model)}`, error }
    : undefined;
}

/** Returns an answer without its signed thinking. It stays in the list, even if nothing is left of it. */
export function withoutThinking(message: unknown): unknown {
  if (!isFields(message) || !Array.isArray(message["content"])) return message;
  const blocks = message["content"] as readonly Block[];
  const kept = withoutSignedThinking(blocks);
  const isSame = kept.length === blocks.length && kept.every((block, at) => block === blocks[at]);
  return isSame ? message : { ...message, content: kept };
}
