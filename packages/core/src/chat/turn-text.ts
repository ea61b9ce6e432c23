import { canonicalJson, type ObjectId, oneLine } from "@self-context-manager/objects";
import { argumentsOf, type Block, isText, isThinking, isToolCall } from "./message.ts";
import { isAssistantStep, type Step, type Turn } from "./turn.ts";

/** Returns the name under which a call is opened, and what is shown of its output: a line, or nothing if it has none. */
export type CallNamer = (id: ObjectId) => { readonly name: string; readonly line: string };

/**
 * Returns a turn as it was, for the model: the user's words, what the answers say and think, and each call with all of its
 * arguments. Of an output there is the line with which it is opened. Each part begins with a row of hyphens; a line of a
 * part that begins so has a backslash before it, as in the text of a chat (decision D36).
 */
export function turnText(turn: Turn, nameOf: CallNamer): string {
  const user = turn.user === null ? [] : [part("user", wordsOf(turn.user))];
  return [...user, ...turn.steps.flatMap((step) => stepParts(step, nameOf))].join("");
}

function stepParts(step: Step, nameOf: CallNamer): readonly string[] {
  if (!isAssistantStep(step)) {
    const { kind, opaque } = step;
    return [part(kind, typeof opaque === "string" ? opaque : canonicalJson(opaque))];
  }
  let call = -1;
  return step.assistant.map((block) => {
    if (!isToolCall(block)) return blockPart(block);
    call += 1;
    const id = step.toolcall_ids[call];
    const { name, line } = id === undefined ? { name: block.id, line: "" } : nameOf(id);
    const args = canonicalJson(argumentsOf(block.arguments));
    return part(`toolcall ${name} ${block.name}`, line === "" ? args : `${args}\n${line}`);
  });
}

function blockPart(block: Block): string {
  if (isText(block)) return part("assistant", block.text);
  if (isThinking(block)) return part("thinking", block.thinking);
  return part("assistant", `(${block.type})`);
}

function wordsOf(user: string | readonly Block[]): string {
  if (typeof user === "string") return user;
  return user.map((block) => (isText(block) ? block.text : `(${block.type})`)).join("\n");
}

function part(title: string, body: string): string {
  return `--- ${oneLine(title)}\n${body.replaceAll(/^(\\*--- )/gmu, "\\$1")}\n`;
}

/** Characters of the line of a turn, unless others are asked for. */
const usualWidth = 160;

/**
 * Returns a line of about `width` characters that says what a turn was about: the first words of the user, and of the
 * last answer.
 */
export function turnLine(turn: Turn, number: number, width: number = usualWidth): string {
  const half = Math.floor(width / 2);
  const answers = turn.steps.flatMap((step) =>
    "assistant" in step && step.failed !== true ? textsOf(step.assistant) : [],
  );
  const asked = beginning(textsOf(turn.user ?? "").join("\n"), half);
  const said = beginning(answers.at(-1) ?? "", half);
  return `${number}. ${asked === "" ? "(no words)" : asked}${said === "" ? "" : ` -> ${said}`}`;
}

function textsOf(content: string | readonly Block[]): readonly string[] {
  if (typeof content === "string") return [content];
  return content.flatMap(({ type, text }) =>
    type === "text" && typeof text === "string" ? [text] : [],
  );
}

function beginning(text: string, most: number): string {
  // More would cost time, and blanks are the only characters that become fewer.
  const line = text
    .slice(0, 20 * most)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return line.length <= most
    ? line
    : `${line
        .slice(0, most - 1)
        .toWellFormed()
        .trimEnd()}…`;
}
