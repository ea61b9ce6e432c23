import { isJsonObject } from "@self-context-manager/objects";
import { executionField } from "../calls/execution.ts";
import type { ThinkingBinding } from "../cost/thinking-binding.ts";
import type { ReadList, ReadMessage } from "../host/read-list.ts";
import { isThinkingRefusal } from "../host/thinking-refusal.ts";

/** What a host can say about the thinking in its own messages. */
export interface OwnThinkingOptions<Raw> {
  /** Returns the error of a refused request that the list keeps, with the model as `provider/id`. Default: none is kept. */
  readonly refusalIn?: ((message: Raw) => RefusedAnswer | undefined) | undefined;
  /**
   * Returns an answer without its signed thinking, the same object if it has none, and undefined for one that is left out
   * then.
   */
  readonly withoutThinking: (message: Raw) => Raw | undefined;
}

/** An answer that the provider did not give. */
export interface RefusedAnswer {
  readonly model: string;
  readonly error: string;
}

/** A request with the host's own messages. */
interface OwnRequest {
  readonly isBound: boolean;
  /** Names the system prompt and the tools. */
  readonly head: () => string;
  /** Whether the context manager is in use. Then an earlier process may have sent views. */
  readonly isManaged: boolean;
}

/**
 * Follows which messages each answer was thought after: those of a view, or the host's own. A model that binds its
 * thinking accepts that of a view's answer only in a view.
 */
export interface OwnThinking<Raw> {
  /** Called before each request, with the host's own messages. `isBound` is asked when the refusals of the list are known. */
  follows(list: ReadList<Raw>, isBound: () => boolean): void;
  /** The request contains a view's messages. */
  sendsView(): void;
  /**
   * The request contains the host's own messages after this system prompt and these tools. Returns them without the
   * signed thinking that the model would not accept there, or undefined if they stay as they are. A message without such
   * thinking is the same object.
   */
  sendsOwn(list: ReadList<Raw>, request: OwnRequest): readonly Raw[] | undefined;
  /** Whether a model binds its thinking, as its host says, or because it has refused thinking before. */
  binds(model: string | undefined, known: ThinkingBinding | undefined): boolean;
  /** The provider refused a request with this error. A list that keeps it reports it too. */
  refused(refusal: RefusedAnswer): void;
  /** How often thinking was refused. After a refusal no earlier thinking can be trusted. */
  readonly refusals: number;
}

export function ownThinking<Raw>({
  refusalIn,
  withoutThinking,
}: OwnThinkingOptions<Raw>): OwnThinking<Raw> {
  /** The keys of the answers that were seen so far; undefined before the first request. */
  let seen: Set<string> | undefined;
  /** The answers to the host's own messages, with the names of the system prompt and the tools before them. */
  const own = new Map<string, string>();
  /** The name before the last request, if it contained the host's own messages. */
  let lastHead: string | undefined;
  let hasViews = false;
  const refusing = new Set<string>();
  /** The answers of the list whose refusals are counted. */
  const counted = new Set<string>();
  let refusals = 0;

  function note({ model, error }: RefusedAnswer): void {
    if (!isThinkingRefusal(error)) return;
    refusing.add(model);
    refusals += 1;
  }

  function noteRefusals({ messages }: ReadList<Raw>): void {
    if (refusalIn === undefined) return;
    for (const { raw, key } of messages) {
      const refusal = refusalIn(raw);
      if (refusal === undefined) continue;
      if (counted.has(key)) continue;
      counted.add(key);
      note(refusal);
    }
  }

  return {
    binds: (model, known) => known === "bound" || (model !== undefined && refusing.has(model)),
    get refusals() {
      return refusals;
    },
    follows(list, isBound) {
      noteRefusals(list);
      // Thinking of answers to a model that binds none is never left out.
      if (!isBound() && lastHead === undefined) return;
      const isFirst = seen === undefined;
      seen ??= new Set();
      for (const one of list.messages) {
        const { key } = one;
        if (!isAnswer(one) || seen.has(key)) continue;
        seen.add(key);
        if (!isFirst && lastHead !== undefined) own.set(key, lastHead);
      }
    },
    sendsView() {
      lastHead = undefined;
      hasViews = true;
    },
    sendsOwn({ messages }, { isBound, head: headName, isManaged }) {
      lastHead = undefined;
      if (!isBound) return undefined;
      const head = headName();
      lastHead = head;
      if (!isManaged && !hasViews && !messages.some(isOfManager)) return undefined;
      return messages.flatMap((one) => {
        const { raw } = one;
        if (!isAnswer(one) || own.get(one.key) === head) return [raw];
        const kept = withoutThinking(raw);
        return kept === undefined ? [] : [kept];
      });
    },
    refused(refusal) {
      // Without a view nothing was changed that the model has thought after.
      if (refusalIn === undefined && hasViews) note(refusal);
    },
  };
}

function isAnswer({ identity }: ReadMessage): boolean {
  return identity.role === "assistant";
}

/** Whether a message is a tool's result with details of the context manager. */
function isOfManager(one: ReadMessage): boolean {
  if (one.identity.role !== "toolResult") return false;
  const message = one.decode();
  const details = message.role === "toolResult" ? message.details : undefined;
  return isJsonObject(details) && executionField in details;
}
