import type { ObjectId } from "@self-context-manager/objects";

import { forget } from "../forget/forget.ts";
import { literalPlaces, shortestForgotten } from "../forget/literal-places.ts";
import { planForget, type ForgetPlan, type ForgetTarget } from "../forget/plan-forget.ts";
import { shortName } from "../render/short-name.ts";
import type { SessionScope } from "../state/session-scope.ts";
import { notFound, refusal, type ToolAnswer } from "./answers.ts";
import { resolveTarget } from "./resolve-target.ts";

/** What the user wants to be forgotten, from within a session. */
export interface ForgetRequest {
  /** Objects, by their handles or other names. */
  readonly targets?: readonly string[];
  /** A text, wherever it is in the store. */
  readonly text?: string;
  /** Whether the user has seen the list. Without it, nothing is changed. */
  readonly isConfirmed?: boolean;
}

/** Objects of the list; the others are counted. */
const mostListed = 20;

/**
 * Lists what is to be forgotten, or forgets it (decision D69). The session reads its state again with its next operation.
 */
export async function forgetObjects(
  scope: SessionScope,
  { targets = [], text, isConfirmed = false }: ForgetRequest,
): Promise<ToolAnswer> {
  const { store, clock, documents } = scope.dependencies;
  const objects: ObjectId[] = [];
  for (const given of targets) {
    const target = await resolveTarget(scope, given);
    if (target.type === "unknown" || target.type === "ambiguous")
      return notFound(scope, given, target);
    if (target.type === "locked")
      return refusal(
        `${target.name} is a part of the session. scm forget can forget the session as a whole.`,
      );
    objects.push(target.type === "known" ? target.entry.id : target.stored.body.id);
  }
  if (text !== undefined && text.trim().length < shortestForgotten)
    return refusal(
      `A text of less than ${shortestForgotten} characters is a part of too many others.`,
    );
  const wanted: ForgetTarget = {
    objects,
    ...(text === undefined
      ? {}
      : { matches: (given: string) => literalPlaces(given, text), texts: [text] }),
  };
  const { key } = await store.privacy();
  const now = clock === undefined ? scope.state.chat.stored?.at.tx_time : clock.now();
  const options = { key, at: new Date(now ?? 0).toISOString(), reason: "by the user" };
  const plan = await planForget(store, wanted, options);
  if (plan.objects.length === 0) return refusal("Nothing of it is in the store.");
  if (!isConfirmed) return { ok: true, text: listOf(scope, plan), effects: [] };
  const { changed } = await forget(store, plan, wanted, options);
  await documents?.soon();
  const answer = `Forgotten: ${changed} versions. The next call shows what is left. What the host itself has kept stays there; scm forget names these files.`;
  return { ok: true, text: answer, effects: [] };
}

function listOf({ state, dependencies }: SessionScope, { objects, sessions }: ForgetPlan): string {
  const lines = objects.slice(0, mostListed).map(({ stored, versions, isWhole }) => {
    const { body, version } = stored;
    const handle = state.pool.get(body.id)?.handle ?? body.type;
    const what = isWhole ? "as a whole" : "in part";
    return `${handle} ${shortName(dependencies.workspace, body)}, ${what}, ${versions.length} of ${version} versions`;
  });
  const rest = objects.length - lines.length;
  return [
    "Will be forgotten for good:",
    ...lines,
    ...(rest > 0 ? [`and ${rest} more`] : []),
    `${sessions.length} sessions have it. Nothing was changed yet; the same command with yes at its end forgets it.`,
  ].join("\n");
}
