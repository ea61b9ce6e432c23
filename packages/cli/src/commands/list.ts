import { checkLimit, defined } from "@self-context-manager/objects";
import type { ObjectStore, StoredMetadata } from "@self-context-manager/core";

import { UsageError } from "../cli-errors.ts";
import { type Command, type CommandCall, jsonOption } from "../command.ts";
import { counted, shortTime, sizeOf } from "../format/amounts.ts";
import { jsonText, versionJson } from "../format/json.ts";
import { objectName, objectStatus } from "../format/object-name.ts";
import { right, table } from "../format/table.ts";
import { visible } from "../format/terminal-text.ts";
import { findSession, type PoolObject, sessionPool } from "../session-pool.ts";

const usualLimit = 100;
const pageSize = 500;

export const listCommand: Command = {
  name: "list",
  summary: "list the objects of the store, newest first, or those of one session",
  arguments: "",
  argumentCount: { least: 0, most: 0 },
  options: {
    type: { value: "TYPE", help: "only file, toolcall, chat, session, view, system_prompt …" },
    session: {
      value: "ID",
      help: "only objects that this session knows, with handles; its id, its host's id, or the beginning",
    },
    limit: { value: "N", help: `at most N objects; default ${usualLimit}` },
    all: { help: "all objects, however many" },
    ...jsonOption,
  },
  notes: `Sizes are characters, or bytes (B) of a file that was not read or is no text. Times are UTC.`,
  async run(call) {
    const limit = limitOf(call);
    await using store = await call.openStore();
    const objects = await listed(store, call, limit);
    const shown = objects.slice(0, limit);
    await call.print(call.isSet("json") ? asJson(shown) : asTable(shown, call));
    const type = call.text("type");
    if (objects.length === 0 && type !== undefined) call.note(await noneOf(store, call, type));
    else if (objects.length === 0 && call.text("session") === undefined)
      call.note("The store has no objects.");
    if (objects.length > limit) {
      call.note(
        `Only ${counted(limit, "object")} ${limit === 1 ? "is" : "are"} listed; use --all for all objects, or --type and --session for fewer.`,
      );
    }
  },
};

type Listed = Pick<PoolObject, "stored"> & Partial<PoolObject>;

function limitOf(call: CommandCall): number {
  const given = call.text("limit");
  if (call.isSet("all")) {
    if (given === undefined) return Number.MAX_SAFE_INTEGER;
    throw new UsageError("--all and --limit contradict each other; give one");
  }
  try {
    return checkLimit(given === undefined ? usualLimit : Number(given));
  } catch (cause) {
    throw new UsageError(`--limit is ${JSON.stringify(given)}; it must be a whole number above 0`, {
      cause,
    });
  }
}

/** The requested objects; if there are more than the limit, at least one more than the limit. */
async function listed(
  store: ObjectStore,
  call: CommandCall,
  limit: number,
): Promise<readonly Listed[]> {
  const type = call.text("type");
  const session = call.text("session");
  if (session === undefined)
    return (await newest(store, type, limit)).map((stored) => ({ stored }));
  const pool = await sessionPool(store, await findSession(store, call, session));
  return type === undefined ? pool : pool.filter(({ stored }) => stored.body.type === type);
}

/** A message that no object has the type, with the types that exist. */
async function noneOf(store: ObjectStore, call: CommandCall, type: string): Promise<string> {
  const session = call.text("session");
  const all =
    session === undefined
      ? await newest(store, undefined, Number.MAX_SAFE_INTEGER)
      : (await sessionPool(store, await findSession(store, call, session))).map(
          ({ stored }) => stored,
        );
  const types = [...new Set(all.map(({ body }) => body.type))].toSorted();
  const there =
    types.length === 0 ? "there are no objects yet" : `the types are ${types.join(", ")}`;
  return visible(`No object has the type ${type}; ${there}.`);
}

async function newest(
  store: ObjectStore,
  type: string | undefined,
  limit: number,
): Promise<readonly StoredMetadata[]> {
  const found: StoredMetadata[] = [];
  let after: string | undefined;
  do {
    const page = await store.find({
      ...(type === undefined ? {} : { where: { type } }),
      ...defined({ after }),
      newestFirst: true,
      limit: Math.min(pageSize, limit - found.length + 1),
    });
    found.push(...page.items);
    after = page.next;
  } while (after !== undefined && found.length <= limit);
  return found;
}

function asTable(objects: readonly Listed[], call: CommandCall): string {
  const ofSession = call.text("session") !== undefined;
  const sizes = [right("VERSIONS"), right("SIZE")];
  return table(
    [
      ...(ofSession ? ["HANDLE", "STATE"] : []),
      "ID",
      "TYPE",
      ...sizes,
      "CHANGED",
      "STATUS",
      "NAME",
    ],
    objects.map(({ handle = "", state = "", stored }) => [
      ...(ofSession ? [handle, state] : []),
      stored.body.id,
      stored.body.type,
      String(stored.version),
      sizeOf(stored.body),
      shortTime(stored.at.tx_time),
      objectStatus(stored.body),
      objectName(stored.body, call.folder),
    ]),
  );
}

function asJson(objects: readonly Listed[]): string {
  return jsonText(
    objects.map(({ handle, state, stored }) => ({
      ...(handle === undefined ? {} : { handle, state }),
      ...versionJson(stored),
    })),
  );
}
