import { canonicalJson, type ObjectId, oneLine } from "@self-context-manager/objects";
import { blockPart, chatPart, userPart } from "./chat-parts.ts";
import { argumentsOf, type Block, isToolCall } from "./message.ts";
import { isAssistantStep, type Step, type Turn } from "./turn.ts";

/** Returns the name under which a call is opened, and what is shown of its output: a line, or nothing if it has none. */
export type CallNamer = (id: ObjectId) => { readonly name: string; readonly line: string };

/**
 * Returns a turn as it was, for the model: the user's words, what the answers say and think, and each call with all of its
 * arguments. Of an output there is the line with which it is opened. The parts are written as in the text of a chat.
 */
export function turnText(turn: Turn, nameOf: CallNamer): string {
  const user = turn.user === null ? [] : [userPart(turn.user)];
  return [...user, ...turn.steps.flatMap((step) => stepParts(step, nameOf))].join("");
}

function stepParts(step: Step, nameOf: CallNamer): readonly string[] {
  if (!isAssistantStep(step)) {
    const { kind, opaque } = step;
    return [chatPart(oneLine(kind), typeof opaque === "string" ? opaque : canonicalJson(opaque))];
  }
  let call = -1;
  return step.assistant.map((block) => {
    if (!isToolCall(block)) return blockPart(block);
    call += 1;
    const id = step.toolcall_ids[call];
    const { name, line } = id === undefined ? { name: block.id, line: "" } : nameOf(id);
    const args = canonicalJson(argumentsOf(block.arguments));
    return chatPart(
      oneLine(`toolcall ${name} ${block.name}`),
      line === "" ? args : `${args}\n${line}`,
    );
  });
}

interface TurnLineOptions {
  readonly width?: number;
  readonly summary?: string | undefined;
}

/** Characters of the line of a turn, unless others are asked for. */
const usualWidth = 160;

/**
 * Returns a line of about `width` characters that says what a turn was about: the beginning of its short summary if a model
 * has written one, or else the first words of the user, and of the last answer.
 */
export function turnLine(
  turn: Turn,
  number: number,
  { width = usualWidth, summary }: TurnLineOptions = {},
): string {
  if (summary !== undefined) return `${number}. ${beginning(summary, width)}`;
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
