import {
  type ActiveObject,
  type LayoutInput,
  leftOutOf,
  messageTokens,
} from "@self-context-manager/core/layout";
import {
  type AssistantMessage,
  type Block,
  isImage,
  isText,
  isToolCall,
  type ViewMessage,
} from "@self-context-manager/core";
import { withoutAllThinking, withoutSignedThinking } from "@self-context-manager/core/host";
import assert from "node:assert/strict";

import type { PlayedCall } from "./play-session.ts";
import { saysAnything } from "./session-script.ts";
import { linesIn, readable, type ShownContent, withEnd } from "./shown-contents.ts";

/**
 * Checks that answers are unchanged, including thinking and signatures. Only texts in arguments may be replaced by stubs
 * that state their number of characters. If the model binds its thinking, an answer's signed thinking may be left out as
 * a whole, and stay left out. Of turns before the newest user message, all thinking may be left out.
 */
export function assertAnswersAreAsGiven(
  messages: readonly ViewMessage[],
  { input, lastMessages }: Pick<PlayedCall, "input" | "lastMessages">,
): void {
  const gone = leftOutOf(input.leftOut ?? []);
  const newest = input.turns.findLastIndex(
    ({ user }, turn) => saysAnything(user) && !gone.has({ turn, step: -1 }),
  );
  const replacing = (input.compaction?.messages ?? []).flatMap(({ message }) =>
    message.role === "assistant"
      ? [{ blocks: message.content, withoutThinking: message.content }]
      : [],
  );
  const answers = input.turns.flatMap(({ steps }, turn) =>
    steps.flatMap((step) => {
      if (!("assistant" in step)) return [];
      const blocks = step.assistant.filter((block) => !isEmptyText(block));
      return [{ blocks, withoutThinking: turn < newest ? withoutAllThinking(blocks) : blocks }];
    }),
  );
  const given = [...replacing, ...answers];
  const before = new Set(lastMessages.map(withoutArguments));
  const isLeftOut = (message: AssistantMessage, blocks: readonly Block[]): boolean =>
    (input.thinking === "bound" || before.has(withoutArguments(message))) &&
    isAsGiven(message, withoutSignedThinking(blocks));
  let from = 0;
  for (const shown of messages) {
    if (shown.role !== "assistant") continue;
    const message = withoutFold(shown);
    const at = given.findIndex(
      ({ blocks, withoutThinking }, index) =>
        index >= from &&
        (isAsGiven(message, blocks) ||
          isAsGiven(message, withoutThinking) ||
          isLeftOut(message, blocks)),
    );
    assert.notEqual(at, -1, `the model gave no such answer: ${JSON.stringify(message.content)}`);
    from = at + 1;
  }
}

/** Returns an answer without the text about the steps before it that are folded. */
function withoutFold(message: AssistantMessage): AssistantMessage {
  const [first, ...content] = message.content;
  const isFold = first !== undefined && isText(first) && foldBegins.test(first.text);
  return isFold ? { ...message, content } : message;
}

