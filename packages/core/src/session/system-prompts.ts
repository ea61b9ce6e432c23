import { type ObjectBody, sha256, staticReference } from "@self-context-manager/objects";
import { commitSession, type SessionScope } from "../state/session-scope.ts";

/**
 * Records a system prompt as a locked object, to which the session refers. It gets a new version when its text changes
 * (decision D55). It is stored at once, with the session if this is the first. Returns the content of the object.
 */
export async function recordSystemPrompt(
  scope: SessionScope,
  origin: "host" | "own",
  given: string,
): Promise<string> {
  // A store accepts only well-formed text. The encoding of a request replaces lone surrogates in the same way.
  const text = given.toWellFormed();
  const { state, dependencies } = scope;
  const known = state.sent.systemPrompts.get(origin);
  const id = known ?? dependencies.ids.next();
  const [earlier] = known === undefined ? [] : await dependencies.store.describe([known]);
  if (earlier?.hashes.content_hash === sha256(text)) {
    state.sent.notePromptVersion(staticReference(earlier));
    return text;
  }
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
  if (known === undefined) state.sent.setSystemPrompt(origin, id);
  const [stored] = await commitSession(scope, [{ body }]);
  if (stored === undefined) throw new TypeError("the store returned no version of a system prompt");
  state.sent.notePromptVersion(staticReference(stored));
  return stored.body.content ?? "";
}
