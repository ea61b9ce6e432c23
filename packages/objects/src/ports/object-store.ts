import type { JsonValue } from "../model/json.ts";
import type { ObjectId } from "../model/object-id.ts";
import type { Reference } from "../model/references.ts";
import type { SealedObject } from "../model/sealed-object.ts";
import type { StoredMetadata, StoredVersion, VersionPoint } from "../model/stored-version.ts";

/**
 * Where objects and their versions live (specification v0 §11, design §4).
 *
 * Laws, each a scenario of the same key in `@self-context-manager/testkit`:
 *
 * - `read-your-writes`: once `commit` resolves, every later read sees those versions or newer ones.
 * - `commit-is-atomic`: of a commit that rejects, no version is there.
 * - `versions-never-change`: what `get` answers for a version is the same for ever.
 * - `versions-are-ordered`: an object's versions count 1, 2, 3 …, and `at: { txId }` answers what was latest then.
 * - `time-agrees-with-order`: times never decrease as transactions grow, and `at: { txTime }` answers the latest
 *   version of that time or before.
 * - `content-hash-finds-version`: `at: { contentHash }` answers the newest version that has it.
 * - `unchanged-adds-no-version`: a write whose `object_hash` is that of the head makes no version.
 * - `compare-and-set`: of several commits that expect the same version exactly one resolves; the others reject with
 *   `VERSION_CONFLICT`.
 * - `request-id-replays`: a repeated request id answers the first outcome and writes nothing, in a durable store after
 *   a reopening too; with other writes it rejects with `REQUEST_CONFLICT`.
 * - `nickname-is-unique`: two objects never have one nickname, and none has another's id for one: `NICKNAME_TAKEN`.
 * - `absent-is-undefined`: an unknown id, version or nickname is answered `undefined`, never an error.
 * - `deletion-keeps-history`: a version with null content is a version, and the earlier ones stay.
 * - `find-agrees-with-scan`: equality on scalar fields finds what a scan finds, in order of first commit, by pages.
 * - `metadata-loads-no-content`: `history`, `find`, `describe`, `referrers` and `changesSince` answer no bulk field.
 * - `hashes-are-true`: every stored hash equals the recomputed one.
 * - `backlinks-agree-with-scan`: `referrers` answers exactly the references that the latest versions hold, with path,
 *   kind and field.
 * - `unresolved-references-stay`: a reference to an object that is not there is kept, and found when it is asked for.
 * - `changes-since-is-complete`: from any position on, every later version is told once, in order.
 * - `export-round-trips`: export, import into an empty store, export again is byte-identical.
 * - `import-is-resumable`: importing twice adds nothing; a different history of the same object is `HISTORY_CONFLICT`.
 * - `text-survives`: any well-formed text comes back unit for unit, of any length.
 * - `order-survives`: what providers and tools said comes back with its fields in their order, after an import too.
 * - `references-resolve`: a static reference answers its version with its hashes, a dynamic one the latest; both after
 *   an export and an import too.
 * - `closed-rejects`: after disposal every call rejects with `STORE_CLOSED`; disposal is idempotent.
 * - `survives-reopen` (if `supports.durable`): a reopened store answers as before it closed.
 * - `survives-kill` (if `supports.durable`): after a kill during commits every acknowledged version is there, none torn.
 * - `two-processes-agree` (if `supports.shared`): two processes that write at once lose nothing, never fail for the
 *   other's sake, and see each other's commits.
 */
export interface ObjectStore extends AsyncDisposable {
  readonly name: string;
  readonly supports: StoreSupports;

  /**
   * Writes all the objects in one transaction or none. An object stands at most once in a commit (`TypeError`).
   * Sealed objects are trusted to be frozen; they may be kept by reference.
   */
  commit(writes: readonly ObjectWrite[], options?: CommitOptions): Promise<CommitResult>;

  /** The latest version of an object, or the one that `at` selects. */
  get(id: ObjectId, at?: VersionSelector): Promise<StoredVersion | undefined>;

  /** The latest versions of several objects, in the order asked for. */
  getMany(ids: readonly ObjectId[]): Promise<readonly (StoredVersion | undefined)[]>;

