import { defined } from "@self-context-manager/objects";
import type { CallKind } from "../../calls/call-kind.ts";
import type { InView, UseKey } from "../../policy/activation-policy.ts";
import { marked } from "../../view/entry-groups.ts";
import { contentParts, type ShownPart, type ViewEntry } from "../../view/view-entry.ts";
import { fixedTypes } from "../../view/fixed-types.ts";
import type { EpochSettings } from "./epoch-settings.ts";
import { answersWithLarge, argumentsInView } from "./large-arguments.ts";
import type { PlanningContext } from "./planning-context.ts";
import { leavingParts } from "./user-entries.ts";

/** Usual tokens of the message that replaces a removed content. */
const referenceTokens = 16;

/** Returns the tokens up to which a content stays, because a reference line would be about as long. */
export function leastTokens({ small }: EpochSettings): number {
  return Math.min(referenceTokens, small);
}

/** A part of the view that can leave: a content, the large arguments of one call, or a long text of the user. */
export interface Removable {
  readonly index: number;
  /** The objects that it shows. */
  readonly keys: readonly UseKey[];
  /** Tokens that leave the view with it. */
  readonly saves: number;
  /** Whether it is dead: no longer active, or replaced by a content further down. */
  readonly isDead: boolean;
  /** Whether the model or the user deactivated everything that it shows. */
  readonly isDeactivated: boolean;
  /** Position of the call, if this is a call's arguments; the text block, if it is a long text of the user. */
  readonly call?: number;
  /** Whether it stays when the epoch ends. */
  readonly stays: boolean;
}

/**
 * Returns all parts of the view that can leave, in order. A part that was not sent before, from `unsentFrom` on, is
 * never dead and always stays, because the last answer asked for it.
 */
export function removables(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  unsentFrom: number,
): readonly Removable[] {
  const lastWhole = new Map<string, number>();
  const contents = marked(entries, "content");
  for (const index of contents)
    for (const part of contentParts(entries[index] as ViewEntry))
      if (part.form === "whole") lastWhole.set(part.of, index);
  const found: Removable[] = [];
  for (const index of inOrder(contents, answersWithLarge(context, entries))) {
    const entry = entries[index] as ViewEntry;
    const isUnsent = index >= unsentFrom;
    const isLive = (part: ShownPart): boolean =>
      context.active.has(part.of) &&
      (lastWhole.get(part.of) ?? index) <= index &&
      !isReplaced(context, part);
    for (const { parts, inView, saves, call } of candidates(context, entry)) {
      const { key } = inView[0] as InView;
      const live = parts.map(isLive);
      const isAlive =
        parts.length === 0 ? context.keepsArguments({ key, tokens: saves }) : live.includes(true);
      const isKept = inView.some(
        (one, at) => live[at] !== false && (context.isPinned(one.key) || context.stays(one)),
      );
      found.push({
        index,
        keys: [...new Set(inView.map((one) => one.key))],
        saves,
        isDead: !isUnsent && !isAlive,
        isDeactivated: parts.length > 0 && inView.every((one) => context.isDeactivated(one.key)),
        stays: isUnsent || (isAlive && isKept),
        ...defined({ call }),
      });
    }
  }
  return found;
}

function inOrder(some: readonly number[], others: readonly number[]): readonly number[] {
  if (others.length === 0) return some;
  return [...some, ...others].toSorted((one, other) => one - other);
}

/** A part of an entry that can leave. Arguments of calls have no parts. */
interface Candidate {
  readonly parts: readonly ShownPart[];
  readonly inView: readonly InView[];
  readonly saves: number;
  readonly call?: number;
}

function candidates(context: PlanningContext, entry: ViewEntry): readonly Candidate[] {
  if (entry.type === "assistant")
    return argumentsInView(context, entry).map(({ key, call, saves }) => ({
      parts: [],
      inView: [{ key, tokens: saves }],
      saves,
      call,
    }));
  if (entry.type === "user")
    return leavingParts(context, entry).map(({ key, block, tokens, saves }) => ({
      parts: [{ of: key, version: 1, form: "whole" }],
      inView: [{ key, tokens }],
      saves,
      call: block,
    }));
  const parts = contentParts(entry);
  const { tokens } = entry;
  if (parts.length === 0 || tokens <= leastTokens(context.settings)) return [];
  const inView = parts.map(({ of }) => inViewOf(context, of, tokens));
  return [{ parts, inView, saves: Math.max(1, tokens - referenceTokens) }];
}

/** Whether a version is too old to stay until the epoch ends. */
function isReplaced(context: PlanningContext, { of, version }: ShownPart): boolean {
  if (context.settings.superseded === "at-epoch-end") return false;
  const { stored } = context.active.get(of) ?? {};
  return stored !== undefined && !fixedTypes.has(stored.body.type) && version < stored.version;
}

function inViewOf(context: PlanningContext, key: string, tokens: number): InView {
  const kind = context.entryOf(key)?.stored.body["call_kind"] as CallKind | undefined;
  return { key, tokens, ...defined({ kind }) };
}
