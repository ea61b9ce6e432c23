/** What a provider's error says of a prompt that it refused as too long, in the provider's tokens. */
export interface PromptRefusal {
  /** The largest prompt that the provider accepts. */
  readonly limit?: number;
  /** The tokens of the refused prompt. */
  readonly prompt?: number;
}

/** Wordings that providers use for a prompt that is too long. */
const wordings: readonly RegExp[] = [
  /prompt (?:is )?too long/iu,
  /prompt exceeds max length/iu,
  /request_too_large/iu,
  /input is too long for requested model/iu,
  /exceeds? the (?:model'?s )?context window/iu,
  /exceeds? (?:the )?(?:model'?s )?maximum context length/iu,
  /context window exceeded/iu,
  /input token count.*exceeds the maximum/isu,
  /maximum prompt length is \d+/iu,
  /reduce the length of the messages/iu,
  /maximum context length is [\d,]+ tokens/iu,
  /exceeds (?:the )?maximum allowed input length/iu,
  /longer than the model'?s context length/iu,
  /exceeds the limit of \d+/iu,
  /exceeds the available context size/iu,
  /greater than the context length/iu,
  /context window exceeds limit/iu,
  /exceeded model token limit/iu,
  /too large for model with \d+ maximum context length/iu,
  /but the configured context size is [\d,]+ tokens?/iu,
  /exceed_context_size_error/iu,
  /model_context_window_exceeded/iu,
  /range of input length should be/iu,
  /context[_ ]length[_ ]exceeded/iu,
  /too many tokens/iu,
  /token limit exceeded/iu,
  /^(?:[\w -]+ API error \(413\):|413(?:\s|:|$))/iu,
];

/** Errors of another kind that contain one of these wordings. */
const otherErrors: readonly RegExp[] = [
  /^(?:throttling error|service unavailable):/iu,
  /rate limit/iu,
  /too many requests/iu,
  /throttl/iu,
];

/** Where errors name the largest prompt. */
const limits: readonly RegExp[] = [
  /tokens > ([\d,]+)/iu,
  /maximum (?:context|prompt) length (?:is|of) ([\d,]+)/iu,
  /maximum context length \(([\d,]+)/iu,
  /maximum number of tokens allowed \(([\d,]+)/iu,
  /maximum allowed input length of ([\d,]+)/iu,
  /model'?s context length \(([\d,]+)/iu,
  /model with ([\d,]+) maximum context length/iu,
  /exceeds the limit of ([\d,]+)/iu,
  /model token limit: ([\d,]+)/iu,
  /configured context size is ([\d,]+)/iu,
  /available context size \(([\d,]+)/iu,
  /n_ctx\W+([\d,]+)/iu,
  /input length should be \[\d+, ?([\d,]+)/iu,
];

/** Where errors name the tokens of the refused prompt. */
const prompts: readonly RegExp[] = [
  /too long: ([\d,]+) tokens/iu,
  /\(([\d,]+) in the messages/iu,
  /messages resulted in ([\d,]+)/iu,
  /you requested about ([\d,]+)/iu,
  /request contains ([\d,]+)/iu,
  /input token count \(([\d,]+)/iu,
  /input length \(?([\d,]+)/iu,
  /input \(([\d,]+) tokens\)/iu,
  /prompt token count of ([\d,]+)/iu,
  /requested: ([\d,]+)/iu,
  /prompt (?:has|contains) ([\d,]+)/iu,
  /n_prompt_tokens\W+([\d,]+)/iu,
  /n_keep\W+([\d,]+)/iu,
];

/** An error that counts the answer to the prompt: the tokens of the answer that the request allows. */
const answers: readonly RegExp[] = [/([\d,]+) in the completion/iu];

/** Anthropic's error for a prompt that leaves no space for the answer: prompt, answer, context window. */
const sum = /exceeds? context limit: ([\d,]+) \+ ([\d,]+) > ([\d,]+)/iu;

/** Tokens below which a named number is no limit of a prompt. */
const smallestLimit = 1_000;

/**
 * Reads the text of a provider's error. Returns undefined if the provider did not refuse the prompt as too long. An
 * error that names no numbers gives an empty result.
 */
export function promptRefusal(error: string): PromptRefusal | undefined {
  if (otherErrors.some((other) => other.test(error))) return undefined;
  const [, prompt, answer, window] = sum.exec(error) ?? [];
  if (window !== undefined) return refusalOf(numberIn(prompt), numberIn(window), numberIn(answer));
  if (!wordings.some((wording) => wording.test(error))) return undefined;
  return refusalOf(found(prompts, error), found(limits, error), found(answers, error));
}

function refusalOf(
  prompt: number | undefined,
  window: number | undefined,
  answer = 0,
): PromptRefusal {
  const limit = window === undefined ? 0 : window - answer;
  return {
    ...(limit < smallestLimit ? {} : { limit }),
    ...(prompt === undefined || prompt < smallestLimit ? {} : { prompt }),
  };
}

function found(patterns: readonly RegExp[], text: string): number | undefined {
  for (const pattern of patterns) {
    const number = numberIn(pattern.exec(text)?.[1]);
    if (number !== undefined) return number;
  }
  return undefined;
}

function numberIn(text: string | undefined): number | undefined {
  const number = Number(text?.replaceAll(",", ""));
  return text === undefined || !Number.isSafeInteger(number) ? undefined : number;
}
