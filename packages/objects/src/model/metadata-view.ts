import type { JsonValue } from "./json.ts";
import type { ObjectBody, ObjectMetadata } from "./object-body.ts";

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
 * Returns the names of the fields in the metadata view of an object: the known names of its own `view` if it has one,
 * else the fields of its type.
 */
export function viewFields(body: ObjectBody | ObjectMetadata): readonly string[] {
  if (body.view !== undefined) return body.view.filter((field) => Object.hasOwn(body, field));
  return Object.hasOwn(viewsByType, body.type) ? (viewsByType[body.type] ?? otherView) : otherView;
}

/** Returns the values of an object's metadata view in order; null for an absent field. */
export function viewValues(body: ObjectBody | ObjectMetadata): readonly JsonValue[] {
  return viewFields(body).map((field) => body[field] ?? null);
}
