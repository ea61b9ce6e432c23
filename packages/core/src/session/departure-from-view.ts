import type { ObjectId } from "@self-context-manager/objects";
import { usualToolFacts } from "../calls/tool-facts.ts";
import { fileReferences } from "../calls/toolcall-object.ts";
import { argumentsOf, isToolCall } from "../chat/message.ts";
import { isAssistantStep } from "../chat/turn.ts";
import type { SessionScope } from "../state/session-scope.ts";
import type { Departure } from "../view/layout.ts";
import type { MessagePlace } from "../view/left-out-rows.ts";
import type { PoolEntry } from "../view/pool-entry.ts";
import { contentParts } from "../view/view-entry.ts";

/** Returns when the content of an inactive object leaves the view of the last call; undefined if it has none there. */
export function departureFromView(scope: SessionScope, entry: PoolEntry): Departure | undefined {
  const { state, dependencies } = scope;
  const { handle, stored } = entry;
  const { layout } = dependencies;
  const record = state.sent.view?.record;
  if (record === undefined || record.layout !== layout.name) return undefined;
  const departure = layout.departureOf?.(record, handle, changingCalls(scope, entry.id));
  if (departure === undefined || departure.when === "never") return departure;
  // The call that made the newest version can be one of the answer that is being executed, which is in no view yet.
  const isWritten =
    stored.body.provenance.generator === "agent" &&
    record.entries
      .flatMap(contentParts)
      .every(({ of, version }) => of !== handle || version < stored.version);
  return isWritten ? { ...departure, mayStay: true } : departure;
}

/** Returns the places of the calls that changed a file: their arguments have text of it. */
function changingCalls(
  { state, dependencies: { toolFacts = usualToolFacts } }: SessionScope,
  id: ObjectId,
): readonly MessagePlace[] {
  return state.chat.turns.flatMap(({ steps }, turn) =>
    steps.flatMap((made, step) => {
      if (!isAssistantStep(made)) return [];
      return made.assistant.filter(isToolCall).flatMap((block, call): readonly MessagePlace[] => {
        const callId = made.toolcall_ids[call];
        const body = callId === undefined ? undefined : state.pool.get(callId)?.stored.body;
        if (!fileReferences(body).some((reference) => reference.id === id)) return [];
        const { kind, writtenPath } = toolFacts(block.name, argumentsOf(block.arguments));
        const isChange = kind === "write" || kind === "edit" || writtenPath !== undefined;
        return isChange ? [{ turn, step, call }] : [];
      });
    }),
  );
}
