import type { ActiveObject, LayoutInput, Turn } from "@self-context-manager/core/layout";
import { type Block, isText, type ViewMessage } from "@self-context-manager/core";
import { defined, type LineRange } from "@self-context-manager/objects";

import { patched } from "./patched.ts";

/** A content as a view shows it, read only from the messages. */
export interface ShownContent {
  readonly handle: string;
  readonly version: number;
  readonly form: "whole" | "lines" | "part" | "diff" | "bare" | "said";
  /** The text between the fences, the result in its original form, or a long text of a user message; empty for an image of one. */
  readonly text: string;
  readonly range?: LineRange;
  readonly since?: number;
  readonly header: string;
  /** The index of the message. */
  readonly index: number;
}

/** The parts of an object's newest version that can be read in a view. */
export interface Readable {
  /** The text, assembled from whole contents and diffs. */
  readonly text?: string;
  /** The numbers of the lines that are shown as line ranges. A number appears as often as its line is shown. */
  readonly lines: readonly number[];
  readonly isPart: boolean;
}

const block = /^([a-z]+\d+)([^\n]*)\n(~{3,})\n/u;
const lineRange = / lines (\d+)-(\d+) of \d+(?:; no room for more)?$/u;
const replaced = / replaces v(\d+) above, \+\d+ -\d+$/u;
const left = /^\[\d+ characters not shown; /mu;

/**
 * Returns every content in view, in order. A user message counts as the content of its long parts, and else never,
 * whatever it looks like.
 */
export function shownContents(
  messages: readonly ViewMessage[],
  input: LayoutInput,
): readonly ShownContent[] {
  const handles = new Map([...input.pool.values()].map((entry) => [entry.handle, entry]));
  const said = turnsBySaid(input.turns);
  return messages.flatMap((message, index): readonly ShownContent[] => {
    if (message.role === "opaque" || message.role === "assistant") return [];
    const turn = said(message);
    if (message.role === "user" && turn !== undefined)
      return saidContents(turn, message.content, input, index);
    if (typeof message.content === "string" || turn !== undefined) return [];
    const found = message.content.flatMap((one): readonly ShownContent[] => {
      if (!isText(one)) return [];
      const shown = fencedContent(one.text, index);
      return shown !== undefined && handles.has(shown.handle) ? [shown] : [];
    });
    return found.length > 0 ? found : bareContent(message, input, index);
  });
}

/**
 * Returns a function that returns the turn of which a message is the user's, shown whole or without some of its long
 * parts. A line, or the ends of a text, replaces a part.
 */
function turnsBySaid(turns: readonly Turn[]): (message: ViewMessage) => Turn | undefined {
  const whole = new Map(turns.map((turn) => [JSON.stringify(turn.user), turn]));
  return (message) => {
    if (message.role !== "user") return undefined;
    const { content } = message;
    const found = whole.get(JSON.stringify(content));
    if (found !== undefined || typeof content === "string") return found;
    return turns.find((turn) => isSaidIn(turn, content));
  };
}

function isSaidIn({ user, user_objects: own = [] }: Turn, content: readonly Block[]): boolean {
  return (
    typeof user !== "string" &&
    user?.length === content.length &&
    content.every((block, at) => {
      const hasLeft = isText(block) && block.text.includes(" not shown; ");
      const isOwn = own.some((one) => one.block === at);
      return (hasLeft && isOwn) || JSON.stringify(block) === JSON.stringify(user[at]);
    })
  );
}

/** Returns the long parts of a user message that are shown whole. */
function saidContents(
  { user, user_objects: own = [] }: Turn,
  content: string | readonly Block[],
  { pool }: LayoutInput,
  index: number,
): readonly ShownContent[] {
  return own.flatMap(({ block: at, id }): readonly ShownContent[] => {
    const handle = pool.get(id)?.handle;
    const found = typeof user === "string" ? { type: "text", text: user } : user?.[at];
    const shown = typeof content === "string" ? found : content[at];
    if (handle === undefined || found === undefined) return [];
    if (JSON.stringify(shown) !== JSON.stringify(found)) return [];
    const text = isText(found) ? found.text : "";
    return [{ handle, version: 1, form: "said", text, header: handle, index }];
  });
}

function fencedContent(text: string, index: number): ShownContent | undefined {
  const [start, handle = "", title = "", fence = ""] = block.exec(text) ?? [];
  if (start === undefined || !text.endsWith(fence)) return undefined;
  const inside = text.slice(start.length, text.length - fence.length);
  const version = Number(/ v(\d+)(?= lines | replaces |$)/u.exec(title)?.[1] ?? 1);
  const base = { handle, version, text: inside, header: `${handle}${title}`, index };
  const lines = lineRange.exec(title);
  if (lines !== null)
    return { ...base, form: "lines", range: { from: Number(lines[1]), to: Number(lines[2]) } };
  const since = replaced.exec(title)?.[1];
  if (since !== undefined) return { ...base, form: "diff", since: Number(since) };
  return { ...base, form: left.test(inside) ? "part" : "whole" };
}

/** Returns a result that is shown in its original form. */
function bareContent(
  message: ViewMessage & { readonly role: "user" | "toolResult" },
  { active }: LayoutInput,
  index: number,
): readonly ShownContent[] {
  if (message.role !== "toolResult" || typeof message.content === "string") return [];
  const object = active.find(({ entry }) => entry.id === message.toolCallId);
  if (object === undefined) return [];
  const text = message.content.filter(isText).map((one) => one.text);
  // A notice may follow the result.
  const isWhole = text.length > 0 && text[0] === object.stored.body.content;
  const { handle } = object.entry;
  return isWhole
    ? [{ handle, version: 1, form: "bare", text: text[0] ?? "", header: handle, index }]
    : [];
}

/** Returns the parts of an active object's newest version that can be read. */
export function readable(
  contents: readonly ShownContent[],
  { entry, stored }: ActiveObject,
): Readable {
  const texts = new Map<number, string>();
  const lines: number[] = [];
  let isPart = false;
  for (const shown of contents) {
    if (shown.handle !== entry.handle) continue;
    const isCurrent = shown.version === stored.version;
    switch (shown.form) {
      case "whole":
      case "bare":
      case "said":
        texts.set(shown.version, shown.text);
        break;
      case "diff": {
        const before = texts.get(shown.since ?? 0);
        if (before !== undefined) texts.set(shown.version, patched(before, shown.text));
        break;
      }
      case "lines":
        if (isCurrent && isRightText(shown, stored.body.content ?? "")) {
          const { from, to } = shown.range ?? { from: 1, to: 0 };
          for (let line = from; line <= to; line += 1) lines.push(line);
        }
        break;
      case "part":
        isPart ||= isCurrent;
        break;
    }
  }
  const text = texts.get(stored.version);
  return { ...defined({ text }), lines, isPart };
}

function isRightText({ text, range }: ShownContent, content: string): boolean {
  const { from, to } = range ?? { from: 1, to: 0 };
  const wanted = withEnd(content)
    .split("\n")
    .slice(from - 1, to);
  return withEnd(text) === wanted.map((line) => `${line}\n`).join("");
}

/** Returns a text as it is shown between fences: with a line break at its end. */
export function withEnd(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** Returns the number of lines of a text. */
export function linesIn(text: string): number {
  return text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}
