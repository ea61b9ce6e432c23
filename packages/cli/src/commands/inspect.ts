import {
  everyLayout,
  markdownParser,
  openDocuments,
  type OpenedDocuments,
  openStore,
  systemClock,
} from "@self-context-manager/compose";
import type { ObjectStore } from "@self-context-manager/core";
import {
  type InspectedStore,
  openInspector,
  type PageFiles,
  PageMissingError,
  redactedMark,
  snapshotTitle,
  writeSnapshot,
} from "@self-context-manager/inspector";
import { defined, importObjects, messageOf, StoreError } from "@self-context-manager/objects";
import { createReadStream } from "node:fs";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

import { CliError, UsageError } from "../cli-errors.ts";
import type { Command, CommandCall } from "../command.ts";
import { counted, shortCount } from "../format/amounts.ts";
import { visible } from "../format/terminal-text.ts";
import { readLines } from "../read-lines.ts";
import { findSession } from "../session-pool.ts";
import { sessionNote } from "../session-views.ts";

export const inspectCommand: Command = {
  name: "inspect",
  summary:
    "show in a browser what filled the window in each call, what was cached and what it cost",
  arguments: "[SESSION]",
  argumentCount: { least: 0, most: 1 },
  options: {
    out: {
      value: "FILE",
      help: "write the session into one HTML file instead, which needs no server",
    },
    redact: {
      help: "with --out: without any text; sizes, costs and the names of files and tools stay",
    },
    force: {
      help: "with --out: also replace a FILE that is no snapshot, or one without texts by one with texts",
    },
    export: { value: "FILE", help: "inspect a file that scm export wrote, instead of a store" },
  },
  notes: `${sessionNote}
Without SESSION, the page begins with the list of sessions. The command prints an address for the browser of this machine and runs until Ctrl-C. The address contains
a secret: who has it can read the store while the command runs. Nothing in the store is changed, and the
page follows agents that work at the same time.
The file of --out contains everything that the model saw in the session. With --redact, no text is in it,
so it can be sent to somebody who must not read the contents.`,
  async run(call) {
    const [given] = call.arguments;
    const out = call.text("out");
    if (out === undefined && (call.isSet("redact") || call.isSet("force")))
      throw new UsageError("--redact and --force need --out FILE");
    if (out !== undefined && given === undefined)
      throw new UsageError("--out needs a SESSION; latest is the newest one");
    await using opened = await openInspected(call);
    const { inspected } = opened;
    try {
      if (out === undefined) await serve(inspected, call, given);
      else
        await writeFile(inspected, call, { given: given ?? "", path: resolve(call.folder, out) });
    } catch (error) {
      if (error instanceof PageMissingError) throw new CliError(error.message, { cause: error });
      throw error;
    }
  },
};

interface Opened extends AsyncDisposable {
  readonly inspected: InspectedStore;
}

