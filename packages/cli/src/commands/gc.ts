import { fileSizes, isSessionOpen, storeFiles } from "@self-context-manager/compose";
import type { ObjectStore } from "@self-context-manager/core";
import {
  type ContainedSession,
  firstWords,
  planRemoval,
  type RemovalParts,
  type RemovalPlan,
  type RemovalRule,
  type SparedReason,
  storeContents,
} from "@self-context-manager/core/inspect";
import { defined } from "@self-context-manager/objects";

import { UsageError } from "../cli-errors.ts";
import { type Command, type CommandCall, jsonOption } from "../command.ts";
import { linkParts } from "../followed-links.ts";
import { counted, shortCount, shortTime } from "../format/amounts.ts";
import { jsonText } from "../format/json.ts";
import { right, table } from "../format/table.ts";
import { secretsOf } from "../unused-secrets.ts";
import { readAge, readSize } from "../stats/amounts-given.ts";

/** Sessions that the list shows; the others are counted. */
const mostListed = 40;

/** Characters of the first words of a session. */
const mostWords = 60;

const day = 86_400_000;

export const gcCommand: Command = {
  name: "gc",
  summary: "remove old, large or empty sessions with what only they have, after a list",
  arguments: "",
  argumentCount: { least: 0, most: 0 },
  options: {
    "older-than": { value: "AGE", help: "sessions without a change for so long: 12h, 90d, 8w, 1y" },
    "larger-than": { value: "SIZE", help: "sessions with more bytes: 500k, 50M, 2G" },
    empty: { help: "sessions without a call of the model" },
    to: {
      value: "SIZE",
      help: "the oldest sessions, only as many as it takes until the store has at most SIZE",
    },
    "also-pinned": { help: "also sessions with a pinned object or a nickname" },
    yes: { help: "remove them; without it, nothing is changed" },
    ...jsonOption,
  },
  notes: `A session is removed if it meets all given conditions. A session that is open now always stays. One
with a pinned object, or of which a tool call or a text has a nickname, stays without --also-pinned. With a session
go its chat, views, tool calls, texts of the user and summaries, and the files that it knows. An object stays if it has a nickname, the
field or tag shared, or if a session, an object or a link that stays needs it, and a file also if it lies in the
workspace of a session that stays. Notes always stay.
The file of the store is smaller afterwards. The sessions of the hosts themselves are not changed; one that is
continued is stored again, from then on. It cannot be undone: scm backup keeps a copy.`,
  async run(call) {
    const rule = ruleOf(call);
    await using store = await call.openStore({ patient: true });
    const parts = await partsOf(call, store, rule);
    const plan = await planRemoval(parts, rule);
    const words = new Map<string, string>();
    for (const { session } of plan.sessions.slice(0, mostListed))
      words.set(session.id, (await wordsOf(store, session)) ?? "");
    if (!call.isSet("json")) await call.print(shown(plan, words));
    const isRemoved = call.isSet("yes") && plan.objects.length > 0;
    const before = await fileBytes(call);
    if (isRemoved) await remove(call, store, plan);
    const after = await fileBytes(call);
    if (call.isSet("json")) await call.print(asJson(plan, words, isRemoved));
    else if (isRemoved) {
      const files = before === undefined || after === undefined ? "" : sizesText(before, after);
      await call.print(`Removed ${amountOf(plan)}.${files}\n`);
    } else if (plan.sessions.length > 0)
      call.note("Nothing was changed. Add --yes to remove them.");
  },
};

function ruleOf(call: CommandCall): RemovalRule {
  const age = readAge(call, "older-than");
  const rule = {
    ...defined({
      unchangedSince: age === undefined ? undefined : Date.now() - age,
      largerThan: readSize(call, "larger-than"),
      downTo: readSize(call, "to"),
    }),
    ...(call.isSet("empty") ? { isEmpty: true } : {}),
  };
  if (Object.keys(rule).length === 0)
    throw new UsageError("give a condition: --older-than, --larger-than, --empty or --to");
  return { ...rule, alsoPinned: call.isSet("also-pinned") };
}

async function partsOf(
  call: CommandCall,
  store: ObjectStore,
  { largerThan, downTo }: RemovalRule,
): Promise<RemovalParts> {
  const place = await call.namedPlace();
  const sizes = await fileSizes(place);
  if (sizes === undefined && (largerThan ?? downTo) !== undefined)
    throw new UsageError(
      `--larger-than and --to need a SQLite store: a store of the kind ${place.store} does not know the bytes of its objects`,
    );
  const { parser } = await linkParts(store, call);
  const pages = Object.entries(sizes?.pages ?? {}).filter(([use]) => use !== "free");
  return {
    store,
    contents: await storeContents(store),
    links: { parser },
    ...defined({
      bytes: sizes && { ...sizes, used: pages.reduce((all, [, bytes]) => all + bytes, 0) },
    }),
    isOpen: async (session) =>
      // Another machine can have the session open, and an agent that works changes it.
      (await isSessionOpen(place, session)) ?? Date.parse(session.changed) > Date.now() - day,
  };
}

