import type { Connection } from "@self-context-manager/core/host";
import type { JsonObject } from "@self-context-manager/core";

import type { OpenClawMessage } from "./openclaw-messages.ts";

/**
 * Returns the content of the object that a call of `activate` names, or the lines of it. Undefined if it has no text. Never
 * rejects: without the content, the object is shown from the next turn on.
 */
export async function shownContent(
  connection: Connection<OpenClawMessage>,
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
