import { callsOf } from "../chat/turn.ts";
import type { MessageIdentity } from "../host/message-codec.ts";
import { areOwn, type ReadMessage } from "../host/read-list.ts";
import { applyPolicy } from "../state/apply-policy.ts";
import { activateReturned, freeReplaced } from "../state/free-replaced.ts";
import type { SessionScope } from "../state/session-scope.ts";
import type { SessionState } from "../state/session-state.ts";
import {
  leftOutOf,
  leftOutRows,
  type MessagePlace,
  placeRow,
  placesOf,
} from "../view/left-out-rows.ts";

/**
 * Notes which messages of the chat an extension leaves out of this request, after the host's list was ingested. A message
 * that the list does not contain at all, for example because a summary replaced it, stays as it was. What only messages
 * held that are left out now becomes inactive, and what messages show that are back becomes active.
 */
export function noteLeftOut(
  scope: SessionScope,
  own: readonly ReadMessage[],
  keys: () => readonly string[],
): void {
  const { state } = scope;
  const before = leftOutOf(state.sent.leftOut);
  const isAny =
    before.rows.length > 0 || (!areOwn(own) && own.some(({ mark }) => mark === "left-out"));
  if (!isAny) return;
  const { turns } = state.chat;
  const names = keys();
  const left: MessagePlace[] = [];
  const sent = new Set<string>();
  const seen = new Set<string>();
  for (const [index, { identity, mark }] of own.entries()) {
    const place = placeOf(state, names[index] ?? "", identity, seen);
    if (place === undefined) continue;
    seen.add(placeRow(place));
    if (mark === "left-out") left.push(place);
    else sent.add(placeRow(place));
  }
  const staying = placesOf(turns, before).filter((place) => !sent.has(placeRow(place)));
  const rows = leftOutRows(turns, [...staying, ...left]);
  if (rows.join(" ") === state.sent.leftOut.join(" ")) return;
  state.sent.setLeftOut(rows);
  const now = leftOutOf(rows);
  freeReplaced(
    scope,
    (place) => now.has(place),
    (place) => before.has(place),
  );
  activateReturned(scope, (place) => before.has(place) && !now.has(place));
  applyPolicy(scope);
}

/**
 * Returns the place of a message in the chat; undefined if the chat does not have it. Of calls with the same id, it is the
 * first whose result was not `seen` before in the list.
 */
function placeOf(
  { chat }: SessionState,
  key: string,
  { callId }: MessageIdentity,
  seen: ReadonlySet<string>,
): MessagePlace | undefined {
  const position = chat.known.get(key)?.position;
  if (position === undefined) return undefined;
  const { turn, step } = position;
  if (callId === undefined) return { turn, step };
  const found = chat.turns[turn]?.steps[step];
  const calls = found === undefined ? [] : callsOf(found);
  const call = calls.findIndex(
    ({ id }, index) => id === callId && !seen.has(placeRow({ turn, step, call: index })),
  );
  return call === -1 ? undefined : { turn, step, call };
}
