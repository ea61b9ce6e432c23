import { type Block, isText } from "../chat/message.ts";
import { addText, type ClassTokens } from "../cost/class-tokens.ts";
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

/** Returns the raw tokens of messages by class of text. The text of a message is counted once. */
export function classTokens(
  messages: readonly ViewMessage[],
  estimator: TokenEstimator,
): ClassTokens {
  const sums: Record<string, number> = {};
  for (const message of messages)
    for (const [name, tokens] of Object.entries(classesOf(message, estimator)))
      sums[name] = (sums[name] ?? 0) + tokens;
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
