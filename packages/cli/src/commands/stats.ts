import type { ObjectStore } from "@self-context-manager/core";
import { firstWords } from "@self-context-manager/core/inspect";
import { basename, dirname } from "node:path";

import { type Command, type CommandCall, jsonOption } from "../command.ts";
import { counted, shortCount, shortTime } from "../format/amounts.ts";
import { jsonText } from "../format/json.ts";
import { right, table } from "../format/table.ts";
import { visible } from "../format/terminal-text.ts";
import { type Amount, largestFirst, type StoreStats, storeStats } from "../stats/store-stats.ts";
import { wholeNumber } from "../whole-number.ts";

const usualLimit = 10;

/** Characters of the first words of a session. */
const mostWords = 60;

export const statsCommand: Command = {
  name: "stats",
  summary: "show what takes the room in the store: types, sessions, workspaces, files",
  arguments: "",
  argumentCount: { least: 0, most: 0 },
  options: {
    newest: { help: "list the newest sessions instead of the largest" },
    limit: { value: "N", help: `at most N sessions and N workspaces; default ${usualLimit}` },
    ...jsonOption,
  },
  notes: `The bytes of an object are those of all its versions, as they are stored: packed, and as differences. A long
text that several objects have is stored once, and is counted with the object that had it first. A session
has its chat, views, tool calls, texts of the user, summaries and system prompts; files and notes belong to
no session. A store in XTDB does not know bytes: CHARS are the characters of the latest contents.`,
  async run(call) {
    const limit = wholeNumber(call, "limit", usualLimit);
    const place = await call.namedPlace();
    await using store = await call.openStore({ patient: true });
    const stats = await storeStats(place, store, call.environment);
    const order = call.isSet("newest") ? newestFirst : largestFirst;
    const listed = stats.sessions.toSorted(order).slice(0, limit);
    const sessions = await withWords(store, listed);
    if (call.isSet("json")) await call.print(asJson(call, stats, sessions));
    else await call.print(asText(call, stats, sessions, limit));
  },
};

type ListedSession = StoreStats["sessions"][number] & { readonly words: string | undefined };

async function withWords(
  store: ObjectStore,
  sessions: StoreStats["sessions"],
): Promise<readonly ListedSession[]> {
  const listed: ListedSession[] = [];
  for (const one of sessions) {
    const words = one.chat && (await firstWords(store, one.chat, mostWords));
    listed.push({ ...one, words });
  }
  return listed;
}

function newestFirst(
  one: StoreStats["sessions"][number],
  other: StoreStats["sessions"][number],
): number {
  return Date.parse(other.changed) - Date.parse(one.changed);
}

function asText(
  call: CommandCall,
  stats: StoreStats,
  sessions: readonly ListedSession[],
  limit: number,
): string {
  const { total, types, workspaces, files, pages } = stats;
  const size = total.bytes === undefined ? "CHARS" : "BYTES";
  const all = `${counted(total.versions, "version")} of ${counted(total.objects, "object")}`;
  const parts = [
    `${visible(call.storePlace())}: ${all} in ${counted(stats.sessions.length, "session")}, ${shortSize(total)}\n`,
    table(
      ["TYPE", right("OBJECTS"), right("VERSIONS"), right(size), right("SHARE")],
      types.map(({ type, ...amount }) => [
        type,
        String(amount.objects),
        String(amount.versions),
        shortSize(amount),
        shareOf(amount, total),
      ]),
    ),
  ];
  if (sessions.length > 0) {
    const columns = ["SESSION", right("CALLS"), right(size), "CHANGED", "FOLDER", "FIRST WORDS"];
    const rows = sessions.map((one) => [
      one.id,
      String(one.calls),
      shortSize(one),
      shortTime(one.changed),
      one.workspace ?? "-",
      one.words ?? "",
    ]);
    parts.push(table(columns, rows) + restOf(stats.sessions.length, limit, "session"));
  }
  if (workspaces.some(({ workspace }) => workspace !== undefined)) {
    const rows = workspaces
      .slice(0, limit)
      .map(({ workspace, sessions: count, ...amount }) => [
        workspace ?? "(in none of them)",
        String(count),
        String(amount.objects),
        shortSize(amount),
      ]);
    parts.push(
      table(["WORKSPACE", right("SESSIONS"), right("OBJECTS"), right(size)], rows) +
        restOf(workspaces.length, limit, "workspace"),
    );
  }
  if (pages !== undefined) {
    const rows = Object.entries(pages).map(([use, bytes]) => [
      pageWords[use] ?? use,
      shortBytes(bytes),
    ]);
    parts.push(table(["IN THE DATABASE FILE", right("BYTES")], rows));
  }
  if (files.length > 0) {
    const [first] = files;
    const folder = first === undefined ? "" : dirname(first.path);
    const rows = files.map(({ path, bytes }) => [
      dirname(path) === folder ? basename(path) : path,
      shortBytes(bytes),
    ]);
    parts.push(table([`FILES IN ${visible(folder)}`, right("BYTES")], rows));
  }
  return parts.join("\n");
}

/** What the pages of the database file are for. */
const pageWords: Readonly<Record<string, string>> = {
  versions: "versions",
  texts: "long texts",
  search: "indexes of fields, references and hashes",
  documents: "index of documents",
  other: "objects, requests, schema",
  free: "free, used by the next commits",
};

function restOf(count: number, limit: number, noun: string): string {
  return count > limit ? `${counted(count - limit, `more ${noun}`)}\n` : "";
}

function shortSize({ bytes, characters }: Amount): string {
  return bytes === undefined ? shortCount(characters) : shortBytes(bytes);
}

function shortBytes(bytes: number): string {
  return `${shortCount(bytes)}B`;
}

function shareOf(amount: Amount, total: Amount): string {
  const [part, whole] = [amount.bytes ?? amount.characters, total.bytes ?? total.characters];
  return whole === 0 ? "-" : `${Math.round((100 * part) / whole)} %`;
}

function asJson(
  call: CommandCall,
  { total, types, sessions: all, workspaces, pages, files }: StoreStats,
  sessions: readonly ListedSession[],
): string {
  return jsonText({
    place: call.storePlace(),
    total: amountJson(total),
    types: types.map(({ type, ...amount }) => ({ type, ...amountJson(amount) })),
    session_count: all.length,
    sessions: sessions.map((one) => ({
      id: one.id,
      harness: one.harness,
      session_id: one.sessionId,
      workspace: one.workspace ?? null,
      calls: one.calls,
      changed: one.changed,
      first_words: one.words ?? null,
      ...amountJson(one),
    })),
    workspaces: workspaces.map(({ workspace = null, sessions: count, ...amount }) => ({
      workspace,
      sessions: count,
      ...amountJson(amount),
    })),
    pages: pages ?? null,
    files,
  });
}

function amountJson({ objects, versions, bytes, characters }: Amount): object {
  return { objects, versions, bytes: bytes ?? null, characters };
}