  /** The metadata of several objects' latest versions, in the order asked for. */
  describe(ids: readonly ObjectId[]): Promise<readonly (StoredMetadata | undefined)[]>;

  /** The metadata of an object's versions, oldest first; empty for an unknown id. */
  history(id: ObjectId, options?: HistoryOptions): Promise<readonly StoredMetadata[]>;

  /** Objects whose latest version has all the given field values, in order of first commit. */
  find(query: FindQuery): Promise<Page<StoredMetadata>>;

  /** The object that has a nickname now. */
  lookup(nickname: string): Promise<StoredMetadata | undefined>;

  /** The references to an object that latest versions hold, ordered by referrer's first commit, then path. */
  referrers(id: ObjectId, options?: ReferrersOptions): Promise<Page<Referrer>>;

  /** The versions that came after a position, in order of commit; without a position, all. */
  changesSince(position?: string, options?: { readonly limit?: number }): Promise<Changes>;

  /**
   * Adds versions as they were made elsewhere, with their own numbers and points (decision D58). A version that is
   * there already is passed over; one that contradicts what is there, or leaves a gap, rejects with
   * `HISTORY_CONFLICT`. Transactions made here afterwards have greater ids than all of these.
   */
  restore(versions: readonly StoredVersion[]): Promise<{ readonly added: number }>;
}

/** What a store can do beyond keeping objects while its process lives. */
export interface StoreSupports {
  /** It keeps what it acknowledged when its process ends in any way. */
  readonly durable: boolean;
  /** Several processes may have it open at once. */
  readonly shared: boolean;
}

/** One object to write; `expect` is the version that must be the latest, 0 for none yet. */
export interface ObjectWrite {
  readonly object: SealedObject;
  readonly expect?: number;
}

export interface CommitOptions {
  /** Makes the commit repeatable: see the law `request-id-replays`. */
  readonly requestId?: string;
  /**
   * Says that the caller makes another commit before anything that rests on this one goes out. A store may then wait
   * for the disk there and not here: both survive the end of the process, but until the later commit resolves, which
   * it may do without a new version, this one can be lost with the machine. It is never lost where the later is kept.
   */
  readonly isFollowed?: boolean;
}

export interface CommitResult {
  /** One entry for each write, in order. */
  readonly versions: readonly CommittedVersion[];
  /** True where a repeated request id answered an earlier outcome. */
  readonly replayed: boolean;
}

export interface CommittedVersion {
  readonly id: ObjectId;
  readonly version: number;
  readonly at: VersionPoint;
  /** False where the write was what the latest version already is; `version` and `at` are then that version's. */
  readonly changed: boolean;
}

/** A version by number, by transaction, by time (ISO 8601), or by content hash (decision D21). */
export type VersionSelector =
  | { readonly version: number }
  | { readonly txId: number }
  | { readonly txTime: string }
  | { readonly contentHash: string };

export interface HistoryOptions {
  /** Leaves out this version and all before it. */
  readonly after?: number;
  readonly limit?: number;
}

export interface FindQuery {
  /**
   * Field values that must be equal. A field is a name, or names joined by dots for a field of an inner object
   * (`provenance.origin`); `null` also finds objects that lack the field. Bulk and foreign fields, lists and references
   * cannot be asked for.
   */
  readonly where?: Readonly<Record<string, Scalar>>;
  /** The beginning of the id. */
  readonly idPrefix?: string;
  readonly newestFirst?: boolean;
  /** At most this many; 100 unless told. */
  readonly limit?: number;
  /** The `next` of the page before. */
  readonly after?: string;
}

export type Scalar = Extract<JsonValue, string | number | boolean | null>;

/** Part of an answer; `next` is there where more follows. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

export interface ReferrersOptions {
  readonly kind?: Reference["ref"];
  readonly limit?: number;
  readonly after?: string;
}

/** One place that refers to an object. */
export interface Referrer {
  /** The object that holds the reference. */
  readonly id: ObjectId;
  /** Where in it, as a JSON pointer. */
  readonly path: string;
  readonly reference: Reference;
}

export interface Changes {
  readonly versions: readonly StoredMetadata[];
  /** Where the next call goes on; the position asked for where nothing followed. */
  readonly position: string;
}