/** Removes the objects of a plan. The words of removed texts must not stay in the index, which is made again. */
async function remove(call: CommandCall, store: ObjectStore, plan: RemovalPlan): Promise<void> {
  const secrets = await secretsOf(call, store, plan.objects);
  await store.rewrite({ objects: [], change: () => undefined, remove: plan.objects });
  await secrets.removeUnused();
  await using documents = await call.openDocuments(store);
  await documents.search.clear();
}

async function wordsOf(
  store: ObjectStore,
  { chat }: ContainedSession,
): Promise<string | undefined> {
  return chat && (await firstWords(store, chat, mostWords));
}

/** The bytes of the store's own files, without what is beside them; undefined for a store without a file. */
async function fileBytes(call: CommandCall): Promise<number | undefined> {
  const place = await call.namedPlace();
  if (place.store !== "sqlite") return undefined;
  const own = new Set([place.at, `${place.at}-wal`]);
  const files = (await storeFiles(place, call.environment)).filter(({ path }) => own.has(path));
  return files.reduce((all, { bytes }) => all + bytes, 0);
}

function sizesText(before: number, after: number): string {
  return ` The store had ${shortCount(before)}B and has ${shortCount(after)}B.`;
}

function amountOf({ sessions, objects, bytes }: RemovalPlan): string {
  const size = bytes === undefined ? "" : `, ${shortCount(bytes)}B of rows`;
  return `${counted(sessions.length, "session")} with ${counted(objects.length, "object")}${size}`;
}

/** Why sessions stay, for people. */
const sparedWords: Readonly<Record<SparedReason, string>> = {
  open: "open now, or perhaps open on another machine",
  pinned: "with a pinned object; --also-pinned removes them too",
  nickname: "with a part that has a nickname; --also-pinned removes them too",
  referred: "to which an object refers that stays",
};

/** Why objects stay, for people. */
const keptWords = {
  nickname: "a nickname",
  shared: "made for all sessions",
  session: "known to a session that stays",
  workspace: "in the workspace of a session that stays",
  reference: "needed by an object that stays",
} as const;

function shown(plan: RemovalPlan, words: ReadonlyMap<string, string>): string {
  const { sessions, spared, kept } = plan;
  if (sessions.length + spared.length === 0) return "No session meets the rule.\n";
  const rows = sessions
    .slice(0, mostListed)
    .map(({ session, objects, bytes }) => [
      session.id,
      String(session.calls),
      String(objects),
      bytes === undefined ? "-" : `${shortCount(bytes)}B`,
      shortTime(session.changed),
      session.workspace ?? "-",
      words.get(session.id) ?? "",
    ]);
  const columns = [
    "SESSION",
    right("CALLS"),
    right("OBJECTS"),
    right("BYTES"),
    "CHANGED",
    "FOLDER",
    "FIRST WORDS",
  ];
  const rest = sessions.length - rows.length;
  return [
    ...(sessions.length === 0 ? [] : [table(columns, rows).trimEnd()]),
    ...(rest > 0 ? [`and ${counted(rest, "more session")}`] : []),
    ...(sessions.length === 0 ? [] : ["", `To remove: ${amountOf(plan)}.`]),
    ...linesOf(
      "session",
      "meet the rule and stay",
      "meets the rule and stays",
      spared,
      ({ reason }) => sparedWords[reason],
    ),
    ...linesOf(
      "object",
      "of them stay",
      "of them stays",
      [...kept.values()],
      ({ why }) => keptWords[why],
    ),
    "",
  ].join("\n");
}

/** A line with a count for each reason. */
function linesOf<Item>(
  noun: string,
  several: string,
  one: string,
  items: readonly Item[],
  reasonOf: (item: Item) => string,
): readonly string[] {
  return [...Map.groupBy(items, reasonOf)].map(
    ([reason, { length }]) => `${counted(length, noun)} ${length === 1 ? one : several}: ${reason}`,
  );
}

function asJson(
  { sessions, spared, objects, kept, bytes }: RemovalPlan,
  words: ReadonlyMap<string, string>,
  isRemoved: boolean,
): string {
  return jsonText({
    removed: isRemoved,
    bytes: bytes ?? null,
    sessions: sessions.map(({ session, ...amount }) => ({
      ...sessionJson(session),
      first_words: words.get(session.id) ?? null,
      objects: amount.objects,
      bytes: amount.bytes ?? null,
    })),
    spared: spared.map(({ session, reason }) => ({ ...sessionJson(session), reason })),
    objects,
    kept: [...kept].map(([id, reason]) => ({ id, ...reason })),
  });
}

function sessionJson({
  id,
  harness,
  sessionId,
  workspace = null,
  calls,
  changed,
}: Omit<ContainedSession, "workspace"> & { readonly workspace?: string | null }): object {
  return { id, harness, session_id: sessionId, workspace, calls, changed };
}
