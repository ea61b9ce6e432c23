import type { Reply } from "../loopback/loopback-reply.ts";
import type { Move, Task } from "../model/task.ts";
import { readText } from "./current-contents.ts";
import { hostTools, type HostTools, type PlannedCall } from "./host-tools.ts";
import type { Chooser, Deed, LogEntry, Mind, Sight } from "./mind.ts";
import { answerWithMistake, type MistakeOptions, mistakeBefore } from "./mistakes.ts";
import type { SeenMessage, SeenRequest } from "./seen-request.ts";

export interface TaskMindOptions {
  readonly task: Task;
  readonly seed: number;
  readonly chooser: Chooser;
  /** The share of moves before which a mistake is made. */
  readonly mistakes: number;
  /** Changes the messages before the model reads them. */
  readonly sees: (messages: readonly SeenMessage[]) => readonly SeenMessage[];
  readonly log: LogEntry[];
  readonly failures: string[];
}

interface Prompt {
  /** The index in `steps`. */
  readonly step: number;
  readonly text: string;
  readonly moves: readonly Move[];
}

/** Returns a mind that makes the moves of a task's prompts, one for each request. */
export function taskMind(options: TaskMindOptions): Mind {
  const { task, chooser, log, failures } = options;
  const prompts = promptsOf(task);
  let at = -1;
  let index = 0;
  let isTurnOver = true;
  let calls = 0;
  let lastRead: string | undefined;
  /** The call that waits for its result, and what it was for. */
  let waiting: { readonly id: string; readonly move?: Move } | undefined;
  let mistakeMade: Move | undefined;
  let lastAnswer = "";

  const wrote = (deed: Deed, detail: string): void => {
    const { step } = prompts[at] ?? {};
    log.push({ deed, detail, ...(step === undefined ? {} : { step, move: index }) });
  };
  const says = (deed: Deed, text: string, detail = text): Reply => {
    isTurnOver = true;
    waiting = undefined;
    lastAnswer = text;
    wrote(deed, detail);
    return { type: "text", text };
  };
  const does = (
    deed: Deed,
    { name, arguments: args }: PlannedCall,
    detail: string,
    move?: Move,
  ) => {
    calls += 1;
    const id = `call${String(calls)}`;
    waiting = { id, ...(move === undefined ? {} : { move }) };
    if (move?.type === "read") lastRead = move.path;
    wrote(deed, detail);
    return { type: "tool-calls", calls: [{ id, name, arguments: args }] } satisfies Reply;
  };

  /** Takes the result of the last call. */
  const takesResult = (result: SeenMessage | undefined): void => {
    const move = waiting?.move;
    if (move !== undefined && chooser.accepts(move, result)) index += 1;
    waiting = undefined;
  };

  /** Makes the next move, or what must come before it. */
  const next = (prompt: Prompt, sight: Sight): Reply => {
    const move = prompt.moves[index];
    if (move === undefined) return says("answer", "Done.");
    const { seed, mistakes: share } = options;
    const chances: MistakeOptions = {
      seed,
      share,
      place: [task.name, prompt.step, index],
      ...(lastRead === undefined ? {} : { lastRead }),
    };
    const mistake = mistakeMade === move ? undefined : mistakeBefore(move, chances);
    const wrongCall = mistake && sight.tools.callOf(mistake.move);
    if (mistake !== undefined && wrongCall !== undefined && move.type !== "answer") {
      mistakeMade = move;
      return does("mistake", wrongCall, `${mistake.kind} ${describe(wrongCall)}`);
    }
    const choice = chooser.choose(move, sight);
    if (choice.type === "give-up") return says("gave-up", choice.text, choice.detail);
    if (choice.type === "detour") return does(choice.deed, choice.call, choice.detail);
    if (choice.move.type === "answer") {
      const { text, isWrong } = answerWithMistake(choice.move.text, chances);
      return says(isWrong ? "wrong-answer" : "answer", text, choice.detail);
    }
    const call = sight.tools.callOf(choice.move);
    if (call !== undefined)
      return does("move", call, `${choice.move.type} ${choice.detail}`.trim(), move);
    failures.push(`the host has no tool for a move of type ${move.type}`);
    return says("gave-up", `I do not know how to ${move.type}: there is no such tool.`);
  };

  return {
    answer: (request) => {
      const results = request.messages.filter(({ callId }) => callId !== undefined);
      const result = results.find(({ callId }) => callId === waiting?.id);
      const found = result === undefined ? promptIn(request, prompts, at, isTurnOver) : undefined;
      if (found !== undefined) {
        [at, index, isTurnOver, waiting, mistakeMade] = [found, 0, false, undefined, undefined];
        chooser.begins();
      } else if (isTurnOver) {
        if (at >= 0 && newTexts(request).some((text) => isAbout(text, prompts[at]?.text ?? "")))
          return says("repeat", lastAnswer);
        failures.push(`no prompt of the task is in a request that follows the end of a turn`);
        return says("unknown-prompt", "Noted.", newTexts(request).join(" ").slice(0, 200));
      } else takesResult(result);
      const prompt = prompts[at];
      if (prompt === undefined) throw new RangeError(`the task ${task.name} has no prompt`);
      return next(prompt, sightOf(request, options, result));
    },
  };
}

function sightOf(
  { messages, tools }: SeenRequest,
  { sees }: TaskMindOptions,
  result: SeenMessage | undefined,
): Sight {
  const seen = sees(messages);
  let text: string | undefined;
  const named: HostTools = hostTools(tools);
  const shown = result && seen.find(({ callId }) => callId === result.callId);
  return {
    messages: seen,
    text: () => (text ??= readText(seen)),
    tools: named,
    ...(shown === undefined ? {} : { result: shown }),
  };
}

function promptsOf({ steps }: Task): readonly Prompt[] {
  return steps.flatMap((step, index) =>
    step.type === "prompt" ? [{ step: index, text: step.text, moves: step.moves ?? [] }] : [],
  );
}

/**
 * Returns the index of the prompt that a request brings. It is the next one, or a later one if the turns between had no
 * request. Hosts add words before a prompt; only the next prompt is looked for with words behind it too, because a short
 * one can be a part of many texts.
 */
function promptIn(
  request: SeenRequest,
  prompts: readonly Prompt[],
  at: number,
  isTurnOver: boolean,
): number | undefined {
  const texts = newTexts(request).map(plain);
  const next = prompts[at + 1];
  if (isTurnOver && next !== undefined && texts.some((text) => isAbout(text, next.text)))
    return at + 1;
  const later = prompts.findIndex(
    ({ text }, index) => index > at && texts.some((one) => one.endsWith(plain(text))),
  );
  return later === -1 ? undefined : later;
}

/** The texts of the user behind the last answer. */
function newTexts({ messages }: SeenRequest): readonly string[] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return messages
    .slice(last + 1)
    .filter(({ role }) => role === "user")
    .map(({ text }) => text);
}

function isAbout(text: string, prompt: string): boolean {
  return plain(text).includes(plain(prompt));
}

function plain(text: string): string {
  return text.replaceAll(/\s+/gu, " ").trim();
}

function describe({ name, arguments: args }: PlannedCall): string {
  return `${name} ${JSON.stringify(args)}`;
}
