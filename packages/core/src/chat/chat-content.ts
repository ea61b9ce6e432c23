import { grownText, type ObjectId } from "@self-context-manager/objects";
import { argsDisplay } from "./args-display.ts";
import { blockPart, chatPart, userPart } from "./chat-parts.ts";
import { argumentsOf, isToolCall, type ToolCallBlock } from "./message.ts";
import { type AssistantStep, isAssistantStep, type Step, type Turn } from "./turn.ts";

/** Returns the status of a tool call, or undefined if it has no result. */
export type StatusOf = (id: ObjectId) => string | undefined;

/**
 * Returns a chat as Markdown with delimiter lines, for people and for search (decision D36). The model never gets this
 * text. The calls of the last step appear only when all have their results. The text of a chat that continues therefore
 * only grows.
 */
export function chatContent(turns: readonly Turn[], statusOf: StatusOf): string {
  const last = turns.at(-1)?.steps.at(-1);
  const parts = turns.map((turn) => turnTexts(turn, last, statusOf));
  const first = turns.find(({ steps }) => steps.length > 0)?.steps[0];
  if (first === undefined) return parts.flat().join("");
  const former = written.get(first);
  const text =
    (former === undefined ? undefined : continuedText(former, parts)) ?? parts.flat().join("");
  written.set(first, { parts, text });
  return text;
}

/** A chat's text and the parts that it was joined from, by turn. */
interface Written {
  readonly parts: readonly (readonly string[])[];
  readonly text: string;
}

/** The last text of each chat. The key is the chat's first step, because that object stays the same. */
const written = new WeakMap<Step, Written>();

/** Returns a chat's text with the new parts appended, or undefined if the earlier parts have changed. */
function continuedText(
  { parts: former, text }: Written,
  parts: readonly (readonly string[])[],
): string | undefined {
  let same = 0;
  while (same < former.length && former[same] === parts[same]) same += 1;
  return extendedText(former.slice(same).flat(), parts.slice(same).flat(), text);
}

function extendedText(
  former: readonly string[],
  parts: readonly string[],
  text: string,
): string | undefined {
  const last = former.length - 1;
  if (!former.every((part, index) => index === last || part === parts[index])) return undefined;
  const [lastBefore, lastNow] = [former[last] ?? "", parts[last] ?? ""];
  if (!lastNow.startsWith(lastBefore)) return undefined;
  return grownText(text, lastNow.slice(lastBefore.length) + parts.slice(former.length).join(""));
}

/** Returns the texts of a turn: one for the user message and one for each step. */
function turnTexts(turn: Turn, last: Step | undefined, statusOf: StatusOf): readonly string[] {
  const known = settledTurns.get(turn);
  if (known !== undefined) return known;
  const user = turn.user === null ? "" : userPart(turn.user);
  const texts = [user, ...turn.steps.map((step) => stepText(step, step === last, statusOf))];
  if (turn.steps.every((step) => settled.has(step))) settledTurns.set(turn, texts);
  return texts;
}

/** The texts of turns in which every call has its result. */
const settledTurns = new WeakMap<Turn, readonly string[]>();

/** The texts of steps in which every call has its result. */
const settled = new WeakMap<Step, string>();

function stepText(step: Step, isLast: boolean, statusOf: StatusOf): string {
  const known = settled.get(step);
  if (known !== undefined) return known;
  if (!isAssistantStep(step)) return keep(step, chatPart(oneWord(step.kind), rawText(step.opaque)));
  const text = step.assistant.filter((block) => !isToolCall(block)).map(blockPart);
  const isSettled = step.toolcall_ids.every((id) => statusOf(id) !== undefined);
  if (isLast && !isSettled) return text.join("");
  const calls = step.assistant
    .filter(isToolCall)
    .map((call, index) => callLine(call, step, index, statusOf));
  const rendered = [...text, ...calls].join("");
  return isSettled ? keep(step, rendered) : rendered;
}

function keep(step: Step, text: string): string {
  settled.set(step, text);
  return text;
}

function callLine(
  call: ToolCallBlock,
  step: AssistantStep,
  index: number,
  statusOf: StatusOf,
): string {
  const id = step.toolcall_ids[index];
  const status = (id === undefined ? undefined : statusOf(id)) ?? "none";
  const shown = argsDisplay(call.name, argumentsOf(call.arguments)).slice(call.name.length + 2);
  return `--- toolcall [ref:toolcall/${id ?? call.id}] tool=${oneWord(call.name)} args=${shown} status=${status}\n`;
}

function oneWord(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, "_");
}

function rawText(raw: unknown): string {
  return typeof raw === "string" ? raw : JSON.stringify(raw);
}
