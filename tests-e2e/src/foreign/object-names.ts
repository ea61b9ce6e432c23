import type { ListedObject } from "@self-context-manager/core";
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

/** The handles that objects have had. In a new store an object gets another handle, and calls still name the first one. */
export interface EveryHandle {
  note(objects: readonly ListedObject[]): void;
  of(body: Body): ReadonlySet<string>;
}

export function everyHandle(): EveryHandle {
  const handles = new Map<string, Set<string>>();
  const ofBody = (body: Body): Set<string> => handles.get(nameOf(body)) ?? new Set();
  return {
    note(objects) {
      for (const { handle, stored } of objects)
        handles.set(nameOf(stored.body), ofBody(stored.body).add(handle));
    },
    of: ofBody,
  };
}

function nameOf(body: Body): string {
  const path = pathOf(body);
  return path === "" ? `call ${callIdOf(body)}` : `file ${path}`;
}
