import { argsDisplay, type PoolEntry } from "@self-context-manager/core/layout";
import { type Block, isText, usualToolFacts } from "@self-context-manager/core";
import {
  defined,
  type DynamicReference,
  type JsonObject,
  type LineRange,
  metadataOf,
  type ObjectBody,
  objectId,
  type ObjectId,
  sealObject,
  type StaticReference,
  staticReference,
  type StoredVersion,
} from "@self-context-manager/objects";

export const workspace = "/work";

/** The paths of a session's files: short, long, outside the workspace, and in other scripts. */
export const fileNames = [
  "/work/a.ts",
  "/work/packages/core/src/session/context-session.ts",
  "/work/docs/2026-02-20 notes on the memory system (draft).md",
  "/home/someone/.config/tool/settings.json",
  "/work/日本語の長いファイル名のドキュメント最終版.md",
  "/work/.git/objects/9f/86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
] as const;

/** The stored versions of all objects, by `handle@version`. */
export type Versions = Map<string, StoredVersion>;

/** Stores the next version of an object. Returns its entry in the pool. */
export function storeVersion(versions: Versions, handle: string, body: ObjectBody): PoolEntry {
  let version = 1;
  while (versions.has(`${handle}@${version}`)) version += 1;
  const sealed = sealObject(body);
  const at = { tx_id: versions.size + 1, tx_time: "2026-02-20T10:00:00.000Z" };
  const stored = { body: sealed.body, hashes: sealed.hashes, version, at };
  versions.set(`${handle}@${version}`, stored);
  return entryOf(handle, stored);
}

export function entryOf(handle: string, stored: StoredVersion): PoolEntry {
  const { id, type } = stored.body;
  return {
    id,
    handle,
    row: { id, handle, ...(type === "idea" ? { loaded: true } : {}) },
    stored: { ...stored, body: metadataOf(stored.body) },
  };
}

/** An object that a program loads as inactive. Its text is in a field that its own metadata view names, too. */
export function ideaBodyOf(handle: string, text: string): ObjectBody {
  return {
    id: objectId(`idea_${handle}`),
    type: "idea",
    locked: false,
    content: text,
    char_count: text.length,
    nickname: `idea ${handle}`,
    provenance: { origin: "program", generator: "human" },
    ...ownView(text),
  };
}

/** Fields of some objects: a metadata view that names a text, and what cannot be shown. */
function ownView(text: string | null): JsonObject {
  return { view: ["status", "content", "about", "no_such_field"], about: text };
}

/** Returns a line without the fields that the object's own metadata view adds. */
export function withoutOwnFields(line: string): string {
  return line.replace(/ about=.*$/u, "");
}

/** A long text or an image of a user message. */
export function userBodyOf(handle: string, part: Block): ObjectBody {
  const text = isText(part) ? part.text : null;
  return {
    id: objectId(`user_${handle}`),
    type: "user",
    locked: false,
    content: text,
    char_count: text?.length ?? 0,
    ...(text === null ? { blocks: [part], media: "image" } : {}),
    provenance: { origin: "user input", generator: "human" },
  };
}

export function fileBodyOf(
  index: number,
  content: string | null,
  generator: "human" | "agent",
): ObjectBody {
  const path = fileNames[index] ?? fileNames[0];
  return {
    id: objectId(`0190aaaa-0000-7000-8000-${String(index + 1).padStart(12, "0")}`),
    type: "file",
    locked: false,
    content,
    path,
    file_type: "text",
    char_count: content?.length ?? 0,
    presence: content === null ? "non_text" : "present",
    ...(content === null ? { size: 9 } : {}),
    ...(index === 1 ? ownView(content) : {}),
    provenance: { origin: path, generator },
  };
}

/** The facts of a tool call that are known when its result is stored. */
export interface ResultFacts {
  readonly id: ObjectId;
  readonly tool: string;
  readonly args: JsonObject;
  readonly failed: boolean;
  readonly content: string | null;
  readonly blocks?: readonly Block[];
  readonly file?: StoredVersion;
  /** Only for a context tool: the objects that it showed, and the lines of them that it asked for. */
  readonly shows?: readonly ObjectId[];
  readonly range?: LineRange | undefined;
}

export function toolcallBody(facts: ResultFacts): ObjectBody {
  const { id, tool, args, failed, content, blocks, file, shows, range } = facts;
  const isContextTool = shows !== undefined;
  const fileRefs: readonly StaticReference[] = file === undefined ? [] : [staticReference(file)];
  const targets: readonly DynamicReference[] = (shows ?? []).map((target) => ({
    ref: "dynamic",
    id: target,
  }));
  return {
    id,
    type: "toolcall",
    locked: false,
    content,
    char_count: content?.length ?? 0,
    tool,
    args,
    args_display: argsDisplay(tool, args),
    ...(isContextTool ? {} : { call_kind: usualToolFacts(tool, args).kind }),
    status: failed ? "fail" : "ok",
    is_error: failed,
    ...defined({ blocks }),
    ...(tool === "grep" ? ownView(content) : {}),
    ...(fileRefs.length === 0 ? {} : { file_refs: fileRefs }),
    ...(isContextTool ? { context_tool: true, report: content ?? "" } : {}),
    ...(targets.length === 0 ? {} : { target_refs: targets }),
    ...defined({ target_range: range }),
    provenance: { origin: "toolcall", generator: "tool" },
  };
}
