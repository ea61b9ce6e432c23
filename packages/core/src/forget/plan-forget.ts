import {
  type ForgottenNote,
  everyItem,
  isJsonObject,
  type JsonObject,
  type ObjectId,
  type ObjectStore,
  type RewriteRequest,
  type SealedObject,
  sealObject,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";

import { providerId } from "../calls/toolcall-object.ts";
import { forgottenText, shortestWhole } from "./forgotten-texts.ts";
import { forgottenMark } from "./forgotten-mark.ts";
import { isTombstone, type TextChange, tombstoneOf, withTexts } from "./forgotten-object.ts";
import { markSpans, type Span } from "./mark-spans.ts";
import { matchedTexts, type Matches } from "./matched-texts.ts";
import { formsOf, growingFinder, type TextFinder, textFinder } from "./text-forms.ts";

/** What the user wants to be forgotten. */
export interface ForgetTarget {
  /** Objects as a whole. */
  readonly objects?: readonly ObjectId[];
  /** Versions of objects, by their numbers. */
  readonly versions?: ReadonlyMap<ObjectId, readonly number[]>;
  /**
   * Objects that the user did not name, such as the parts of a session. Their texts are in too many others: copies in other
   * objects stay, and what comes again is stored. Default: none.
   */
  readonly parts?: readonly ObjectId[];
  /** Texts that are known already and are forgotten too, such as those that marks stand for. Default: none. */
  readonly texts?: readonly string[];
  /** Returns the parts of a text that are to be forgotten, wherever they are. */
  readonly matches?: Matches;
}

/** An object that a plan changes. */
export interface PlannedObject {
  readonly stored: StoredMetadata;
  /** Whether the versions become tombstones; otherwise parts of their texts become marks. */
  readonly isWhole: boolean;
  /** The numbers of the versions that change. */
  readonly versions: readonly number[];
}

/** What will be forgotten, before anything is changed. */
export interface ForgetPlan {
  readonly objects: readonly PlannedObject[];
  /** The sessions that remain and have one of these objects, as their objects. */
  readonly sessions: readonly StoredMetadata[];
  /** The texts that match, each once. They are in no message and no log. */
  readonly texts: readonly string[];
  /** What the store is asked for. */
  readonly request: RewriteRequest;
}

export interface PlanOptions extends ForgottenNote {
  /** The key of the store. */
  readonly key: string;
  /** Called with the number of objects that were looked at. */
  readonly progress?: (objects: number) => void;
}

/**
 * Looks for what is to be forgotten in every field of every version, and returns what has to be changed (decision D69).
 * Nothing is changed. Rejects with `STORE_CORRUPT` at a damaged version.
 */
export async function planForget(
  store: ObjectStore,
  target: ForgetTarget,
  options: PlanOptions,
): Promise<ForgetPlan> {
  const note: ForgottenNote = { at: options.at, reason: options.reason };
  const mark = forgottenMark(note);
  const wholes = new Set([...(target.objects ?? []), ...(target.parts ?? [])]);
  const versions = target.versions ?? new Map<ObjectId, readonly number[]>();
  const found = await wholeTexts(store, target);
  const matched = new Set([
    ...(target.texts ?? []),
    ...(target.matches === undefined ? [] : await matchedTexts(store, target.matches, wholes)),
  ]);
  const finder = textFinder([...matched, ...found.copies], mark);
  const inViews = textFinder([...matched, ...found.copies, ...found.lines], mark);
  const isWhole = ({ body, version }: StoredVersion): boolean =>
    wholes.has(body.id) || versions.get(body.id)?.includes(version) === true;
  const changes = new Map<string, TextChange>();
  const changeOf = ({ body }: StoredVersion): TextChange => {
    const chat = (body.type === "chat" ? body.id : idIn(body["chat_ref"])) ?? "";
    const calls = found.calls.get(chat as ObjectId);
    const name = `${body.type === "view"} ${calls === undefined ? "" : chat}`;
    const known = changes.get(name);
    if (known !== undefined) return known;
    const made = textChange(body.type === "view" ? inViews : finder, calls ?? new Set(), mark);
    changes.set(name, made);
    return made;
  };
  const change = (stored: StoredVersion): SealedObject | undefined =>
    isWhole(stored)
      ? isTombstone(stored)
        ? undefined
        : tombstoneOf(stored, note)
      : withTexts(stored, note, changeOf(stored));

  const objects: PlannedObject[] = [];
  const sessions: StoredMetadata[] = [];
  let seen = 0;
  for await (const stored of everyItem((page) => store.find({ limit: 500, ...page }))) {
    options.progress?.((seen += 1));
    const { id, type } = stored.body;
    if (type === "session" && !wholes.has(id)) sessions.push(stored);
    const numbers: number[] = [];
    for await (const one of store.versions(id))
      if (change(one) !== undefined) numbers.push(one.version);
    if (numbers.length === 0) continue;
    objects.push({ stored, versions: numbers, isWhole: wholes.has(id) });
  }
  const concerned = await concernedSessions(store, sessions, objects);
  const byView = new Map(concerned.map((one) => [one.view?.body.id, one]));
  const forgotten = [
    ...[...new Set([...matched].flatMap(formsOf))].map((text) =>
      forgottenText(options.key, "span", text, mark),
    ),
    ...[...found.copies].map((text) => forgottenText(options.key, "whole", text, mark)),
  ];
  const request: RewriteRequest = {
    objects: [
      ...new Set([
        ...objects.map(({ stored }) => stored.body.id),
        ...concerned.flatMap(({ view }) => view?.body.id ?? []),
      ]),
    ],
    change: (stored) => noted(stored, change(stored), byView.get(stored.body.id), note),
    forgotten,
  };
  return {
    objects,
    sessions: concerned.map(({ session }) => session),
    texts: [...matched],
    request,
  };
}

/** What is known of the objects that the user named. */
interface WholeTexts {
  /** Their contents, of which other objects can have copies, and which are known when they come again. */
  readonly copies: ReadonlySet<string>;
  /** The lines of these contents, which a view can have in part. */
  readonly lines: ReadonlySet<string>;
  /** The tool calls among them, by their chat: the ids under which it has their arguments. */
  readonly calls: ReadonlyMap<ObjectId, ReadonlySet<string>>;
}

/** Shorter lines are in other texts too. */
const shortestLine = 16;

async function wholeTexts(
  store: ObjectStore,
  { objects = [], parts = [], versions = new Map() }: ForgetTarget,
): Promise<WholeTexts> {
  const [copies, lines] = [new Set<string>(), new Set<string>()];
  const calls = new Map<ObjectId, Set<string>>();
  const named = new Set([...objects, ...versions.keys()].filter((id) => !parts.includes(id)));
  for (const id of named) {
    const only = objects.includes(id) ? undefined : versions.get(id);
    for await (const stored of store.versions(id)) {
      if (only?.includes(stored.version) === false) continue;
      const { content, type } = stored.body;
      const chat = idIn(stored.body["chat_ref"]);
      if (type === "toolcall" && only === undefined && chat !== undefined) {
        const names = [id, providerId(stored.body)];
        calls.set(chat, new Set([...(calls.get(chat) ?? []), ...names]));
      }
      if (content === null || content.trim().length < shortestWhole) continue;
      copies.add(content.trim());
      for (const line of content.split("\n"))
        if (line.trim().length >= shortestLine) lines.add(line.trim());
    }
  }
  return { copies, lines, calls };
}

function textChange(finder: TextFinder, calls: ReadonlySet<string>, mark: string): TextChange {
  const line = /(\[ref:toolcall\/([^\]]+)\] tool=\S+ args=)"(?:[^"\\]|\\.)*"/gu;
  let growing: { readonly id: string; readonly find: TextFinder["find"] } | undefined;
  const withMarks = (text: string, spans: readonly Span[]): string => {
    const marked = markSpans(text, spans);
    if (calls.size === 0 || !marked.includes("[ref:toolcall/")) return marked;
    return marked.replaceAll(line, (whole: string, start: string, id: string) =>
      calls.has(id) ? `${start}${JSON.stringify(mark)}` : whole,
    );
  };
  return {
    change: (text) => withMarks(text, finder.find(text)),
    changeContent(id, content) {
      if (growing?.id !== id) growing = { id, find: growingFinder(finder) };
      return withMarks(content, growing.find(content));
    },
    replace: (part) =>
      part["type"] === "toolCall" && typeof part["id"] === "string" && calls.has(part["id"])
        ? { ...part, arguments: {} }
        : undefined,
    clean: new WeakSet(),
  };
}

