import { restoreStore } from "@self-context-manager/compose";

import { resolve } from "node:path";

import { type Command, jsonOption } from "../command.ts";
import { counted } from "../format/amounts.ts";
import { jsonText } from "../format/json.ts";
import { visible } from "../format/terminal-text.ts";

export const restoreCommand: Command = {
  name: "restore",
  summary: "make the store from a file that scm backup wrote",
  arguments: "FILE",
  argumentCount: { least: 1, most: 1 },
  options: {
    force: { help: "move a store that is at the place aside, and print its new name" },
    ...jsonOption,
  },
  notes: `FILE is checked first: the database, and the hashes of every version of a SQLite store. The store is
made at --at or $SCM_STORE. Without --force, nothing may be there. A store that a process has open is
never replaced. With --force, the former store and its log stay beside it under a name with the time.`,
  async run(call) {
    const place = await call.namedPlace({ create: true });
    const file = resolve(call.folder, call.arguments[0] ?? "");
    const report = await restoreStore(place, file, { replaces: call.isSet("force") });
    if (call.isSet("json")) {
      const { movedTo, ...content } = report;
      await call.print(jsonText({ at: place.at, ...content, moved_to: movedTo ?? null }));
      return;
    }
    const { versions, objects = 0, movedTo } = report;
    const what =
      versions === undefined
        ? ""
        : `: ${counted(versions, "version")} of ${counted(objects, "object")}`;
    await call.print(`restored ${visible(place.at)} from ${visible(file)}${what}\n`);
    if (movedTo !== undefined) call.note(`the former store is ${visible(movedTo)}`);
  },
};
