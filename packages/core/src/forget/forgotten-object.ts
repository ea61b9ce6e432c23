import {
  type ForgottenNote,
  isJsonObject,
  isReference,
  type JsonObject,
  type JsonValue,
  type ObjectBody,
  type SealedObject,
  sealObject,
  type StoredVersion,
} from "@self-context-manager/objects";

import { forgottenMark } from "./forgotten-mark.ts";

/** Fields that this program reads, in objects: a mark in them would be an error, and they have no text of anybody. */
const programFields: ReadonlySet<string> = new Set([
  "call_kind",
  "content_fields",
  "context_operation",
  "file_type",
  "forgotten",
  "id",
  "layout",
  "media",
  "presence",
  "provider_id",
  "status",
  "tool",
  "type",
  "view",
  "workspace",
]);

/** The same within parts of an object. */
const programNames: ReadonlySet<string> = new Set([
  "api",
  "generator",
  "id",
  "identified_by",
  "is",
  "key",
  "model",
  "name",
  "provider",
  "role",
  "stopReason",
  "toolCallId",
  "toolName",
  "toolcall_ids",
  "type",
]);

/** Fields with data of tools, in which names can be texts of somebody. Other names are this program's own. */
const foreignFields: ReadonlySet<string> = new Set(["args", "arguments", "details"]);

/** How texts are changed, and what is known to have nothing to change. */
export interface TextChange {
  readonly change: (text: string) => string;
  /** Returns another part instead of a part of an object as a whole; undefined to look at its texts. Default: none. */
  readonly replace?: (part: JsonObject) => JsonObject | undefined;
  /** The same as `change`, for the content of an object whose versions are given in order. Default: `change`. */
  readonly changeContent?: (id: string, content: string) => string;
  /** Parts without a change, which the versions of an object share. */
  readonly clean: WeakSet<object>;
}

/**
 * Returns a version whose texts are changed, in the values of its fields, and in the names within data of tools; undefined
 * if none is changed. References stay, and what this program itself reads: ids, rows and names of its own.
 */
export function withTexts(
  { body }: StoredVersion,
  note: ForgottenNote,
  texts: TextChange,
): SealedObject | undefined {
  // A session names objects and has figures, and no text.
  if (body.type === "session") return undefined;
  let isChanged = false;
  const changed: Record<string, JsonValue | undefined> = {};
  for (const [field, value] of Object.entries(body)) {
    const other = changedField(body, field, texts);
    if (other !== value) isChanged = true;
    changed[field] = other;
  }
  if (!isChanged) return undefined;
  const { content, nickname } = body;
  const { content: text } = changed;
  // A mark is no name, and two objects cannot have the same one.
  if (changed["nickname"] !== nickname) delete changed["nickname"];
  if (typeof text === "string" && body["char_count"] === content?.length)
    changed["char_count"] = text.length;
  return sealObject({ ...(changed as ObjectBody), forgotten: { ...note } });
}

function changedField(body: ObjectBody, field: string, texts: TextChange): JsonValue | undefined {
  const value = body[field];
  if (programFields.has(field)) return value;
  if (body.type === "view" && field === "entries") return changedRows(value, texts);
  if (body.type === "view" && field === "memory") return changedMemory(body, texts);
  if (field === "content" && typeof value === "string" && texts.changeContent !== undefined)
    return texts.changeContent(body.id, value);
  return changeTexts(value, texts, foreignFields.has(field));
}

/** The rows of a view are places and figures, except those of notices and of messages that others have added. */
function changedRows(value: JsonValue | undefined, texts: TextChange): JsonValue | undefined {
  if (!Array.isArray(value)) return value;
  const rows = value as readonly JsonValue[];
  const changed = rows.map((row) => (hasText(row) ? (changeTexts(row, texts, false) ?? row) : row));
  return changed.some((row, index) => row !== rows[index]) ? changed : value;
}

function hasText(row: JsonValue): boolean {
  if (isJsonObject(row)) return row["is"] === "added" || row["is"] === "notice";
  return typeof row === "string" && row.startsWith("n ");
}

