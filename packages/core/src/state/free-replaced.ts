import {
  isReference,
  type LineRange,
  type ObjectId,
  type StoredMetadata,
  withRange,
} from "@self-context-manager/objects";
import { rangeIn } from "../calls/execution.ts";
import { isAssistantStep } from "../chat/turn.ts";
import type { MessagePlace } from "../view/left-out.ts";
import { leaveActive } from "./active-set.ts";
import type { SessionScope } from "./session-scope.ts";
import type { SessionState } from "./session-state.ts";

type CallPlace = Required<MessagePlace>;

/** A call that showed an object: the lines that it showed, and the hash of the text; undefined if it names none. */
interface Showing {
  readonly id: ObjectId;
  readonly range?: LineRange;
  readonly contentHash?: string;
}

/**
 * Makes inactive what only messages held that have gone: outputs, and files that no kept message shows. The host has
 * replaced these messages by its summary, or an extension leaves them out. Pinned objects stay active, and so does what
 * the user activated by a command. `wasGone`: whether a message had gone before.
 */
export function freeReplaced(
  scope: SessionScope,
  isGone: (place: CallPlace) => boolean,
  wasGone: (place: CallPlace) => boolean = () => false,
): void {
  const { state } = scope;
  const replaced = new Set<ObjectId>();
  const kept = new Map<ObjectId, readonly Showing[]>();
  const targeted = new Set<ObjectId>();
  for (const { place, id } of placedCalls(state)) {
    const isKept = !isGone(place);
    for (const showing of showingsOf(id, state.pool.get(id)?.stored)) {
      if (showing.id !== id) targeted.add(showing.id);
      if (isKept) kept.set(showing.id, [...(kept.get(showing.id) ?? []), showing]);
      else if (!wasGone(place)) replaced.add(showing.id);
    }
  }
  for (const [id, { asked }] of state.active) {
    if (state.pinned.has(id) || !replaced.has(id)) continue;
    const isOfUser = asked === true && !targeted.has(id);
    const showings = kept.get(id);
    if (showings !== undefined) narrow(state, id, showings);
    else if (!isOfUser) leaveActive(scope, id);
  }
}

function* placedCalls({
  chat,
}: SessionState): Iterable<{ readonly place: CallPlace; readonly id: ObjectId }> {
  for (const [turn, { steps }] of chat.turns.entries())
    for (const [step, made] of steps.entries())
      if (isAssistantStep(made))
        for (const [call, id] of made.toolcall_ids.entries())
          yield { place: { turn, step, call }, id };
}

/** Returns what the result of a call showed: its output, and the objects that a context tool or a read showed. */
function showingsOf(id: ObjectId, stored: StoredMetadata | undefined): readonly Showing[] {
  if (stored === undefined) return [{ id }];
  const { target_refs: targets, target_range: lines, file_refs: files } = stored.body;
  const range = rangeIn(lines);
  const references = Array.isArray(files) ? files.filter(isReference) : [];
  const shown = (Array.isArray(targets) ? targets.filter(isReference) : []).map((target) => {
    const file = references.find((reference) => reference.id === target.id);
    return {
      id: target.id,
      ...(range === undefined ? {} : { range }),
      ...(file?.ref === "static" ? { contentHash: file.content_hash } : {}),
    };
  });
  return [{ id }, ...shown];
}

/** Limits an active file to the lines that kept messages show, if these are lines of the same text. */
function narrow(state: SessionState, id: ObjectId, showings: readonly Showing[]): void {
  const active = state.active.get(id);
  const entry = state.pool.get(id);
  if (active === undefined || entry === undefined) return;
  const { hashes, version } = entry.stored;
  const isNewest = active.version === undefined || active.version === version;
  if (!isNewest) return;
  let ranges: readonly LineRange[] = [];
  for (const { range, contentHash } of showings) {
    if (range === undefined || contentHash !== hashes.content_hash) return;
    ranges = withRange(ranges, range) ?? ranges;
  }
  state.active.set(id, { ...active, ranges });
  state.changed = true;
}
