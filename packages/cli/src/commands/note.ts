import { notedBody, noteOf } from "@self-context-manager/core/host";
import { type ObjectId, type ObjectStore, StoreError } from "@self-context-manager/core";
import { sealObject } from "@self-context-manager/objects";

import { CliError, UsageError } from "../cli-errors.ts";
import { type Command, targetNote, targetOptions } from "../command.ts";
import { findTarget } from "../find-target.ts";
import { visible } from "../format/object-name.ts";

/** How often the write is tried if an agent changes the object at the same time. */
const attempts = 5;

export const noteCommand: Command = {
  name: "note",
  summary: "write, replace or remove the note of an object",
  arguments: "TARGET [TEXT...]",
  argumentCount: { least: 1, most: 200 },
  options: {
    remove: { help: "remove the note; without TEXT" },
    ...targetOptions,
  },
  notes: `${targetNote}\nA note is one line of at most 60 tokens that stays with the object. The model sees it in the lines of the
object, and searches find its words.`,
  async run(call) {
    const [target = "", ...words] = call.arguments;
    const text = words.join(" ").trim();
    const isRemoval = call.isSet("remove");
    if (isRemoval === (text !== ""))
      throw new UsageError(isRemoval ? "--remove takes no TEXT" : "give a TEXT, or --remove");
    await using store = await call.openStore();
    const { body } = await findTarget(store, call, target);
    const note = await write(store, body.id, text);
    const outcome = note === undefined ? "has no note" : `has the note ${JSON.stringify(note)}`;
    await call.print(`object ${visible(body.id)} ${visible(outcome)}\n`);
  },
};

/** Writes the note of an object, and returns it; undefined if it was removed. */
async function write(store: ObjectStore, id: ObjectId, text: string): Promise<string | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const stored = await store.get(id);
    if (stored === undefined) throw new CliError(`object ${id} is no longer in the store`);
    const body = notedBody(stored, text, "user");
    if (typeof body === "string") throw new CliError(`no note was written: ${body}`);
    try {
      await store.commit([{ object: sealObject(body), expect: stored.version }]);
      return noteOf(body);
    } catch (error) {
      if (attempt === attempts || !StoreError.is(error, "VERSION_CONFLICT")) throw error;
    }
  }
}
