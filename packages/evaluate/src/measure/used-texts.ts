import { isLook, type UsedTool, contextToolName } from "./tool-use.ts";

/** One model call as far as this measure needs it. */
export interface SeenCall {
  readonly step: number;
  /** The text of the request, with line breaks between messages. */
  readonly request: string;
  /** The answer: its text and the arguments of its tool calls. */
  readonly answer: string;
}

/**
 * Counts the calls of `activate` and `find_objects` that helped: the next request has lines that the request before did
 * not have, and an answer in the rest of the turn repeats four consecutive words of these lines that it could not have
 * from earlier.
 */
export function usedLooks(calls: readonly SeenCall[], tools: readonly UsedTool[]): number {
  return tools.filter((tool) => {
    const own = contextToolName(tool.name);
    return own !== undefined && isLook(tool) && isUsed(calls, tool.call);
  }).length;
}

function isUsed(calls: readonly SeenCall[], at: number): boolean {
  const before = calls[at];
  const after = calls[at + 1];
  if (before === undefined || after === undefined || after.step !== before.step) return false;
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
