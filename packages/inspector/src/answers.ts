import type {
  CallSummary,
  DescribedEntry,
  SessionTimeline,
  SummaryCosts,
  ViewDifference,
} from "@self-context-manager/core/inspect";
import type { ObjectId } from "@self-context-manager/core";

/**
 * The questions of the page, by the path under which the server answers them. A path begins with `/api/`; parts of it
 * are encoded as in a URL. A snapshot holds answers by the same paths.
 *
 * - `store`: `StoreAnswer`
 * - `sessions?limit=N`: `SessionsAnswer`
 * - `sessions/ID`: `SessionAnswer`
 * - `sessions/ID/calls/N`: `CallAnswer`
 * - `sessions/ID/damage`: `DamageAnswer`
 * - `objects/ID`: `ObjectAnswer`
 * - `objects/ID/versions/N`: `VersionAnswer`
 * - `objects/ID/graph`: `GraphAnswer`
 * - `search?words=…`: `SearchAnswer`
 * - `changes?after=POSITION`: lines of JSON, each a `ChangeNotice`, while the request is open
 *
 * A question that cannot be answered has an `ErrorAnswer` and a status of 400 and above.
 */
export interface ErrorAnswer {
  readonly error: {
    /** Such as `STORE_BUSY` or `NOT_FOUND`. */
    readonly code: string;
    /** What is wrong and what to do, as a sentence for the user. */
    readonly message: string;
  };
}

/** The store that is inspected, and where the answers come from. */
export interface StoreAnswer {
  /** Where the store is, for the user; in a snapshot with `--redact` it is empty. */
  readonly place: string;
  readonly kind: string;
  /** The position in `changesSince` at the time of the answer. */
  readonly position: string;
  /** Present in a snapshot: when it was made (ISO 8601), of which session, and whether texts were removed. */
  readonly snapshot?: {
    readonly at: string;
    readonly session: ObjectId;
    readonly isRedacted: boolean;
  };
}

