import {
  everyItem,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ObjectId,
  type ObjectStore,
} from "@self-context-manager/objects";

/**
 * Returns the ids of what only the given sessions have: the sessions with their chats, views, tool calls and objects of the
 * user, and other objects that no other session has in its pool. Objects with a nickname stay.
 */
export async function sessionObjects(
  store: ObjectStore,
  sessions: readonly ObjectId[],
): Promise<readonly ObjectId[]> {
  const chosen = new Set(sessions);
  const own = new Set<ObjectId>();
  const others = new Set<ObjectId>();
  for await (const { body } of everyItem((page) =>
    store.find({ where: { type: "session" }, limit: 500, ...page }),
  )) {
    const session = await store.get(body.id);
    if (session === undefined) continue;
    const kept = chosen.has(body.id) ? own : others;
    kept.add(body.id);
    for (const id of partsOf(session.body)) kept.add(id);
  }
  const ids = [...own].filter((id) => !others.has(id));
  const latest = await store.describe(ids);
  return ids.filter((id, index) => chosen.has(id) || latest[index]?.body.nickname === undefined);
}

function partsOf(session: JsonObject): readonly ObjectId[] {
  const pool = Array.isArray(session["pool"]) ? (session["pool"] as readonly JsonValue[]) : [];
  return [session["chat_ref"], session["view_ref"], ...pool].flatMap((part) =>
    isJsonObject(part) && typeof part["id"] === "string" ? [part["id"] as ObjectId] : [],
  );
}
