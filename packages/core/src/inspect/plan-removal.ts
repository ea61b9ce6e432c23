import { compareText, defined, type ObjectId } from "@self-context-manager/objects";
import { attributedBytes, type StoredBytes } from "./attributed-bytes.ts";
import {
  type KeptReason,
  removableObjects,
  type RemovableObjects,
  type RemovalSource,
} from "./removable-objects.ts";
import type { ContainedSession } from "./store-contents.ts";

/** Which sessions are removed: those that meet all given conditions. */
export interface RemovalRule {
  /** Only sessions that have not changed since this time, in milliseconds. */
  readonly unchangedSince?: number;
  /** Only sessions of which the store has more bytes. */
  readonly largerThan?: number;
  /** Only sessions without a call of the model. */
  readonly isEmpty?: boolean;
  /** Only as many sessions, the oldest first, as it takes until the store needs at most so many bytes. */
  readonly downTo?: number;
  /** Also sessions with a pinned object, or with a part that has a nickname. Default: false. */
  readonly alsoPinned?: boolean;
}

/** What is known of the store besides its objects. */
export interface RemovalParts extends RemovalSource {
  /** The bytes of the objects; undefined if the store does not know them. */
  readonly bytes?: StoredBytes & {
    /** The bytes of the whole file that are in use. */
    readonly used: number;
  };
  /** Whether an agent has a session open now. */
  readonly isOpen: (session: ContainedSession) => Promise<boolean>;
}

/** What a rule removes, and what stays. */
export interface RemovalPlan {
  /** The sessions that are removed, the oldest first. */
  readonly sessions: readonly PlannedSession[];
  /** The sessions that meet the rule and stay, the oldest first. */
  readonly spared: readonly { readonly session: ContainedSession; readonly reason: SparedReason }[];
  /** The objects that are removed, each once. */
  readonly objects: readonly ObjectId[];
  /** The objects of removed sessions that stay. */
  readonly kept: ReadonlyMap<ObjectId, KeptReason>;
  /** The bytes of the rows that are removed; undefined if the store does not know them. */
  readonly bytes?: number;
}

/** A session that is removed, with how much goes with it. */
export interface PlannedSession {
  readonly session: ContainedSession;
  /** The number of objects that are removed with it. */
  readonly objects: number;
  readonly bytes?: number;
}

/**
 * Why a session stays although it meets the rule. `nickname`: a part of it has one. `referred`: an object that stays refers
 * to the session itself.
 */
export type SparedReason = "open" | "pinned" | "nickname" | "referred";

/** Decides which sessions a rule removes, and with which objects. Nothing is changed. */
export async function planRemoval(parts: RemovalParts, rule: RemovalRule): Promise<RemovalPlan> {
  const { contents, bytes } = parts;
  const sizes = bytes === undefined ? new Map<ObjectId, number>() : sessionBytes(parts, bytes);
  const matching = [...contents.sessions.values()]
    .filter((session) => meets(session, rule, sizes.get(session.id) ?? 0))
    .toSorted(oldestFirst);
  const named = new Set(
    [...contents.objects.values()].flatMap(({ session, nickname }) =>
      session === undefined || nickname === undefined ? [] : [session],
    ),
  );
  const spared = new Map<ObjectId, SparedReason>();
  for (const session of matching) {
    const reason = await reasonToSpare(parts, session, rule, named);
    if (reason !== undefined) spared.set(session.id, reason);
  }
  const eligible = matching.filter(({ id }) => !spared.has(id));
  const settled = await settledFor(parts, eligible, rule.downTo, sizes);
  for (const id of settled.referred) spared.set(id, "referred");
  return {
    sessions: plannedSessions(parts, settled),
    spared: matching.flatMap((session) => {
      const reason = spared.get(session.id);
      return reason === undefined ? [] : [{ session, reason }];
    }),
    objects: [...settled.removed],
    kept: settled.kept,
    ...defined({ bytes: bytes && freedBytes(bytes, settled.removed) }),
  };
}

/** The bytes of each session with its parts. A text of several objects is counted with the first one. */
function sessionBytes({ contents }: RemovalParts, bytes: StoredBytes): Map<ObjectId, number> {
  const sizes = new Map<ObjectId, number>();
  for (const [id, size] of attributedBytes(bytes)) {
    const session = contents.objects.get(id)?.session;
    if (session !== undefined) sizes.set(session, (sizes.get(session) ?? 0) + size);
  }
  return sizes;
}