const foldBegins =
  /^\[(?:1 call of turn \d+ is|\d+ calls of turn \d+ are) folded; activate chat with turn \d+ shows /u;

/** Returns a message without arguments, because they can leave after the thinking has left. */
function withoutArguments(message: ViewMessage): string {
  return JSON.stringify(message, (name, value: unknown) =>
    name === "arguments" ? undefined : value,
  );
}

function isEmptyText(block: Block): boolean {
  return isText(block) && block.text.trim() === "";
}

function isAsGiven({ content }: AssistantMessage, given: readonly Block[]): boolean {
  return (
    content.length === given.length &&
    content.every((block, index) => {
      const own = given[index];
      if (own === undefined) return false;
      if (!isToolCall(block)) return JSON.stringify(block) === JSON.stringify(own);
      const { arguments: shown, ...rest } = block;
      const { arguments: args, ...others } = own;
      return JSON.stringify(rest) === JSON.stringify(others) && isSameBut(shown, args);
    })
  );
}

/** Whether two values are equal, except for texts that argument stubs replace as a whole or in part. */
function isSameBut(shown: unknown, given: unknown): boolean {
  if (typeof shown === "string" && typeof given === "string")
    return (
      shown === given ||
      shown.startsWith(`[${given.length} characters`) ||
      isBeginning(shown, given) ||
      isWithoutRemovedLines(shown, given)
    );
  if (typeof shown !== "object" || typeof given !== "object") return shown === given;
  if (shown === null || given === null) return shown === given;
  const names = Object.keys(given);
  return (
    Object.keys(shown).join() === names.join() &&
    names.every((name) => isSameBut(Reflect.get(shown, name), Reflect.get(given, name)))
  );
}

/** Whether a text is the beginning of a long one, and a line with the number of the other characters. */
function isBeginning(shown: string, given: string): boolean {
  const [, head = "", number] = /^([^]*)\n\[(\d+) characters left out\]$/u.exec(shown) ?? [];
  const isHead = head.length >= 199 && head.length <= 200 && given.startsWith(head);
  return isHead && given.length > 240 && Number(number) === given.length - head.length;
}

/** Whether a text is a patch in which lines with their number of characters replace long runs of removed lines. */
function isWithoutRemovedLines(shown: string, given: string): boolean {
  let at = 0;
  for (const line of shown.split("\n")) {
    const number = /^\[(\d+) characters left out\]$/u.exec(line)?.[1];
    const isOwn = given.startsWith(line, at);
    const end = at + (isOwn || number === undefined ? line.length : Number(number));
    const removed = given.slice(at, end).split("\n");
    if (!isOwn && (end - at < 120 || !removed.every((one) => one.startsWith("-")))) return false;
    if (end !== given.length && given[end] !== "\n") return false;
    at = end + 1;
  }
  return at === given.length + 1;
}

/**
 * Returns the text of the newest user message that has content. Returns `undefined` if the message is only an image,
 * or if a summary that the user requested replaces it. Messages that are left out do not count. If the newest of all is
 * left out, a budget can have removed the ones before.
 */
export function newestUserText({
  turns,
  compaction,
  leftOut,
  budget,
}: LayoutInput): string | undefined {
  const { turn, step } = compaction?.from ?? { turn: 0, step: -1 };
  const gone = leftOutOf(leftOut ?? []);
  const first = step === -1 ? turn : turn + 1;
  const newest = turns.findLastIndex(({ user }) => saysAnything(user));
  if (budget !== undefined && gone.has({ turn: newest, step: -1 })) return undefined;
  const kept = turns.filter((_, index) => index >= first && !gone.has({ turn: index, step: -1 }));
  const said = kept.findLast(({ user }) => saysAnything(user))?.user ?? null;
  if (said === null || typeof said === "string") return said ?? undefined;
  const text = said.map((block) => (isText(block) ? block.text : "")).join("");
  return text.trim() === "" ? undefined : text;
}

export function textsOf(messages: readonly ViewMessage[]): readonly string[] {
  return messages.flatMap((message) => {
    if (message.role !== "user") return [];
    if (typeof message.content === "string") return [message.content];
    return message.content.map((block) => (isText(block) ? block.text : ""));
  });
}

/** Whether a text is the beginning of another one, followed by a note of the omitted part. */
export function isPartOf(text: string, whole: string): boolean {
  const note = text.search(/\[[^[\]]* not shown;/u);
  return note !== -1 && whole.startsWith(text.slice(0, note).trimEnd());
}

export function textTokens(text: string, { estimator }: LayoutInput): number {
  const message = { role: "user" as const, content: [{ type: "text" as const, text }] };
  // An image whose size is unknown may accompany the text.
  const image = estimator.media({ kind: "image", width: 1_092, height: 1_092 });
  return messageTokens(message, estimator) + image;
}

export function assertShown(
  contents: readonly ShownContent[],
  object: ActiveObject,
  form: "whole" | "part",
  messages: readonly ViewMessage[],
  input: LayoutInput,
): void {
  const { entry, stored, ranges, isAsked } = object;
  const { content } = stored.body;
  if (content === null || content.trim() === "") return;
  const found = readable(contents, object);
  if (form === "part") {
    const mayBePart = input.budget !== undefined || (isAsked !== true && found.isPart);
    assert.ok(mayBePart, `${entry.handle} is not shown whole`);
    return;
  }
  const wanted = ranges ?? [{ from: 1, to: Math.max(1, linesIn(content)) }];
  const isWhole = found.text !== undefined && withEnd(found.text) === withEnd(content);
  const shown = new Set(found.lines);
  let isCovered = content !== "";
  for (const { from, to } of wanted)
    for (let line = from; line <= to; line += 1) isCovered &&= shown.has(line);
  assert.ok(
    isWhole || isCovered || isInArguments(object, contents, messages, input),
    `${entry.handle} version ${stored.version} cannot be read`,
  );
}

/**
 * Whether the arguments of a tool call show a version that the model wrote itself. The version that it changed must
 * be in view as well.
 */
function isInArguments(
  { entry, stored }: ActiveObject,
  contents: readonly ShownContent[],
  messages: readonly ViewMessage[],
  { turns, pool }: LayoutInput,
): boolean {
  if (stored.body.provenance.generator !== "agent") return false;
  if (!contents.some(({ handle }) => handle === entry.handle)) return false;
  const calls = messages.flatMap((message) =>
    message.role === "assistant" ? message.content.filter(isToolCall) : [],
  );
  return turns.some(({ steps }) =>
    steps.some((step) => {
      if (!("assistant" in step)) return false;
      return step.assistant.filter(isToolCall).some((call, index) => {
        const id = step.toolcall_ids[index];
        const references = id === undefined ? [] : pool.get(id)?.stored.body["file_refs"];
        const made = JSON.stringify(references ?? []);
        if (!made.includes(`"${stored.hashes.object_hash}"`)) return false;
        return calls.some((shown) => JSON.stringify(shown) === JSON.stringify(call));
      });
    }),
  );
}

/** Checks that a view shows no line of the newest version twice. The user can say the same text again. */
export function assertOnce(
  contents: readonly ShownContent[],
  { entry, stored }: ActiveObject,
): void {
  const { handle } = entry;
  const isCurrent = (shown: ShownContent): boolean =>
    shown.handle === handle && (shown.version === stored.version || shown.form === "bare");
  const current = contents.filter(
    (shown) => isCurrent(shown) && shown.form !== "part" && shown.form !== "said",
  );
  const whole = current.filter(({ form }) => form !== "lines");
  assert.ok(whole.length <= 1, `${handle} is shown ${whole.length} times`);
  const said = contents.findIndex((shown) => shown.handle === handle && shown.form === "said");
  const repeated = contents.slice(said + 1).filter((shown) => current.includes(shown));
  assert.ok(said === -1 || repeated.length === 0, `${handle}, which the user says, is shown again`);
  const { lines } = readable(current, { entry, stored, isPinned: false });
  assert.equal(new Set(lines).size, lines.length, `lines of ${handle} are shown twice`);
}

/** Checks that the images of every active object are in view, and none twice. */
export function assertImages(
  messages: readonly ViewMessage[],
  { turns, pool, budget }: LayoutInput,
  active: readonly ActiveObject[],
): void {
  const shown = messages.reduce((sum, message) => sum + imagesIn(message), 0);
  const said = turns.reduce((sum, { user }) => sum + countImages(user), 0);
  const wanted = active.reduce((sum, { stored }) => sum + countImages(stored.body["blocks"]), 0);
  const most = [...pool.values()].filter(({ stored }) => stored.body.type === "toolcall").length;
  if (budget === undefined) assert.ok(shown >= wanted, `${shown} images of ${wanted} are shown`);
  assert.ok(shown <= said + most, `${shown} images are shown`);
}

function imagesIn(message: ViewMessage): number {
  return message.role === "opaque" ? 0 : countImages(message.content);
}

function countImages(content: unknown): number {
  return Array.isArray(content) ? (content as readonly Block[]).filter(isImage).length : 0;
}
