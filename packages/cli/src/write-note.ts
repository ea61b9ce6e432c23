import { type NoteAuthor, notedBody, noteOf } from "@self-context-manager/core/host";
import { type ObjectId, type ObjectStore, StoreError } from "@self-context-manager/core";
import { sealObject } from "@self-context-manager/objects";

import { CliError } from "./cli-errors.ts";

/** How often the write is tried if an agent changes the object at the same time. */
const attempts = 5;

/** Writes the note of an object, and returns it; undefined if it was removed. */
export async function writeNote(
  store: ObjectStore,
  id: ObjectId,
  text: string,
  by: NoteAuthor,
): Promise<string | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const stored = await store.get(id);
    if (stored === undefined) throw new CliError(`object ${id} is no longer in the store`);
    const body = notedBody(stored, text, by);
    if (typeof body === "string") throw new CliError(`no note was written: ${body}`);
    try {
      await store.commit([{ object: sealObject(body), expect: stored.version }]);
      return noteOf(body);
    } catch (error) {
      if (attempt === attempts || !StoreError.is(error, "VERSION_CONFLICT")) throw error;
    }
  }
}
