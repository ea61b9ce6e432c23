import { UsageError } from "../cli-errors.ts";
import { type Command, targetNote, targetOptions } from "../command.ts";
import { findTarget } from "../find-target.ts";
import { visible } from "../format/terminal-text.ts";
import { writeNote } from "../write-note.ts";

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
    const note = await writeNote(store, body.id, call.mask()?.hide(text) ?? text, "user");
    const outcome = note === undefined ? "has no note" : `has the note ${JSON.stringify(note)}`;
    await call.print(`object ${visible(body.id)} ${visible(outcome)}\n`);
  },
};