interface ConcernedSession {
  readonly session: StoredMetadata;
  /** Its view at present, in which the change is noted. */
  readonly view: StoredMetadata | undefined;
  readonly objects: readonly ObjectId[];
}

/** Returns the sessions whose pool has one of the objects, with their own objects among them. */
async function concernedSessions(
  store: ObjectStore,
  sessions: readonly StoredMetadata[],
  objects: readonly PlannedObject[],
): Promise<readonly ConcernedSession[]> {
  const changed = new Set(objects.map(({ stored }) => stored.body.id));
  const concerned: ConcernedSession[] = [];
  for (const session of sessions) {
    const stored = await store.get(session.body.id);
    if (stored === undefined) continue;
    const own = [stored.body["chat_ref"], stored.body["view_ref"]].map(idIn);
    const pool = (stored.body["pool"] ?? []) as readonly JsonObject[];
    const has = [...pool.map(({ id }) => id as ObjectId), ...own].filter(
      (id): id is ObjectId => id !== undefined && changed.has(id),
    );
    if (has.length === 0) continue;
    const viewId = own[1];
    const [view] = viewId === undefined ? [] : await store.describe([viewId]);
    concerned.push({ session, view, objects: [...new Set(has)] });
  }
  return concerned;
}

function idIn(reference: unknown): ObjectId | undefined {
  return isJsonObject(reference) && typeof reference["id"] === "string"
    ? (reference["id"] as ObjectId)
    : undefined;
}

/** Returns a version that is the present view of a concerned session with a note, by which its next call ends the epoch. */
function noted(
  stored: StoredVersion,
  changed: SealedObject | undefined,
  session: ConcernedSession | undefined,
  note: ForgottenNote,
): SealedObject | undefined {
  const { body, version } = stored;
  if (session?.view?.version !== version) return changed;
  const now = changed?.body ?? body;
  const since = {
    forgotten_since: { objects: [...session.objects] },
    // What was drawn for parts of the former view is not drawn for these.
    memory: structuredClone(now["memory"] as JsonObject),
  };
  return sealObject({ ...now, forgotten: { ...note }, ...since });
}
