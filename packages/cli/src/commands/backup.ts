import { backupStore } from "@self-context-manager/compose";
import { defined, messageOf, StoreError } from "@self-context-manager/objects";

import { createHash } from "node:crypto";
import { readdir, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, extname, join, resolve } from "node:path";

import { CliError, UsageError } from "../cli-errors.ts";
import { type Command, type CommandCall, jsonOption } from "../command.ts";
import { counted, shortCount } from "../format/amounts.ts";
import { jsonText } from "../format/json.ts";
import { visible } from "../format/terminal-text.ts";
import { wholeNumber } from "../whole-number.ts";

export const backupCommand: Command = {
  name: "backup",
  summary: "copy the whole store into one compressed file, while agents write",
  arguments: "[FILE | FOLDER]",
  argumentCount: { least: 0, most: 1 },
  options: {
    keep: {
      value: "N",
      help: "with a folder: keep the N newest backups of this store there, and remove its older ones",
    },
    ...jsonOption,
  },
  notes: `The file has every commit up to one moment. It is read back and checked before it gets its name: the
database, and the hashes of every version of a SQLite store. In a FOLDER, or without an argument in the
folder backups beside the store, it gets a name with the time. It is the store's database, compressed
with gzip; scm restore makes a store of it.`,
  async run(call) {
    const place = await call.namedPlace();
    const target = await targetOf(call, place.at);
    const content = await written(async () => await backupStore(place, target.file), target.file);
    const removed = target.rule === undefined ? [] : await removeOlder(call, target.rule);
    const { size } = await stat(target.file);
    if (call.isSet("json")) {
      await call.print(jsonText({ file: target.file, bytes: size, ...content, removed }));
      return;
    }
    const what =
      content.versions === undefined
        ? "the database"
        : `${counted(content.versions, "version")} of ${counted(content.objects ?? 0, "object")}`;
    await call.print(
      `backed up ${what} to ${visible(target.file)} (${shortCount(size)}B), read back and checked\n`,
    );
    for (const name of removed) call.note(`removed the older backup ${visible(name)}`);
  },
};

/** The names of the backups of one store in a folder. */
interface NameRule {
  readonly folder: string;
  readonly pattern: RegExp;
}

interface Target {
  readonly file: string;
  /** Undefined if the user has named the file. */
  readonly rule?: NameRule;
}

async function targetOf(call: CommandCall, at: string): Promise<Target> {
  const [given] = call.arguments;
  const path = given === undefined ? join(dirname(at), "backups") : resolve(call.folder, given);
  const facts = await stat(path).catch(() => undefined);
  const isKept = call.text("keep") !== undefined;
  const isFolder =
    given === undefined ||
    given.endsWith("/") ||
    facts?.isDirectory() === true ||
    (isKept && facts === undefined && extname(path) === "");
  if (isFolder) return datedName(path, at);
  if (isKept)
    throw new UsageError("--keep needs a folder, in which each backup has a name with its time");
  if (facts !== undefined)
    throw new CliError(`${path} exists already; choose another name, or a folder`);
  return { file: path };
}

/** Digits of the hash in a name, which keeps the backups of several stores in one folder apart. */
const placeDigits = 8;

function datedName(folder: string, at: string): Target {
  const place = createHash("sha256").update(`${hostname()}\n${at}`).digest("hex");
  const beginning = `${basename(at)}.${place.slice(0, placeDigits)}.`;
  const time = new Date().toISOString().replaceAll(/[-:.]/gu, "");
  const exact = beginning.replaceAll(/[^\w]/gu, (character) => `\\${character}`);
  return {
    file: join(folder, `${beginning}${time}.backup.gz`),
    rule: { folder, pattern: new RegExp(`^${exact}\\d{8}T\\d{9}Z\\.backup\\.gz$`) },
  };
}

/** Removes all but the newest backups of a rule, if the call has `--keep`. Returns the paths of the removed ones. */
async function removeOlder(call: CommandCall, { folder, pattern }: NameRule): Promise<string[]> {
  if (call.text("keep") === undefined) return [];
  const kept = wholeNumber(call, "keep", 1);
  const names = (await readdir(folder)).filter((name) => pattern.test(name)).sort();
  const older = names.slice(0, -kept).map((name) => join(folder, name));
  for (const path of older) await rm(path, { force: true });
  return older;
}

/** Names the file in an error of the system, such as a full disk. */
async function written<Result>(work: () => Promise<Result>, file: string): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (StoreError.is(cause) || !(cause instanceof Error) || !("code" in cause)) throw cause;
    const text = `${file} cannot be written (${messageOf(cause)}); no file was left`;
    throw new CliError(text, defined({ cause }));
  }
}
