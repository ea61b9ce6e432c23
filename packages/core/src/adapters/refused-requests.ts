import { defined } from "@self-context-manager/objects";

import type { GuardedSession } from "./guarded-session.ts";
import type { OwnThinking } from "./own-thinking.ts";
import type { SentRequests } from "./sent-requests.ts";

/** Returns a function that records a refusal of the last request, as `refused` of a connection. */
export function refusedRequests(
  guard: GuardedSession,
  sent: Pick<SentRequests<unknown>, "call" | "model">,
  thinking: Pick<OwnThinking<unknown>, "refused">,
): (error?: string) => Promise<boolean> {
  /** The call whose prompt was reported as too long. */
  let refusedCall: number | undefined;
  return async (error) => {
    const { call, model } = sent;
    if (error === undefined && refusedCall === call) return true;
    if (error !== undefined && model !== undefined) thinking.refused({ model, error });
    const isTooLong = await guard.attempt(
      async (session) =>
        await session.recordRefusal({
          error: error ?? "",
          ...(error === undefined ? { isTooLong: true } : {}),
          ...defined({ model, call }),
        }),
    );
    if (isTooLong === true) refusedCall = call;
    return isTooLong === true;
  };
}
