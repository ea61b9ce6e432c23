import type { ObjectId } from "../objects/object-id.ts";
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
  const lastTurn = turns.at(-1);
  if (lastTurn === undefined) return "";
  return earlierText(turns, statusOf) + turnText(lastTurn, lastTurn.steps.at(-1), statusOf);
}

/** The text of all turns but the last by the one before it, kept with the turns that it was made from. */
const earlierTexts = new WeakMap<
  Turn,
  { readonly turns: readonly Turn[]; readonly text: string }
>();

function earlierText(turns: readonly Turn[], statusOf: StatusOf): string {
  const before = turns.at(-2);
  if (before === undefined) return "";
  const known = earlierTexts.get(before);
  if (
    known?.turns.length === turns.length - 1 &&
    known.turns.every((turn, index) => turn === turns[index])
  ) {
    return known.text;
  }
  const earlier = turns.slice(0, -1);
  const text = earlier.map((turn) => turnText(turn, undefined, statusOf)).join("");
  if (earlier.every((turn) => settledTurns.has(turn)))
    earlierTexts.set(before, { turns: earlier, text });
  return text;
}

/** Text by turn, kept once every call of the turn has its result. */
const settledTurns = new WeakMap<Turn, string>();

function turnText(turn: Turn, last: Step | undefined, statusOf: StatusOf): string {
  const known = settledTurns.get(turn);
  if (known !== undefined) return known;
  const user = turn.user === null ? "" : userText(turn.user);
  const text = [user, ...turn.steps.map((step) => stepText(step, step === last, statusOf))].join(
    "",
  );
  if (turn.steps.every((step) => settled.has(step))) settledTurns.set(turn, text);
  return text;
}

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
