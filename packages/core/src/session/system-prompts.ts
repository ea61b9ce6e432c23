import type { ObjectBody } from "../objects/object-body.ts";
import { commitSession, type SessionScope } from "./session-scope.ts";

/**
 * Records a system prompt as an object: locked, linked from the session, a new version when its text changes (fixes §1,
 * decision D55). Stored at once, together with the session where this is the first.
 */
export async function recordSystemPrompt(
  scope: SessionScope,
  origin: "host" | "own",
  text: string,
): Promise<void> {
  const { state, dependencies } = scope;
  const known = state.systemPrompts.get(origin);
  const id = known ?? dependencies.ids.next();
  const [earlier] = known === undefined ? [] : await dependencies.store.describe([known]);
  const body: ObjectBody = {
    ...earlier?.body,
    id,
    type: "system_prompt",
    locked: true,
    content: text,
    char_count: text.length,
    provenance: {
      origin: origin === "host" ? state.harness : "self-context-manager",
      generator: "system",
    },
  };
  if (known === undefined) {
    state.systemPrompts.set(origin, id);
    state.changed = true;
  }
  await commitSession(scope, [{ body }]);
}
