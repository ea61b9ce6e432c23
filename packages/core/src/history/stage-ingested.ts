import { sealObject } from "@self-context-manager/objects";
import { applyPolicy } from "../state/apply-policy.ts";
import {
  commitObjects,
  commitSession,
  keepChat,
  sealableChat,
  type SessionScope,
} from "../state/session-scope.ts";
import { stageToolcalls, type WaitingResults } from "./stage-toolcalls.ts";
import { arrivingParts } from "./user-objects.ts";

/** Stages the writes of the session's next commit. A chat that tool results refer to is in a transaction before it. */
export async function stageIngested(
  scope: SessionScope,
  isRewound: boolean,
  results: WaitingResults,
): Promise<void> {
  const hasResults = results.waiting.length > 0;
  const { isChanged } = scope.state.chat;
  // The same list again is a repeated request or a resume, and gets the same view.
  const texts = await arrivingParts(scope);
  if (!hasResults) {
    texts.stage();
    if (isChanged) applyPolicy(scope);
  }
  // The view shows lines of the newest chat version.
  const isShown = scope.state.pool.has(scope.state.chat.id);
  // The objects of results that wait for a version of the chat are sealed twice. For many, a commit costs less.
  const isMany = results.waiting.length > mostWaiting;
  if (isChanged && (isShown || isMany || (hasResults && isRewound))) {
    // A rewound chat and its sets must be stored in one commit: the stored sets still belong to the abandoned branch.
    const commit = isRewound || !hasResults ? commitSession : commitObjects;
    const isFollowed = results.waiting.some(({ objectId }) => !results.known.has(objectId));
    const [chat] = await commit(scope, [sealableChat(scope)], { isFollowed });
    if (chat !== undefined) keepChat(scope, chat);
  } else if (isChanged) stageChat(scope, hasResults);
  if (hasResults) await stageToolcalls(scope, results, texts);
}

/** Number of results of a call, for which the store is asked once. A history that is ingested at once has more. */
const mostWaiting = 64;

/** Stages the chat. `isBefore`: whether other staged writes refer to its version. */
function stageChat(scope: SessionScope, isBefore: boolean): void {
  const { body, expect } = sealableChat(scope);
  const writes = [{ object: sealObject(body), expect }];
  scope.staged.push({
    writes: () => writes,
    ...(isBefore ? { isBefore } : {}),
    settle: ([chat]) => {
      if (chat !== undefined) keepChat(scope, chat);
    },
  });
}
