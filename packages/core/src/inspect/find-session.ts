import type { ObjectId, ObjectStore, StoredMetadata } from "@self-context-manager/objects";
import type { HostSession } from "../host/host-session.ts";

/** Finds a session by its id or its host's id; undefined if there is none. */
export async function sessionOf(
  store: ObjectStore,
  session: ObjectId | HostSession,
): Promise<StoredMetadata | undefined> {
  if (typeof session === "string") {
    const [found] = await store.describe([session]);
    return found?.body.type === "session" ? found : undefined;
  }
  const where = { type: "session", harness: session.harness, session_id: session.sessionId };
  return (await store.find({ where, limit: 1 })).items[0];
}
