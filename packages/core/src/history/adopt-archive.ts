import {
  isReference,
  metadataVersion,
  type ObjectId,
  type StoredVersion,
} from "@self-context-manager/objects";
import { chatState, type Compaction, upTo } from "../chat/chat-body.ts";
import { positionBefore, type Turn } from "../chat/turn.ts";
import { archivedChat } from "../lines/notices.ts";
import { joinPool, type SessionScope } from "../state/session-scope.ts";
import { namesIn } from "./branch-point.ts";
import type { KnownToolcalls } from "./toolcall-ids.ts";

/**
 * Gives a fork the archive of the session whose calls it shares, if its list begins with all archived turns. Returns whether
 * it has one. Of several archives it gets the latest that fits. A fork without a shared call is not recognised.
 */
export async function adoptArchive(scope: SessionScope, known: KnownToolcalls): Promise<boolean> {
  const { state } = scope;
  const reference = [...known.values()].at(-1)?.body["chat_ref"];
  if (!isReference(reference)) return false;
  const archive = await fittingArchive(scope, reference.id);
  if (archive === undefined) return false;
  const keys = archive.messages.flatMap(({ key }) => (key === undefined ? [] : [key as ObjectId]));
  const chats = await scope.dependencies.store.getMany(keys);
  if (chats.includes(undefined)) return false;
  const messages = chats.flatMap((chat) => (chat === undefined ? [] : [lineFor(scope, chat)]));
  state.chat.archive({ messages, from: archive.from });
  return true;
}

/** Returns the latest archive of a chat whose turns the session has at its beginning. */
async function fittingArchive(
  { state, dependencies: { store } }: SessionScope,
  id: ObjectId,
): Promise<Compaction | undefined> {
  const own = namesIn(state.chat.turns);
  const tried = new Set<string>();
  for (const { body, version } of (await store.history(id)).toReversed()) {
    const name = (body["archive"] as Compaction | undefined)?.messages.at(-1)?.key;
    if (name === undefined || tried.has(name)) continue;
    tried.add(name);
    const stored = await store.get(id, { version });
    const chat = stored && chatState(stored.body, state.hostSessionId);
    const archive = chat?.archive;
    if (chat === undefined || archive === undefined) continue;
    const names = namesIn(upTo(chat.turns, positionBefore(archive.from)));
    if (names.every((one, index) => one === own[index])) return archive;
  }
  return undefined;
}

function lineFor(scope: SessionScope, stored: StoredVersion): Compaction["messages"][number] {
  const { handle } = joinPool(scope.state, metadataVersion(stored));
  const { length } = stored.body["turns"] as readonly Turn[];
  const content = archivedChat.write(handle, length, handle);
  return { message: { role: "user", content }, key: stored.body.id };
}