/** Opens the store, or an export in memory, with its search index. */
async function openInspected(call: CommandCall): Promise<Opened> {
  const exported = call.text("export");
  const store =
    exported === undefined ? await call.openStore() : await importedStore(call, exported);
  try {
    const documents = await documentsOf(
      call,
      async () => await (exported === undefined ? call.openDocuments(store) : openDocuments(store)),
    );
    return {
      inspected: {
        store,
        layouts: everyLayout(),
        place: exported === undefined ? call.storePlace() : resolve(call.folder, exported),
        kind: exported === undefined ? store.name : "export",
        parser: markdownParser,
        ...(documents === undefined ? {} : { search: documents.search }),
      },
      [Symbol.asyncDispose]: async () => {
        // The store is closed even if the index cannot be.
        await using _ = store;
        await documents?.[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}

async function importedStore(call: CommandCall, given: string): Promise<ObjectStore> {
  for (const option of ["at", "store"])
    if (call.text(option) !== undefined)
      throw new UsageError(`--export names what is inspected, so --${option} has no meaning`);
  const path = resolve(call.folder, given);
  const file = await stat(path).catch(() => undefined);
  if (file?.isFile() !== true)
    throw new CliError(`there is no file ${visible(path)}; give a file that scm export wrote`);
  const store = await openStore({ store: "memory", at: "", clock: systemClock });
  using progress = call.progress("reading the export");
  await importObjects(store, () => readLines(createReadStream(path)), {
    progress: ({ read }) => progress.come(undefined, read),
  });
  return store;
}

/** Opens the search index. Without one, which can be beside a store that cannot be written, the rest works. */
async function documentsOf(
  call: CommandCall,
  openIndex: () => Promise<OpenedDocuments>,
): Promise<OpenedDocuments | undefined> {
  try {
    return await openIndex();
  } catch (error) {
    if (!StoreError.is(error)) throw error;
    call.note(`The search does not work: ${error.message}.`);
    return undefined;
  }
}

async function serve(
  inspected: InspectedStore,
  call: CommandCall,
  given: string | undefined,
): Promise<void> {
  const at =
    given === undefined
      ? ""
      : `sessions/${encodeURIComponent((await findSession(inspected.store, call, given)).body.id)}`;
  await using inspector = await openInspector({ ...inspected, ...pageOf(call), at });
  const ended = call.interruption();
  await call.print(`${inspector.url}\n`);
  call.note(
    `Open this address in a browser of this machine. It shows ${visible(inspected.place)} and only reads; Ctrl-C ends it.`,
  );
  await ended;
}

function pageOf({ page }: CommandCall): { readonly files?: PageFiles } {
  return defined({ files: page });
}

/** Writes a snapshot. It has its place only once it is whole, so an interrupted command leaves nothing behind. */
async function writeFile(
  inspected: InspectedStore,
  call: CommandCall,
  { given, path }: { readonly given: string; readonly path: string },
): Promise<void> {
  const session = await findSession(inspected.store, call, given);
  const redact = call.isSet("redact");
  if (!call.isSet("force")) await checkPlace(path, redact);
  else await checkFile(path);
  const made = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  using progress = call.progress("writing", "call");
  let calls = 0;
  let size = 0;
  let damaged = 0;
  try {
    // The contents can be secret, so only the user can read the file.
    await using file = await openNew(made);
    for await (const piece of writeSnapshot({
      ...inspected,
      ...pageOf(call),
      session: session.body.id,
      at: new Date().toISOString(),
      redact,
      progress: (done, all) => {
        calls = all;
        progress.come(all === 0 ? 1 : done / all, done);
      },
      damaged: () => {
        damaged += 1;
      },
    })) {
      await file.appendFile(piece);
      size += Buffer.byteLength(piece);
    }
    await file.sync();
    await file.close();
    await rename(made, path);
  } catch (error) {
    await rm(made, { force: true });
    throw error;
  }
  progress[Symbol.dispose]();
  const contents = redact
    ? "no text is in it; sizes, costs, times and the names of files and tools are"
    : "everything that the model saw is in it; --redact writes one without texts";
  await call.print(
    `wrote ${visible(path)} (${shortCount(size)}B, ${counted(calls, "call")}): ${contents}\n`,
  );
  if (damaged > 0)
    call.note(
      `${damaged} of ${counted(calls, "call")} ${damaged === 1 ? "is" : "are"} damaged: the messages may differ from what was sent. The page names them; \`scm view ${visible(given)} --verify\` lists their problems.`,
    );
}

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, "wx", 0o600);
  } catch (cause) {
    throw new CliError(`the snapshot cannot be written (${messageOf(cause)}); give another FILE`, {
      cause,
    });
  }
}

/** Characters at the beginning of a file by which a snapshot is recognised. */
const beginning = 4_096;

/** Refuses a place that is there and is no file. Returns whether a file is there. */
async function checkFile(path: string): Promise<boolean> {
  const known = await stat(path).catch(() => undefined);
  if (known?.isFile() === false)
    throw new CliError(`${visible(path)} is no file; give the path of a file as FILE`);
  return known !== undefined;
}

/** Refuses to replace a file that is no snapshot, and one without texts by one with texts. */
async function checkPlace(path: string, redact: boolean): Promise<void> {
  if (!(await checkFile(path))) return;
  const start = await startOf(path);
  if (!start.includes(snapshotTitle))
    throw new CliError(
      `${visible(path)} exists and is no snapshot; give another FILE, or --force to replace it`,
    );
  if (start.includes(redactedMark) && !redact)
    throw new CliError(
      `${visible(path)} is a snapshot without texts, and the new one would contain everything that the model saw; give another FILE, --redact, or --force to replace it`,
    );
}

async function startOf(path: string): Promise<string> {
  await using file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(beginning), 0, beginning, 0);
  return buffer.toString("utf8", 0, bytesRead);
}
