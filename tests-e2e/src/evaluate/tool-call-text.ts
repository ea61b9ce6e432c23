/** A tool call that a model wrote as text. */
export interface WrittenCall {
  readonly name: string;
  readonly arguments: unknown;
}

/** An answer, divided into its text and its tool calls. */
export interface WrittenAnswer {
  readonly text: string;
  readonly calls: readonly WrittenCall[];
}

/** The tag before tool calls, in the form that SmolLM2 and Qwen are trained for. */
const opening = "<tool_call>";

/**
 * Finds the tool calls in an answer: one call or a list of calls as JSON behind each tag. What cannot be read stays text,
 * because a small model also writes half a call.
 */
export function writtenAnswer(answer: string): WrittenAnswer {
  const [text = "", ...parts] = answer.split(opening);
  const read = parts.map((part) => callsIn(part.split("</tool_call>", 1)[0] ?? ""));
  if (read.length === 0 || read.some((calls) => calls.length === 0))
    return { text: answer, calls: [] };
  return { text: text.trim(), calls: read.flat() };
}

/** The beginning of an unfinished answer that is certainly text: tags, also half ones, are held back. */
export function certainText(answer: string): string {
  const tag = answer.indexOf(opening);
  if (tag !== -1) return answer.slice(0, tag).trimEnd();
  for (let length = opening.length - 1; length > 0; length -= 1)
    if (answer.endsWith(opening.slice(0, length))) return answer.slice(0, -length).trimEnd();
  return answer.trimEnd();
}

function callsIn(text: string): readonly WrittenCall[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // It is no call then.
    return [];
  }
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const calls = values.flatMap((one): readonly WrittenCall[] => {
    if (typeof one !== "object" || one === null || !("name" in one)) return [];
    if (typeof one.name !== "string") return [];
    return [{ name: one.name, arguments: "arguments" in one ? one.arguments : {} }];
  });
  return calls.length === values.length ? calls : [];
}
