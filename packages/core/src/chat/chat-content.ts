import { grownText, type ObjectId } from "@self-context-manager/objects";
import { argsDisplay } from "./args-display.ts";
import { type Block, isText, isToolCall, type ToolCallBlock } from "./message.ts";
import { type AssistantStep, isAssistantStep, type Step, type Turn } from "./turn.ts";

/** The status of a tool call, or undefined where it has no result. */
export type StatusOf = (id: ObjectId) => string | undefined;

/**
 * A chat as Markdown with delimiters, for people and for search (specification v0 §24.3, decision D36). The model never
 * sees this text. The calls of the last step appear with their results, so the text of a chat that goes on only grows.
 */
export function chatContent(turns: readonly Turn[], statusOf: StatusOf): string {
  const last = turns.at(-1)?.steps.at(-1);
  const parts = turns.flatMap((turn) => turnTexts(turn, last, statusOf));
  const first = turns.find(({ steps }) => steps.length > 0)?.steps[0];
  if (first === undefined) return parts.join("");
  const former = written.get(first);
  const text = (former === undefined ? undefined : extendedText(former, parts)) ?? parts.join("");
  written.set(first, { parts, text });
  return text;
}

/** A text of a chat, with what it was joined from. */
interface Written {
  readonly parts: readonly string[];
  readonly text: string;
}

/** The last text of each chat, by the first step, which stays the same object. */
const written = new WeakMap<Step, Written>();

/** A text with what its parts have more than when it was written; undefined where they do not begin as they did. */
function extendedText(
  { parts: former, text }: Written,
  parts: readonly string[],
): string | undefined {
  const last = former.length - 1;
  if (!former.every((part, index) => index === last || part === parts[index])) return undefined;
  const [lastBefore, lastNow] = [former[last] ?? "", parts[last] ?? ""];
  if (!lastNow.startsWith(lastBefore)) return undefined;
  return grownText(text, lastNow.slice(lastBefore.length) + parts.slice(former.length).join(""));
}

/** The texts of a turn: the user's message, and one of each step. */
function turnTexts(turn: Turn, last: Step | undefined, statusOf: StatusOf): readonly string[] {
  const known = settledTurns.get(turn);
  if (known !== undefined) return known;
  const user = turn.user === null ? "" : userText(turn.user);
  const texts = [user, ...turn.steps.map((step) => stepText(step, step === last, statusOf))];
  if (turn.steps.every((step) => settled.has(step))) settledTurns.set(turn, texts);
  return texts;
}

/** Texts by turn, kept once every call of the turn has its result. */
const settledTurns = new WeakMap<Turn, readonly string[]>();

/** Text by step, kept once every call of the step has its result. */
const settled = new WeakMap<Step, string>();

function stepText(step: Step, isLast: boolean, statusOf: StatusOf): string {
  const known = settled.get(step);
  if (known !== undefined) return known;
  if (!isAssistantStep(step)) return keep(step, section(oneWord(step.kind), rawText(step.opaque)));
  const text = step.assistant.filter((block) => !isToolCall(block)).map(blockText);
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
  const shown = argsDisplay(call.name, call.arguments).slice(call.name.length + 2);
  return `--- toolcall [ref:toolcall/${id ?? call.id}] tool=${oneWord(call.name)} args=${shown} status=${status}\n`;
}

function userText(user: string | readonly Block[]): string {
  if (typeof user === "string") return section("user", user);
  const parts = user.map((block) => (isText(block) ? block.text : `(${block.type})`));
  return section("user", parts.join("\n"));
}

function blockText(block: Block): string {
  if (isText(block)) return section("assistant", block.text);
  if (block.type === "thinking" && typeof block["thinking"] === "string") {
    return section("thinking", block["thinking"]);
  }
  return section("assistant", `(${block.type})`);
}

function section(name: string, body: string): string {
  return `--- ${name}\n${body.replaceAll(/^(\\*--- )/gmu, "\\$1")}\n`;
}

function oneWord(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, "_");
}

function rawText(raw: unknown): string {
  return typeof raw === "string" ? raw : JSON.stringify(raw);
}
