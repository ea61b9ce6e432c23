import { oneLine } from "@self-context-manager/objects";
import { shortName } from "../render/short-name.ts";
import type { ListedObject } from "../session/context-session.ts";

/**
 * Returns the objects that a user is shown, those in view first and then the newest. Calls of the context tools, and reads
 * whose text is that of the file, are left out: each only reports what it did to another object. The user can still name
 * them by their handles.
 */
export function listedObjects(objects: readonly ListedObject[]): readonly ListedObject[] {
  return objects
    .filter(({ stored }) => stored.body["context_tool"] !== true)
    .toReversed()
    .toSorted((left, right) => rank(left) - rank(right));
}

/** Whether the object can be in the next view. */
export function isActive({ state }: ListedObject): boolean {
  return state !== "inactive";
}

/** Returns the name of an object for the user, with its nickname. */
export function listedName({ stored: { body } }: ListedObject, workspace: string): string {
  const nickname = body.nickname === undefined ? "" : ` (${oneLine(body.nickname)})`;
  return `${shortName(workspace, body)}${nickname}`;
}

function rank({ state, isInView }: ListedObject): number {
  if (state === "pinned") return 0;
  if (state === "active") return 1;
  return isInView ? 2 : 3;
}
