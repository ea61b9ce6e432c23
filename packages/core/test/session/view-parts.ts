import type {
  ObjectBody,
  ObjectId,
  ObjectStore,
  StoredVersion,
} from "@self-context-manager/objects";
import { type Block, isText } from "../../src/chat/message.ts";
import type { Turn } from "../../src/chat/turn.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import type { ViewMessage } from "../../src/view/layout.ts";

/** The parts of a pooled view. */
export interface ViewParts {
  /** The lines of the metadata pool, without its title. */
  readonly pool: readonly string[];
  readonly chat: readonly ViewMessage[];
  /** The blocks of the active contents. */
  readonly active: readonly Block[];
  /** The texts of those blocks, including the line with the sets. */
  readonly activeTexts: readonly string[];
  readonly messages: readonly ViewMessage[];
}

/** Returns the parts of a session's pooled view. */
export async function viewParts(
  session: ContextSession,
  options?: Parameters<ContextSession["nextView"]>[0],
): Promise<ViewParts> {
  const { messages } = await session.nextView(options);
  const chat = [...messages];
  const first = chat[0];
  const hasPool = first !== undefined && textOfMessage(first).startsWith("Known objects:");
  const pool = hasPool ? textOfMessage(first).split("\n").slice(1) : [];
  if (hasPool) chat.shift();
  const last = chat.at(-1);
  const hasActive = last?.role === "user" && /(^|\n)Active: [^\n]*$/u.test(textOfMessage(last));
  const active = hasActive && Array.isArray(last.content) ? (last.content as readonly Block[]) : [];
  if (hasActive) chat.pop();
  return {
    pool,
    chat,
    active,
    activeTexts: active.map((block) => (isText(block) ? block.text : `(${block.type})`)),
    messages,
  };
}

/** Returns the texts of the chat in a session's pooled view, one for each message. */
export async function chatTexts(session: ContextSession): Promise<readonly string[]> {
  return (await viewParts(session)).chat.map(textOfMessage);
}

/** Returns the text of a message of the view. */
export function textOfMessage(message: ViewMessage): string {
  if (message.role === "opaque") return JSON.stringify(message.raw);
  if (typeof message.content === "string") return message.content;
  return message.content.map((block) => (isText(block) ? block.text : "")).join("\n");
}

/** Returns the latest version of an object. Fails if there is none. */
export async function latest(store: ObjectStore, id: string): Promise<StoredVersion> {
  const stored = await store.get(id as ObjectId);
  if (stored === undefined) throw new Error(`there is no object ${id}`);
  return stored;
}

/** Returns the turns of a session's stored chat. */
export async function storedTurns(
  store: ObjectStore,
  session: ContextSession,
): Promise<readonly Turn[]> {
  const { chatId } = await session.status();
  return (await latest(store, chatId)).body["turns"] as readonly Turn[];
}

/** Returns the stored session object. */
export async function storedSession(
  store: ObjectStore,
  session: ContextSession,
): Promise<ObjectBody> {
  const { sessionId } = await session.status();
  return (await latest(store, sessionId)).body;
}

/** Returns the id of a session's system prompt. */
export async function promptId(
  store: ObjectStore,
  session: ContextSession,
  origin: "host" | "own",
): Promise<string> {
  const references = (await storedSession(store, session))["system_prompt_refs"];
  return (references as Readonly<Record<string, { readonly id: string }>>)[origin]?.id ?? "";
}

/** Returns the number of versions in a store, of all objects. */
export async function versionCount(store: ObjectStore): Promise<number> {
  return (await store.changesSince()).versions.length;
}

/** Returns the handles of a session's objects that are in a state. */
export async function handlesIn(
  session: ContextSession,
  ...states: readonly ("active" | "pinned" | "inactive")[]
): Promise<readonly string[]> {
  const { objects } = await session.status();
  return objects.filter(({ state }) => states.includes(state)).map(({ handle }) => handle);
}

/** Returns the id of the session's object with a handle. */
export async function idOf(session: ContextSession, handle: string): Promise<ObjectId> {
  const { objects } = await session.status();
  const found = objects.find((object) => object.handle === handle);
  if (found === undefined) throw new Error(`there is no ${handle}`);
  return found.stored.body.id;
}

/** Returns the latest stored body of the session's object with a handle. */
export async function bodyOf(
  { session, store }: { readonly session: ContextSession; readonly store: ObjectStore },
  handle: string,
): Promise<ObjectBody> {
  return (await latest(store, await idOf(session, handle))).body;
}
