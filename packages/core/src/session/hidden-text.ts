import type { SessionScope } from "../state/session-scope.ts";

/**
 * Returns a text from outside with the marks of the session's mask. Operations call it, so that one that is repeated after a
 * rewrite hides what was forgotten with it.
 */
export function hidden({ dependencies }: SessionScope, text: string): string {
  return dependencies.mask?.hide(text) ?? text;
}
