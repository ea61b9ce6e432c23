import { forgottenVersions } from "@self-context-manager/core/forget";
import { importObjects, verifyImport } from "@self-context-manager/objects";
import { resolve } from "node:path";

import type { Command, CommandCall } from "../command.ts";
import { type ExportFile, openExportFile } from "../export-file.ts";
import { counted } from "../format/amounts.ts";
import { objectName } from "../format/object-name.ts";
import { visible } from "../format/terminal-text.ts";

export const importCommand: Command = {
  name: "import",
  summary:
    "import a file that scm export wrote; versions that are already in the store are skipped",
  arguments: "FILE",
  argumentCount: { least: 1, most: 1 },
  options: {
    merge: { help: "also add versions to objects that the store already has" },
    verify: { help: "read each version back afterwards and compare it with FILE" },
  },
  notes: `With - instead of FILE, the export is read from standard input and kept in a temporary file meanwhile.
The whole file is checked before anything is written: every hash, the limits, and all that contradicts
the store. A file that would add versions to objects of the store is refused without --merge. If the
import was interrupted while it wrote, import the file again with --merge. The store is created if it
does not exist. What was forgotten in the store (scm forget) stays forgotten. With --store memory nothing is
stored, so the command only checks FILE.`,
  async run(call) {
    const [given = "-"] = call.arguments;
    const path = given === "-" ? undefined : resolve(call.folder, given);
    await using file = await openExportFile(path, call.stdin);
    await using store = await call.openStore({ create: true, patient: true });
    const change = forgottenVersions(await store.privacy());
    const { read, added, objects, lost, forgotten } = await importFile(call, store, file, change);
    const known = read - added;
    for (const { id, version } of lost)
      call.note(`version ${version} of object ${visible(id)} was lost before the export`);
    if (forgotten.length > 0)
      call.note(
        `${counted(forgotten.length, "version")} stay as they are: they were forgotten here`,
      );
    await call.print(
      `imported ${counted(added, "version")} into ${visible(call.storePlace())}; ${known} ${known === 1 ? "was" : "were"} already in the store; ` +
        `${counted(objects, "object")} in total\n`,
    );
    if (!call.isSet("verify")) return;
    using checked = call.progress("verifying");
    const verified = await verifyImport(store, file.lines(), {
      change,
      progress: (versions) => checked.come(file.share(), versions),
    });
    checked[Symbol.dispose]();
    await call.print(
      `verified ${counted(verified.versions, "version")} of ${counted(verified.objects, "object")}: ` +
        "all hashes match\n",
    );
  },
};

async function importFile(
  call: CommandCall,
  store: Parameters<typeof importObjects>[0],
  file: ExportFile,
  change: ReturnType<typeof forgottenVersions>,
): ReturnType<typeof importObjects> {
  using checked = call.progress("checking");
  using progress = call.progress("importing");
  let written = 0;
  try {
    const report = await importObjects(store, () => file.lines(), {
      change,
      merge: call.isSet("merge"),
      nameOf: (body) => objectName(body, call.folder),
      checking: (versions) => checked.come(file.share(), versions),
      progress: (done) => {
        checked[Symbol.dispose]();
        written = done.added;
        progress.come(file.share(), done.read);
      },
    });
    progress[Symbol.dispose]();
    return report;
  } catch (error) {
    if (written > 0)
      call.note(
        `${counted(written, "version")} of the file were stored; import it again with --merge to complete it`,
      );
    throw error;
  }
}
