import { type Block, isText } from "../chat/message.ts";
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
