import { indexFolder } from "@self-context-manager/compose";

import { UsageError } from "../cli-errors.ts";
import type { Command, CommandCall } from "../command.ts";
import { workspaceOf } from "../followed-links.ts";
import { counted } from "../format/amounts.ts";
import { visible } from "../format/terminal-text.ts";
import { stateText } from "../index-state.ts";
import { readNotes, readWords } from "../words-index.ts";

/** The number of files that were not read and are named. */
const mostUnread = 10;

export const indexCommand: Command = {
  name: "index",
  summary: "store the Markdown files of a folder, or read the words and links of the store",
  arguments: "[FOLDER]",
  argumentCount: { least: 0, most: 1 },
  options: {
    words: {
      help: "no folder: read what the store has for find and for links, so that both answer at once",
    },
  },
  notes: `FOLDER is the current folder by default. Each Markdown file becomes an object, as if an agent had read it.
Other files to which notes link become objects without content. Run the command again after changes: a file
with the same size and time is not read, a file that was moved stays the same object, and one that is gone is
marked as missing. Hidden files and folders (.git, .obsidian), node_modules, and files whose names suggest
secrets are left out. The store is created if it does not exist.
Sessions keep the indexes of words and links up to date. --words does it for a store that they have not read,
such as an imported one. It can be interrupted: what was read is kept.`,
  async run(call) {
    if (call.isSet("words")) return await indexWords(call);
    const folder = await workspaceOf(call, call.arguments[0]);
    await using store = await call.openStore({ create: true, patient: true });
    using progress = call.progress("indexing", "file");
    const done = await indexFolder(store, folder, {
      mask: call.mask(),
      progress: (files, all) => progress.come(files / Math.max(1, all), files),
    });
    progress[Symbol.dispose]();
    const { notes, added, changed, moved, missing, named, unread } = done;
    const counts = [
      `${added} new`,
      `${changed} changed`,
      ...(moved > 0 ? [`${moved} moved`] : []),
      ...(missing > 0 ? [`${missing} missing`] : []),
    ];
    await call.print(
      `indexed ${counted(notes, "Markdown file")} of ${visible(folder)}: ${counts.join(", ")}` +
        `${named > 0 ? `; ${counted(named, "linked file")} named without content` : ""}\n`,
    );
    if (notes === 0) call.note(`${visible(folder)} has no Markdown files (.md, .mdx).`);
    for (const { path, reason } of unread.slice(0, mostUnread))
      call.note(visible(`not read: ${pathIn(path, call.folder)}: ${reason}`));
    if (unread.length > mostUnread)
      call.note(`and ${unread.length - mostUnread} more that were not read`);
  },
};

/** Brings the indexes of the store up to date. */
async function indexWords(call: CommandCall): Promise<void> {
  const [folder] = call.arguments;
  if (folder !== undefined) throw new UsageError("give a folder or --words, and only one of them");
  await using store = await call.openStore({ patient: true });
  await using documents = await call.openDocuments(store);
  const links = await readNotes(store, call);
  const words = await readWords(store, documents.search, call);
  await call.print(`links: ${stateText(links)}\nwords: ${stateText(words)}\n`);
  for (const version of words.damaged.slice(0, mostUnread)) call.note(`not read: ${version}`);
  if (words.damaged.length > mostUnread)
    call.note(`and ${words.damaged.length - mostUnread} more that were not read`);
}

function pathIn(path: string, folder: string): string {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}
