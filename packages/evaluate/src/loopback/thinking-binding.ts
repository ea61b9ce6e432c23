import { createHash } from "node:crypto";

import type { AnthropicRequest } from "./anthropic-request.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The result of the check that a model with bound thinking makes. */
export interface BoundThinking {
  /** The error of a request that is refused. */
  readonly refusal?: string;
  /** The places of the blocks that are left out without an error. */
  readonly dropped: readonly string[];
  /** The signature of the thinking that answers the request. */
  readonly signature: string;
}

/**
 * Verifies the thinking in a request by the rules that Anthropic documents for preserved thinking:
 *
 * - A block is bound to the system prompt, the set of tools and all messages before it. Cache markers, effort messages
 *   and earlier thinking are no part of that.
 * - A block also names the thinking block before it. The first block of a request may have lost its predecessor, any
 *   other block may not.
 * - After an invalid block all later ones are invalid too.
 *
 * The prefix of a block in the middle of an answer is taken at the beginning of the answer.
 */
export function boundThinking(request: AnthropicRequest): BoundThinking {
  const hash = createHash("sha256").update(headOf(request));
  const places: string[] = [];
  let before: string | undefined;
  for (const [index, { role, blocks }] of request.messages.entries()) {
    const prefix = hash.copy().digest("hex").slice(0, 16);
    for (const [position, block] of blocks.entries()) {
      const signature = signatureOf(block);
      if (signature === undefined) {
        hash.update(`${role} ${JSON.stringify(contentOf(block))}\n`);
        continue;
      }
      if (places.length === 0 && fits(signature, prefix, before)) before = signature;
      else places.push(`messages.${index}.content.${position}`);
    }
  }
  const signature = [hash.digest("hex").slice(0, 16), nameOf(before), request.index].join(".");
  const isDropping = behaviorOf(request) === "drop_block";
  if (isDropping || places.length === 0) return { dropped: places, signature };
  const refusal = `${places[0] ?? ""}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation.`;
  return { refusal, dropped: [], signature };
}

/**
 * Returns the errors of a request's mode of thinking. Models with bound thinking know only the adaptive mode. In the
 * manual mode of earlier models the answer whose tools have just run must begin with thinking.
 */
export function thinkingModeFaults(
  { payload, messages }: AnthropicRequest,
  thinking: "free" | "bound",
): readonly string[] {
  const mode = isFields(payload["thinking"]) ? payload["thinking"]["type"] : undefined;
  if (thinking === "bound")
    return mode === "enabled" || mode === "disabled"
      ? [`"thinking.type.${mode}" is not supported for this model`]
      : [];
  if (mode !== "enabled" || messages.at(-1)?.blocks[0]?.["type"] !== "tool_result") return [];
  const answer = messages.findLast(({ role }) => role === "assistant");
  const first = answer?.blocks[0];
  return first === undefined || signatureOf(first) !== undefined
    ? []
    : ["a final `assistant` message must start with a thinking block"];
}

/** Tools are bound as a set. */
function headOf({ payload, systemBlocks }: AnthropicRequest): string {
  const { tools } = payload;
  const named = (Array.isArray(tools) ? tools.filter(isFields) : []).map((tool) =>
    JSON.stringify(contentOf(tool)),
  );
  return JSON.stringify([systemBlocks.map(contentOf), named.toSorted()]);
}

/** A signature is three parts: the prefix, the name of the block before, and the number of the request. */
function fits(signature: string, prefix: string, before: string | undefined): boolean {
  const [madeAfter, madeBehind] = signature.split(".");
  return madeAfter === prefix && (before === undefined || madeBehind === nameOf(before));
}

function nameOf(signature: string | undefined): string {
  if (signature === undefined) return "none";
  return createHash("sha256").update(signature).digest("hex").slice(0, 16);
}

function signatureOf(block: Fields): string | undefined {
  if (block["type"] === "thinking") return String(block["signature"]);
  return block["type"] === "redacted_thinking" ? String(block["data"]) : undefined;
}

function contentOf({ cache_control: _marker, ...block }: Fields): Fields {
  return block;
}

function behaviorOf({ payload }: AnthropicRequest): unknown {
  const thinking = isFields(payload["thinking"]) ? payload["thinking"] : {};
  const binding = isFields(thinking["block_binding"]) ? thinking["block_binding"] : {};
  return binding["prefix_mismatch_behavior"];
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
