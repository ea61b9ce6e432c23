import { shellWord } from "./shell-word.ts";

/** A store that another process may open. */
export interface InspectedPlace {
  readonly kind: string;
  /** The path of the store, or the URL of its node. */
  readonly at: string;
}

/**
 * Returns the command that shows a session in a browser, for a host in which no page is opened: the page's address has a
 * secret in it, which has no place in a chat.
 */
export function inspectHint(sessionId: string, store: InspectedPlace | undefined): string {
  if (store?.kind === "memory")
    return "The store of this session is in the memory of its process, so no other program can look into it.";
  const place = store === undefined ? [] : ["--store", store.kind, "--at", store.at].map(shellWord);
  const command = ["scm", "inspect", shellWord(sessionId), ...place].join(" ");
  return `To see this session in a browser, run this on the machine that has the store: ${command}`;
}
