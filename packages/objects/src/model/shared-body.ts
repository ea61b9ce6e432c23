import type { ObjectBody, ObjectMetadata } from "./object-body.ts";

/** Whether the user has shared an object with the sessions of all workspaces (decision D68). */
export function isShared(body: ObjectBody | ObjectMetadata): boolean {
  return body["shared"] === true;
}

/** Returns an object that is shared, or no longer shared. */
export function sharedBody(body: ObjectBody, shares: boolean): ObjectBody {
  const { shared: _earlier, ...rest } = body;
  return shares ? { ...rest, shared: true } : rest;
}
