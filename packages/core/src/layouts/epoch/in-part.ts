import { defined, lineCount, linesOf } from "@self-context-manager/objects";
import { textOf } from "../../chat/message.ts";
import { rawEstimator } from "../../cost/calibrated-estimator.ts";
import { hasFiles } from "../../cost/media-facts.ts";
import { partNotShown } from "../../lines/notices.ts";
import { endsOfTokens } from "../../render/head-and-tail.ts";
import { userText } from "../../render/user-text.ts";
import { filledShare } from "../../view/filled-share.ts";
import { once } from "../../view/shown-parts.ts";
import {
  contentParts,
  type ObjectEntry,
  type ResultEntry,
  type ShownPart,
  type UserEntry,
  type ViewEntry,
} from "../../view/view-entry.ts";
import type { PlanningContext } from "./planning-context.ts";
import { referenceOf } from "./redraw.ts";
import { withoutParts } from "./user-entries.ts";

/** Returns an entry with the lines of its objects instead of their contents, or with the ends of long texts of the user. */
export function withoutContent(context: PlanningContext, entry: ViewEntry): ViewEntry {
  if (entry.type === "user") return withoutParts(context, entry);
  if (entry.type === "result") return referenceOf(context, entry);
  return entry.type === "object" ? withShown(context, entry, entry.shows.map(lineOf)) : entry;
}

/** Returns a result that the model has not seen with a line that says that its content does not fit. */
export function withoutRoom(context: PlanningContext, entry: ViewEntry): ViewEntry | undefined {
  const parts = contentParts(entry);
  if (entry.type !== "result" || parts.length === 0) return undefined;
  return withShown(
    context,
    entry,
    once(parts.map((part) => ({ ...lineOf(part), forBudget: true }))),
  );
}

/**
 * Returns an entry with a part of its first text, or undefined if the room does not allow that: the beginning and the end
 * of a content, or the first of some lines.
 */
export function contentInPart(
  context: PlanningContext,
  entry: ViewEntry,
  room: number,
): ViewEntry | undefined {
  if (entry.type !== "result" && entry.type !== "object") return undefined;
  const [first, ...rest] = entry.shows ?? [];
  if (first === undefined) return undefined;
  const content = context.source.object(first.of, first.version)?.stored.body.content;
  if (typeof content !== "string") return undefined;
  const others = rest.filter(({ of }) => of !== first.of).map(lineOf);
  const factor = ratioIn(context, content);
  for (
    let tokens = Math.floor(room / factor) - 60;
    tokens > 40;
    tokens = Math.floor(tokens * 0.8)
  ) {
    const part = partOf(first, content, tokens);
    if (part === undefined) return undefined;
    const made = withShown(context, entry, [part, ...others]);
    if (context.tokensOf(made) <= room) return made;
  }
  return undefined;
}

/** Returns a part of what is shown of a content. Of lines, no others are shown. */
function partOf(shown: ShownPart, content: string, tokens: number): ShownPart | undefined {
  const { of, version } = shown;
  if (shown.form !== "lines") {
    const ends = endsOfTokens(content, Math.floor(tokens * 0.75), Math.floor(tokens * 0.25));
    return { of, version, form: "part", ...ends, forBudget: true };
  }
  const { from = 1, to = lineCount(content) } = shown;
  const text = linesOf(content, { from, to });
  const { head } = endsOfTokens(text, tokens, 0);
  const count = text.slice(0, head).split("\n").length - 1;
  if (count === 0) return undefined;
  return { of, version, form: "lines", from, to: from + count - 1, forBudget: true };
}

function lineOf({ of, version }: ShownPart): ShownPart {
  return { of, version, form: "line" };
}

function withShown(
  context: PlanningContext,
  entry: ResultEntry | ObjectEntry,
  shows: readonly ShownPart[],
): ViewEntry {
  if (entry.type === "object") return context.sized({ type: "object", shows });
  const { type, turn, step, call, of, version, replaces } = entry;
  const place = { type, turn, step, call, ...defined({ of, version, replaces }) };
  return context.sized({ ...place, form: "shown", shows });
}

/**
 * Returns as much of the user's message of a turn as leaves room for an answer, or as the budget allows, with its files if
 * they fit; undefined if nothing fits. Its note shows how the rest is read.
 */
export function userInPart(context: PlanningContext, turn: number): UserEntry | undefined {
  const { budget } = context;
  const said = context.input.turns[turn]?.user ?? "";
  const files = { files: true, text: textOf(said) } as const;
  const attempts = [...(hasFiles(said) ? [files] : []), { text: userText(said) }];
  for (const { text, ...shown } of attempts)
    for (const most of [budget * filledShare, budget]) {
      const made = textInPart(context, { type: "user", turn, ...shown }, text, most);
      if (made !== undefined) return made;
    }
  return undefined;
}

function textInPart(
  context: PlanningContext,
  entry: Omit<UserEntry, "tokens">,
  text: string,
  budget: number,
): UserEntry | undefined {
  const tokens = rawEstimator.text(text);
  let head = text.length;
  const factor = ratioIn(context, text);
  for (let room = Math.floor((budget - 40) / factor); room > 0; room = Math.floor(room * 0.8) - 1) {
    head = Math.min(head, tokens <= room ? text.length : Math.floor((text.length * room) / tokens));
    const made = context.sized({ ...entry, head: userTextLength(text, head) });
    if (context.tokensOf(made) <= budget) return made;
  }
  return undefined;
}

const partLine = new RegExp(`^${partNotShown.pattern}$`, "u");

/**
 * Returns how many characters of a user's text are shown: at most `given`, and fewer if the line for an image, or a
 * character of two code units, would be cut.
 */
export function userTextLength(text: string, given: number): number {
  const isInPair = given < text.length && (text.codePointAt(given - 1) ?? 0) > 0xff_ff;
  const most = isInPair ? given - 1 : given;
  const start = most === 0 ? 0 : text.lastIndexOf("\n", most - 1) + 1;
  const next = text.indexOf("\n", most);
  const end = next === -1 ? text.length : next;
  return most < end && partLine.test(text.slice(start, end)) ? Math.max(0, start - 1) : most;
}

/** Returns the ratio of calibrated to raw tokens of a text; 1 for a text without tokens. */
function ratioIn({ input: { estimator } }: PlanningContext, text: string): number {
  const tokens = rawEstimator.text(text);
  return tokens === 0 ? 1 : estimator.text(text) / tokens;
}
