import { type NoteAuthor, notedBody, noteOf } from "@self-context-manager/core/host";
import type { ObjectId, ObjectStore } from "@self-context-manager/core";

import { changeObject } from "./change-object.ts";
import { CliError } from "./cli-errors.ts";

/** Writes the note of an object, and returns it; undefined if it was removed. */
export async function writeNote(
  store: ObjectStore,
  id: ObjectId,
  text: string,
  by: NoteAuthor,
): Promise<string | undefined> {
  const written = await changeObject(store, id, (stored) => {
    const body = notedBody(stored, text, by);
    if (typeof body === "string") throw new CliError(`no note was written: ${body}`);
    return body;
  });
  return noteOf(written);
}
