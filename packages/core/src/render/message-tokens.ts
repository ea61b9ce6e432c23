import { commonLength, groupsOf, type ListGroups } from "@self-context-manager/objects";
import { type Block, isText } from "../chat/message.ts";
import { addText, addTo, type ClassTokens } from "../cost/class-tokens.ts";
import { mediaOf } from "../cost/media-facts.ts";
import type { TokenEstimator } from "../cost/token-estimator.ts";
import type { ViewMessage } from "../view/layout.ts";

/** Tokens that a provider adds to each message for its role and delimiters. */
const perMessage = 4;

/** Returns the estimated tokens of a message with all its content. */
export function messageTokens(message: ViewMessage, estimator: TokenEstimator): number {
  if (message.role === "opaque") return perMessage + estimator.text(JSON.stringify(message.raw));
  return perMessage + contentTokens(message.content, estimator);
}

/** Returns the estimated tokens of a content. */
export function contentTokens(
  content: string | readonly Block[],
  estimator: TokenEstimator,
): number {
  if (typeof content === "string") return estimator.text(content);
  return content.reduce((sum, block) => sum + blockTokens(block, estimator), 0);
}

function blockTokens(block: Block, estimator: TokenEstimator): number {
  if (isText(block)) return estimator.text(block.text);
  const file = mediaOf(block);
  return file === undefined ? estimator.text(JSON.stringify(block)) : estimator.media(file);
}

/** The class tokens of messages, with the model by whose rule their files are counted. */
const counted = new WeakMap<
  ViewMessage,
  { readonly model: string | undefined; readonly tokens: ClassTokens }
>();

/** The last list that began with a message, with its sums. A list nearly always continues the one before it. */
const countedLists = new WeakMap<
  ViewMessage,
  {
    readonly groups: ListGroups<ViewMessage>;
    readonly count: number;
    readonly model: string | undefined;
    readonly sums: ClassTokens;
  }
>();

/**
 * Returns the raw tokens of messages by class of text. The text of a message is counted once, and of a list that continues
 * the last one only the new messages are added.
 */
export function classTokens(
  messages: readonly ViewMessage[],
  estimator: TokenEstimator,
): ClassTokens {
  const { model } = estimator;
  const [first] = messages;
  const groups = messages.length > 1 ? groupsOf(messages) : [];
  const last = first === undefined ? undefined : countedLists.get(first);
  const isContinued =
    last !== undefined && last.model === model && commonLength(groups, last.groups) === last.count;
  const sums: Record<string, number> = isContinued ? { ...last.sums } : {};
  for (let index = isContinued ? last.count : 0; index < messages.length; index += 1) {
    const message = messages[index];
    if (message !== undefined) addTo(sums, classesOf(message, estimator));
  }
  if (first !== undefined && messages.length > 1)
    countedLists.set(first, { groups, count: messages.length, model, sums });
  return Object.fromEntries(
    Object.entries(sums).map(([name, tokens]) => [name, Math.round(tokens)]),
  );
}

function classesOf(message: ViewMessage, estimator: TokenEstimator): ClassTokens {
  const known = counted.get(message);
  if (known !== undefined && known.model === estimator.model) return known.tokens;
  const sums: Record<string, number> = { fixed: perMessage };
  const read: TokenEstimator = {
    text(text) {
      addText(sums, text);
      return 0;
    },
    media(facts) {
      sums["fixed"] = (sums["fixed"] ?? 0) + estimator.media(facts);
      return 0;
    },
  };
  messageTokens(message, read);
  counted.set(message, { model: estimator.model, tokens: sums });
  return sums;
}
