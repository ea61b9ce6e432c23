import { isToolCall } from "@self-context-manager/core";
import {
  callsOf,
  isAssistantStep,
  type LayoutInput,
  leftOutOf,
  type ViewEntry,
  type ViewRecord,
} from "@self-context-manager/core/layout";
import { isReference, type ObjectMetadata } from "@self-context-manager/objects";

type AnswerEntry = Extract<ViewEntry, { readonly type: "assistant" }>;

/** Returns the folds of a view. */
export function foldsIn(record: ViewRecord | undefined): readonly unknown[] {
  return (record?.entries ?? []).flatMap((entry) =>
    entry.type === "assistant" && entry.fold !== undefined ? [entry.fold] : [],
  );
}

/** Returns the handles of the calls that a view has in folds, and of the objects that the folds name. */
export function foldedHandles(
  { entries }: ViewRecord,
  { turns, pool }: LayoutInput,
): ReadonlySet<string> {
  const handles = entries.flatMap((entry) => {
    if (entry.type !== "assistant" || entry.fold === undefined) return [];
    const calls = entry.fold.steps.flatMap((step) => {
      const answer = turns[entry.turn]?.steps[step];
      if (answer === undefined || !isAssistantStep(answer)) return [];
      return answer.toolcall_ids.flatMap((id) => pool.get(id)?.handle ?? []);
    });
    return [...calls, ...entry.fold.names];
  });
  return new Set(handles);
}

/** Whether a message that is left out now was in a fold of the last view, or had one; also a result alone. */
export function isFoldLeftOut(
  last: ViewRecord | undefined,
  { turns, leftOut = [] }: LayoutInput,
): boolean {
  const out = leftOutOf(leftOut);
  const hasLeft = (turn: number, step: number): boolean => {
    const answer = turns[turn]?.steps[step];
    const calls = answer !== undefined && isAssistantStep(answer) ? answer.toolcall_ids : [];
    return out.has({ turn, step }) || calls.some((_, call) => out.has({ turn, step, call }));
  };
  return (last?.entries ?? []).some(
    (entry) =>
      entry.type === "assistant" &&
      entry.fold !== undefined &&
      (out.has({ turn: entry.turn, step: entry.step }) ||
        entry.fold.steps.some((step) => hasLeft(entry.turn, step))),
  );
}

/** Names that a row of a fold has at most. */
const mostNames = 12;

/**
 * Returns what is wrong with the fold of an answer: a step in it that is not finished, that is behind the answer or that
 * is shown, a count that is not that of its calls, or a file or a failed call that it does not name.
 */
export function foldFaults(
  { turn, step, fold }: AnswerEntry,
  { entries }: ViewRecord,
  { turns, pool, active, leftOut = [] }: LayoutInput,
): readonly string[] {
  if (fold === undefined) return [];
  const faults: string[] = [];
  const out = leftOutOf(leftOut);
  const pinned = new Set(active.flatMap(({ entry, isPinned }) => (isPinned ? [entry.id] : [])));
  const shown = new Set(
    entries.flatMap((entry) =>
      entry.type === "assistant" && entry.turn === turn ? [entry.step] : [],
    ),
  );
  let calls = 0;
  const files = new Map<string, Set<string>>();
  for (const at of fold.steps) {
    const place = `step ${at + 1} of turn ${turn + 1}`;
    const answer = turns[turn]?.steps[at];
    if (answer === undefined || !isAssistantStep(answer)) {
      faults.push(`${place} is no answer`);
      continue;
    }
    if (at >= step) faults.push(`${place} is not before the answer with the fold`);
    if (shown.has(at)) faults.push(`${place} is folded and shown`);
    if (out.has({ turn, step: at })) faults.push(`${place} is left out, and folded`);
    calls += answer.assistant.filter(isToolCall).length;
    for (const [call, id] of answer.toolcall_ids.entries()) {
      const known = pool.get(id);
      if (known === undefined) {
        faults.push(`call ${call + 1} of ${place} has no result`);
        continue;
      }
      if (pinned.has(id) && !isShown(entries, known.handle))
        faults.push(`${known.handle} is pinned, and folded`);
      const { body } = known.stored;
      const hasFailed = body["status"] === "fail";
      if (hasFailed) noted(files, "failed", known.handle);
      const kind = callsOf(answer)[call]?.name;
      if (hasFailed || (kind !== "read" && kind !== "edit" && kind !== "write")) continue;
      for (const file of filesOf(body, pool)) noted(files, kind, file);
    }
  }
  const [named, is] = calls === 1 ? ["call", "is"] : ["calls", "are"];
  const header = `[${calls} ${named} of turn ${turn + 1} ${is} folded; activate `;
  if (!fold.text.startsWith(header)) faults.push(`the fold begins with ${fold.text.slice(0, 60)}`);
  // Some hosts join the texts of an answer without a separator.
  if (!fold.text.endsWith("\n")) faults.push("the fold does not end its last line");
  for (const [kind, names] of files)
    for (const name of names)
      if (names.size <= mostNames && !fold.names.includes(name))
        faults.push(`the fold does not name ${name}, which is ${kind}`);
  for (const name of fold.names)
    if (!fold.text.includes(name)) faults.push(`the text of the fold does not have ${name}`);
  return faults;
}

function noted(files: Map<string, Set<string>>, kind: string, name: string): void {
  const names = files.get(kind) ?? new Set();
  names.add(name);
  files.set(kind, names);
}

function filesOf(body: ObjectMetadata, pool: LayoutInput["pool"]): readonly string[] {
  const references = [body["file_refs"], body["target_refs"]].flatMap((one) =>
    Array.isArray(one) ? one : [],
  );
  return references.filter(isReference).flatMap(({ id }) => pool.get(id)?.handle ?? []);
}

function isShown(entries: readonly ViewEntry[], handle: string): boolean {
  return entries.some(
    (entry) =>
      (entry.type === "result" || entry.type === "object") &&
      (entry.shows ?? []).some(({ of }) => of === handle),
  );
}
