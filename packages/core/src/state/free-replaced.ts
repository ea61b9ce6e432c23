import {
  defined,
  isReference,
  type LineRange,
  type ObjectId,
  type StoredMetadata,
  withRange,
} from "@self-context-manager/objects";
import { rangeIn } from "../calls/execution.ts";
import { filesInResult } from "../calls/toolcall-object.ts";
import { isAfter, isAssistantStep } from "../chat/turn.ts";
import type { MessagePlace } from "../view/left-out-rows.ts";
import type { PoolEntry } from "../view/pool-entry.ts";
import type { SessionScope } from "./session-scope.ts";
import type { SessionState } from "./session-state.ts";
import { leaveActive } from "./set-active.ts";

/** The place of a call, or of a text block of a user message: its step is -1. */
type CallPlace = Required<MessagePlace>;

/** A call that showed an object: the lines that it showed, and the hash of the text; undefined if it names none. */
interface Showing {
  readonly id: ObjectId;
  readonly range?: LineRange;
  readonly contentHash?: string;
}

/** Makes inactive what only messages held that a summary, the new beginning of a list, or an archive has replaced. */
export function freeSummarised(scope: SessionScope): void {
  const from = scope.state.chat.beginning?.from;
  if (from !== undefined) freeReplaced(scope, (place) => isAfter(from, place));
}

/**
 * Makes inactive what only messages held that have gone: outputs, and files that no kept message shows. The host has
 * replaced these messages by its summary, or an extension leaves them out. Pinned objects stay active. So does what the
 * user activated by a command, except if a call of the model also showed it. `wasGone`: whether a message had gone before.
 */
export function freeReplaced(
  scope: SessionScope,
  isGone: (place: CallPlace) => boolean,
  wasGone: (place: CallPlace) => boolean = () => false,
): void {
  const { state } = scope;
  const replaced = new Map<ObjectId, readonly Showing[]>();
  const kept = new Map<ObjectId, readonly Showing[]>();
  const targeted = new Set<ObjectId>();
  for (const { place, id } of placedObjects(state)) {
    const isKept = !isGone(place);
    for (const showing of showingsOf(id, state.pool.get(id)?.stored)) {
      if (showing.id !== id) targeted.add(showing.id);
      const showings = isKept ? kept : wasGone(place) ? undefined : replaced;
      showings?.set(showing.id, [...(showings.get(showing.id) ?? []), showing]);
    }
  }
  for (const [id, { asked }] of state.active.activations) {
    const gone = replaced.get(id);
    if (state.active.pinned.has(id) || gone === undefined) continue;
    const isOfUser = asked === true && !targeted.has(id);
    const showings = kept.get(id);
    if (showings !== undefined) narrow(scope, id, showings, gone);
    else if (!isOfUser) leaveActive(scope, id);
  }
}

/**
 * Makes active again what messages show that are back: outputs, and files that have not changed since. Objects that the
 * model or the user made inactive are in no order of use, and stay inactive.
 */
export function activateReturned(
  { state }: SessionScope,
  isBack: (place: CallPlace) => boolean,
): void {
  const recent = new Set(state.uses.recent);
  for (const { place, id } of placedObjects(state)) {
    if (!isBack(place)) continue;
    for (const showing of showingsOf(id, state.pool.get(id)?.stored)) {
      const entry = state.pool.get(showing.id);
      if (entry === undefined || !recent.has(entry.handle)) continue;
      if (showing.id === id) {
        if (hasOutput(entry.stored)) addLines(state, entry, {});
      } else if (showing.contentHash === entry.stored.hashes.content_hash) {
        const { version } = entry.stored;
        addLines(state, entry, { version, ...showing });
      }
    }
  }
}

/** Activates a version of an object, or adds lines to those that are active. */
function addLines(
  state: SessionState,
  { id }: PoolEntry,
  { version, range }: { readonly version?: number; readonly range?: LineRange },
): void {
  const active = state.active.get(id);
  const isOther = active?.version !== undefined && active.version !== version;
  if (active !== undefined && (isOther || active.ranges === undefined)) return;
  const ranges = withRange(active?.ranges ?? [], range);
  const { ranges: _shown, ...rest } = active ?? { used: state.chat.now() };
  state.active.show(id, { ...rest, ...defined({ version, ranges }) });
}

function hasOutput({ body }: StoredMetadata): boolean {
  if (body["context_tool"] === true) return false;
  return Number(body["char_count"] ?? 0) > 0 || body["blocks"] !== undefined;
}

/** The objects of tool calls and of long texts of the user, each with its place. */
function* placedObjects({
  chat,
}: SessionState): Iterable<{ readonly place: CallPlace; readonly id: ObjectId }> {
  for (const [turn, { user_objects: texts = [], steps }] of chat.turns.entries()) {
    for (const { block, id } of texts) yield { place: { turn, step: -1, call: block }, id };
    for (const [step, made] of steps.entries())
      if (isAssistantStep(made))
        for (const [call, id] of made.toolcall_ids.entries())
          yield { place: { turn, step, call }, id };
  }
}

/** Returns what the result of a call showed: its output, and the objects that a context tool or a read showed. */
function showingsOf(id: ObjectId, stored: StoredMetadata | undefined): readonly Showing[] {
  if (stored === undefined) return [{ id }];
  const { target_refs: targets, target_range: lines } = stored.body;
  const range = rangeIn(lines);
  const references = filesInResult(stored.body);
  const shown = (Array.isArray(targets) ? targets.filter(isReference) : []).map((target) => {
    const file = references.find((reference) => reference.id === target.id);
    return {
      id: target.id,
      ...defined({ range }),
      ...(file?.ref === "static" ? { contentHash: file.content_hash } : {}),
    };
  });
  return [{ id }, ...shown];
}

/**
 * Limits an active file, or the chat, to the lines that kept messages show. If no kept message shows its present text, it
 * becomes inactive, except if a kept one shows a whole text before the model's own changes. A call of `activate` or `pin`
 * shows whatever is active. Of the chat it shows only its lines, which are the same in every version.
 */
function narrow(
  scope: SessionScope,
  id: ObjectId,
  showings: readonly Showing[],
  gone: readonly Showing[],
): void {
  const { state } = scope;
  const active = state.active.get(id);
  const text = shownHash(state, id);
  if (active === undefined || text === undefined) return;
  const isChat = id === state.chat.id;
  if (!isChat && showings.some(({ contentHash }) => contentHash === undefined)) return;
  const same = isChat ? showings : showings.filter(({ contentHash }) => contentHash === text);
  if (same.length === 0) {
    const isGone = gone.some(({ contentHash }) => contentHash === text);
    if (isGone || showings.every(({ range }) => range !== undefined)) leaveActive(scope, id);
    return;
  }
  let ranges: readonly LineRange[] = [];
  for (const { range } of same) {
    if (range === undefined) return;
    ranges = withRange(ranges, range) ?? ranges;
  }
  state.active.show(id, { ...active, ranges });
}

/** Returns the hash of the text that an active file shows: of its newest version, or of the one that the model got. */
function shownHash({ active, pool, shown }: SessionState, id: ObjectId): string | undefined {
  const stored = pool.get(id)?.stored;
  const version = active.get(id)?.version;
  const isNewest = version === undefined || version === stored?.version;
  return isNewest ? stored?.hashes.content_hash : shown.get(id)?.content_hash;
}
