import type { Block } from "@self-context-manager/core";
import {
  executionField,
  isThinkingRefusal,
  thinkingBinding,
  withoutSignedThinking,
} from "@self-context-manager/core/host";

import { type Fields, isFields } from "./pi-api.ts";

/**
 * Follows which messages each answer was thought after: those of a view, or the host's own. A model that binds its
 * thinking accepts that of a view's answer only in a view.
 */
export interface HostThinking {
  /** Called before each request, with the host's own messages. */
  follows(messages: readonly unknown[]): void;
  /** The request contains a view's messages. */
  sendsView(): void;
  /**
   * The request contains the host's own messages after this system prompt and these tools. Returns them without the
   * signed thinking that the model would not accept there. A message without such thinking is the same object.
   */
  sendsOwn(messages: readonly unknown[], request: OwnRequest): readonly unknown[];
  /** Whether a model binds its thinking: by its name, by Pi's data, or because it has refused thinking before. */
  binds(model: unknown): boolean;
  /** How often thinking was refused. After a refusal no earlier thinking can be trusted. */
  readonly refusals: number;
}

interface OwnRequest {
  readonly model: unknown;
  /** Names the system prompt and the tools. */
  readonly head: () => string;
  /** Whether the context manager is in use. Then an earlier process may have sent views. */
  readonly isManaged: boolean;
}

export function hostThinking(): HostThinking {
  /** The answers that were seen so far; undefined before the first request. */
  let seen: Set<unknown> | undefined;
  /** The answers to the host's own messages, with the names of the system prompt and the tools before them. */
  const own = new Map<unknown, string>();
  /** The name before the last request, if it contained the host's own messages. */
  let lastHead: string | undefined;
  let hasViews = false;
  /** The ids of models that have refused thinking. */
  const refusing = new Set<unknown>();
  let refusals = 0;

  const binds = (model: unknown): boolean =>
    bindsThinking(model) || (isFields(model) && refusing.has(model["id"]));

  return {
    binds,
    get refusals() {
      return refusals;
    },
    follows(messages) {
      const isFirst = seen === undefined;
      seen ??= new Set();
      for (const message of messages) {
        if (!isAnswer(message) || seen.has(message["timestamp"])) continue;
        seen.add(message["timestamp"]);
        if (!isFirst && lastHead !== undefined) own.set(message["timestamp"], lastHead);
        const { errorMessage } = message;
        if (typeof errorMessage !== "string" || !isThinkingRefusal(errorMessage)) continue;
        refusing.add(message["model"]);
        refusals += 1;
      }
    },
    sendsView() {
      lastHead = undefined;
      hasViews = true;
    },
    sendsOwn(messages, { model, head: headName, isManaged }) {
      lastHead = undefined;
      if (!binds(model)) return messages;
      const head = headName();
      lastHead = head;
      if (!isManaged && !hasViews && !messages.some(isOfManager)) return messages;
      return messages.map((message) =>
        isAnswer(message) && own.get(message["timestamp"]) !== head
          ? withoutThinking(message)
          : message,
      );
    },
  };
}

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

function isAnswer(message: unknown): message is Fields {
  return isFields(message) && message["role"] === "assistant";
}

/** Whether a message is a tool's result with details of the context manager. */
function isOfManager(message: unknown): boolean {
  if (!isFields(message) || message["role"] !== "toolResult") return false;
  return isFields(message["details"]) && executionField in message["details"];
}

function withoutThinking(message: Fields): Fields {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const blocks = content as readonly Block[];
  const kept = withoutSignedThinking(blocks);
  const isSame = kept.length === blocks.length && kept.every((block, at) => block === blocks[at]);
  return isSame ? message : { ...message, content: kept };
}