/** The memory of the pooled layout has contents; that of the layout with epochs has places and figures. */
function changedMemory(body: ObjectBody, texts: TextChange): JsonValue | undefined {
  const { memory } = body;
  if (body["layout"] === "epoch" || !isJsonObject(memory)) return memory;
  const { call, ...contents } = memory;
  const changed = changeTexts(contents, texts, false);
  return changed === contents || !isJsonObject(changed) ? memory : { ...changed, call };
}

function changeTexts(
  value: JsonValue | undefined,
  texts: TextChange,
  isForeign: boolean,
): JsonValue | undefined {
  if (typeof value === "string") return texts.change(value);
  if (typeof value !== "object" || value === null || texts.clean.has(value)) return value;
  if (isReference(value)) return value;
  const result = Array.isArray(value)
    ? changeItems(value as readonly JsonValue[], texts, isForeign)
    : changeFields(value as JsonObject, texts, isForeign);
  if (result === value && Object.isFrozen(value)) texts.clean.add(value);
  return result;
}

function changeItems(list: readonly JsonValue[], texts: TextChange, isForeign: boolean): JsonValue {
  const items = list.map((item) => changeTexts(item, texts, isForeign) ?? null);
  return items.some((item, index) => item !== list[index]) ? items : list;
}

function changeFields(object: JsonObject, texts: TextChange, isForeign: boolean): JsonValue {
  const replaced = texts.replace?.(object);
  if (replaced !== undefined) return replaced;
  let isChanged = false;
  const names = new Set<string>();
  const fields = Object.entries(object).map(([field, item]) => {
    if (!isForeign && programNames.has(field)) return [field, item] as const;
    const name = isForeign ? unusedName(texts.change(field), names) : field;
    names.add(name);
    const other = changeTexts(item, texts, isForeign || foreignFields.has(field));
    if (name !== field || other !== item) isChanged = true;
    return [name, other] as const;
  });
  return isChanged ? Object.fromEntries(fields) : object;
}

/** Two names with one mark stay two names. */
function unusedName(name: string, used: ReadonlySet<string>): string {
  let unused = name;
  for (let count = 2; used.has(unused); count += 1) unused = `${name} (${count})`;
  return unused;
}

/** The fields of a tombstone besides those of every object: they say what it was, and have no text of it. */
const keptFields: Readonly<Record<string, readonly string[]>> = {
  toolcall: ["tool", "call_kind", "status", "is_error", "chat_ref", "provider_id", "timestamp"],
  user: ["chat_ref", "turn", "block", "media"],
  file: ["file_type"],
};

/** Types of which a session consists. Their tombstones have another type, because programs read their fields. */
const sessionTypes: ReadonlySet<string> = new Set(["session", "chat", "view"]);

/** Whether a version was forgotten as a whole. */
export function isTombstone({ body }: { readonly body: JsonObject }): boolean {
  const { provenance } = body;
  return isJsonObject(provenance) && provenance["origin"] === forgottenOrigin;
}

const forgottenOrigin = "forgotten";

/** Returns the tombstone of a version: its place, when and why it was forgotten, and no text. */
export function tombstoneOf({ body }: StoredVersion, note: ForgottenNote): SealedObject {
  const { id, type } = body;
  const mark = forgottenMark(note);
  const kept = (keptFields[type] ?? []).flatMap((field) =>
    body[field] === undefined ? [] : [[field, body[field]] as const],
  );
  const ofType: JsonObject =
    type === "toolcall"
      ? {
          args: {},
          args_display: `${typeof body["tool"] === "string" ? body["tool"] : type}: ${mark}`,
        }
      : type === "file"
        ? { path: null, presence: "present" }
        : {};
  return sealObject({
    id,
    type: sessionTypes.has(type) ? "forgotten" : type,
    locked: false,
    content: mark,
    ...Object.fromEntries(kept),
    ...ofType,
    char_count: mark.length,
    forgotten: { ...note },
    provenance: { origin: forgottenOrigin, generator: "human" },
  });
}
