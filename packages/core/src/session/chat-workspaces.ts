import { isReference, type ObjectId, type StoredMetadata } from "@self-context-manager/objects";
import type { SessionScope } from "../state/session-scope.ts";

/**
 * Returns the workspace of each chat by the chat's id, as the views of its session record it. A chat without a call of the
 * model has none.
 */
export async function workspacesOf(
  { dependencies: { store } }: SessionScope,
  chats: readonly StoredMetadata[],
): Promise<ReadonlyMap<ObjectId, string>> {
  const sessions = await followed(store, chats, "session_ref");
  const views = await followed(store, [...sessions.values()], "view_ref");
  const found = new Map<ObjectId, string>();
  for (const { body } of chats) {
    const session = sessions.get(body.id);
    const workspace = session && views.get(session.body.id)?.body["workspace"];
    if (typeof workspace === "string") found.set(body.id, workspace);
  }
  return found;
}

/** Returns the objects to which a field of some objects refers, by the ids of these. */
async function followed(
  store: SessionScope["dependencies"]["store"],
  from: readonly StoredMetadata[],
  field: string,
): Promise<ReadonlyMap<ObjectId, StoredMetadata>> {
  const pairs = from.flatMap(({ body }) => {
    const reference = body[field];
    return isReference(reference) ? [[body.id, reference.id] as const] : [];
  });
  const stored = await store.describe(pairs.map(([, id]) => id));
  return new Map(
    pairs.flatMap(([id], index) => {
      const one = stored[index];
      return one === undefined ? [] : [[id, one] as const];
    }),
  );
}