function meets(
  { changed, calls }: ContainedSession,
  { unchangedSince = Infinity, largerThan = -1, isEmpty = false }: RemovalRule,
  bytes: number,
): boolean {
  return Date.parse(changed) < unchangedSince && bytes > largerThan && (!isEmpty || calls === 0);
}

function oldestFirst(one: ContainedSession, other: ContainedSession): number {
  return Date.parse(one.changed) - Date.parse(other.changed) || compareText(one.id, other.id);
}

async function reasonToSpare(
  { store, isOpen }: RemovalParts,
  session: ContainedSession,
  { alsoPinned = false }: RemovalRule,
  named: ReadonlySet<ObjectId>,
): Promise<SparedReason | undefined> {
  if (await isOpen(session)) return "open";
  if (alsoPinned) return undefined;
  const pinned = (await store.get(session.id))?.body["pinned_set"];
  if (Array.isArray(pinned) && pinned.length > 0) return "pinned";
  return named.has(session.id) ? "nickname" : undefined;
}

/** The sessions that are removed in the end, with their objects. */
interface Settled extends RemovableObjects {
  readonly sessions: readonly ContainedSession[];
  readonly referred: ReadonlySet<ObjectId>;
}

/** Settles all sessions, or the first ones of which the removal is enough for a limit of bytes. */
async function settledFor(
  parts: RemovalParts,
  eligible: readonly ContainedSession[],
  limit: number | undefined,
  sizes: ReadonlyMap<ObjectId, number>,
): Promise<Settled> {
  const { bytes } = parts;
  if (limit === undefined || bytes === undefined) return await settle(parts, eligible);
  // The pages of the file have more bytes than the rows in them, by about the same factor everywhere.
  const rows = [...attributedBytes(bytes).values()].reduce((all, one) => all + one, 0);
  const factor = rows === 0 ? 1 : bytes.used / rows;
  const missing = (freed: number): number => bytes.used - limit - freed * factor;
  let count = 0;
  let settled = await settle(parts, []);
  for (let freed = 0; missing(freed) > 0 && count < eligible.length;) {
    let expected = freed;
    do {
      expected += sizes.get(eligible[count]?.id ?? ("" as ObjectId)) ?? 0;
      count += 1;
    } while (missing(expected) > 0 && count < eligible.length);
    settled = await settle(parts, eligible.slice(0, count));
    freed = freedBytes(bytes, settled.removed);
  }
  return settled;
}

/** Finds the objects of sessions. A session to which an object refers that stays is not removed, and then others can stay too. */
async function settle(parts: RemovalParts, wanted: readonly ContainedSession[]): Promise<Settled> {
  const referred = new Set<ObjectId>();
  for (;;) {
    const sessions = wanted.filter(({ id }) => !referred.has(id));
    const found = await removableObjects(parts, new Set(sessions.map(({ id }) => id)));
    const more = sessions.filter(({ id }) => found.kept.has(id));
    if (more.length === 0) return { ...found, sessions, referred };
    for (const { id } of more) referred.add(id);
  }
}

/** The bytes of the rows of objects, with the texts that no other object has. */
function freedBytes({ objects, texts }: StoredBytes, removed: ReadonlySet<ObjectId>): number {
  let freed = 0;
  for (const id of removed) freed += objects.get(id)?.bytes ?? 0;
  for (const { bytes, holders } of texts)
    if (holders.every((id) => removed.has(id))) freed += bytes;
  return freed;
}

/** Divides the removed objects among the sessions. A text that several of them have is counted with the first one. */
function plannedSessions(
  { contents, bytes }: RemovalParts,
  { sessions, removed, filesOf }: Settled,
): readonly PlannedSession[] {
  const freed =
    bytes === undefined
      ? undefined
      : attributedBytes({
          objects: bytes.objects,
          texts: bytes.texts.filter(({ holders }) => holders.every((id) => removed.has(id))),
        });
  const counts = new Map<ObjectId, { objects: number; bytes: number }>();
  for (const id of removed) {
    const session = contents.objects.get(id)?.session ?? filesOf.get(id);
    if (session === undefined) continue;
    const count = counts.get(session) ?? { objects: 0, bytes: 0 };
    counts.set(session, {
      objects: count.objects + 1,
      bytes: count.bytes + (freed?.get(id) ?? 0),
    });
  }
  return sessions.map((session) => {
    const count = counts.get(session.id) ?? { objects: 0, bytes: 0 };
    return {
      session,
      objects: count.objects,
      ...(freed === undefined ? {} : { bytes: count.bytes }),
    };
  });
}
