import { defined, madeOnce, type ObjectId, sha256 } from "@self-context-manager/objects";
import {
  compareViews,
  type DescribedEntry,
  type RebuiltView,
  type ViewProblem,
} from "@self-context-manager/core/inspect";

import type { CallAnswer, CallMessage, CallProblem, NamedPart } from "../answers.ts";
import { QuestionError } from "./question-error.ts";
import type { Reading } from "./reading.ts";

/** The hashes of messages, which are the same objects in many calls. */
const hashes = new WeakMap<object, { readonly json: string; readonly hash: string }>();

/** One call: its messages as the host got them, with the objects behind them and the differences from the call before. */
export async function callAnswer(
  reading: Reading,
  session: ObjectId,
  call: number,
): Promise<CallAnswer> {
  const rebuilt = await reading.rebuilt(session, call);
  if (rebuilt === undefined) {
    const { count } = await reading.history(session);
    throw new QuestionError("NOT_FOUND", `The session has no call ${call}; it has ${count}.`);
  }
  return callOf(session, rebuilt.view, rebuilt.before);
}

/** The answer of a rebuilt call, compared with the call before it. */
export function callOf(
  session: ObjectId,
  view: RebuiltView,
  before: RebuiltView | undefined,
): CallAnswer {
  const isReadable = before !== undefined && (before.messages.length > 0 || before.isVerified);
  const difference = isReadable ? compareViews(before, view) : undefined;
  const { call, at, layout, tokens, epoch, payloadHash } = view;
  return {
    session,
    call,
    at,
    layout,
    tokens,
    ...defined({ epoch, payloadHash }),
    isVerified: view.isVerified,
    problems: view.problems.map(problemOf),
    systemPrompts: view.systemPrompts.map((prompt) => ({
      ...prompt,
      isShared:
        before?.systemPrompts.some(
          ({ id, version }) => id === prompt.id && version === prompt.version,
        ) === true,
    })),
    messages: messagesOf(view, difference?.sharedMessages ?? 0),
    ...defined({ difference }),
  };
}

function problemOf(problem: ViewProblem): CallProblem {
  const { text, id, version } = problem;
  // Messages that differ as a whole are no damage of the view object itself.
  if (problem.type === "messages") return { text };
  return { text, id, ...defined({ version }) };
}

function messagesOf(view: RebuiltView, shared: number): readonly CallMessage[] {
  const { messages, entries } = view;
  // The pooled layout has entries for pools, not for messages.
  const hasEntries = entries.length === messages.length;
  const harmed = view.problems.filter(({ type }) => type !== "messages");
  const isHarmed = (part: NamedPart): boolean =>
    harmed.some(
      ({ id, version }) => id === part.id && (version === undefined || version === part.version),
    );
  return messages.map((message, index) => {
    const entry = hasEntries ? entries[index] : undefined;
    const parts = entry === undefined ? [] : partsOf(entry, view);
    return {
      ...(message === undefined ? { hash: "" } : jsonOf(message)),
      isShared: index < shared,
      ...(entry === undefined ? {} : { entry: entryOf(entry) }),
      parts,
      ...(message === undefined || parts.some(isHarmed) ? { isDamaged: true } : {}),
    };
  });
}

function jsonOf(message: object): { readonly json: string; readonly hash: string } {
  return madeOnce(hashes, message, () => {
    const json = JSON.stringify(message);
    return { hash: sha256(json), json };
  });
}

function entryOf({ what, place, how, tokens }: DescribedEntry): NonNullable<CallMessage["entry"]> {
  return { what, place, how, ...defined({ tokens }) };
}

function partsOf({ versions }: DescribedEntry, { ids }: RebuiltView): readonly NamedPart[] {
  return versions.map(({ handle, version }) => {
    const id = ids.get(handle);
    return { ...defined({ id }), handle, version };
  });
}
