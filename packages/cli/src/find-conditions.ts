import type { ObjectId, ObjectStore, StoredMetadata } from "@self-context-manager/core";
import {
  backlinksWithRelation,
  isDocument,
  type LinkParts,
  linksWithRelation,
  readRelation,
  tagKey,
} from "@self-context-manager/links";
import { composed, isJsonObject, objectId, presenceOf } from "@self-context-manager/objects";

import type { CommandCall } from "./command.ts";
import { findLinked } from "./followed-links.ts";
import { findSession, sessionPool } from "./session-pool.ts";

/** The objects that meet the conditions of tag, relation and session; undefined if there are none of these. */
export async function allowedIds(
  call: CommandCall,
  parts: LinkParts,
): Promise<ReadonlySet<ObjectId> | undefined> {
  const { store, parser } = parts;
  const tag = call.text("tag");
  const relation = call.text("relation");
  const session = call.text("session");
  const sets: ReadonlySet<ObjectId>[] = [];
  if (tag !== undefined) sets.push(new Set(await store.documents.tagged(parser.name, tagKey(tag))));
  if (relation !== undefined) sets.push(await related(call, parts, relation));
  if (session !== undefined) sets.push(await ofSession(store, call, session));
  const [first, ...others] = sets;
  if (first === undefined) return undefined;
  return new Set([...first].filter((id) => others.every((set) => set.has(id))));
}

/** The notes with a link of a relation, or with one of it to an object: `part_of`, `part_of:name`. */
async function related(
  call: CommandCall,
  parts: LinkParts,
  given: string,
): Promise<ReadonlySet<ObjectId>> {
  const { relation, name } = readRelation(given);
  const links =
    name === undefined
      ? await linksWithRelation(relation, parts)
      : await backlinksWithRelation((await findLinked(parts, call, name)).body.id, relation, parts);
  return new Set(links.map(({ from }) => from.id));
}

/** The objects of a session: those that it knows, its chat and the tool calls of it. */
async function ofSession(
  store: ObjectStore,
  call: CommandCall,
  given: string,
): Promise<ReadonlySet<ObjectId>> {
  const session = await findSession(store, call, given);
  const pool = await sessionPool(store, session);
  const chat = chatOf(session);
  return new Set([
    ...pool.map(({ stored }) => stored.body.id),
    ...(chat === undefined ? [] : [chat]),
  ]);
}

function chatOf({ body }: StoredMetadata): ObjectId | undefined {
  const chat = body["chat_ref"];
  return isJsonObject(chat) && typeof chat["id"] === "string" ? objectId(chat["id"]) : undefined;
}

/** Whether an object meets the conditions of type and path. A path inside the workspace counts from there. */
export function fitsOptions(
  call: CommandCall,
  { body }: StoredMetadata,
  workspace: string,
): boolean {
  const type = call.text("type");
  const part = call.text("path");
  // A Markdown file is a note, too.
  const isType = body.type === type || (type === "note" && isDocument(body));
  if (type !== undefined && !isType) return false;
  if (part === undefined) return true;
  const isMissing = presenceOf(body) === "missing";
  const path = body["path"] ?? (isMissing ? body.provenance.origin : undefined);
  if (typeof path !== "string") return false;
  const name = path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;
  return composed(name).toLowerCase().includes(composed(part).toLowerCase());
}
