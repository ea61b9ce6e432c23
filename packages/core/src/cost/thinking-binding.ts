/**
 * Whether a model accepts its signed thinking after the text before it has changed. `free`: yes. `bound`: no, the
 * provider then refuses the request or leaves the thinking out.
 */
export type ThinkingBinding = "free" | "bound";

/**
 * The models that bind, by patterns for their ids (lower case, dots as dashes). Anthropic's documentation of preserved
 * thinking (November 2026) lists Fable and Mythos from 5.1 and Opus, Sonnet and Haiku 5.5, on all platforms. It does
 * not list Opus 5, but hosts ask for the treatment of bound thinking with it. A later generation counts as bound,
 * because thinking that was left out without need costs less than a refused request.
 */
const bound: readonly RegExp[] = [
  /claude-(?:fable|mythos)-(?:5-[1-9]|[6-9]|\d\d)(?!\d)/u,
  /claude-opus-(?:5|[6-9]|\d\d)(?!\d)/u,
  /claude-(?:sonnet|haiku)-(?:5-[5-9]|[6-9]|\d\d)(?!\d)/u,
];

/** Returns whether a model binds its thinking, by its id. */
export function thinkingBinding(id: string): ThinkingBinding {
  const name = id.toLowerCase().replaceAll(".", "-");
  return bound.some((pattern) => pattern.test(name)) ? "bound" : "free";
}

/**
 * Price of a token of lost thinking, relative to a token of uncached input. A model that thinks the same again pays the
 * price of output, which is five times as high. But it needs only a small part of the thinking of earlier turns: in
 * recorded sessions answers quote it a tenth as often as results of tools.
 */
export const lostThinkingPrice = 1;