/** A session in the list of sessions. */
export interface SessionRow {
  readonly id: ObjectId;
  readonly harness: string;
  /** The host's own id of the session. */
  readonly hostId: string;
  /** The folder of the last call; undefined before the first. */
  readonly workspace?: string;
  /** The time of the first and the last version of the session (ISO 8601). */
  readonly firstAt: string;
  readonly lastAt: string;
  readonly calls: number;
  /** Estimated tokens of the last call's messages. */
  readonly tokens: number;
  /** What all calls were billed, and what the same work would cost in the plain host, in tokens of uncached input. */
  readonly cost?: { readonly units: number; readonly plainUnits: number };
  /** The summaries that a model wrote of turns, and what they cost; the costs above are without them. */
  readonly summaries?: SummaryCosts;
  /** Sums over all calls whose usage the provider reported. */
  readonly reported?: {
    readonly calls: number;
    readonly input: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
  /** Why the session cannot be read; the other figures are then those that can. */
  readonly problem?: string;
}

export interface SessionsAnswer {
  /** The newest first; at most `limit` (default: 100), because each row reads a session and its last view. */
  readonly sessions: readonly SessionRow[];
  /** The number of older sessions, if there are any. */
  readonly older?: number;
}

export interface SessionAnswer {
  readonly session: SessionRow;
  readonly timeline: SessionTimeline;
}

/** A version of an object that a message contains. */
export interface NamedPart {
  readonly id?: ObjectId;
  readonly handle: string;
  readonly version: number;
}

/** A message of a call, exactly as the host got it. */
export interface CallMessage {
  /** The SHA-256 of the message's JSON. */
  readonly hash: string;
  /** Whether the call before begins with the same messages up to this one. */
  readonly isShared: boolean;
  /** The message as JSON; undefined if it cannot be rebuilt. In a snapshot it is in `messages`, by its hash. */
  readonly json?: string;
  /** The entry from which it was made; undefined if the layout has no entry for each message. */
  readonly entry?: Pick<DescribedEntry, "what" | "place" | "how" | "tokens">;
  /** The objects behind it. */
  readonly parts: readonly NamedPart[];
  /** Present if the message cannot be rebuilt, or if a version behind it is damaged. */
  readonly isDamaged?: true;
}

/** A problem of a call; `id` and `version` of the object that is damaged, where it is one. */
export interface CallProblem {
  readonly text: string;
  readonly id?: ObjectId;
  readonly version?: number;
}

export interface CallAnswer extends CallSummary {
  readonly session: ObjectId;
  readonly isVerified: boolean;
  readonly problems: readonly CallProblem[];
  readonly systemPrompts: readonly {
    readonly origin: string;
    readonly id: ObjectId;
    readonly version: number;
    readonly text: string;
    /** Whether the call before had the same one. */
    readonly isShared: boolean;
  }[];
  readonly messages: readonly CallMessage[];
  /** The differences from the call before; undefined for the first call, or if it cannot be read. */
  readonly difference?: ViewDifference;
}

/** All calls of a session, rebuilt and compared with their hashes. */
export interface DamageAnswer {
  /** The number of calls that were rebuilt. */
  readonly calls: number;
  /** Those that differ from what was sent, or whose objects are damaged. */
  readonly damaged: readonly { readonly call: number; readonly problems: readonly string[] }[];
}

/** A line of metadata: the field, and its value for the user. */
export type MetadataLine = readonly [field: string, value: string];

/** An object that another one refers to, or that refers to it. */
export interface NamedObject {
  readonly id: ObjectId;
  readonly type: string;
  /** Its short name; the id if it has none. */
  readonly name: string;
}

/** A version of an object in its list of versions. */
export interface VersionRow {
  readonly version: number;
  /** ISO 8601. */
  readonly at: string;
  readonly transaction: number;
  /** What made it, such as `user`, `agent` or `system`. */
  readonly generator: string;
  readonly characters?: number;
  readonly contentHash: string;
  readonly metadataViewHash: string;
  readonly objectHash: string;
}

/** The calls of a session in which an object's content was in view, or in which a system prompt was sent. */
export interface InView {
  readonly session: ObjectId;
  readonly sessionName: string;
  /** The number of calls of the session. */
  readonly calls: number;
  /** Empty for a system prompt, which has no handle. */
  readonly handle: string;
  /** Runs of calls without a gap that showed the same version: the first and the last call, and the version. */
  readonly runs: readonly {
    readonly from: number;
    readonly to: number;
    readonly version: number;
  }[];
}

export interface ObjectAnswer extends NamedObject {
  /** The newest version that can be read. */
  readonly version: number;
  readonly nickname?: string;
  /** The metadata of the newest version. Content and other long fields are left out. */
  readonly metadata: readonly MetadataLine[];
  /** Oldest first. */
  readonly versions: readonly VersionRow[];
  /** The versions in `versions` that a snapshot contains; undefined where all can be asked for. */
  readonly included?: readonly number[];
  readonly inView: readonly InView[];
  /** References from this object, and to it: each with the place of the reference in the object that has it. */
  readonly references: readonly (NamedObject & { readonly path: string })[];
  readonly referrers: readonly (NamedObject & { readonly path: string })[];
  /** Links of the document's text. `to` is undefined for a link that leads nowhere. */
  readonly links: readonly {
    readonly text: string;
    readonly relation?: string;
    readonly to?: NamedObject;
    readonly isAmbiguous?: boolean;
  }[];
  readonly backlinks: readonly (NamedObject & { readonly relation?: string })[];
  readonly problem?: string;
}

export interface VersionAnswer {
  readonly id: ObjectId;
  readonly version: number;
  readonly type: string;
  /** The media type of the content, if it is known. */
  readonly mediaType?: string;
  /** The metadata of this version; empty if it cannot be read. */
  readonly metadata: readonly MetadataLine[];
  /** The content as text; null if the version has none. Other long fields follow as JSON. */
  readonly content: string | null;
  readonly fields: readonly { readonly name: string; readonly json: string }[];
  readonly isVerified: boolean;
  readonly problem?: string;
}

export interface GraphAnswer {
  /** The object in the middle is the first. `distance`: references or links between it and the middle. */
  readonly nodes: readonly (NamedObject & { readonly distance: number })[];
  readonly edges: readonly {
    readonly from: ObjectId;
    readonly to: ObjectId;
    /** The type of a link's relation, or the field of a reference. */
    readonly relation: string;
    readonly kind: "link" | "reference";
  }[];
  /** Whether objects were left out because there were too many. */
  readonly isCut: boolean;
}

/** What was found: first by handle or name, then by words. */
export interface SearchAnswer {
  readonly hits: readonly (NamedObject & {
    /** `handle`: that of a session; `name`: a part of its path or name; `words`: its content has all words. */
    readonly by: "handle" | "name" | "words";
    readonly handle?: string;
    /** The version that has the words best; undefined if none has. */
    readonly version?: number;
    readonly session?: ObjectId;
    /** The line that has the words, or the name. */
    readonly line: string;
  })[];
  /** Whether all names and versions are searched; otherwise the index is still being made. */
  readonly isComplete: boolean;
}

/** What is new in the store. */
export interface ChangeNotice {
  readonly position: string;
  /** The objects with new versions, each once; their number can be greater than the list. */
  readonly changed: readonly { readonly id: ObjectId; readonly type: string }[];
}

/**
 * A call in a snapshot. Its messages begin with those of the call before, which are left out because they would be most of
 * the file: `continues` is their number, and `messages` are the others. `snapshotCall` returns the whole answer.
 */
export interface SnapshotCall extends CallAnswer {
  /** Default: 0. */
  readonly continues?: number;
}

/** What a snapshot holds: all answers by their paths, calls as `SnapshotCall`, and each message once, by its hash. */
export interface SnapshotData {
  readonly format: 1;
  readonly answers: Readonly<Record<string, unknown>>;
  readonly messages: Readonly<Record<string, string>>;
}
