import { hashFields } from "./hash-fields.ts";
import type { JsonValue } from "./json.ts";
import { bulkFields, type ObjectBody, type ObjectMetadata } from "./object-body.ts";

const fileView = ["id", "type", "path", "file_type", "char_count", "nickname"] as const;

/** The fields of the metadata view by object type, in the order in which they are hashed. */
const viewsByType: Readonly<Record<string, readonly string[]>> = {
  file: fileView,
  note: fileView,
  toolcall: ["id", "type", "tool", "args_display", "status"],
  chat: ["id", "type", "session_ref", "turn_count"],
  session: ["id", "type", "harness", "session_id"],
  system_prompt: ["id", "type", "nickname", "char_count"],
};

const otherView = ["id", "type", "nickname"] as const;

/**
 * Returns the fields that an object's own `view` names, each once; undefined without a `view`. Names of fields that the
 * object does not have are ignored. So are bulk fields, because the metadata of an object does not contain them, and the
 * fields of its hashes. What is returned is hashed and shown.
 */
export function ownViewFields(body: ObjectBody | ObjectMetadata): readonly string[] | undefined {
  if (body.view === undefined) return undefined;
  const hashes = new Set(hashFields(body));
  const isShown = (field: string): boolean =>
    Object.hasOwn(body, field) && body[field] !== undefined;
  return [...new Set(body.view)].filter(
    (field) => isShown(field) && !bulkFields.has(field) && !hashes.has(field),
  );
}

/** Returns the names of the fields in the metadata view of an object: those of its own `view`, else those of its type. */
export function viewFields(body: ObjectBody | ObjectMetadata): readonly string[] {
  return ownViewFields(body) ?? typeFields(body);
}

/** Returns the values of an object's metadata view in order; null for an absent field. */
export function viewValues(body: ObjectBody | ObjectMetadata): readonly JsonValue[] {
  return viewFields(body).map((field) => body[field] ?? null);
}

function typeFields({ type }: ObjectBody | ObjectMetadata): readonly string[] {
  return Object.hasOwn(viewsByType, type) ? (viewsByType[type] ?? otherView) : otherView;
}
