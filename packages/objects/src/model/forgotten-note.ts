import { isJsonObject, type JsonObject } from "./json.ts";

/** When and why the user had something forgotten (decision D69). */
export interface ForgottenNote {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly reason: string;
}

/** Returns when and why a version was forgotten, as a whole or in part; undefined if it was not. */
export function forgottenIn(body: JsonObject): ForgottenNote | undefined {
  const note = body["forgotten"];
  return isJsonObject(note) && typeof note["at"] === "string" && typeof note["reason"] === "string"
    ? { at: note["at"], reason: note["reason"] }
    : undefined;
}

/** Returns the end of a sentence about what was forgotten. */
export function forgottenText({ at, reason }: ForgottenNote): string {
  return `was forgotten at ${at}: ${reason}`;
}
