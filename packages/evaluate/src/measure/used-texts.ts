import { factSeen } from "../meter/fact-seen.ts";
import type { Task } from "../model/task.ts";
import { contextToolName, type UsedTool } from "./tool-use.ts";

/** One model call as far as this measure needs it. */
export interface SeenCall {
  readonly step: number;
  /** The text of the request, with line breaks between messages. */
  readonly request: string;
  /** The answer: its text and the texts in the arguments of its tool calls. */
  readonly answer: string;
}

/**
 * Counts the calls of `activate` and `find_objects` that helped. One helped if the next request has the right value of a
 * fact that the turn needs and the request before did not have. It also helped if the next request has lines that the
 * request before did not have, and an answer in the rest of the turn repeats four consecutive words of these lines that it
 * could not have from earlier.
 */
export function usedLooks(
  task: Task,
  calls: readonly SeenCall[],
  tools: readonly UsedTool[],
): number {
  return tools.filter(({ name, call: at }) => {
    const before = calls[at];
    const after = calls[at + 1];
    if (!isContextLook(name) || after?.step !== before?.step) return false;
    if (before === undefined || after === undefined) return false;
    return bringsFact(task, before, after) || isRepeated(calls, at, before, after);
  }).length;
}

function isContextLook(name: string): boolean {
  return ["activate", "find_objects"].includes(contextToolName(name) ?? "");
}

function bringsFact({ facts }: Task, before: SeenCall, after: SeenCall): boolean {
  return facts.some(
    (fact) =>
      fact.neededAt.includes(after.step) &&
      factSeen(after.request, fact) === "right" &&
      factSeen(before.request, fact) !== "right",
  );
}

function isRepeated(
  calls: readonly SeenCall[],
  at: number,
  before: SeenCall,
  after: SeenCall,
): boolean {
  const known = new Set(before.request.split("\n"));
  const shown = after.request.split("\n").filter((line) => !known.has(line));
  const earlier = gramsOf([before.request]);
  const shownGrams = [...gramsOf(shown)].filter((gram) => !earlier.has(gram));
  if (shownGrams.length === 0) return false;
  const said = gramsOf(
    calls.slice(at + 1).flatMap(({ step, answer }) => (step === before.step ? [answer] : [])),
  );
  return shownGrams.some((gram) => said.has(gram));
}

/** Words in a run that counts as repeated. */
const length = 4;

/** The runs of words in texts. None reaches from one text into the next. */
function gramsOf(texts: readonly string[]): Set<string> {
  const grams = new Set<string>();
  for (const text of texts) {
    const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
    for (let index = 0; index + length <= words.length; index += 1)
      grams.add(words.slice(index, index + length).join(" "));
  }
  return grams;
}
