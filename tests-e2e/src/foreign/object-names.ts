import type { JsonValue } from "@self-context-manager/objects";

interface Body {
  readonly id: string;
  readonly [field: string]: JsonValue | undefined;
}

/** Returns the absolute path of a file's object; an empty text for any other object. */
export function pathOf(body: Body): string {
  return typeof body["path"] === "string" ? body["path"] : "";
}

/** Returns the host's id of the call that a tool call object records. */
export function callIdOf(body: Body): string {
  return typeof body["provider_id"] === "string" ? body["provider_id"] : body.id;
}
