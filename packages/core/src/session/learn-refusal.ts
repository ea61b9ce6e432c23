import { defined } from "@self-context-manager/objects";

import { calibratedTokens } from "../cost/calibration.ts";
import { totalOf } from "../cost/class-tokens.ts";
import { type PromptRefusal, promptRefusal } from "../host/prompt-refusal.ts";
import type { SessionState } from "../state/session-state.ts";

/** A request that the provider did not answer. */
export interface RefusedRequest {
  /** The provider's error. */
  readonly error: string;
  /** The model, as `provider/id`. It is the name that the options of the view had. */
  readonly model?: string;
  /** The call whose view was sent; undefined if the host's own messages were sent. */
  readonly call?: number;
  /** Whether the host knows that the prompt was too long, whatever the error says. Default: the error decides. */
  readonly isTooLong?: boolean;
}

/** The share of refused messages that the next view may have, if the error does not say how much was too much. */
const usualShare = 0.7;

/** The share of a named limit that a view may have, because estimates of different texts differ. */
const shareOfLimit = 0.95;

/**
 * Lowers the limit of a model whose provider refused a prompt as too long. The count of the refused prompt is fitted
 * like that of an answer. Returns whether the prompt was too long.
 */
export function learnRefusal(
  { sent: calls }: SessionState,
  { error, model = "", call, isTooLong = false }: RefusedRequest,
): boolean {
  const refusal = promptRefusal(error) ?? (isTooLong ? {} : undefined);
  if (refusal === undefined) return false;
  const { view, calibration, sentTokens } = calls;
  const isOfView = view !== undefined && view.call === call;
  const sent = isOfView ? totalOf(sentTokens) : 0;
  const known = calls.promptLimits.get(model) ?? {};
  if (sent > 0 && refusal.prompt !== undefined) {
    calls.fit({ estimated: sentTokens, reported: refusal.prompt }, model);
    calls.endWaiting();
  }
  const estimate = isOfView ? calibratedTokens(calibration, sentTokens) : 0;
  const whole = estimate + calibration.overhead;
  const tokens = least(known.tokens, refusal.limit);
  const estimated = least(
    known.estimated,
    sent === 0 ? undefined : Math.floor(sent * shareFor(refusal, whole)),
  );
  calls.limit(model, defined({ tokens, estimated }));
  return true;
}

/** Returns the share of refused messages that the next view may have. `estimated`: the estimate of the whole prompt. */
function shareFor({ limit, prompt }: PromptRefusal, estimated: number): number {
  if (limit === undefined) return usualShare;
  const refused = prompt ?? estimated;
  return refused > limit ? (shareOfLimit * limit) / refused : usualShare;
}

function least(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return Math.min(left, right);
}
