import { fieldsOf, type JsonObject } from "@self-context-manager/objects";

import type { ModelAccess } from "../model/model-access.ts";
import type { UsageBound } from "./prices.ts";

/** Tokens of instructions that providers add to a request, such as those for the use of tools. */
const addedTokens = 1_000;

/** The most tokens of an image or a file of a few pages, whatever its bytes. */
const mediaTokens = 10_000;

const media =
  /"type"\s*:\s*"(?:image|image_url|input_image|document|file|input_file)"|"inline_?data"|"file_?data"/giu;

const longCache = /"ttl"\s*:\s*"1h"/u;

/**
 * Returns the most tokens that a request can use. Every token is at least one byte of the body. The body has no bytes
 * for images, for the provider's own instructions, and for a conversation that the provider keeps; they are added.
 */
export function requestBound(
  body: string,
  request: JsonObject,
  access: Pick<ModelAccess, "contextWindow" | "maxTokens">,
): UsageBound {
  const pictures = body.match(media)?.length ?? 0;
  const isKept = request["previous_response_id"] != null || request["conversation"] != null;
  return {
    input:
      Buffer.byteLength(body) +
      addedTokens +
      pictures * mediaTokens +
      (isKept ? access.contextWindow : 0),
    output: answerTokens(request, access.maxTokens),
    isLongCache: longCache.test(body),
  };
}

/** The most tokens of all answers to a request. */
function answerTokens(request: JsonObject, maxTokens: number): number {
  const generation = fieldsOf(request["generationConfig"] ?? request["generation_config"]);
  const limit =
    tokensIn(request["max_completion_tokens"]) ??
    tokensIn(request["max_tokens"]) ??
    tokensIn(request["max_output_tokens"]) ??
    tokensIn(generation["maxOutputTokens"]) ??
    maxTokens;
  const answers = tokensIn(request["n"]) ?? tokensIn(generation["candidateCount"]) ?? 1;
  return limit * answers;
}

function tokensIn(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? value : undefined;
}
