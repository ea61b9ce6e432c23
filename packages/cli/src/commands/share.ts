import { sharedBody } from "@self-context-manager/objects";

import { changeObject } from "../change-object.ts";
import { CliError } from "../cli-errors.ts";
import { type Command, targetNote, targetOptions } from "../command.ts";
import { findTarget } from "../find-target.ts";
import { visible } from "../format/terminal-text.ts";

export const shareCommand: Command = {
  name: "share",
  summary: "share an object with the agents of all workspaces, or end that",
  arguments: "TARGET",
  argumentCount: { least: 1, most: 1 },
  options: {
    remove: { help: "share it no longer" },
    ...targetOptions,
  },
  notes: `${targetNote}\nAn agent finds and names what was made or seen in its workspace, and what is shared. A Markdown note is shared by
the tag "shared" in its front matter, too.`,
  async run(call) {
    const [target = ""] = call.arguments;
    const shares = !call.isSet("remove");
    await using store = await call.openStore();
    const { body } = await findTarget(store, call, target);
    if (body.locked)
      throw new CliError(`a ${body.type} is a record of one session, and cannot be shared`);
    await changeObject(store, body.id, (stored) => sharedBody(stored.body, shares));
    const outcome = shares ? "is shared with all workspaces" : "is not shared";
    await call.print(`object ${visible(body.id)} ${outcome}\n`);
  },
};
