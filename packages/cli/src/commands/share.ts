import { sealObject, sharedBody } from "@self-context-manager/objects";
import { type ObjectId, type ObjectStore, StoreError } from "@self-context-manager/core";

import { CliError } from "../cli-errors.ts";
import { type Command, targetNote, targetOptions } from "../command.ts";
import { findTarget } from "../find-target.ts";
import { visible } from "../format/terminal-text.ts";

/** How often the write is tried if an agent changes the object at the same time. */
const attempts = 5;

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
    await share(store, body.id, shares);
    const outcome = shares ? "is shared with all workspaces" : "is not shared";
    await call.print(`object ${visible(body.id)} ${outcome}\n`);
  },
};

async function share(store: ObjectStore, id: ObjectId, shares: boolean): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const stored = await store.get(id);
    if (stored === undefined) throw new CliError(`object ${id} is no longer in the store`);
    const object = sealObject(sharedBody(stored.body, shares));
    try {
      await store.commit([{ object, expect: stored.version }]);
      return;
    } catch (error) {
      if (attempt === attempts || !StoreError.is(error, "VERSION_CONFLICT")) throw error;
    }
  }
}
