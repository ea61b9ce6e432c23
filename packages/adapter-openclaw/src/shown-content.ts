import type { Connection } from "@self-context-manager/core/host";
import type { JsonObject } from "@self-context-manager/core";

/** What separates the answer of `activate` from what it only has in the transcript. */
const separator = "\n\n[shown in the context; ";

/** The most characters of a content that the transcript has. */
const mostWritten = 2000;

/**
 * Returns the answer of `activate` with its content. If the view shows the content, the answer has only its beginning, and only
 * in the transcript: for a time without the plugin.
 */
export function answerWith(answer: string, content: string | undefined, isShown: boolean): string {
  if (!isShown) return content === undefined ? answer : `${answer}\n\n${content}`;
  if (content === undefined) return `${answer}${separator}it has no text here]`;
  if (content.length <= mostWritten) return `${answer}${separator}it is]\n${content}`;
  const end = content.lastIndexOf("\n", mostWritten);
  return `${answer}${separator}it begins with]\n${content.slice(0, end > 0 ? end : mostWritten)}`;
}

/** Returns the answer of `activate` without what only the transcript has. */
export function answerSaid(written: string): string {
  const at = written.indexOf(separator);
  return at === -1 ? written : written.slice(0, at);
}

/**
 * Returns the content of the object that a call of `activate` names, or the lines of it. Undefined if it has no text. Never
 * rejects: without the content, the object is shown from the next turn on.
 */
export async function shownContent(
  connection: Pick<Connection<unknown>, "session">,
  { id, from, to }: JsonObject,
): Promise<string | undefined> {
  if (typeof id !== "string") return undefined;
  try {
    const found = await (await connection.session()).inspect(id);
    if ("text" in found || found.body.content === null) return undefined;
    const first = typeof from === "number" ? from - 1 : 0;
    const last = typeof to === "number" ? to : undefined;
    return found.body.content?.split("\n").slice(first, last).join("\n");
  } catch {
    // The call has succeeded, and the session has reported its failure.
    return undefined;
  }
}
